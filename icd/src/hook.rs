//! What happens around calls where something is planned or traced.
//!
//! Entry points look at one flag; only where it is set do they come here. Most planned faults of calls are settled here,
//! before the command does anything. A few commands have more to do when they fail, or are to work differently; they
//! ask `take` what for.

use crate::{boundary::Return, chain, device::DeviceState, instance::InstanceState, journal, trace};
use ash::vk::{self, Handle as _};
use lahar::{
    device::planned::{self, CallFault, ProcessPlan},
    fault::plan::{Event, Happening, Pattern, makes, thread_number},
};
use std::cell::Cell;

pub(crate) use lahar::device::planned::is_active;

/// What a command is called on.
#[derive(Clone, Copy)]
pub(crate) enum Scene<'a> {
    /// A device, a queue of it or a command buffer.
    Device(&'a DeviceState, Option<usize>),
    /// An instance or a physical device.
    Instance(&'a InstanceState),
}

/// Type and handle of an argument that is one.
pub(crate) type Object = Option<(i32, u64)>;

/// A call as an event.
pub(crate) struct Call<'a> {
    pub(crate) name: &'static str,
    pub(crate) scene: Scene<'a>,
    pub(crate) objects: &'a [Object],
    /// Size, heap and memory type.
    pub(crate) allocation: Option<(u64, u64, u64)>,
}

impl Happening for Call<'_> {
    fn counts(&self, event: Event) -> bool {
        event.counts_call(self.name)
    }

    fn queue(&self) -> Option<u64> {
        match self.scene {
            Scene::Device(_, queue) => queue.map(|queue| queue as u64),
            Scene::Instance(_) => None,
        }
    }

    fn thread(&self) -> Option<u64> {
        Some(thread_number())
    }

    fn has_object(&self, name: &Pattern) -> bool {
        let Scene::Device(device, _) = self.scene else {
            return false;
        };
        self.objects.iter().flatten().any(|&(ty, handle)| {
            let given = device.engine.names().get(ty, handle);
            given.is_some_and(|given| name.fits(&given))
        })
    }

    fn has_object_type(&self, ty: vk::ObjectType) -> bool {
        let given = self.objects.iter().flatten();
        makes(self.name, ty) || given.into_iter().any(|&(other, _)| other == ty.as_raw())
    }

    fn has_label(&self, labels: &Pattern) -> bool {
        let Scene::Device(device, Some(queue)) = self.scene else {
            return false;
        };
        let open = device.queue_labels.lock();
        let open = open.get(&queue).map_or(&[][..], |open| open);
        labels.fits_labels(&open.iter().map(String::as_str).collect::<Vec<_>>())
    }

    fn allocation(&self) -> Option<(u64, u64, u64)> {
        self.allocation
    }
}

/// Commands that look for themselves what is planned, with `take`, since they have outputs to settle or go on.
const OWN: [&str; 10] = [
    "vkAllocateCommandBuffers",
    "vkAllocateDescriptorSets",
    "vkAcquireNextImage2KHR",
    "vkAcquireNextImageKHR",
    "vkCreateComputePipelines",
    "vkCreateGraphicsPipelines",
    "vkQueuePresentKHR",
    "vkQueueSubmit",
    "vkQueueSubmit2",
    "vkAllocateMemory",
];

thread_local! {
    static FAULT: Cell<Option<CallFault>> = const { Cell::new(None) };
}

/// What is planned for the command that runs on this thread, if it looks for itself.
#[inline(always)]
pub(crate) fn take() -> Option<CallFault> {
    if is_active() { FAULT.take() } else { None }
}

/// The code that the command is to fail with, if it is; other faults stay for `take`.
#[inline(always)]
pub(crate) fn take_code() -> Option<vk::Result> {
    if is_active() { take_planned_code() } else { None }
}

#[cold]
fn take_planned_code() -> Option<vk::Result> {
    match FAULT.get() {
        Some(CallFault::Fail(code)) => {
            FAULT.set(None);
            Some(vk::Result::from_raw(code))
        }
        _ => None,
    }
}

/// As `take_code`, for commands that fail before they have done anything.
#[inline(always)]
pub(crate) fn fail_if_planned() -> crate::error::Answer {
    take_code().map_or(Ok(()), |code| Err(crate::error::Error(code)))
}

