//! `cargo xtask demo`: Lahar at work, from nothing but a clone.

mod cube;
mod picture;
mod words;
mod xvfb;

use crate::TaskResult;
use crate::setup::{self, LOADER, VKCUBE, VULKANINFO, XVFB};
use crate::shell::{self, cargo, run_captured, use_lahar};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// Frames of the scene; the plan loses the device in the second.
const FRAMES: u32 = 3;
const PLAN: &str = "plans/third-submit.toml";

/// Collects what the summary says.
#[derive(Default)]
struct Summary(Vec<String>);

impl Summary {
    fn say(&mut self, line: impl Into<String>) {
        self.0.push(line.into());
    }
}

/// Runs it all; an error if anything is not as it should be.
pub(crate) fn run() -> TaskResult {
    setup::prepare(&[LOADER, VULKANINFO, VKCUBE, XVFB])?;
    shell::run(&mut cargo(&[
        "build",
        "--release",
        "--package",
        "lahar",
        "--package",
        "vulkan_lahar",
        "--package",
        "lahar-demo",
    ]))?;
    let dir = shell::target().join("demo");
    if dir.exists() {
        fs::remove_dir_all(&dir)?;
    }
    fs::create_dir_all(&dir)?;
    let manifest = shell::manifest("release", &dir)?;
    let mut summary = Summary::default();

    title("The device");
    list_device(&manifest, &dir, &mut summary)?;
    title("vkcube in a window");
    cube::run(&manifest, &dir, &mut summary)?;
    title("A scene");
    let plain = dir.join("scene");
    draw_scene(&manifest, &plain, None)?;
    summary.say(format!("scene: {FRAMES} frames in {}", plain.display()));
    title("The same scene, with a device that is lost at its third submission");
    lose_device(&manifest, &dir, &plain, &mut summary)?;

    title("Summary");
    for line in &summary.0 {
        println!("  {line}");
    }
    Ok(())
}

fn title(text: &str) {
    println!("\n== {text} ==");
}

fn list_device(manifest: &Path, dir: &Path, summary: &mut Summary) -> TaskResult {
    let text = run_captured(use_lahar(Command::new("vulkaninfo").arg("--summary"), manifest))?;
    let file = dir.join("vulkaninfo.txt");
    fs::write(&file, &text)?;
    let name = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix("deviceName"))
        .filter_map(|line| line.split_once('='))
        .map(|(_, name)| name.trim())
        .next()
        .ok_or("vulkaninfo names no device")?;
    if !name.contains("Lahar") {
        return Err(format!("the device is `{name}`, not Lahar").into());
    }
    summary.say(format!("device: {name} (vulkaninfo in {})", file.display()));
    Ok(())
}

fn program(name: &str) -> PathBuf {
    shell::target().join("release").join(name)
}

/// Draws the scene into `out`, with a fault plan and a directory for dumps if given; what the demo printed.
fn draw_scene(manifest: &Path, out: &Path, plan_and_dumps: Option<(&Path, &Path)>) -> TaskResult<String> {
    let mut command = Command::new(program("lahar-demo"));
    command
        .arg("--out")
        .arg(out)
        .args(["--frames", &FRAMES.to_string()]);
    if let Some((plan, dumps)) = plan_and_dumps {
        command.env("LAHAR_PLAN", plan).env("LAHAR_DUMP_DIR", dumps);
    }
    let text = run_captured(use_lahar(&mut command, manifest))?;
    for frame in 0..FRAMES {
        let path = frame_path(out, frame);
        let colours = picture::read_png(&path)?.colours();
        if colours < 1000 {
            return Err(format!("{} has only {colours} colours", path.display()).into());
        }
    }
    Ok(text)
}

fn frame_path(dir: &Path, frame: u32) -> PathBuf {
    dir.join(format!("frame-{frame:03}.png"))
}

fn lose_device(manifest: &Path, dir: &Path, plain: &Path, summary: &mut Summary) -> TaskResult {
    let (out, dumps) = (dir.join("scene-with-loss"), dir.join("dumps"));
    fs::create_dir_all(&dumps)?;
    let text = draw_scene(manifest, &out, Some((&shell::workspace().join(PLAN), &dumps)))?;
    for (said, what) in words::DEMO {
        if !text.contains(said) {
            return Err(format!("the demo does not report {what}").into());
        }
    }
    summary.say("device loss: at the third submission, as planned; reported through VK_EXT_device_fault");

    let dump = dumps.join("lahar-demo-device1.lahar");
    let (binary, file) = (fs::read(out.join("device_fault.bin"))?, fs::read(&dump)?);
    if binary != file {
        return Err("the vendor binary and the dump in LAHAR_DUMP_DIR differ".into());
    }
    title("The crash dump");
    let decoded = run_captured(Command::new(program("lahar")).arg("dump").arg(&dump))?;
    if !decoded.contains(words::DUMP) {
        return Err("the crash dump does not name the planned fault".into());
    }
    summary.say(format!(
        "crash dump: {} bytes, {} (lahar dump FILE prints it)",
        file.len(),
        dump.display()
    ));

    for frame in 0..FRAMES {
        let (a, b) = (frame_path(plain, frame), frame_path(&out, frame));
        if picture::read_png(&a)? != picture::read_png(&b)? {
            return Err(format!("{} and {} differ", a.display(), b.display()).into());
        }
    }
    summary.say(format!(
        "recovery: on a new device; all {FRAMES} frames equal those without the loss ({})",
        out.display()
    ));
    Ok(())
}
