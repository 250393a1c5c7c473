//! Child processes and their output pipes.

#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
mod pipe;

use std::io;
use std::path::Path;

#[cfg(not(target_os = "linux"))]
pub(crate) use elsewhere::{Child, Pipe};
#[cfg(target_os = "linux")]
pub(crate) use linux::Child;
#[cfg(target_os = "linux")]
pub(crate) use pipe::{Pipe, readable};

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
