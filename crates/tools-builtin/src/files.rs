//! Tools that list, read and write files in a workspace.

#[cfg(feature = "document-sets")]
mod append_file;
mod apply_patch;
pub(crate) mod decode;
mod delete_file;
pub(crate) mod diff;
mod edit;
mod edit_file;
mod encoding;
mod file_search;
mod foreign;
#[cfg(test)]
#[cfg(feature = "document-sets")]
mod laws;
mod lines;
#[cfg(feature = "document-sets")]
mod list_dirs;
mod list_files;
mod list_tree;
pub(crate) mod magic;
mod move_file;
mod nearest;
mod notebook;
mod patch;
#[cfg(feature = "pdf")]
mod pdf;
mod picture;
mod previewed;
#[cfg(feature = "document-sets")]
mod read_file;
mod read_text;
mod reading;
#[cfg(feature = "document-sets")]
mod replace_string;
#[cfg(test)]
pub(crate) mod scenario;
mod seen;
mod stored;
mod text_format;
#[cfg(feature = "document-sets")]
mod write_file;
mod write_text;

use std::sync::Arc;

use tool_core::ToolContext;

use crate::workspace::{FEW_HITS, Walk, Workspace};
use previewed::Previewed;
use seen::SeenFiles;

pub(crate) use apply_patch::ApplyPatch;
pub(crate) use delete_file::DeleteFile;
pub(crate) use edit_file::{EditFile, EditFileInput};
pub use file_search::{FileSearch, FileSearchInput, FileSearchOutput};
pub use list_files::{FileEntry, ListFiles, ListFilesInput, ListFilesOutput};
pub(crate) use list_tree::ListTree;
pub(crate) use move_file::MoveFile;
#[cfg(feature = "pdf")]
pub(crate) use pdf::PdfProgram;
#[cfg(feature = "pdf")]
pub use pdf::pdf_text_program;
pub(crate) use read_text::ReadText;
pub(crate) use write_text::WriteText;
#[cfg(feature = "document-sets")]
pub(crate) use {
    append_file::AppendFile,
    encoding::{Decoding, Encoding},
    list_dirs::{ListDirs, ListDirsInput, ListDirsOutput},
    read_file::ReadFile,
    reading::{ReadFileInput, ReadFileOutput},
    replace_string::{ReplaceString, ReplaceStringInput, ReplaceStringOutput},
    write_file::{WriteFile, WriteFileInput},
    write_text::WriteFileOutput,
};

/// Workspace of a session, and what the model and the approvers have seen of its files. Clones share it.
#[derive(Debug, Clone)]
pub(crate) struct SessionFiles {
    workspace: Workspace,
    seen: SeenFiles,
    previewed: Previewed,
}

/// File tools of one session.
#[derive(Debug, Clone)]
pub(crate) struct FileTools {
    /// Finds files by name.
    pub(crate) file_search: Arc<FileSearch>,
    /// Lists directories and what is below them.
    pub(crate) list: Arc<ListTree>,
    /// Reads files, and remembers them.
    pub(crate) read: Arc<ReadText>,
    /// Changes parts of files.
    pub(crate) edit: Arc<EditFile>,
    /// Writes files unless they changed unseen.
    pub(crate) write: Arc<WriteText>,
    /// Changes several files together.
    pub(crate) apply_patch: Arc<ApplyPatch>,
    /// Deletes files.
    pub(crate) delete: Arc<DeleteFile>,
    /// Moves files.
    pub(crate) relocate: Arc<MoveFile>,
}

impl FileTools {
    /// Creates the tools of `workspace`.
    pub(crate) fn new(workspace: &Workspace) -> Self {
        let files = SessionFiles {
            workspace: workspace.clone(),
            seen: SeenFiles::default(),
            previewed: Previewed::default(),
        };
        Self {
            file_search: Arc::new(FileSearch::new(workspace.clone())),
            list: Arc::new(ListTree(workspace.clone())),
            read: Arc::new(ReadText::new(workspace.clone(), files.seen.clone())),
            edit: Arc::new(EditFile::new(files.clone())),
            write: Arc::new(WriteText(files.clone())),
            apply_patch: Arc::new(ApplyPatch(files.clone())),
            delete: Arc::new(DeleteFile(files.clone())),
            relocate: Arc::new(MoveFile(files)),
        }
    }
}

/// Warns about directories that a walk could not read.
fn warn_of_unreadable(cx: &ToolContext, unreadable: usize) {
    if unreadable > 0 {
        cx.warn(format!("Directories that could not be read: {unreadable}."));
    }
}

/// Warns about files that a walk may have missed, if it found so few.
fn warn_of_missed(cx: &ToolContext, workspace: &Workspace, walk: &Walk, found: usize) {
    if walk.truncated() {
        cx.warn("Not every directory was read, because there are too many entries or levels. Choose a subdirectory.");
    }
    warn_of_unreadable(cx, walk.unreadable());
    if found < FEW_HITS
        && let Some(skipped) = walk.skipped(workspace)
    {
        cx.warn(skipped.warning("pattern"));
    }
}

pub(crate) mod defaults {
    //! Default values and other names of parameters.

    use std::num::NonZeroUsize;

    pub(crate) fn root() -> String {
        ".".to_owned()
    }

    /// Maximum number of entries in a listing.
    pub(crate) fn limit() -> NonZeroUsize {
        NonZeroUsize::MIN.saturating_add(999)
    }

    pub(crate) fn yes() -> bool {
        true
    }

    /// Maximum number of bytes of the text of a file.
    pub(crate) fn bytes() -> usize {
        10 * 1024 * 1024
    }

    /// Maximum number of lines of a file.
    pub(crate) fn lines() -> NonZeroUsize {
        NonZeroUsize::MIN.saturating_add(9_999)
    }
}
