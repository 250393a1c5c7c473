//! One entry of a folder.

use std::ffi::OsString;
use std::fmt;
#[cfg(feature = "search")]
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use cap_std::fs::{Dir, FileType};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::ToolError;

use super::error::{disk_error, refuse_several_names};
use super::listing::Name;
use super::{File, platform};

/// What an entry of a folder is.
///
/// # Examples
/// ```
/// use tools_builtin::workspace::EntryKind;
///
/// assert_eq!(serde_json::to_string(&EntryKind::Directory)?, "\"directory\"");
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A folder.
    Directory,
    /// A symbolic link.
    Link,
    /// A device, a pipe or a socket.
    Other,
}

impl EntryKind {
    pub(super) fn of(kind: FileType) -> Self {
        if kind.is_dir() {
            Self::Directory
        } else if kind.is_file() {
            Self::File
        } else if kind.is_symlink() {
            Self::Link
        } else {
            Self::Other
        }
    }
}

/// One entry of a folder. It keeps the folder's handle open as long as it lives.
///
/// # Examples
/// ```
/// use tool_core::CancellationToken;
/// use tool_test::Scratch;
/// use tools_builtin::workspace::{EntryKind, WalkOptions, Workspace};
///
/// let scratch = Scratch::new().file("src/a.txt", "one\n");
/// let workspace = Workspace::open(scratch.path())?;
/// let mut walk = workspace.walk("path", ".", &WalkOptions::files(), &CancellationToken::new())?;
/// let entry = walk.next().ok_or("nothing there")?;
/// assert_eq!((entry.path(), entry.name(), entry.kind()), ("src/a.txt", "a.txt", EntryKind::File));
/// assert_eq!(entry.open("path")?.read(1024)?, b"one\n");
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Entry {
    pub(super) folder: Arc<Dir>,
    pub(super) path: String,
    pub(super) kind: EntryKind,
    pub(super) depth: usize,
    pub(super) refuses_hard_links: bool,
    name_at: usize,
    /// The name where the path shows another, since it is no UTF-8.
    raw_name: Option<OsString>,
    /// The size in bytes, where it was asked for already.
    size: Option<u64>,
}

impl Entry {
    /// An entry of `folder`, whose `path` ends with `name`.
    pub(super) fn new(
        folder: &Arc<Dir>,
        path: String,
        name: Name<'_>,
        depth: usize,
        refuses_hard_links: bool,
    ) -> Self {
        Self {
            folder: Arc::clone(folder),
            kind: name.kind,
            depth,
            refuses_hard_links,
            name_at: path.len().saturating_sub(name.text.len()),
            path,
            raw_name: name.raw.cloned(),
            size: None,
        }
    }

    /// The path relative to the workspace root, with `/` between its parts.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The last part of the path.
    #[must_use]
    pub fn name(&self) -> &str {
        self.path.get(self.name_at..).unwrap_or_default()
    }

    /// What the entry is; a link is a link, wherever it leads.
    #[must_use]
    pub fn kind(&self) -> EntryKind {
        self.kind
    }

    /// How deep the entry is below the folder that was asked for; its own entries have 1.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// The size in bytes, asked of the disk now, or when the folder was read ahead; 0 where it cannot be read.
    #[must_use]
    pub fn size(&self) -> u64 {
        let ask = || platform::size_of(&self.folder, self.raw_name()).unwrap_or_default();
        self.size.unwrap_or_else(ask)
    }

    /// Asks for the size of a file now, for those who want it later.
    pub(super) fn learn_size(&mut self) {
        if self.kind == EntryKind::File {
            self.size = Some(self.size());
        }
    }

    /// The path alone.
    pub(crate) fn into_path(self) -> String {
        self.path
    }

    /// Opens the entry, which must be a regular file. A link is not followed.
    ///
    /// # Errors
    /// The errors of the disk, [`ErrorCode::NotAFile`](tool_core::ErrorCode::NotAFile), and
    /// [`ErrorCode::Protected`](tool_core::ErrorCode::Protected) for a file with several names in a workspace that refuses
    /// them.
    pub fn open(&self, parameter: &str) -> Result<File, ToolError> {
        let handle = platform::open_entry(&self.folder, self.raw_name())
            .map_err(|error| disk_error(parameter, error))?;
        let file = File::of(parameter, handle, self.path.clone())?;
        if self.refuses_hard_links {
            refuse_several_names(parameter, file.metadata())?;
        }
        Ok(file)
    }

    /// Opens the entry for reading, with its size in bytes, as [`open`](Self::open) does but for what nobody reads when
    /// thousands of files are opened.
    #[cfg(feature = "search")]
    pub(crate) fn open_quickly(&self) -> io::Result<(impl Read + use<>, u64)> {
        let handle = platform::open_entry(&self.folder, self.raw_name())?;
        if self.refuses_hard_links && platform::has_several_names(&handle.metadata()?) {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let size = platform::size_of_regular(&handle)?;
        Ok((QuickFile(handle), size))
    }

    pub(super) fn raw_name(&self) -> &Path {
        let name = self.raw_name.as_deref();
        Path::new(name.unwrap_or(self.name().as_ref()))
    }

    /// Whether both are entries of one folder that is open once.
    #[cfg(feature = "search")]
    pub(crate) fn is_beside(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.folder, &other.folder)
    }
}

/// A file that is read with as little around it as can be.
#[cfg(feature = "search")]
struct QuickFile(cap_std::fs::File);

#[cfg(feature = "search")]
impl Read for QuickFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        platform::read(&self.0, buffer)
    }
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entry")
            .field("path", &self.path)
            .field("kind", &self.kind)
            .finish_non_exhaustive()
    }
}
