//! File system access, restricted to granted directories.
//!
//! A [`Workspace`] holds a handle of each root directory. The operating system resolves every path
//! of a model beneath such a handle, so `..`, absolute paths, symlinks and races cannot escape. All
//! methods block; tools call them on a blocking thread.

mod append;
mod bare_repository;
mod beneath;
mod builder;
mod changes;
mod destination;
mod digests;
mod directory;
mod edit;
mod entry;
mod error;
mod file;
mod history;
mod listing;
mod locks;
mod look_up;
mod naming;
mod new_directory;
mod open;
mod path;
mod pattern;
mod platform;
mod protected_names;
mod recorder;
mod root;
mod rules;
mod secret_names;
mod suggestion;
mod temporary;
mod undo;
mod walk;
mod working_directory;
#[expect(clippy::module_inception, reason = "named after its main type")]
mod workspace;
mod write;
mod write_access;

#[cfg(all(feature = "shell", target_os = "linux"))]
pub(crate) use bare_repository::LAYOUT;
#[cfg(feature = "document-sets")]
pub(crate) use error::LIST_PARENT;
pub(crate) use path::on_one_line;
pub(crate) use walk::FEW_HITS;
pub(crate) use walk::Skipped;

pub use append::Append;
pub use builder::WorkspaceBuilder;
pub use changes::{ChangeKind, FileChange};
pub use digests::digest_of;
pub use directory::Directory;
pub use edit::Edit;
pub use entry::Entry;
pub use error::WorkspaceError;
pub use file::File;
pub use listing::EntryKind;
pub use new_directory::NewDirectory;
pub use pattern::Pattern;
pub use root::Root;
pub use undo::Undone;
pub use walk::{Walk, WalkOptions};
pub use working_directory::WorkingDirectory;
pub use workspace::Workspace;
pub use write::{WriteMode, Written};

#[cfg(test)]
mod tests;
