//! Search for and termination of processes that outlive their program, including those outside its
//! process group.

mod entry;
mod family;
mod linux;
mod pipes;

pub(crate) use entry::{Descendant, Entry};
pub(crate) use family::contain_family;
pub(crate) use linux::{are_excluded, find, is_youngest, resume, started, stop};
