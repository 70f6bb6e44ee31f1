//! An ordinary Vulkan program: it draws frames of a small scene without a window and writes them as pictures.
//! When its device is lost it prints what the device says of that, makes a new device, and goes on.

mod context;
mod error;
mod fault;
mod math;
mod mesh;
mod picture;
mod pipelines;
mod renderer;
mod resources;
mod scene;

use ash::vk;
use clap::Parser;
use context::{Context, Instance};
use error::{Error, Result};
use renderer::Renderer;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Draws frames of a small scene with Vulkan and writes them as PNGs.
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    /// Directory of the pictures; made if it is not there.
    #[arg(long)]
    out: PathBuf,
    /// Number of frames.
    #[arg(long, default_value_t = 3)]
    frames: u32,
    /// Width of the pictures.
    #[arg(long, default_value_t = 640, value_parser = clap::value_parser!(u32).range(1..=4096))]
    width: u32,
    /// Height of the pictures.
    #[arg(long, default_value_t = 360, value_parser = clap::value_parser!(u32).range(1..=4096))]
    height: u32,
    /// Takes no notice of memory that it does not get: a bug for `lahar sweep` to find.
    #[arg(long)]
    careless: bool,
}

/// A program that loses this many devices in a row gives up.
const MAX_LOSSES: u32 = 3;

/// Draws frames from `*next` on, and counts in `*next` those that are done.
fn draw_frames(context: &Context<'_>, arguments: &Arguments, next: &mut u32) -> Result {
    let size = vk::Extent2D {
        width: arguments.width,
        height: arguments.height,
    };
    let renderer = Renderer::new(context, size)?;
    while *next < arguments.frames {
        let picture = renderer.frame(*next)?;
        let path = arguments.out.join(format!("frame-{:03}.png", *next));
        picture.write(&path)?;
        println!("frame {}: {}", *next, path.display());
        *next += 1;
    }
    Ok(())
}

fn write_file(path: &Path, bytes: &[u8]) -> Result {
    std::fs::write(path, bytes).map_err(|error| Error::File(path.to_owned(), error))
}

/// Prints what the device says of its loss and keeps the vendor binary.
fn report_loss(context: &Context<'_>, out: &Path, losses: u32) -> Result {
    let Some(report) = fault::report(context)? else {
        println!("  this device does not say why (no VK_EXT_device_fault)");
        return Ok(());
    };
    for line in &report.lines {
        println!("  {line}");
    }
    if !report.binary.is_empty() {
        let name = if losses == 1 {
            "device_fault.bin".to_owned()
        } else {
            format!("device_fault-{losses}.bin")
        };
        let path = out.join(name);
        write_file(&path, &report.binary)?;
        println!(
            "  vendor binary: {} bytes in {}",
            report.binary.len(),
            path.display()
        );
    }
    Ok(())
}

fn run(arguments: &Arguments) -> Result {
    resources::CARELESS.store(arguments.careless, std::sync::atomic::Ordering::Relaxed);
    std::fs::create_dir_all(&arguments.out).map_err(|error| Error::File(arguments.out.clone(), error))?;
    let instance = Instance::new()?;
    println!("device: {}", instance.device_name());
    let (mut next, mut losses) = (0, 0);
    loop {
        let context = Context::new(&instance)?;
        match draw_frames(&context, arguments, &mut next) {
            Err(Error::DeviceLost(command)) if losses < MAX_LOSSES => {
                losses += 1;
                println!("device lost before frame {next} was done: {command} says so");
                report_loss(&context, &arguments.out, losses)?;
                println!("making a new device");
            }
            other => return other,
        }
    }
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("lahar-demo: {error}");
            ExitCode::FAILURE
        }
    }
}
