//! Query pools: occlusion, pipeline statistics, timestamps.
#![forbid(unsafe_code)]

mod pool;

pub use pool::{QueryKind, QueryPool, ResultFlags, ResultStatus};
