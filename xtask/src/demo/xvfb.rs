//! An X server of our own, without a screen.

use super::picture::{Picture, read_xwd};
use crate::TaskResult;
use std::{
    fs,
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

/// A running server; ended when dropped.
pub(super) struct Xvfb {
    server: Child,
    display: String,
    screen: PathBuf,
}

impl Xvfb {
    /// Starts a server with a square screen on a display that is free; its screen is a file in `dir`.
    pub(super) fn start(dir: &Path, side: u32) -> TaskResult<Xvfb> {
        let mut server = Command::new("Xvfb")
            .args(["-displayfd", "1", "-nolisten", "tcp", "-screen", "0"])
            .arg(format!("{side}x{side}x24"))
            .arg("-fbdir")
            .arg(dir)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("Xvfb: {error}"))?;
        // It writes the number when it is ready.
        let mut number = String::new();
        if let Some(out) = server.stdout.take() {
            BufReader::new(out).read_line(&mut number)?;
        }
        let xvfb = Xvfb {
            server,
            display: format!(":{}", number.trim()),
            screen: dir.join("Xvfb_screen0"),
        };
        if number.trim().is_empty() {
            return Err("Xvfb does not start".into());
        }
        Ok(xvfb)
    }

    /// For `DISPLAY`.
    pub(super) fn display(&self) -> &str {
        &self.display
    }

    /// What is on the screen now, without the first columns and rows.
    pub(super) fn screenshot(&self, margin: u32) -> TaskResult<Picture> {
        read_xwd(&fs::read(&self.screen)?, margin as usize)
            .ok_or_else(|| "the screen of Xvfb cannot be read".into())
    }
}

impl Drop for Xvfb {
    fn drop(&mut self) {
        // Asked to end, it removes its lock and socket; killed, it would not.
        let asked = Command::new("kill").arg(self.server.id().to_string()).status();
        if !asked.is_ok_and(|status| status.success()) {
            // It has ended already, or there is no `kill`: nothing is lost if this fails too.
            let _ = self.server.kill();
        }
        let _ = self.server.wait();
    }
}
