//! The socket to an X server.
//!
//! To write to a server that is gone raises `SIGPIPE`, which ends a process that does not ignore it: a driver must
//! not do that to an application. So this stream asks for an error instead of the signal. A server that does not
//! answer any more is gone too, after a while: a queue must not wait for it for ever.

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::{Errno, retry_on_intr},
    net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg},
};
use std::{
    io::{self, IoSlice},
    mem::MaybeUninit,
    os::fd::AsFd,
};
use x11rb::{
    reexports::x11rb_protocol::{parse_display::parse_display, xauth::get_auth},
    rust_connection::{DefaultStream, PollMode, RustConnection, Stream},
    utils::RawFdContainer,
};

/// How long the server may be silent while it is asked.
const PATIENCE: Timespec = Timespec {
    tv_sec: 5,
    tv_nsec: 0,
};

/// A stream whose writes raise no signal.
pub(super) struct Quiet(DefaultStream);

/// Connects to a display, by its name as in `DISPLAY`; none is the default.
pub(super) fn connect(display: Option<&str>) -> Option<RustConnection<Quiet>> {
    let parsed = parse_display(display).ok()?;
    let (stream, (family, address)) = parsed
        .connect_instruction()
        .find_map(|address| DefaultStream::connect(&address).ok())?;
    // Servers that want no authority are reached without one.
    let (name, data) = get_auth(family, &address, parsed.display)
        .ok()
        .flatten()
        .unwrap_or_default();
    let screen = usize::from(parsed.screen);
    RustConnection::connect_to_stream_with_auth_info(Quiet(stream), screen, name, data).ok()
}

impl Stream for Quiet {
    fn poll(&self, mode: PollMode) -> io::Result<()> {
        let mut wanted = PollFlags::empty();
        wanted.set(PollFlags::IN, mode.readable());
        wanted.set(PollFlags::OUT, mode.writable());
        let mut fds = [PollFd::new(&self.0, wanted)];
        match retry_on_intr(|| poll(&mut fds, Some(&PATIENCE)))? {
            0 => Err(io::ErrorKind::TimedOut.into()),
            _ => Ok(()),
        }
    }

    fn read(&self, buf: &mut [u8], files: &mut Vec<RawFdContainer>) -> io::Result<usize> {
        self.0.read(buf, files)
    }

    fn write(&self, buf: &[u8], files: &mut Vec<RawFdContainer>) -> io::Result<usize> {
        self.write_vectored(&[IoSlice::new(buf)], files)
    }

    fn write_vectored(&self, bufs: &[IoSlice<'_>], files: &mut Vec<RawFdContainer>) -> io::Result<usize> {
        let sent = {
            let borrowed: Vec<_> = files.iter().map(|file| file.as_fd()).collect();
            let rights = SendAncillaryMessage::ScmRights(&borrowed);
            let mut space = vec![MaybeUninit::uninit(); rights.size()];
            let mut control = SendAncillaryBuffer::new(&mut space);
            if !borrowed.is_empty() && !control.push(rights) {
                return Err(Errno::NOBUFS.into());
            }
            retry_on_intr(|| sendmsg(&self.0, bufs, &mut control, SendFlags::NOSIGNAL))?
        };
        // All files go with the first byte.
        files.clear();
        Ok(sent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        io::Read as _,
        os::{fd::OwnedFd, unix::net::UnixStream},
    };

    fn pair() -> (Quiet, UnixStream) {
        let (near, far) = UnixStream::pair().unwrap();
        (Quiet(DefaultStream::from_unix_stream(near).unwrap().0), far)
    }

    #[test]
    fn bytes_and_files_arrive() {
        let (near, far) = pair();
        let far = Quiet(DefaultStream::from_unix_stream(far).unwrap().0);
        let (mut kept, given) = UnixStream::pair().unwrap();
        let mut files = vec![OwnedFd::from(given)];
        assert_eq!(near.write(b"hello", &mut files).unwrap(), 5);
        assert!(files.is_empty(), "sent files are gone");
        let (mut buf, mut got) = ([0; 8], Vec::new());
        assert_eq!(far.read(&mut buf, &mut got).unwrap(), 5);
        assert_eq!((&buf[..5], got.len()), (&b"hello"[..], 1));
        drop(got);
        assert_eq!(kept.read(&mut buf).unwrap(), 0, "the other end was closed");
    }

    #[test]
    fn a_write_to_nobody_is_an_error() {
        let (near, far) = pair();
        drop(far);
        let error = near.write(b"hello", &mut Vec::new()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    }
}
