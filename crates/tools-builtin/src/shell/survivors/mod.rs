//! Finding and ending what a program left behind, also outside of its process group.

#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod linux;

#[cfg(not(target_os = "linux"))]
pub(crate) use elsewhere::{Survivor, are_excluded, find, started};
#[cfg(target_os = "linux")]
pub(crate) use linux::{Survivor, are_excluded, find, started};
