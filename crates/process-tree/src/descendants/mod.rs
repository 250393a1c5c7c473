//! Search for and termination of processes that outlive their program, including those outside its
//! process group.

#[cfg(target_os = "linux")]
mod entry;
#[cfg(target_os = "linux")]
mod family;
#[cfg(target_os = "linux")]
mod linux;
mod marks;
#[cfg(target_os = "linux")]
mod pipes;
#[cfg(not(target_os = "linux"))]
mod unsupported;

#[cfg(target_os = "linux")]
pub(crate) use entry::{Descendant, Entry};
#[cfg(target_os = "linux")]
pub(crate) use family::contain_family;
#[cfg(target_os = "linux")]
pub(crate) use linux::{are_excluded, find, is_youngest, resume, started, stop};
pub(crate) use marks::Marks;
#[cfg(not(target_os = "linux"))]
pub(crate) use unsupported::{
    Descendant, are_excluded, contain_family, find, is_youngest, resume, started, stop,
};