/// Runs an entry point where something is planned or traced.
#[cold]
pub(crate) fn around<R: Return>(
    name: &'static str,
    scene: Option<Scene<'_>>,
    objects: &[Object],
    run: impl FnOnce() -> R,
) -> R {
    FAULT.set(None);
    let result = match scene.and_then(|scene| before(name, scene, objects)) {
        Some(code) => R::from_error(crate::error::Error(vk::Result::from_raw(code))),
        None => run(),
    };
    journal::returned(name, scene, result.code());
    trace::call(name, scene, objects, result.code());
    result
}

/// What is planned before a command; the code that it returns instead of doing anything.
fn before(name: &'static str, scene: Scene<'_>, objects: &[Object]) -> Option<i32> {
    // Recording a command cannot fail; its execution is another event.
    if name.starts_with("vkCmd") {
        return None;
    }
    // It tells the size itself, when it has read it.
    if name == "vkAllocateMemory" {
        return None;
    }
    let call = Call {
        name,
        scene,
        objects,
        allocation: None,
    };
    decide(&call)
}

fn decide(call: &Call<'_>) -> Option<i32> {
    journal::called(call);
    let fault = match call.scene {
        Scene::Device(device, _) => {
            if let Some(forever) = looks(call.name) {
                device.engine.looked(forever);
            }
            device.engine.planned_call(call)?
        }
        Scene::Instance(instance) => {
            if call.name == "vkCreateDevice" && ProcessPlan::get().creation_fails() {
                return Some(vk::Result::ERROR_DEVICE_LOST.as_raw());
            }
            let run = ProcessPlan::get().run(instance.config.plan.as_deref())?;
            CallFault::Fail(planned::process_call(&run, call)?)
        }
    };
    match fault {
        CallFault::Fail(code) if !OWN.contains(&call.name) => Some(code),
        fault => {
            FAULT.set(Some(fault));
            None
        }
    }
}

/// Whether a command looks at the state of something; if so, whether it waits without end. Waits with a time-out say
/// so themselves.
fn looks(name: &str) -> Option<bool> {
    match name {
        "vkGetFenceStatus" | "vkGetSemaphoreCounterValue" | "vkGetEventStatus" | "vkGetQueryPoolResults" => {
            Some(false)
        }
        "vkQueueWaitIdle" | "vkDeviceWaitIdle" | "vkDestroyDevice" => Some(true),
        _ => None,
    }
}

/// A wait of the host with a time-out in nanoseconds.
#[inline(always)]
pub(crate) fn waits(device: &DeviceState, timeout: u64) {
    if is_active() {
        device.engine.looked(timeout == u64::MAX);
    }
}

/// What is planned for an allocation; the code that it fails with.
pub(crate) fn allocation(device: &DeviceState, info: &vk::MemoryAllocateInfo<'_>) -> crate::error::Answer {
    if !is_active() {
        return Ok(());
    }
    let types = &device.memory.properties().types;
    let heap = types
        .get(info.memory_type_index as usize)
        .map_or(0, |ty| u64::from(ty.heap));
    let dedicated = chain::find::<vk::MemoryDedicatedAllocateInfo<'_>, _>(info);
    let object = |ty: vk::ObjectType, handle: u64| (handle != 0).then_some((ty.as_raw(), handle));
    let objects = dedicated.map_or([None; 2], |info| {
        [
            object(vk::ObjectType::BUFFER, info.buffer.as_raw()),
            object(vk::ObjectType::IMAGE, info.image.as_raw()),
        ]
    });
    let call = Call {
        name: "vkAllocateMemory",
        scene: Scene::Device(device, None),
        objects: &objects,
        allocation: Some((info.allocation_size, heap, u64::from(info.memory_type_index))),
    };
    decide(&call);
    fail_if_planned()
}

/// A call on nothing, of an instance that is about to be.
pub(crate) fn creating(instance: &InstanceState) -> crate::error::Answer {
    if !is_active() {
        return Ok(());
    }
    let call = Call {
        name: "vkCreateInstance",
        scene: Scene::Instance(instance),
        objects: &[],
        allocation: None,
    };
    match decide(&call) {
        Some(code) => Err(crate::error::Error(vk::Result::from_raw(code))),
        None => Ok(()),
    }
}
