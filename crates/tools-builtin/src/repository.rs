//! Sources of repository files: a local directory or a remote service.
//!
//! Read-only tools use a [`RepositorySource`] and do not depend on the kind of source.

mod local;
mod not_connected;
mod source;

pub use local::LocalRepository;
pub use not_connected::{NOT_CONNECTED, NotConnected};
pub use source::{
    RepositoryEntry, RepositoryFile, RepositoryHit, RepositoryListing, RepositoryQuery,
    RepositorySource,
};
