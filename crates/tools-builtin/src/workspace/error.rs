//! File system errors, for calls and for programs.

use std::io;
use std::path::{Path, PathBuf};

use cap_std::fs::Metadata;
use tool_core::{ErrorCode, ToolError};

use super::platform;

/// Suggestion if no name is similar to the missing one.
pub(crate) const LIST_PARENT: &str = "List the directory that should contain it.";

/// Error opening a workspace. The message contains the path: it is for programmers, not for models.
///
/// # Examples
/// ```
/// use tools_builtin::workspace::{Workspace, WorkspaceError};
///
/// let error = Workspace::open("/no/such/folder").err();
/// assert!(matches!(error, Some(WorkspaceError::NotFound(_))));
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorkspaceError {
    /// No root was added.
    #[error("a workspace requires at least one root directory")]
    NoRoot,
    /// The path does not exist.
    #[error("directory `{0}` does not exist")]
    NotFound(PathBuf),
    /// The path is not a directory.
    #[error("`{0}` is not a directory")]
    NotADirectory(PathBuf),
    /// The operating system denied access.
    #[error("access to `{0}` is denied")]
    PermissionDenied(PathBuf),
    /// A name to protect is empty or not a valid glob.
    #[error("`{0}` is not a valid name or glob to protect")]
    InvalidName(String),
    /// Any other I/O error.
    #[error("`{0}` cannot be opened")]
    Io(PathBuf, #[source] io::Error),
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

/// Returns whether the path resolved outside the handle.
pub(super) fn is_escape(error: &io::Error) -> bool {
    // An error of the system has a number. cap-std and `beneath` report an escape without one.
    error.kind() == io::ErrorKind::PermissionDenied && error.raw_os_error().is_none()
}

/// Converts an I/O error to the error of a call. `parameter` is the parameter of the path.
pub(super) fn disk_error(parameter: &str, error: io::Error) -> ToolError {
    if is_escape(&error) {
        return ToolError::path_outside_workspace(parameter);
    }
    let (code, sentence, suggestion) = explain(&error);
    ToolError::about(code, parameter, sentence)
        .suggest(suggestion)
        .caused_by(error)
}

/// Rejects a file with several hard links, because the others may be anywhere.
pub(super) fn refuse_several_names(parameter: &str, metadata: &Metadata) -> Result<(), ToolError> {
    if !platform::has_several_names(metadata) {
        return Ok(());
    }
    let sentence = "has several hard links, which this workspace does not allow";
    Err(ToolError::about(ErrorCode::Protected, parameter, sentence)
        .suggest("Work with a copy of the file."))
}

/// Rejects anything but a regular file. `suggestion` is for entries other than directories.
pub(super) fn check_is_file(
    parameter: &str,
    metadata: &Metadata,
    suggestion: &str,
) -> Result<(), ToolError> {
    let refused = |sentence| ToolError::about(ErrorCode::NotAFile, parameter, sentence);
    if metadata.is_dir() {
        return Err(refused("is a directory").suggest("Use the path of a file inside it."));
    }
    if !metadata.is_file() {
        return Err(refused("is not a regular file").suggest(suggestion));
    }
    Ok(())
}

const LOOP: &str = "is a symlink loop";
const LOOP_ADVICE: &str = "Use another path; the symlink has no target.";

/// Returns the error for symlinks that lead to each other.
pub(super) fn link_loop(parameter: &str) -> ToolError {
    ToolError::about(ErrorCode::NotAFile, parameter, LOOP).suggest(LOOP_ADVICE)
}

/// Returns the code, the sentence and the suggestion for an I/O error.
fn explain(error: &io::Error) -> (ErrorCode, &'static str, &'static str) {
    let denied = ErrorCode::PermissionDenied;
    match error.kind() {
        // Not `FileNotFound`: creating the file or looking elsewhere would not help.
        _ if platform::is_link_loop(error) => (ErrorCode::NotAFile, LOOP, LOOP_ADVICE),
        _ if platform::is_endpoint(error) => (
            ErrorCode::NotAFile,
            "is not a regular file",
            "Use the path of a regular file.",
        ),
        io::ErrorKind::NotFound => (ErrorCode::FileNotFound, "does not exist", LIST_PARENT),
        io::ErrorKind::NotADirectory => (
            ErrorCode::NotADirectory,
            "has a parent that is not a directory",
            "Omit the part after the file name.",
        ),
        io::ErrorKind::IsADirectory => (
            ErrorCode::NotAFile,
            "is a directory",
            "Use the path of a file inside it.",
        ),
        io::ErrorKind::PermissionDenied => (
            denied,
            "cannot be used: the operating system denied access",
            "Use another path, or tell the user that access is denied.",
        ),
        io::ErrorKind::InvalidFilename => (
            ErrorCode::InvalidArguments,
            "has a name that is too long",
            "Choose a shorter name.",
        ),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => (
            ErrorCode::Failed,
            "cannot be written: the disk is full",
            "Tell the user that nothing can be written until space is freed.",
        ),
        io::ErrorKind::ReadOnlyFilesystem => (
            denied,
            "cannot be written: the disk is read-only",
            "Use another path, or tell the user what to write there.",
        ),
        _ => (
            ErrorCode::Failed,
            "cannot be used because of an I/O error",
            "Try again, or choose another path.",
        ),
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;

    use super::*;

    #[test]
    fn message_omits_cause() {
        let error = disk_error("path", io::Error::other("/home/user/secret"));

        assert_eq!(
            error.to_string(),
            "`path` cannot be used because of an I/O error. Try again, or choose another path."
        );
        assert_eq!(error.source().unwrap().to_string(), "/home/user/secret");
    }

    #[test]
    fn maps_io_errors_to_codes() {
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
    fn permission_error_is_not_escape() {
        let refused = io::Error::from_raw_os_error(rustix::io::Errno::ACCESS.raw_os_error());

        assert_eq!(
            disk_error("path", refused).code(),
            &ErrorCode::PermissionDenied
        );
    }
}
