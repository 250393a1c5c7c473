//! Writing files so that a reader sees the old content or the new one, and never a part.

use std::io;

use cap_std::fs::Metadata;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{CancellationToken, ErrorCode, ToolError};

use super::error::disk_error;
use super::history::Before;
use super::locks::Lock;
use super::place::Place;
use super::stamp::Stamp;
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
    /// folders above are made, at most 100.
    ///
    /// # Errors
    /// A path that leads out, a folder in place of a file, a file that may not be written, a full disk,
    /// [`ErrorCode::AlreadyExists`] with [`WriteMode::CreateNew`], [`ErrorCode::Protected`] where nothing may be
    /// changed, and [`ErrorCode::Conflict`] when somebody else changes the file at the same moment.
    pub fn write(
        &self,
        parameter: &str,
        path: &str,
        content: &[u8],
        mode: WriteMode,
        create_directories: bool,
        cancellation: &CancellationToken,
    ) -> Result<Written, ToolError> {
        let place = match mode {
            WriteMode::Overwrite => self.place_behind_links(parameter, path, create_directories)?,
            WriteMode::CreateNew => self.place(parameter, path, create_directories)?,
        };
        let shown = self.locate(parameter, path)?.shown_at(&place);
        let created = self
            .write_whole(parameter, &shown, &place, content, mode, cancellation)
            .inspect_err(|_| place.remove_made_folders(self))?;
        Ok(Written {
            path: shown,
            created,
        })
    }

    fn write_whole(
        &self,
        parameter: &str,
        shown: &str,
        place: &Place,
        content: &[u8],
        mode: WriteMode,
        cancellation: &CancellationToken,
    ) -> Result<bool, ToolError> {
        let _lock = self.lock(parameter, place, cancellation)?;
        if mode == WriteMode::CreateNew
            && let Ok(there) = place.metadata()
        {
            return Err(already_exists(parameter, Some(&there)));
        }
        let old = old_file(parameter, place)?;
        if let Some(old) = &old {
            self.check_names(parameter, old)?;
        }
        let before = self.before(parameter, place, old.as_ref())?;
        let old_stamp = old.as_ref().map(Stamp::of);
        let unchanged = || match &before {
            Before::Content(_) => unchanged(parameter, place, old_stamp),
            Before::Nothing | Before::NotKept | Before::NoFolder => Ok(()),
        };
        let content = &[content];
        let write = || {
            write_at(
                parameter,
                place,
                content,
                old.as_ref(),
                cancellation,
                unchanged,
            )
        };
        let (written, digests) = self.digests_meanwhile(before.content(), content, write);
        written.map_err(|error| match (mode, error.code()) {
            // To overwrite was asked for, so it can only have come meanwhile.
            (WriteMode::Overwrite, ErrorCode::AlreadyExists) => changed_meanwhile(parameter),
            _ => error,
        })?;
        self.record(shown, place, before, digests);
        Ok(old.is_none())
    }

    /// What is to be recorded of the file that a write will replace.
    fn before(
        &self,
        parameter: &str,
        place: &Place,
        old: Option<&Metadata>,
    ) -> Result<Before, ToolError> {
        let (Some(limit), Some(old)) = (self.keeps(), old) else {
            return Ok(old.map_or(Before::Nothing, |_| Before::NotKept));
        };
        if old.len() > limit {
            return Ok(Before::NotKept);
        }
        let handle = match platform::open_entry(&place.folder, &place.name) {
            // A file that may be written and not be read can be replaced, and not be taken back.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                return Ok(Before::NotKept);
            }
            outcome => outcome.map_err(|error| disk_error(parameter, error))?,
        };
        let mut file = File::of(parameter, handle, String::new())?;
        if Stamp::of(file.metadata()) != Stamp::of(old) {
            return Err(changed_meanwhile(parameter));
        }
        match file.read_whole(limit) {
            Ok(content) => Ok(Before::Content(content.into())),
            Err(error) if *error.code() == ErrorCode::FileTooLarge => Ok(Before::NotKept),
            Err(error) => Err(error),
        }
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

/// Refuses to go on when the file at a place is not the one it was.
pub(super) fn unchanged(
    parameter: &str,
    place: &Place,
    old: Option<Stamp>,
) -> Result<(), ToolError> {
    let now = place.metadata().ok();
    if now.as_ref().map(Stamp::of) == old {
        return Ok(());
    }
    Err(changed_meanwhile(parameter))
}

/// Writes a file beside the place, and gives it the place's name when it is whole.
pub(super) fn write_at(
    parameter: &str,
    place: &Place,
    content: &[&[u8]],
    old: Option<&Metadata>,
    cancellation: &CancellationToken,
    last_check: impl FnOnce() -> Result<(), ToolError>,
) -> Result<(), ToolError> {
    let fail = |error: io::Error| match error.kind() {
        io::ErrorKind::AlreadyExists => already_exists(parameter, None),
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
        Some(old) => temporary.replace(old).map_err(fail),
        None => temporary.create().map_err(fail),
    }
}

/// What is at the place, if it may be replaced.
pub(super) fn old_file(parameter: &str, place: &Place) -> Result<Option<Metadata>, ToolError> {
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

pub(super) fn changed_meanwhile(parameter: &str) -> ToolError {
    ToolError::about(
        ErrorCode::Conflict,
        parameter,
        "was changed by somebody else meanwhile, so nothing was written",
    )
    .suggest("Read the file again and repeat the change.")
}

fn already_exists(parameter: &str, there: Option<&Metadata>) -> ToolError {
    if there.is_some_and(Metadata::is_dir) {
        return ToolError::about(
            ErrorCode::NotAFile,
            parameter,
            "is a folder that exists already",
        )
        .suggest("Give the path of a file, such as one inside it.");
    }
    ToolError::about(ErrorCode::AlreadyExists, parameter, "exists already")
        .suggest("Choose another path, or change the file that is there.")
}
