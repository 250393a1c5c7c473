//! What goes wrong on the disk, in the words of a call and of a program.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{fmt, io};

use cap_std::fs::Metadata;
use tool_core::{ErrorCode, ToolError};

use super::platform;

/// Stands where no name comes near the one that is missing.
pub(crate) const LOOK_WHAT_IS_THERE: &str =
    "List the folder that should hold it, to see what is there.";

/// A workspace could not be opened. The text names the path: it is for the programmer, not for a model.
///
/// # Examples
/// ```
/// use tools_builtin::workspace::{Workspace, WorkspaceError};
///
/// let error = Workspace::open("/no/such/folder").err();
/// assert!(matches!(error, Some(WorkspaceError::NotFound(_))));
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum WorkspaceError {
    /// No folder was granted.
    NoRoot,
    /// There is nothing at this path.
    NotFound(PathBuf),
    /// What is there is not a folder.
    NotADirectory(PathBuf),
    /// The operating system refused access.
    PermissionDenied(PathBuf),
    /// A name to protect that is empty, or no glob.
    InvalidName(String),
    /// Anything else.
    Io(PathBuf, io::Error),
}

impl WorkspaceError {
    pub(super) fn of(path: &Path, error: io::Error) -> Self {
        let path = path.to_owned();
        match error.kind() {
            io::ErrorKind::NotFound => Self::NotFound(path),
            io::ErrorKind::NotADirectory => Self::NotADirectory(path),
            io::ErrorKind::PermissionDenied => Self::PermissionDenied(path),
            _ => Self::Io(path, error),
        }
    }
}

impl fmt::Display for WorkspaceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRoot => f.write_str("a workspace needs a folder"),
            Self::InvalidName(name) => write!(f, "`{name}` is no name to protect"),
            Self::NotFound(path) => write!(f, "there is no folder `{}`", path.display()),
            Self::NotADirectory(path) => write!(f, "`{}` is not a folder", path.display()),
            Self::PermissionDenied(path) => write!(f, "access to `{}` is denied", path.display()),
            Self::Io(path, _) => write!(f, "`{}` cannot be opened", path.display()),
        }
    }
}

impl Error for WorkspaceError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Io(_, error) => Some(error),
            _ => None,
        }
    }
}

/// Whether the path led out of the handle it was resolved beneath.
pub(super) fn is_escape(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::PermissionDenied && error.raw_os_error().is_none()
}

/// The error of a call for one of the disk; `parameter` gave the path.
pub(super) fn disk_error(parameter: &str, error: io::Error) -> ToolError {
    if is_escape(&error) {
        return ToolError::path_outside_workspace(parameter);
    }
    let (code, sentence) = explain(&error);
    ToolError::about(code, parameter, sentence)
        .suggest(instead(&error))
        .caused_by(error)
}

/// Refuses a file that has other names, which may be anywhere.
pub(super) fn refuse_several_names(parameter: &str, metadata: &Metadata) -> Result<(), ToolError> {
    if !platform::has_several_names(metadata) {
        return Ok(());
    }
    let sentence = "has several names (hard links), which this workspace refuses";
    Err(ToolError::about(ErrorCode::Protected, parameter, sentence)
        .suggest("Work with a copy of the file."))
}

/// What to do about an error of the disk.
fn instead(error: &io::Error) -> &'static str {
    match error.kind() {
        _ if platform::is_link_loop(error) => "Give the path that the link was meant to lead to.",
        _ if platform::is_endpoint(error) => "Give the path of a regular file.",
        io::ErrorKind::NotFound => LOOK_WHAT_IS_THERE,
        io::ErrorKind::NotADirectory => "Leave out what stands behind the name of the file.",
        io::ErrorKind::IsADirectory => "Give the path of a file inside it.",
        io::ErrorKind::PermissionDenied => {
            "Choose another path, or say in your answer that access to this one is missing."
        }
        io::ErrorKind::InvalidFilename => "Choose a shorter name.",
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "Say so in your answer: nothing can be written until there is room."
        }
        io::ErrorKind::ReadOnlyFilesystem => {
            "Choose another path, or say in your answer what should be written there."
        }
        _ => "Try once more, or choose another path.",
    }
}

fn explain(error: &io::Error) -> (ErrorCode, &'static str) {
    match error.kind() {
        _ if platform::is_link_loop(error) => (
            ErrorCode::FileNotFound,
            "is a link that leads back to itself",
        ),
        _ if platform::is_endpoint(error) => (ErrorCode::NotAFile, "is not a regular file"),
        io::ErrorKind::NotFound => (ErrorCode::FileNotFound, "does not exist"),
        io::ErrorKind::NotADirectory => (
            ErrorCode::NotADirectory,
            "goes on behind something that is not a folder",
        ),
        io::ErrorKind::IsADirectory => (ErrorCode::NotAFile, "is a folder"),
        io::ErrorKind::PermissionDenied => (
            ErrorCode::PermissionDenied,
            "cannot be used: the operating system refused access",
        ),
        io::ErrorKind::InvalidFilename => {
            (ErrorCode::InvalidArguments, "has a name that is too long")
        }
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            (ErrorCode::Failed, "cannot be written: the disk is full")
        }
        io::ErrorKind::ReadOnlyFilesystem => (
            ErrorCode::PermissionDenied,
            "cannot be written: the disk is read-only",
        ),
        _ => (
            ErrorCode::Failed,
            "cannot be used: the disk reported an error",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cause_stays_out_of_the_text() {
        let error = disk_error("path", io::Error::other("/home/user/secret"));

        assert_eq!(
            error.to_string(),
            "`path` cannot be used: the disk reported an error. Try once more, or choose another path."
        );
        assert_eq!(error.source().unwrap().to_string(), "/home/user/secret");
    }

    #[test]
    fn each_kind_of_the_disk_has_its_code() {
        for (kind, code) in [
            (io::ErrorKind::NotFound, ErrorCode::FileNotFound),
            (io::ErrorKind::NotADirectory, ErrorCode::NotADirectory),
            (io::ErrorKind::IsADirectory, ErrorCode::NotAFile),
            (
                io::ErrorKind::PermissionDenied,
                ErrorCode::PathOutsideWorkspace,
            ),
            (io::ErrorKind::StorageFull, ErrorCode::Failed),
        ] {
            assert_eq!(disk_error("path", kind.into()).code(), &code, "{kind}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_refusal_of_the_system_is_not_an_escape() {
        let refused = io::Error::from_raw_os_error(rustix::io::Errno::ACCESS.raw_os_error());

        assert_eq!(
            disk_error("path", refused).code(),
            &ErrorCode::PermissionDenied
        );
    }
}
