//! What a process did, for tools: `LAHAR_REPORT=FILE` gets a JSON object when devices and instances go, when a rule fires
//! and when the process ends.
//!
//! It holds every event that a rule could count, with how often it happened, what fired, and how each device ended.
//! `lahar plan --discover` and `lahar sweep` read it.

use crate::{
    device::DeviceState,
    hook::{Call, Scene},
};
use ash::vk;
use lahar::{
    device::planned,
    fault::plan::{codes, tables, watch},
    physical::registry,
};
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{
        LazyLock, Once,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

static ACTIVE: AtomicBool = AtomicBool::new(false);

#[derive(Default)]
struct Journal {
    path: PathBuf,
    /// Calls by device and command; 0 is no device.
    calls: BTreeMap<(u64, &'static str), u64>,
    devices: BTreeMap<u64, DeviceEnd>,
    instances: [u64; 2],
    /// Calls that were given a handle of nothing.
    stale: u64,
}

/// How a device ended, as far as it has.
#[derive(Default)]
struct DeviceEnd {
    lost: bool,
    told: bool,
    /// Calls that can return the loss, after the application was told.
    after: u64,
    /// Submissions, presentations and acquisitions among them.
    work: u64,
    destroyed: bool,
    leaked: u64,
    /// Of each heap: its size, bytes in use at the end and at most.
    heaps: Vec<[u64; 3]>,
}

static JOURNAL: LazyLock<Mutex<Journal>> = LazyLock::new(Mutex::default);

/// Starts one, if it is asked for; the first instance of a process decides where it goes.
pub(crate) fn start(path: Option<&PathBuf>) {
    static START: Once = Once::new();
    let Some(path) = path else { return };
    START.call_once(|| {
        JOURNAL.lock().path.clone_from(path);
        ACTIVE.store(true, Ordering::Relaxed);
        watch::watch();
        planned::activate();
        extern "C" fn at_exit() {
            write();
        }
        // SAFETY: the function takes nothing, returns nothing and does not unwind: `write` is all it does. The library
        // is not unloaded before the process ends in programs that call exit; glibc runs it at unloading otherwise.
        unsafe { libc::atexit(at_exit) };
    });
}

fn is_active() -> bool {
    ACTIVE.load(Ordering::Relaxed)
}

/// Notes a call before it runs.
pub(crate) fn called(call: &Call<'_>) {
    if !is_active() || !registry::command(call.name).is_some_and(codes::can_fail) {
        return;
    }
    let device = match call.scene {
        Scene::Device(device, _) => generation(device),
        Scene::Instance(_) => 0,
    };
    *JOURNAL.lock().calls.entry((device, call.name)).or_default() += 1;
}

/// Notes what a call returned.
pub(crate) fn returned(name: &str, scene: Option<Scene<'_>>, code: Option<i32>) {
    if !is_active() {
        return;
    }
    let mut journal = JOURNAL.lock();
    if code == Some(vk::Result::ERROR_UNKNOWN.as_raw()) {
        journal.stale += 1;
    }
    let Some(Scene::Device(device, _)) = scene else {
        return;
    };
    let lost = device.engine.is_lost();
    let end = journal.devices.entry(generation(device)).or_default();
    end.lost |= lost;
    if end.told {
        let can = registry::command(name).is_some_and(|command| codes::is_legal(command, -4));
        end.after += u64::from(can);
        let working = ["submit", "present", "acquire"];
        let works = |class: &&str| tables::event(class).is_some_and(|row| row.commands.contains(&name));
        end.work += u64::from(working.iter().any(works));
    }
    end.told |= code == Some(vk::Result::ERROR_DEVICE_LOST.as_raw());
}

/// Notes that a device is there.
pub(crate) fn created(device: &DeviceState) {
    if is_active() {
        JOURNAL.lock().devices.entry(generation(device)).or_default();
    }
}

/// Notes that a device goes, with so many objects that nobody destroyed.
pub(crate) fn destroyed(device: &DeviceState, leaked: usize) {
    if is_active() {
        let mut journal = JOURNAL.lock();
        let end = journal.devices.entry(generation(device)).or_default();
        (end.destroyed, end.leaked) = (true, leaked as u64);
        let memory = &device.memory;
        let heaps = memory.properties().heaps.iter().zip(0..);
        end.heaps = heaps
            .map(|(heap, index)| [heap.size, memory.used(index), memory.most_used(index)])
            .collect();
        end.lost |= device.engine.is_lost();
        drop(journal);
        write();
    }
}

/// Notes that an instance comes or goes.
pub(crate) fn instance(gone: bool) {
    if is_active() {
        JOURNAL.lock().instances[usize::from(gone)] += 1;
        if gone {
            write();
        }
    }
}

fn generation(device: &DeviceState) -> u64 {
    device.engine.fault().desc().generation
}

/// Writes it, in place of what was written before.
pub(crate) fn write() {
    if !is_active() {
        return;
    }
    // At the end of the process a thread that was stopped may hold it for ever.
    let Some(journal) = JOURNAL.try_lock_for(Duration::from_secs(1)) else {
        return;
    };
    let text = to_json(&journal).to_string();
    // Whoever asked for it sees that it is not there.
    let _ = std::fs::write(&journal.path, text + "\n");
}

fn to_json(journal: &Journal) -> Value {
    let calls = journal.calls.iter().map(|((device, name), count)| {
        let legal = registry::command(name).map_or(Vec::new(), |command| {
            codes::legal(command).filter_map(codes::word).collect()
        });
        json!({ "device": device, "event": name, "count": count, "codes": legal })
    });
    let executed = watch::watched();
    let executed = executed.iter().map(
        |((device, name), count)| json!({ "device": device, "event": name, "count": count, "codes": [] }),
    );
    let points: Vec<Value> = calls.chain(executed).collect();
    let fired: Vec<Value> = watch::fired()
        .iter()
        .map(|fired| json!({ "device": fired.device, "rule": fired.rule, "fault": fired.fault, "count": fired.count }))
        .collect();
    let devices: Vec<Value> = journal
        .devices
        .iter()
        .map(|(generation, end)| {
            let heaps = end.heaps.iter();
            let heaps = heaps.map(|[size, left, most]| json!({ "size": size, "left": left, "most": most }));
            json!({
                "heaps": heaps.collect::<Vec<_>>(),
                "device": generation, "lost": end.lost, "told": end.told, "calls_after_loss": end.after,
                "work_after_loss": end.work, "destroyed": end.destroyed, "leaked": end.leaked,
            })
        })
        .collect();
    json!({
        "version": 1, "points": points, "fired": fired, "devices": devices,
        "instances": { "created": journal.instances[0], "destroyed": journal.instances[1] },
        "invalid_handles": journal.stale,
    })
}
