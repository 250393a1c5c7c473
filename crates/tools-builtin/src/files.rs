//! Tools that list, read and write files in a workspace.

mod append_file;
mod create_directory;
pub(crate) mod decode;
mod decoded;
pub(crate) mod defaults;
pub(crate) mod diff;
mod encoding;
mod extensions;
mod file_search;
#[cfg(test)]
mod laws;
mod lines;
mod list_dir;
mod list_dirs;
mod list_files;
mod nearest_text;
mod read_file;
mod replace_string;
mod replacement;
#[cfg(test)]
mod scenario;
mod text_format;
mod write_file;

pub use append_file::{AppendFile, AppendFileInput, AppendFileOutput};
pub use create_directory::{CreateDirectory, CreateDirectoryInput, CreateDirectoryOutput};
pub use encoding::{Decoding, Encoding, LegacyEncoding};
pub use file_search::{FileSearch, FileSearchInput, FileSearchOutput};
pub use list_dir::{DirEntry, ListDir, ListDirInput, ListDirOutput};
#[cfg(feature = "document-sets")]
pub(crate) use list_dirs::omitted_warning;
pub use list_dirs::{FoundDirectory, ListDirs, ListDirsInput, ListDirsOutput};
#[cfg(feature = "document-sets")]
pub(crate) use list_files::lines_of;
pub use list_files::{FileEntry, ListFiles, ListFilesInput, ListFilesOutput};
pub use read_file::{ReadFile, ReadFileInput, ReadFileOutput};
pub use replace_string::{ReplaceString, ReplaceStringInput, ReplaceStringOutput};
pub use write_file::{WriteFile, WriteFileInput, WriteFileOutput};

crate::tool_group::tool_group! {
    /// File tools of one workspace.
    FileTools {
        /// Lists files.
        list_files: ListFiles,
        /// Lists one directory.
        list_dir: ListDir,
        /// Lists directories up to a depth.
        list_dirs: ListDirs,
        /// Finds files by name.
        file_search: FileSearch,
        /// Reads files.
        read_file: ReadFile,
        /// Writes and creates files.
        write_file: WriteFile,
        /// Appends to files.
        append_file: AppendFile,
        /// Creates directories.
        create_directory: CreateDirectory,
        /// Replaces text in files.
        replace_string: ReplaceString,
    }
}
