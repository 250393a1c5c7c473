#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(target_os = "linux")]
mod adoption;
#[cfg(target_os = "linux")]
mod cgroup;
#[cfg(target_os = "linux")]
mod child;
mod containment;
#[cfg(target_os = "linux")]
mod descendants;
mod host;
mod marks;
#[cfg(target_os = "linux")]
mod pipe;
mod tree;
#[cfg(not(target_os = "linux"))]
mod unsupported;
#[cfg(target_os = "linux")]
mod watcher;

#[cfg(not(target_os = "linux"))]
use unsupported::{adoption, cgroup, child, descendants, pipe, watcher};

pub use containment::{Containment, ProcessTrees, Started};
pub use host::{HostEndScript, Mechanism};
pub use pipe::Pipe;
#[cfg(target_os = "linux")]
pub use pipe::readable;
pub use tree::ProcessTree;
