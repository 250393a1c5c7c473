#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(target_os = "linux")]
mod adoption;
#[cfg(not(target_os = "linux"))]
#[path = "adoption/unsupported.rs"]
mod adoption;
#[cfg(target_os = "linux")]
mod cgroup;
#[cfg(not(target_os = "linux"))]
#[path = "cgroup/unsupported.rs"]
mod cgroup;
mod child;
mod contained;
mod containment;
mod cookie;
mod descendants;
mod host;
mod mechanism;
mod tree;
mod trees;
#[cfg(target_os = "linux")]
mod watcher;
#[cfg(not(target_os = "linux"))]
#[path = "watcher/unsupported.rs"]
mod watcher;

pub use child::Pipe;
#[cfg(target_os = "linux")]
pub use child::readable;
pub use containment::{Containment, Started};
pub use cookie::COOKIE_VARIABLE;
pub use mechanism::Mechanism;
pub use tree::ProcessTree;
pub use trees::ProcessTrees;
