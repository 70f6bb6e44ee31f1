//! The call trace: `LAHAR_TRACE=calls,commands,faults`, as events of `tracing` written to standard error.
//!
//! Lines hold nothing that differs between runs: handles are numbers in order of creation, and there are no times.
//! Where several threads call, their lines come in the order in which they happened to.

use crate::hook::{Object, Scene};
use ash::vk;
use lahar::{config::Trace, fault::plan::codes};
use std::{
    fmt::Write as _,
    io::Write as _,
    sync::{
        Once,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};
use tracing::{
    Event, Metadata, Subscriber,
    field::{Field, Visit},
    span,
};

/// Whether calls are traced.
static CALLS: AtomicBool = AtomicBool::new(false);

/// Turns on what is asked for; the first instance of a process decides.
pub(crate) fn start(trace: Trace) {
    static START: Once = Once::new();
    START.call_once(|| {
        CALLS.store(trace.calls, Ordering::Relaxed);
        // Refused where the driver shares its `tracing` with a program that has set one: then that one hears of it.
        let _ = tracing::subscriber::set_global_default(Lines(trace));
    });
}

/// Traces a call and what it returned.
pub(crate) fn call(name: &str, scene: Option<Scene<'_>>, objects: &[Object], code: Option<i32>) {
    if !CALLS.load(Ordering::Relaxed) {
        return;
    }
    static CALL: AtomicU64 = AtomicU64::new(1);
    let number = CALL.fetch_add(1, Ordering::Relaxed);
    let mut text = String::new();
    let mut objects = objects.iter().flatten().peekable();
    match scene {
        Some(Scene::Device(device, queue)) => {
            objects.next();
            // Writing to a string does not fail.
            let _ = write!(text, "device {}", device.engine.fault().desc().generation);
            if let Some(queue) = queue {
                let _ = write!(text, " queue {queue}");
            }
        }
        Some(Scene::Instance(_)) => {
            objects.next();
            text.push_str("instance");
        }
        None => {}
    }
    for &(ty, handle) in objects {
        let _ = write!(text, ", {}", object(ty, handle));
        if let Some(Scene::Device(device, _)) = scene
            && let Some(name) = device.engine.names().get(ty, handle)
        {
            let _ = write!(text, " \"{name}\"");
        }
    }
    let result = match code {
        None => String::new(),
        Some(0) => " = success".to_owned(),
        Some(code) => format!(" = {}", codes::word(code).map_or(code.to_string(), str::to_owned)),
    };
    tracing::info!(target: "lahar::calls", "#{number} {name}({text}){result}");
}

/// An object without anything that differs between runs: handles are slots and generations; addresses of dispatchable
/// objects are left out.
fn object(ty: i32, handle: u64) -> String {
    let ty = vk::ObjectType::from_raw(ty);
    let word = format!("{ty:?}").to_ascii_lowercase().replace('_', " ");
    let dispatchable = [
        vk::ObjectType::COMMAND_BUFFER,
        vk::ObjectType::DEVICE,
        vk::ObjectType::INSTANCE,
        vk::ObjectType::PHYSICAL_DEVICE,
        vk::ObjectType::QUEUE,
    ];
    match (handle, dispatchable.contains(&ty)) {
        (0, _) => format!("no {word}"),
        (_, true) => word,
        (handle, false) => match handle >> 32 {
            0 => format!("{word} {}", handle as u32),
            generation => format!("{word} {}.{generation}", handle as u32),
        },
    }
}

/// Writes events as lines.
struct Lines(Trace);

struct Message(String);

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        if field.name() == "message" {
            // Writing to a string does not fail.
            let _ = write!(self.0, "{value:?}");
        }
    }
}

impl Subscriber for Lines {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        match metadata.target() {
            "lahar::calls" => self.0.calls,
            "lahar::commands" => self.0.commands,
            "lahar::faults" => self.0.faults,
            _ => false,
        }
    }

    fn new_span(&self, _span: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _span: &span::Id, _values: &span::Record<'_>) {}

    fn record_follows_from(&self, _span: &span::Id, _follows: &span::Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut message = Message(String::new());
        event.record(&mut message);
        // A trace that nobody can read is no reason to stop.
        let _ = writeln!(std::io::stderr().lock(), "lahar: {}", message.0);
    }

    fn enter(&self, _span: &span::Id) {}

    fn exit(&self, _span: &span::Id) {}
}
