//! Errors of sandbox setup.

use std::error::Error;
use std::io;
use std::path::PathBuf;

use tool_core::{ErrorCode, ToolError};

/// Error code of calls that did not run because the sandbox is unavailable.
const CODE: &str = "sandbox_unavailable";

/// Error for a sandbox that cannot be enforced. The message may contain host paths, so do not show
/// it to models.
///
/// # Examples
/// ```
/// use tools_builtin::shell::SandboxUnavailable;
///
/// let error = SandboxUnavailable::Kernel { found: 2, needed: 3 };
/// assert_eq!(error.to_string(), "the kernel supports Landlock 2; version 3 is required");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SandboxUnavailable {
    /// The operating system or CPU architecture is not supported.
    #[error("this system is not supported")]
    System,
    /// The kernel is too old, or Landlock is disabled, which counts as version 0.
    #[error("the kernel supports Landlock {found}; version {needed} is required")]
    Kernel {
        /// Available version of Landlock.
        found: i32,
        /// Minimum version of Landlock.
        needed: i32,
    },
    /// A directory of the sandbox configuration cannot be opened.
    #[error("`{}` cannot be opened", .0.display())]
    Directory(PathBuf, #[source] io::Error),
    /// A path that an approval made writable cannot be opened or contains a symlink.
    #[error("the granted path `{}` cannot be opened or contains a symlink", .0.display())]
    Granted(PathBuf, #[source] io::Error),
    /// The private temporary directory cannot be created.
    #[error("the temporary directory cannot be created")]
    Temporary(#[source] io::Error),
    /// A protected name cannot be read or is too large to restore.
    #[error("`{0}` cannot be read or is too large to restore")]
    Protected(String, #[source] io::Error),
    /// A protected name that an earlier command changed still cannot be restored.
    #[error("`{0}`, which an earlier command changed, cannot be restored")]
    Lost(String),
    /// A read-only root is inside a writable root, from which the kernel cannot exclude it.
    #[error("the read-only root `{}` is inside a writable root", .0.display())]
    ReadOnlyRoot(PathBuf),
    /// The kernel rejected the restrictions.
    #[error("the kernel rejected the restrictions")]
    Refused(#[source] Box<dyn Error + Send + Sync>),
}

impl SandboxUnavailable {
    #[cfg(target_os = "linux")]
    pub(super) fn refused(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Refused(error.into())
    }

    /// Returns the error for the model, without host paths.
    pub(super) fn into_tool_error(self) -> ToolError {
        if let Self::Granted(..) = &self {
            return ToolError::invalid_arguments(
                "needs",
                "has a path that is missing or contains a symlink",
            )
            .suggest("Pass the path of an existing file or directory, without symlinks.")
            .caused_by(self);
        }
        let reason = match &self {
            Self::Directory(..) => "a configured directory cannot be opened".to_owned(),
            Self::ReadOnlyRoot(_) => {
                "a read-only root of the workspace is inside a writable root".to_owned()
            }
            other => other.to_string(),
        };
        let sentence =
            format!("Nothing was run, because the sandbox for commands is unavailable: {reason}");
        ToolError::new(ErrorCode::from(CODE), sentence)
            .suggest("Use the file tools, or tell the user that commands cannot run here.")
            .caused_by(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn display_and_source_of_each_variant() {
        let denied = || io::Error::from(io::ErrorKind::PermissionDenied);
        for (error, message, has_source) in [
            (
                SandboxUnavailable::System,
                "this system is not supported",
                false,
            ),
            (
                SandboxUnavailable::Kernel {
                    found: 0,
                    needed: 3,
                },
                "the kernel supports Landlock 0; version 3 is required",
                false,
            ),
            (
                SandboxUnavailable::ReadOnlyRoot("/srv/app/manual".into()),
                "the read-only root `/srv/app/manual` is inside a writable root",
                false,
            ),
            (
                SandboxUnavailable::Temporary(denied()),
                "the temporary directory cannot be created",
                true,
            ),
            (
                SandboxUnavailable::Protected(".git/hooks".to_owned(), denied()),
                "`.git/hooks` cannot be read or is too large to restore",
                true,
            ),
            (
                SandboxUnavailable::refused("not all rules are enforced"),
                "the kernel rejected the restrictions",
                true,
            ),
        ] {
            assert_eq!(error.to_string(), message);
            assert_eq!(error.source().is_some(), has_source, "{message}");
            assert!(
                !error.into_tool_error().to_string().contains("/srv"),
                "{message}"
            );
        }
    }

    #[test]
    fn tool_error_omits_host_paths() {
        let missing = io::Error::from(io::ErrorKind::NotFound);
        let error = SandboxUnavailable::Directory("/home/user/.cache".into(), missing);
        assert_eq!(error.to_string(), "`/home/user/.cache` cannot be opened");

        let message = error.into_tool_error();

        assert_eq!(message.code().as_str(), "sandbox_unavailable");
        assert_eq!(
            message.to_string(),
            "Nothing was run, because the sandbox for commands is unavailable: a configured directory cannot be opened. Use the file tools, or tell the user that commands cannot run here."
        );
    }
}
