//! Device memory: the address space, heaps and their budget, allocations, memory-report events.

mod aligned;
mod allocation;
mod captured;
mod charge;
mod file;
mod footprint;
mod heap;
mod history;
pub mod live;
mod ranges;
pub mod raw;
mod report;
mod shared;
mod sparse;
mod usage;
mod window;

pub use aligned::AlignedBuf;
pub use allocation::{
    Allocation, Backing, Error, MAX_ALLOCATIONS, Memory, Place, Placement, Record, Request,
};
pub use charge::{Account, Charge, Footprint, bytes_in, bytes_of};
pub use file::{SharedFile, SharedPage};
pub use heap::{Heap, MemoryType, Profile, Properties, host_limit};
pub use history::{Detail, History, Object, Stamp, Whereabouts};
pub use report::{Event, Listener};
pub use shared::SharedBuf;
pub use sparse::{BindError, SPARSE_ADDRESS_SPACE, SPARSE_BLOCK, SPARSE_PAGE, SparseBind, SparseRange};
pub use usage::Usage;
pub use window::{POISONS, REGION, WINDOW_SIZE, Window};
