//! Transcendental functions as wave IR.
#![forbid(unsafe_code)]
