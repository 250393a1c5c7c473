//! Where the files of a repository are read from: a folder on the disk, or a service elsewhere.
//!
//! Tools that only read work on a [`RepositorySource`], so that they need not know which it is.

mod local;
mod not_connected;
mod source;

pub use local::LocalRepository;
pub use not_connected::{NOT_CONNECTED, NotConnected};
pub use source::{
    RepositoryEntry, RepositoryFile, RepositoryHit, RepositoryListing, RepositoryQuery,
    RepositorySource,
};
