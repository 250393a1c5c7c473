//! Why a sandbox cannot be had.

use std::error::Error;
use std::path::PathBuf;
use std::{fmt, io};

use tool_core::{ErrorCode, ToolError};

/// The code of calls that did not run because their sandbox cannot be had.
const CODE: &str = "sandbox_unavailable";

/// A sandbox was asked for and cannot be enforced. The text may name a path: it is for the programmer, not for a model.
///
/// # Examples
/// ```
/// use tools_builtin::shell::SandboxUnavailable;
///
/// let error = SandboxUnavailable::Kernel { found: 2, needed: 3 };
/// assert_eq!(error.to_string(), "the kernel offers Landlock 2, and 3 is needed");
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum SandboxUnavailable {
    /// There is no sandbox for this operating system or processor.
    System,
    /// The kernel is too old, or Landlock is switched off, which counts as 0.
    Kernel {
        /// The version of Landlock that is there.
        found: i32,
        /// The least version that is needed.
        needed: i32,
    },
    /// A folder that the sandbox is to open cannot be opened.
    Folder(PathBuf, io::Error),
    /// The private temporary folder cannot be made.
    Temporary(io::Error),
    /// The protected names of the workspace cannot be kept: this one cannot be read, or holds too much.
    Protected(String, io::Error),
    /// A root that is read-only lies in one that may be written, from which the kernel cannot take it out.
    ReadOnlyRoot(PathBuf),
    /// The kernel refused the restrictions.
    Refused(Box<dyn Error + Send + Sync>),
}

impl fmt::Display for SandboxUnavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(path, _) => write!(f, "`{}` cannot be opened", path.display()),
            Self::ReadOnlyRoot(path) => write!(
                f,
                "`{}` is to be read-only, and lies in a root that may be written",
                path.display()
            ),
            other => f.write_str(&other.sentence()),
        }
    }
}

impl Error for SandboxUnavailable {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::System | Self::Kernel { .. } | Self::ReadOnlyRoot(_) => None,
            Self::Folder(_, error) | Self::Temporary(error) | Self::Protected(_, error) => {
                Some(error)
            }
            Self::Refused(error) => Some(error.as_ref()),
        }
    }
}

impl SandboxUnavailable {
    pub(super) fn refused(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Refused(error.into())
    }

    /// What is the case, without a path of the host.
    fn sentence(&self) -> String {
        match self {
            Self::System => "there is none for this system".to_owned(),
            Self::Kernel { found, needed } => {
                format!("the kernel offers Landlock {found}, and {needed} is needed")
            }
            Self::Folder(..) => "a folder that it is to open cannot be opened".to_owned(),
            Self::ReadOnlyRoot(_) => {
                "a read-only root of the workspace lies in one that may be written".to_owned()
            }
            Self::Temporary(_) => "no temporary folder can be made".to_owned(),
            Self::Protected(name, _) => {
                format!("`{name}` cannot be read, or holds too much to be put back afterwards")
            }
            Self::Refused(_) => "the kernel refused it".to_owned(),
        }
    }

    /// The same for a model.
    pub(super) fn into_tool_error(self) -> ToolError {
        let sentence = format!(
            "Nothing was run: commands may only run in a sandbox, which cannot be set up: {}",
            self.sentence()
        );
        ToolError::new(ErrorCode::from(CODE), sentence)
            .suggest("Use the tools for files, or tell the user that commands cannot run here.")
            .caused_by(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reason_has_its_words_and_what_caused_it() {
        let denied = || io::Error::from(io::ErrorKind::PermissionDenied);
        for (error, told, has_source) in [
            (
                SandboxUnavailable::System,
                "there is none for this system",
                false,
            ),
            (
                SandboxUnavailable::Kernel {
                    found: 0,
                    needed: 3,
                },
                "the kernel offers Landlock 0, and 3 is needed",
                false,
            ),
            (
                SandboxUnavailable::ReadOnlyRoot("/srv/app/manual".into()),
                "`/srv/app/manual` is to be read-only, and lies in a root that may be written",
                false,
            ),
            (
                SandboxUnavailable::Temporary(denied()),
                "no temporary folder can be made",
                true,
            ),
            (
                SandboxUnavailable::Protected(".git/hooks".to_owned(), denied()),
                "`.git/hooks` cannot be read, or holds too much to be put back afterwards",
                true,
            ),
            (
                SandboxUnavailable::refused("not all rules hold"),
                "the kernel refused it",
                true,
            ),
        ] {
            assert_eq!(error.to_string(), told);
            assert_eq!(error.source().is_some(), has_source, "{told}");
            assert!(
                !error.into_tool_error().to_string().contains("/srv"),
                "{told}"
            );
        }
    }

    #[test]
    fn a_model_reads_no_path_of_the_host() {
        let missing = io::Error::from(io::ErrorKind::NotFound);
        let error = SandboxUnavailable::Folder("/home/user/.cache".into(), missing);
        assert_eq!(error.to_string(), "`/home/user/.cache` cannot be opened");

        let told = error.into_tool_error();

        assert_eq!(told.code().as_str(), "sandbox_unavailable");
        assert_eq!(
            told.to_string(),
            "Nothing was run: commands may only run in a sandbox, which cannot be set up: a folder that it is to open cannot be opened. Use the tools for files, or tell the user that commands cannot run here."
        );
    }
}
