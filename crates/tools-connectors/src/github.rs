//! Repository on GitHub as a source of the repository tools.

mod archive;
mod connection;
mod contents;
mod repository;
mod source;
#[cfg(test)]
mod tests;

pub use connection::{GitHubConnection, GitHubConnections};
pub use source::GitHubSource;
