#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg_attr(not(target_os = "linux"), path = "adoption/unsupported.rs")]
mod adoption;
#[cfg_attr(not(target_os = "linux"), path = "cgroup/unsupported.rs")]
mod cgroup;
mod child;
mod contained;
mod containment;
mod cookie;
#[cfg_attr(not(target_os = "linux"), path = "descendants/unsupported.rs")]
mod descendants;
mod host;
mod marks;
mod mechanism;
mod tree;
mod trees;
#[cfg_attr(not(target_os = "linux"), path = "watcher/unsupported.rs")]
mod watcher;

pub use child::Pipe;
#[cfg(target_os = "linux")]
pub use child::readable;
pub use containment::{Containment, Started};
pub use cookie::COOKIE_VARIABLE;
pub use mechanism::Mechanism;
pub use tree::ProcessTree;
pub use trees::ProcessTrees;
