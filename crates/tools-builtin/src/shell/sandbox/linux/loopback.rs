//! Separate network of a program: a loopback interface that only the processes of its call can reach, so that
//! test suites with a local server run without a grant.
//!
//! The kernel gives it only to a host with `CAP_SYS_ADMIN`. Others would need a helper program (docs/decisions/0009).

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::sync::OnceLock;
use std::thread;

use nix::sched::{CloneFlags, unshare};
use rustix::net::{AddressFamily, SocketFlags, SocketType, socket_with};

// From the kernel's `linux/netlink.h`, `linux/rtnetlink.h` and `linux/if.h`.
const NEW_LINK: u16 = 16;
const REQUEST_WITH_ACKNOWLEDGMENT: u16 = 1 | 4;
const UP: u32 = 1;

/// Length of a message: its header and the description of an interface.
const LENGTH: u32 = 32;

/// Index of the loopback interface, the first one of each network.
const LOOPBACK: u32 = 1;

/// Bytes of a reply before its error number, and of the number.
const ERROR: std::ops::Range<usize> = 16..20;

/// Returns whether this process can give programs a separate network.
pub(super) fn is_available() -> bool {
    static AVAILABLE: OnceLock<bool> = OnceLock::new();
    *AVAILABLE.get_or_init(|| {
        let tried = thread::Builder::new().spawn(enter);
        tried.is_ok_and(|thread| thread.join().is_ok_and(|entered| entered.is_ok()))
    })
}

/// Moves the current thread, and the programs that it will start, to a separate network.
pub(super) fn enter() -> io::Result<()> {
    unshare(CloneFlags::CLONE_NEWNET)?;
    let (family, kind) = (AddressFamily::NETLINK, SocketType::RAW);
    // The default protocol is the one for interfaces and routes.
    let kernel = socket_with(family, kind, SocketFlags::CLOEXEC, None)?;
    let mut kernel = File::from(kernel);
    kernel.write_all(&interface_up())?;
    let mut reply = [0; 64];
    let length = kernel.read(&mut reply)?;
    let error = reply.get(ERROR).filter(|_| length >= ERROR.end);
    match error.and_then(|bytes| bytes.try_into().ok()) {
        Some(bytes) => match i32::from_ne_bytes(bytes) {
            0 => Ok(()),
            error => Err(io::Error::from_raw_os_error(error.saturating_neg())),
        },
        None => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

/// Returns the message that enables the loopback interface, which a new network has disabled.
fn interface_up() -> Vec<u8> {
    let header = [LENGTH, pair(NEW_LINK, REQUEST_WITH_ACKNOWLEDGMENT), 0, 0];
    // Family and type, index, flags, and which flags to change.
    let interface = [0, LOOPBACK, UP, UP];
    let words = header.into_iter().chain(interface);
    words.flat_map(u32::to_ne_bytes).collect()
}

/// Returns two fields of 16 bits in their order in memory.
fn pair(first: u16, second: u16) -> u32 {
    let ([a, b], [c, d]) = (first.to_ne_bytes(), second.to_ne_bytes());
    u32::from_ne_bytes([a, b, c, d])
}
