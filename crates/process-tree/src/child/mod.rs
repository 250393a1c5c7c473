//! Child processes and their pipes.

#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
mod pipe;

use std::io;
use std::path::Path;

use tokio::process::ChildStdin;

#[cfg(not(target_os = "linux"))]
pub(crate) use elsewhere::Child;
#[cfg(not(target_os = "linux"))]
pub use elsewhere::Pipe;
#[cfg(target_os = "linux")]
pub(crate) use linux::Child;
#[cfg(target_os = "linux")]
pub use pipe::{Pipe, readable};

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
