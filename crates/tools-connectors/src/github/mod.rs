//! Repository on GitHub as a source of the repository tools.

mod cache;
mod connection;
mod path;
mod rate;
mod repository;
mod search;
mod snapshot;
mod source;
mod tarball;
#[cfg(test)]
mod tests;
mod tree;

pub use connection::{GitHubConnection, GitHubConnections};
pub use source::GitHubSource;
