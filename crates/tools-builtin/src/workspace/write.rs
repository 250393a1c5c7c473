//! Writing files so that a reader sees the old content or the new one, and never a part.

use std::io;

use cap_std::fs::Metadata;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{CancellationToken, ErrorCode, ToolError};

use super::error::disk_error;
use super::locks::Lock;
use super::path::shown;
use super::place::Place;
use super::temporary::Temporary;
use super::{File, Workspace, platform};

/// What to do about a file that is there already.
///
/// # Examples
/// ```
/// use tools_builtin::workspace::WriteMode;
///
/// assert_eq!(serde_json::to_string(&WriteMode::CreateNew)?, "\"create_new\"");
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WriteMode {
    /// Replace it.
    #[default]
    Overwrite,
    /// Fail.
    CreateNew,
}

/// A file that was written.
///
/// # Examples
/// ```
/// use tool_core::CancellationToken;
/// use tool_test::Scratch;
/// use tools_builtin::workspace::{Workspace, WriteMode};
///
/// let scratch = Scratch::new();
/// let workspace = Workspace::open(scratch.path())?;
/// let cancellation = CancellationToken::new();
/// let written = workspace.write("path", "new/a.txt", b"hello", WriteMode::CreateNew, true, &cancellation)?;
/// assert_eq!((written.path.as_str(), written.created), ("new/a.txt", true));
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Written {
    /// The path relative to the workspace root.
    pub path: String,
    /// Whether there was no such file before.
    pub created: bool,
}

impl Workspace {
    /// Writes a whole file. A failure at any point leaves what was there.
    ///
    /// The mode of a file that is replaced is kept, and so is a link that leads to it. With `create_directories`, the
    /// folders above are made.
    ///
    /// # Errors
    /// A path that leads out, a folder in place of a file, a file that may not be written, a full disk, and
    /// [`ErrorCode::AlreadyExists`] with [`WriteMode::CreateNew`].
    pub fn write(
        &self,
        parameter: &str,
        path: &str,
        content: &[u8],
        mode: WriteMode,
        create_directories: bool,
        cancellation: &CancellationToken,
    ) -> Result<Written, ToolError> {
        let relative = self.relative(parameter, path)?;
        let place = match mode {
            WriteMode::Overwrite => {
                self.place_behind_links(parameter, &relative, create_directories)?
            }
            WriteMode::CreateNew => self.place(parameter, &relative, create_directories)?,
        };
        let _lock = self.lock(parameter, &place, cancellation)?;
        if mode == WriteMode::CreateNew && place.metadata().is_ok() {
            return Err(already_exists(parameter));
        }
        let old = old_file(parameter, &place)?;
        write_at(
            parameter,
            &place,
            content,
            old.as_ref(),
            cancellation,
            || Ok(()),
        )
        .map_err(|error| match (mode, error.code()) {
            // To overwrite was asked for, so it can only have come meanwhile.
            (WriteMode::Overwrite, ErrorCode::AlreadyExists) => changed_meanwhile(parameter),
            _ => error,
        })?;
        Ok(Written {
            path: shown(&relative),
            created: old.is_none(),
        })
    }

    /// Opens a file to change it. Nobody else changes it through this workspace as long as the edit lives.
    ///
    /// # Errors
    /// Those of [`existing_file`](Self::existing_file), and a file with more than `limit` bytes.
    pub fn edit(
        &self,
        parameter: &str,
        path: &str,
        limit: u64,
        cancellation: &CancellationToken,
    ) -> Result<Edit, ToolError> {
        let relative = self.relative(parameter, path)?;
        // Opened first, so that a path that does not work has the same errors as for reading.
        drop(self.existing_file(parameter, path)?);
        let place = self.place_behind_links(parameter, &relative, false)?;
        let lock = self.lock(parameter, &place, cancellation)?;
        let handle = platform::open_entry(&place.folder, &place.name)
            .map_err(|error| disk_error(parameter, error))?;
        let mut file = File::of(parameter, handle, shown(&relative))?;
        let content = file.read(limit)?;
        Ok(Edit {
            place,
            content,
            path: file.path().to_owned(),
            stamp: Stamp::of(file.metadata()),
            parameter: parameter.to_owned(),
            _lock: lock,
        })
    }

