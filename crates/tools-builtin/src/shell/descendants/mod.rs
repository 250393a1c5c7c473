//! Search for and termination of processes that outlive their program, including those outside its
//! process group.

#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod linux;

#[cfg(not(target_os = "linux"))]
pub(crate) use elsewhere::{Descendant, are_excluded, find, started};
#[cfg(target_os = "linux")]
pub(crate) use linux::{Descendant, are_excluded, find, started};
