//! Child processes and their pipes.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
mod pipe;
#[cfg(not(target_os = "linux"))]
mod unsupported;

use std::io;
use std::path::Path;

use tokio::process::ChildStdin;

#[cfg(target_os = "linux")]
pub(crate) use linux::Child;
#[cfg(target_os = "linux")]
pub use pipe::{Pipe, readable};
#[cfg(not(target_os = "linux"))]
pub(crate) use unsupported::Child;
#[cfg(not(target_os = "linux"))]
pub use unsupported::Pipe;

/// Pipes of a program.
#[derive(Debug)]
pub(crate) struct Streams {
    /// The registration with the runtime may fail.
    pub(crate) stdin: Option<io::Result<ChildStdin>>,
    pub(crate) stdout: Option<Pipe>,
    pub(crate) stderr: Option<Pipe>,
}

/// Starts a program in the first usable directory of `directories`.
fn start_in<T>(
    directories: &[&Path],
    mut start: impl FnMut(&Path) -> io::Result<T>,
) -> io::Result<T> {
    let mut outcome = Err(io::ErrorKind::InvalidInput.into());
    for directory in directories {
        outcome = start(directory);
        if outcome.is_ok() {
            break;
        }
    }
    outcome
}
