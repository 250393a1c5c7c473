//! The only door to the disk: a capability to a few folders, and nothing outside them.
//!
//! A [`Workspace`] holds a handle of each root. Every path of a model is resolved by the operating system beneath such a
//! handle, so `..`, absolute paths, links and races cannot lead out. Its methods block; engines call them on a
//! blocking thread.

mod append;
mod beneath;
mod builder;
mod changes;
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
mod new_directory;
mod path;
mod pattern;
mod place;
mod platform;
mod protected;
mod recorder;
mod replaced;
mod root;
mod roots;
mod rules;
mod stamp;
mod suggestion;
mod temporary;
mod undo;
mod walk;
mod working_directory;
mod write;

pub(crate) use error::LOOK_WHAT_IS_THERE;
pub(crate) use path::on_one_line;

pub use append::Append;
pub use builder::WorkspaceBuilder;
pub use changes::{ChangeKind, FileChange};
pub use directory::Directory;
pub use edit::Edit;
pub use entry::{Entry, EntryKind};
pub use error::WorkspaceError;
pub use file::File;
pub use new_directory::NewDirectory;
pub use pattern::Pattern;
pub use root::Workspace;
pub use roots::Root;
pub use stamp::digest_of;
pub use undo::Undone;
pub use walk::{Walk, WalkOptions};
pub use working_directory::WorkingDirectory;
pub use write::{WriteMode, Written};

#[cfg(test)]
mod tests;
