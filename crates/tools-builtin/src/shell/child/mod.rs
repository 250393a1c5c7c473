//! A program that was started, and the pipes that it writes to.

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

/// Starts a program in the first of `folders` that it can be started in.
fn start_in<T>(folders: &[&Path], mut start: impl FnMut(&Path) -> io::Result<T>) -> io::Result<T> {
    let mut outcome = Err(io::ErrorKind::InvalidInput.into());
    for folder in folders {
        outcome = start(folder);
        if outcome.is_ok() {
            break;
        }
    }
    outcome
}
