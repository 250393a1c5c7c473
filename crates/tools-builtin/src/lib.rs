#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod blocking;
pub mod checks;
pub mod files;
mod kit;
mod newlines;
#[cfg(test)]
#[cfg(feature = "office")]
#[path = "../../office-text/src/testing.rs"]
mod office_documents;
pub mod questions;
pub mod repository;
pub mod search;
#[cfg(feature = "shell")]
pub mod shell;
#[cfg(any(feature = "shell", feature = "web"))]
mod timeout_range;
pub mod todo;
pub mod toolsets;
#[cfg(feature = "web")]
pub mod web;
pub mod workspace;

pub use kit::Kit;
pub use workspace::Workspace;
