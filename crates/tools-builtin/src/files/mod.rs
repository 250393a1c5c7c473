//! Listing, reading and writing inside a workspace.

pub(crate) mod decode;
mod defaults;
pub(crate) mod diff;
mod lines;
mod list_dir;
mod list_files;
mod nearest_text;
mod read_file;
mod replace_string;
mod replacement;
#[cfg(test)]
mod scenario;
mod write_file;

pub use decode::Encoding;
pub use list_dir::{DirEntry, ListDir, ListDirInput, ListDirOutput};
pub use list_files::{FileEntry, ListFiles, ListFilesInput, ListFilesOutput};
pub use read_file::{ReadFile, ReadFileInput, ReadFileOutput};
pub use replace_string::{ReplaceString, ReplaceStringInput, ReplaceStringOutput};
pub use write_file::{WriteFile, WriteFileInput, WriteFileOutput};
