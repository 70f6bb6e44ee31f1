//! The cache of compiled routines of a device.
//!
//! Kernels find routines through the inline cache in their context; on a miss they call [`resolve`], which
//! looks here and compiles what is not there yet. A host address must not be turned into a reference in safe
//! code, so a context holds the number of a cache in a process-wide table (a miss is rare).

use super::block::attach_decoder;
use super::build::{Key, build};
use super::op::Operation;
use super::state::{image_fits, sampler_fits};
use crate::memory::raw;
use crate::shader::abi::{Context, RoutineRequest, RoutineSlot, Status};
use crate::shader::codegen::entry::{self, host_routine};
use crate::shader::kernel::{CompileError, Kernel, Target, compile};
use parking_lot::RwLock;
use rustc_hash::FxHashMap;
use std::mem::offset_of;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

static CACHES: RwLock<Vec<(u64, Weak<Routines>)>> = RwLock::new(Vec::new());
static NEXT: AtomicU64 = AtomicU64::new(1);

#[derive(Debug)]
struct Routines {
    target: Target,
    map: RwLock<FxHashMap<Key, Kernel>>,
}

/// The routines of a device. Kernels that call them must not outlive it.
#[derive(Debug)]
pub struct RoutineCache {
    id: u64,
    routines: Arc<Routines>,
}

impl RoutineCache {
    /// An empty cache of routines for a target.
    #[must_use]
    pub fn new(target: impl Into<Target>) -> RoutineCache {
        let routines = Arc::new(Routines {
            target: target.into(),
            map: RwLock::default(),
        });
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        CACHES.write().push((id, Arc::downgrade(&routines)));
        RoutineCache { id, routines }
    }

    /// Makes a context find routines here. The context's inline cache, zeroed at first, must be its own.
    pub fn attach(&self, ctx: &mut Context) {
        attach_decoder(ctx);
        ctx.resolve = host_routine(resolve);
        ctx.host = self.id;
    }

    /// The routine for a key, compiled if need be.
    ///
    /// # Errors
    /// What the compiler says.
    pub fn get(&self, key: Key) -> Result<Kernel, CompileError> {
        self.routines.get(key)
    }
}

impl Drop for RoutineCache {
    fn drop(&mut self) {
        CACHES.write().retain(|(id, _)| *id != self.id);
    }
}

impl Routines {
    fn get(&self, key: Key) -> Result<Kernel, CompileError> {
        if let Some(kernel) = self.map.read().get(&key) {
            return Ok(kernel.clone());
        }
        // Compiled outside the lock; of two that race, the first stays, since its code may be in use.
        let kernel = compile(build(key, self.target.backend.width()), self.target)?;
        Ok(self.map.write().entry(key).or_insert(kernel).clone())
    }
}

/// Fills the slot of a [`RoutineRequest`]. When nothing can be compiled the slot gets a function that does
/// nothing: the kernel goes on with what is in the call frame.
extern "C" fn resolve(ctx: u64, request: u64) -> u32 {
    let at = |offset: usize| request + offset as u64;
    let image_kind = raw::load::<u64>(at(offset_of!(RoutineRequest, image_kind)));
    let sampler_kind = raw::load::<u64>(at(offset_of!(RoutineRequest, sampler_kind)));
    let slot = raw::load::<u64>(at(offset_of!(RoutineRequest, slot)));
    let id = raw::load::<u64>(ctx + offset_of!(Context, host) as u64);
    let routines = CACHES
        .read()
        .iter()
        .find(|(other, _)| *other == id)
        .and_then(|(_, routines)| routines.upgrade());
    let key = Key {
        image_kind,
        sampler_kind,
    };
    let operation = Operation::decode((sampler_kind >> 32) as u32);
    let image = operation.is_none_or(|operation| image_fits(image_kind, operation));
    let sampler = operation.is_none_or(|o| !o.kind.samples() || sampler_fits(sampler_kind as u32));
    let (code, data) = match routines
        .filter(|_| image && sampler)
        .map(|routines| routines.get(key))
    {
        // What is at fault: the image's descriptor, or the sampler's.
        _ if !(image && sampler) => (entry::refuse_code(), u64::from(image)),
        Some(Ok(kernel)) => kernel.routine(),
        _ => (host_routine(do_nothing), 0),
    };
    let set = |offset: usize, value: u64| raw::store(slot + offset as u64, value);
    set(offset_of!(RoutineSlot, image_kind), image_kind);
    set(offset_of!(RoutineSlot, sampler_kind), sampler_kind);
    set(offset_of!(RoutineSlot, code), code);
    set(offset_of!(RoutineSlot, data), data);
    Status::Done as u32
}

extern "C" fn do_nothing(_: u64, _: u64) -> u32 {
    Status::Done as u32
}
