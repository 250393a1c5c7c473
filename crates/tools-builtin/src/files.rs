//! Tools that list, read and write files in a workspace.

mod append_file;
mod create_directory;
pub(crate) mod decode;
pub(crate) mod diff;
mod edit;
mod edit_file;
mod encoding;
mod file_search;
mod foreign;
#[cfg(test)]
mod laws;
mod lines;
mod list_dir;
mod list_dirs;
mod list_files;
mod read_file;
mod read_text;
mod replace_string;
mod replacement;
#[cfg(test)]
mod scenario;
mod seen;
mod text_format;
mod write_file;
mod write_text;

use std::sync::Arc;

use crate::workspace::Workspace;

pub(crate) use append_file::AppendFile;
#[cfg(feature = "document-sets")]
pub(crate) use append_file::{AppendFileInput, AppendFileOutput};
pub(crate) use create_directory::CreateDirectory;
#[cfg(feature = "document-sets")]
pub(crate) use create_directory::{CreateDirectoryInput, CreateDirectoryOutput};
pub(crate) use edit_file::{EditFile, EditFileInput};
#[cfg(feature = "document-sets")]
pub(crate) use encoding::{Decoding, Encoding};
pub use file_search::{FileSearch, FileSearchInput, FileSearchOutput};
pub(crate) use list_dir::ListDir;
#[cfg(feature = "document-sets")]
pub(crate) use list_dir::{ListDirInput, ListDirOutput};
#[cfg(feature = "document-sets")]
pub(crate) use list_dirs::{FoundDirectory, omitted_warning};
pub(crate) use list_dirs::{ListDirs, ListDirsInput, ListDirsOutput};
#[cfg(feature = "document-sets")]
pub(crate) use list_files::lines_of;
pub use list_files::{FileEntry, ListFiles, ListFilesInput, ListFilesOutput};
pub(crate) use read_file::{ReadFile, ReadFileInput, ReadFileOutput};
pub(crate) use read_text::ReadText;
pub(crate) use replace_string::ReplaceString;
#[cfg(feature = "document-sets")]
pub(crate) use replace_string::{ReplaceStringInput, ReplaceStringOutput};
use seen::SeenFiles;
pub(crate) use write_file::{WriteFile, WriteFileInput, WriteFileOutput};
pub(crate) use write_text::WriteText;

/// File tools of one workspace.
#[derive(Debug, Clone)]
pub(crate) struct FileTools {
    /// Lists files.
    pub(crate) list_files: Arc<ListFiles>,
    /// Lists one directory.
    pub(crate) list_dir: Arc<ListDir>,
    /// Lists directories up to a depth.
    pub(crate) list_dirs: Arc<ListDirs>,
    /// Finds files by name.
    pub(crate) file_search: Arc<FileSearch>,
    /// Reads files.
    pub(crate) read_file: Arc<ReadFile>,
    /// Writes and creates files.
    pub(crate) write_file: Arc<WriteFile>,
    /// Appends to files.
    pub(crate) append_file: Arc<AppendFile>,
    /// Creates directories.
    pub(crate) create_directory: Arc<CreateDirectory>,
    /// Replaces text in files.
    pub(crate) replace_string: Arc<ReplaceString>,
    /// Reads files, and remembers them.
    pub(crate) read: Arc<ReadText>,
    /// Changes parts of files.
    pub(crate) edit: Arc<EditFile>,
    /// Writes files unless they changed unseen.
    pub(crate) write: Arc<WriteText>,
}

impl FileTools {
    /// Creates the tools of `workspace`.
    #[must_use]
    pub(crate) fn new(workspace: &Workspace) -> Self {
        let seen = SeenFiles::default();
        Self {
            read: Arc::new(ReadText::new(workspace.clone(), seen.clone())),
            edit: Arc::new(EditFile::new(workspace.clone(), seen.clone())),
            write: Arc::new(WriteText::new(workspace.clone(), seen)),
            list_files: Arc::new(ListFiles::new(workspace.clone())),
            list_dir: Arc::new(ListDir::new(workspace.clone())),
            list_dirs: Arc::new(ListDirs::new(workspace.clone())),
            file_search: Arc::new(FileSearch::new(workspace.clone())),
            read_file: Arc::new(ReadFile::new(workspace.clone())),
            write_file: Arc::new(WriteFile::new(workspace.clone())),
            append_file: Arc::new(AppendFile::new(workspace.clone())),
            create_directory: Arc::new(CreateDirectory::new(workspace.clone())),
            replace_string: Arc::new(ReplaceString::new(workspace.clone())),
        }
    }
}

pub(crate) mod defaults {
    //! Default values and other names of parameters.

    use std::num::NonZeroUsize;

    pub(crate) fn root() -> String {
        ".".to_owned()
    }

    /// Other names of the parameter `path`.
    pub(crate) const PATH_ALIASES: &[(&str, &str)] = &[
        ("file_path", "path"),
        ("directory", "path"),
        ("base_path", "path"),
    ];

    /// Maximum number of entries in a listing.
    pub(crate) fn limit() -> NonZeroUsize {
        NonZeroUsize::MIN.saturating_add(999)
    }

    pub(crate) fn yes() -> bool {
        true
    }

    /// Maximum number of lines of a file.
    pub(crate) fn lines() -> NonZeroUsize {
        NonZeroUsize::MIN.saturating_add(9_999)
    }
}
