//! Debian's vkcube, as it is, in a window.

use super::{Summary, xvfb::Xvfb};
use crate::TaskResult;
use crate::shell::use_lahar;
use std::{
    fs,
    path::Path,
    process::Command,
    thread,
    time::{Duration, Instant},
};

const FRAMES: u32 = 300;
/// Where vkcube puts its window, and the window's size.
const PLACE: u32 = 100;
const SIDE: u32 = 500;
/// A cube has at least this many colours: its texture has more, an empty window one or two.
const MIN_COLOURS: usize = 100;
const LIMIT: Duration = Duration::from_secs(120);

/// Runs vkcube and keeps a screenshot.
pub(super) fn run(manifest: &Path, dir: &Path, summary: &mut Summary) -> TaskResult {
    let screen = dir.join("screen");
    fs::create_dir_all(&screen)?;
    let xvfb = Xvfb::start(&screen, PLACE + SIDE)?;
    let mut command = Command::new("vkcube");
    command
        .args(["--suppress_popups", "--c", &FRAMES.to_string()])
        .env("DISPLAY", xvfb.display())
        .env_remove("WAYLAND_DISPLAY");
    eprintln!("$ vkcube --suppress_popups --c {FRAMES}");
    let begin = Instant::now();
    let mut client = use_lahar(&mut command, manifest)
        .spawn()
        .map_err(|error| format!("vkcube: {error}"))?;
    let mut shots = Vec::new();
    let status = loop {
        if let Some(status) = client.try_wait()? {
            break status;
        }
        if begin.elapsed() > LIMIT {
            client.kill()?;
            client.wait()?;
            return Err(format!("vkcube draws {FRAMES} frames in more than {} s", LIMIT.as_secs()).into());
        }
        let shot = xvfb.screenshot(PLACE)?;
        if shot.colours() >= MIN_COLOURS && shots.last() != Some(&shot) {
            shots.push(shot);
        }
        thread::sleep(Duration::from_millis(20));
    };
    let seconds = begin.elapsed().as_secs_f64();
    drop(xvfb);
    fs::remove_dir_all(&screen)?;
    if !status.success() {
        return Err(format!("vkcube: {status}").into());
    }
    let file = dir.join("vkcube.png");
    let count = shots.len();
    let shot = shots
        .get(count / 2)
        .ok_or("vkcube ends, but nothing was seen in its window")?;
    shot.write_png(&file)?;
    if count < 2 {
        return Err("the cube does not turn".into());
    }
    summary.say(format!(
        "vkcube: {FRAMES} frames in {seconds:.1} s in a window, screenshot in {}",
        file.display()
    ));
    Ok(())
}
