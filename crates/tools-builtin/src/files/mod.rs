//! Listing, reading and writing inside a workspace.

mod append_file;
mod create_directory;
pub(crate) mod decode;
mod decoded;
mod defaults;
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
mod pieces;
mod read_file;
mod replace_string;
mod replacement;
#[cfg(test)]
mod scenario;
mod text_format;
mod write_file;

pub use append_file::{AppendFile, AppendFileInput, AppendFileOutput};
pub use create_directory::{CreateDirectory, CreateDirectoryInput, CreateDirectoryOutput};
pub use encoding::{Encoding, LegacyEncoding};
pub use file_search::{FileSearch, FileSearchInput, FileSearchOutput};
pub use list_dir::{DirEntry, ListDir, ListDirInput, ListDirOutput};
pub use list_dirs::{FoundDirectory, ListDirs, ListDirsInput, ListDirsOutput};
pub(crate) use list_files::lines_of;
pub use list_files::{FileEntry, ListFiles, ListFilesInput, ListFilesOutput};
pub use read_file::{Decoding, ReadFile, ReadFileInput, ReadFileOutput};
pub use replace_string::{ReplaceString, ReplaceStringInput, ReplaceStringOutput};
pub use write_file::{WriteFile, WriteFileInput, WriteFileOutput};
