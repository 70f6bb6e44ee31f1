//! Wave IR → machine code. The boundary names no instruction set.

pub mod entry;