    pub(super) fn lock(
        &self,
        parameter: &str,
        place: &Place,
        cancellation: &CancellationToken,
    ) -> Result<Lock, ToolError> {
        let key = place.key().map_err(|error| disk_error(parameter, error))?;
        self.locks().acquire(key, cancellation)
    }
}

/// A file that is being changed.
///
/// # Examples
/// ```
/// use tool_core::CancellationToken;
/// use tool_test::Scratch;
/// use tools_builtin::workspace::Workspace;
///
/// let scratch = Scratch::new().file("a.txt", "one");
/// let workspace = Workspace::open(scratch.path())?;
/// let cancellation = CancellationToken::new();
/// let edit = workspace.edit("path", "a.txt", 1024, &cancellation)?;
/// let longer = [edit.content(), b" two"].concat();
/// edit.replace(&longer, &cancellation)?;
/// assert_eq!(scratch.read("a.txt"), "one two");
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Edit {
    place: Place,
    content: Vec<u8>,
    path: String,
    stamp: Stamp,
    parameter: String,
    _lock: Lock,
}

impl Edit {
    /// What the file holds.
    #[must_use]
    pub fn content(&self) -> &[u8] {
        &self.content
    }

    /// The path relative to the workspace root.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Replaces what the file holds.
    ///
    /// # Errors
    /// [`ErrorCode::Conflict`] when somebody else changed the file since it was opened, and the errors of the disk.
    pub fn replace(
        self,
        content: &[u8],
        cancellation: &CancellationToken,
    ) -> Result<(), ToolError> {
        let old = old_file(&self.parameter, &self.place)?;
        let unchanged = || {
            let now = self.place.metadata().ok();
            if now.as_ref().map(Stamp::of) == Some(self.stamp) {
                return Ok(());
            }
            Err(changed_meanwhile(&self.parameter))
        };
        unchanged()?;
        write_at(
            &self.parameter,
            &self.place,
            content,
            old.as_ref(),
            cancellation,
            unchanged,
        )
    }
}

/// What tells one state of a file from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    identity: Option<(u64, u64)>,
    len: u64,
    modified: Option<std::time::SystemTime>,
}

impl Stamp {
    fn of(metadata: &Metadata) -> Self {
        Self {
            identity: platform::identity(metadata),
            len: metadata.len(),
            modified: metadata
                .modified()
                .ok()
                .map(cap_std::time::SystemTime::into_std),
        }
    }
}

fn write_at(
    parameter: &str,
    place: &Place,
    content: &[u8],
    old: Option<&Metadata>,
    cancellation: &CancellationToken,
    last_check: impl FnOnce() -> Result<(), ToolError>,
) -> Result<(), ToolError> {
    let fail = |error: io::Error| match error.kind() {
        io::ErrorKind::AlreadyExists => already_exists(parameter),
        _ => disk_error(parameter, error),
    };
    let mut temporary = Temporary::beside(place, old).map_err(fail)?;
    temporary.fill(content, old).map_err(fail)?;
    last_check()?;
    // A thread cannot be dropped: after a cancel nothing may change any more, so this is looked at last.
    if cancellation.is_cancelled() {
        return Err(ToolError::cancelled());
    }
    match old {
        Some(_) => temporary.replace().map_err(fail),
        None => temporary.create().map_err(fail),
    }
}

/// What is at the place, if it may be replaced.
fn old_file(parameter: &str, place: &Place) -> Result<Option<Metadata>, ToolError> {
    match place.metadata() {
        Ok(metadata) => {
            platform::check_writable(&place.folder, &place.name, &metadata)
                .map_err(|error| disk_error(parameter, error))?;
            Ok(Some(metadata))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(disk_error(parameter, error)),
    }
}

fn changed_meanwhile(parameter: &str) -> ToolError {
    ToolError::about(
        ErrorCode::Conflict,
        parameter,
        "was changed by somebody else meanwhile, so nothing was written",
    )
    .suggest("Read the file again and repeat the change.")
}

fn already_exists(parameter: &str) -> ToolError {
    ToolError::about(ErrorCode::AlreadyExists, parameter, "exists already")
        .suggest("Choose another path, or change the file that is there.")
}
