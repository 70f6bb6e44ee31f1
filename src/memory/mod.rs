//! Device memory: the address space, heaps and their budget, allocations, memory-report events.

mod aligned;
mod allocation;
mod captured;
mod heap;
mod history;
mod ranges;
pub mod raw;
mod report;
mod shared;
mod window;

pub use aligned::AlignedBuf;
pub use allocation::{Allocation, Error, MAX_ALLOCATIONS, Memory, Place, Placement, Record, Request, Usage};
pub use heap::{Heap, MemoryType, Profile, Properties, host_limit};
pub use history::{Detail, History, Object, Stamp, Whereabouts};
pub use report::{Event, Listener};
pub use shared::SharedBuf;
pub use window::{REGION, WINDOW_SIZE, Window};
