//! The stable codes of everything that can go wrong with a call.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! error_codes {
    ($($(#[$doc:meta])* $variant:ident = $text:literal,)*) => {
        /// What went wrong, as a stable text that programs may match on.
        ///
        /// # Examples
        /// ```
        /// use tool_core::ErrorCode;
        ///
        /// assert_eq!(ErrorCode::PathOutsideWorkspace.as_str(), "path_outside_workspace");
        /// assert_eq!(ErrorCode::from("timeout"), ErrorCode::Timeout);
        /// ```
        #[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(from = "String", into = "String")]
        #[non_exhaustive]
        pub enum ErrorCode {
            $($(#[$doc])* $variant,)*
            /// A code of the application's own, in the same style: a few `snake_case` words.
            Other(Box<str>),
        }

        impl ErrorCode {
            /// The stable `snake_case` text of this code.
            #[must_use]
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $text,)*
                    Self::Other(text) => text,
                }
            }
        }

        impl From<&str> for ErrorCode {
            fn from(text: &str) -> Self {
                match text {
                    $($text => Self::$variant,)*
                    other => Self::Other(other.into()),
                }
            }
        }
    };
}

error_codes! {
    /// A file or folder is there already.
    AlreadyExists = "already_exists",
    /// The approver, a rule or the lack of an approver said no.
    ApprovalDenied = "approval_denied",
    /// Nobody has decided yet; the call has not run.
    ApprovalPending = "approval_pending",
    /// The argument text is larger or deeper than the registry takes.
    ArgumentsTooLarge = "arguments_too_large",
    /// The call was not run because the audit log could not be written.
    AuditFailed = "audit_failed",
    /// As many calls were made as the host allows.
    CallLimitReached = "call_limit_reached",
    /// The call was cancelled before it ended.
    Cancelled = "cancelled",
    /// The command ran and failed, in sets that treat that as an error.
    CommandFailed = "command_failed",
    /// The command filter refuses this command.
    CommandForbidden = "command_forbidden",
    /// The program to run was not found.
    CommandNotFound = "command_not_found",
    /// The file changed between reading and writing.
    Conflict = "conflict",
    /// The tool's own work failed.
    Failed = "failed",
    /// The file does not exist.
    FileNotFound = "file_not_found",
    /// The file is larger than the tool reads or writes.
    FileTooLarge = "file_too_large",
    /// The arguments do not fit the tool's schema or its own checks.
    InvalidArguments = "invalid_arguments",
    /// A glob or a regular expression cannot be read.
    InvalidPattern = "invalid_pattern",
    /// The tool's schema was refused, so that it cannot be called.
    InvalidSchema = "invalid_schema",
    /// Nothing was run in this session yet.
    NoPreviousCommand = "no_previous_command",
    /// The path is not a folder.
    NotADirectory = "not_a_directory",
    /// The path is not a regular file.
    NotAFile = "not_a_file",
    /// The bytes are not text where text is needed.
    NotText = "not_text",
    /// The output is larger than the tool may give.
    OutputTooLarge = "output_too_large",
    /// The tool panicked.
    Panic = "panic",
    /// The path leads out of the workspace.
    PathOutsideWorkspace = "path_outside_workspace",
    /// The operating system refused access.
    PermissionDenied = "permission_denied",
    /// The root is read-only, or the name is protected.
    Protected = "protected",
    /// Too many requests; later may work.
    RateLimited = "rate_limited",
    /// A response from outside is larger than the tool takes.
    ResponseTooLarge = "response_too_large",
    /// The text to replace does not stand in the file.
    TextNotFound = "text_not_found",
    /// The call ran into its deadline.
    Timeout = "timeout",
    /// The tool is known but has no implementation here, or is switched off.
    ToolNotExecutable = "tool_not_executable",
    /// No tool has this name.
    ToolNotFound = "tool_not_found",
    /// The argument text was cut off before its end.
    TruncatedArguments = "truncated_arguments",
    /// A service that the tool needs cannot be reached.
    Unavailable = "unavailable",
}

impl From<String> for ErrorCode {
    fn from(text: String) -> Self {
        Self::from(text.as_str())
    }
}

impl From<ErrorCode> for String {
    fn from(code: ErrorCode) -> Self {
        code.as_str().to_owned()
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_survives_its_text() {
        for code in [
            ErrorCode::Timeout,
            ErrorCode::Conflict,
            ErrorCode::Other("quota".into()),
        ] {
            let text = serde_json::to_string(&code).unwrap();

            assert_eq!(
                serde_json::from_str::<ErrorCode>(&text).unwrap(),
                code,
                "{text}"
            );
        }
    }
}
