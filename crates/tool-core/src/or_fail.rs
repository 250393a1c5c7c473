//! Errors of other libraries as errors of a tool.

use std::error::Error;

use crate::ToolError;

/// Conversion of a missing value or of another library's error, for `?` inside a tool.
///
/// The sentence is for the model. The original error is the [source](ToolError::caused_by), which is only logged, because
/// it may contain paths, addresses or tokens. Implemented for `Option`, and for `Result` with any error that converts to a
/// boxed [`Error`]: error types, `anyhow::Error`, `String` and `&str`.
///
/// # Examples
/// ```
/// use tool_core::{OrFail, ToolError};
///
/// fn port(text: &str) -> Result<u16, ToolError> {
///     let (_, port) = text.rsplit_once(':').or_fail("The address has no port")?;
///     port.parse().or_fail("The port is not a number from 0 to 65535")
/// }
///
/// assert_eq!(port("localhost:80").ok(), Some(80));
/// let error = port("localhost:http").unwrap_err();
/// assert_eq!(error.to_string(), "The port is not a number from 0 to 65535.");
/// assert_eq!(error.code().as_str(), "failed");
/// ```
///
/// `map_err` keeps the suggestion and the code under control:
///
/// ```
/// use tool_core::{OrFail, ToolError};
///
/// fn limit(text: &str) -> Result<u32, ToolError> {
///     let limit = text.parse().or_fail("The limit is not a number");
///     limit.map_err(|error| error.suggest("Pass a whole number."))
/// }
///
/// assert_eq!(limit("x").unwrap_err().suggestion(), Some("Pass a whole number."));
/// ```
pub trait OrFail {
    /// Type of the value.
    type Value;

    /// Returns the value, or an error with the code [`Failed`](crate::ErrorCode::Failed) and `sentence` as its message.
    ///
    /// # Errors
    /// Returns [`ToolError`] if there is no value.
    fn or_fail(self, sentence: impl Into<String>) -> Result<Self::Value, ToolError>;
}

impl<T, E: Into<Box<dyn Error + Send + Sync>>> OrFail for Result<T, E> {
    type Value = T;

    #[inline]
    fn or_fail(self, sentence: impl Into<String>) -> Result<T, ToolError> {
        self.map_err(|error| ToolError::failed(sentence).caused_by(error))
    }
}

impl<T> OrFail for Option<T> {
    type Value = T;

    #[inline]
    fn or_fail(self, sentence: impl Into<String>) -> Result<T, ToolError> {
        self.ok_or_else(|| ToolError::failed(sentence))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn io() -> std::io::Error {
        std::io::Error::other("token abc at 10.0.0.1")
    }

    #[test]
    fn foreign_errors_become_sources() {
        let boxed: Box<dyn Error + Send + Sync> = io().into();
        for outcome in [
            Err::<(), _>(io()).or_fail("The disk failed"),
            Err(boxed).or_fail("The disk failed"),
            Err("token abc at 10.0.0.1").or_fail("The disk failed"),
            Err("token abc at 10.0.0.1".to_owned()).or_fail("The disk failed"),
        ] {
            let error = outcome.unwrap_err();

            assert_eq!(error.to_string(), "The disk failed.");
            assert_eq!(error.source().unwrap().to_string(), "token abc at 10.0.0.1");
        }
    }

    #[test]
    fn missing_value_fails_without_source() {
        let error = None::<u8>.or_fail("There is no value").unwrap_err();

        assert_eq!(error.to_string(), "There is no value.");
        assert!(error.source().is_none());
        assert_eq!(Some(3).or_fail("There is no value").unwrap(), 3);
    }
}
