//! Stable error codes of calls.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! error_codes {
    ($($(#[$doc:meta])* $variant:ident = $text:literal,)*) => {
        /// A stable error code that programs may match on.
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
            /// A code of the application, in the same style: a few `snake_case` words.
            Other(Box<str>),
        }

        impl ErrorCode {
            /// Returns the `snake_case` text of this code.
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
    /// The file or directory already exists.
    AlreadyExists = "already_exists",
    /// The approver or a rule denied the call, or there is no approver.
    ApprovalDenied = "approval_denied",
    /// The approval is pending; the call has not run.
    ApprovalPending = "approval_pending",
    /// The arguments exceed the registry's limit of size or depth.
    ArgumentsTooLarge = "arguments_too_large",
    /// The call was not run because the audit log could not be written.
    AuditFailed = "audit_failed",
    /// The host's limit of calls is reached.
    CallLimitReached = "call_limit_reached",
    /// The call was cancelled.
    Cancelled = "cancelled",
    /// The command failed, in tool sets that treat this as an error.
    CommandFailed = "command_failed",
    /// The command filter rejected the command.
    CommandForbidden = "command_forbidden",
    /// The program does not exist.
    CommandNotFound = "command_not_found",
    /// The file changed between reading and writing.
    Conflict = "conflict",
    /// The tool failed.
    Failed = "failed",
    /// The file does not exist.
    FileNotFound = "file_not_found",
    /// The file exceeds the tool's size limit.
    FileTooLarge = "file_too_large",
    /// Another run of the call with the same key is in progress.
    InProgress = "in_progress",
    /// The arguments do not match the tool's schema or fail its own checks.
    InvalidArguments = "invalid_arguments",
    /// The glob or regular expression is invalid.
    InvalidPattern = "invalid_pattern",
    /// The tool's schema is invalid, so it cannot be called.
    InvalidSchema = "invalid_schema",
    /// The key of the call belongs to a call of another tool or with other arguments.
    KeyConflict = "key_conflict",
    /// The call was not run, because its intent could not be stored in the ledger.
    LedgerUnavailable = "ledger_unavailable",
    /// No command was run in this session yet.
    NoPreviousCommand = "no_previous_command",
    /// The path is not a directory.
    NotADirectory = "not_a_directory",
    /// The path is not a regular file.
    NotAFile = "not_a_file",
    /// The bytes are not valid text.
    NotText = "not_text",
    /// It is not known whether the call took effect, such as after a lost connection or a crash.
    OutcomeUnknown = "outcome_unknown",
    /// The output exceeds the tool's size limit.
    OutputTooLarge = "output_too_large",
    /// The tool panicked.
    Panic = "panic",
    /// The path is outside the workspace.
    PathOutsideWorkspace = "path_outside_workspace",
    /// The operating system denied access.
    PermissionDenied = "permission_denied",
    /// The root is read-only, or the name is protected.
    Protected = "protected",
    /// Too many requests. A later call may succeed.
    RateLimited = "rate_limited",
    /// The response of a server exceeds the tool's size limit.
    ResponseTooLarge = "response_too_large",
    /// The text to replace is not in the file.
    TextNotFound = "text_not_found",
    /// The call timed out.
    Timeout = "timeout",
    /// The tool has no implementation here, or is disabled.
    ToolNotExecutable = "tool_not_executable",
    /// No tool has this name.
    ToolNotFound = "tool_not_found",
    /// The arguments are truncated.
    TruncatedArguments = "truncated_arguments",
    /// A service that the tool requires is unavailable.
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
    fn code_survives_text_round_trip() {
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
