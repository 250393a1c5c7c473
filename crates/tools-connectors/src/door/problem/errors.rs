//! Errors with details of the service.

use std::time::Duration;

use tool_core::{ErrorCode, ToolError};

use super::Missing;
use crate::door::one_line;

/// Maximum length of a message of a service.
const MESSAGE_CHARS: usize = 300;
pub(super) const REJECTED_KEY: &str =
    "Tell the user that the application's credentials are rejected.";

impl Missing {
    pub(super) fn error(self) -> ToolError {
        let sentence = if self.is_deleted {
            format!("{} was deleted", self.what)
        } else {
            format!("{} does not exist", self.what)
        };
        ToolError::new(ErrorCode::from(self.code), sentence)
            .suggest("Search again for a current ID.")
            .with_retryable(false)
    }
}

pub(super) fn rejected_parameter(parameter: &str, message: &str) -> ToolError {
    let error = ToolError::invalid_arguments(parameter, "was rejected by the service");
    with_message(error, message)
}

pub(super) fn rejected(service: &str, message: &str) -> ToolError {
    let error = ToolError::failed(format!("{service} rejected the request"));
    with_message(error, message)
}

/// Adds the message of the service, unless it is empty.
fn with_message(error: ToolError, message: &str) -> ToolError {
    match one_line(message, MESSAGE_CHARS) {
        message if message.is_empty() => error,
        message => error.suggest(message),
    }
}

pub(super) fn rate_limited(service: &str, wait: Option<Duration>, is_final: bool) -> ToolError {
    let error = ToolError::new(
        ErrorCode::RateLimited,
        format!("The rate limit of {service} is exhausted"),
    );
    let seconds = wait.map(|wait| wait.as_secs_f64().ceil().max(1.0));
    let suggestion = match (is_final, seconds) {
        (true, _) => "The quota is used up. Try again tomorrow.".to_owned(),
        (false, Some(seconds)) => format!("Try again after {seconds} seconds."),
        (false, None) => "Try again after a minute.".to_owned(),
    };
    error.suggest(suggestion).with_retryable(!is_final)
}

pub(super) fn key_rejected(service: &str, hint: &str) -> ToolError {
    let sentence = format!("{service} rejected the key of the application");
    ToolError::new(ErrorCode::from("not_authorized"), sentence)
        .suggest(format!("{REJECTED_KEY} {hint}"))
        .with_retryable(false)
}

pub(super) fn sign_in_required(cause: &str) -> ToolError {
    ToolError::new(
        ErrorCode::from("sign_in_required"),
        format!("A sign-in to Google is required: {cause}"),
    )
    .suggest("Ask the user to sign in to Google again.")
    .with_retryable(false)
}

pub(super) fn size(bytes: usize) -> String {
    match bytes / (1024 * 1024) {
        0 => format!("{} KB", bytes / 1024),
        megabytes => format!("{megabytes} MB"),
    }
}
