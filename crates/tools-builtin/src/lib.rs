#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

#[cfg(any(
    feature = "checks",
    feature = "office",
    feature = "files",
    feature = "web"
))]
mod blocking;
#[cfg(feature = "files")]
mod buffer;
#[cfg(feature = "checks")]
pub mod checks;
#[cfg(feature = "files")]
pub mod files;
#[cfg(feature = "files")]
mod kit;
#[cfg(feature = "files")]
mod newlines;
#[cfg(test)]
#[cfg(feature = "office")]
#[path = "../../office-text/src/testing.rs"]
mod office_documents;
#[cfg(feature = "files")]
pub mod repository;
#[cfg(feature = "search")]
pub mod search;
#[cfg(feature = "shell")]
pub mod shell;
#[cfg(feature = "files")]
mod threads;
#[cfg(any(feature = "shell", feature = "web"))]
mod timeout_range;
#[cfg(feature = "todo")]
pub mod todo;
#[cfg(feature = "files")]
mod tool_group;
#[cfg(feature = "files")]
pub mod toolsets;
#[cfg(feature = "address-guard")]
pub mod web;
#[cfg(feature = "files")]
pub mod workspace;

#[cfg(feature = "files")]
pub use kit::Kit;
#[cfg(feature = "files")]
pub use workspace::Workspace;
