//! Tokens of next pages.

use tool_core::ToolError;

/// Checks a token of the next page.
pub(crate) fn check_token(parameter: &str, token: Option<&str>) -> Result<(), ToolError> {
    let is_valid = |token: &str| token.len() <= 2000 && !token.contains(char::is_control);
    if token.is_none_or(is_valid) {
        return Ok(());
    }
    Err(
        ToolError::invalid_arguments(parameter, "is not a page token")
            .suggest("Omit it, or pass the token of an earlier result."),
    )
}
