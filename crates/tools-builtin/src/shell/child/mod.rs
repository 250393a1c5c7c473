//! A program that was started, and the pipes that it writes to.

#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
mod pipe;

#[cfg(not(target_os = "linux"))]
pub(crate) use elsewhere::{Child, Pipe};
#[cfg(target_os = "linux")]
pub(crate) use linux::Child;
#[cfg(target_os = "linux")]
pub(crate) use pipe::{Pipe, readable};
