//! Error of the types that have names.

/// Error for text that names no [`Provider`](crate::Provider), [`StrictMode`](crate::StrictMode) or
/// [`Effort`](crate::Effort).
///
/// # Examples
/// ```
/// use provider_adapters::{Effort, StrictMode};
///
/// let error = "yes".parse::<StrictMode>().unwrap_err();
/// assert_eq!(error.to_string(), "`yes` is not a strict mode; use one of auto, on, off");
/// let error = "max".parse::<Effort>().unwrap_err();
/// assert_eq!(error.to_string(), "`max` is not an effort; use one of low, medium, high");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` is not {kind}; use one of {}", .known.join(", "))]
pub struct UnknownName {
    name: String,
    /// What the name should be, with its article.
    kind: &'static str,
    known: Vec<&'static str>,
}

impl UnknownName {
    /// Returns the value of this name.
    pub(crate) fn find<T: Copy>(
        name: &str,
        kind: &'static str,
        values: &[T],
        name_of: fn(T) -> &'static str,
    ) -> Result<T, Self> {
        let mut known = values.iter().copied();
        known
            .find(|value| name_of(*value) == name)
            .ok_or_else(|| Self {
                name: name.to_owned(),
                kind,
                known: values.iter().copied().map(name_of).collect(),
            })
    }
}
