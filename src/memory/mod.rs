//! Device memory: the address space, heaps and their budget, allocations, memory-report events.

pub mod raw;
