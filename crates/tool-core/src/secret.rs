//! Values that must not be shown.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The replacement for a secret.
pub(crate) const REDACTED: &str = "[redacted]";

/// A secret value. `Debug`, `Display` and `Serialize` write `[redacted]`.
///
/// Deserializes like `T`, so a configuration can contain it. The memory is not zeroed on drop.
///
/// # Examples
/// ```
/// use tool_core::Secret;
///
/// let key = Secret::new("sk-12345".to_owned());
/// assert_eq!(format!("{key} {key:?}"), "[redacted] [redacted]");
/// assert_eq!(serde_json::to_string(&key)?, "\"[redacted]\"");
/// assert_eq!(key.expose(), "sk-12345");
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Secret<T>(T);

impl<T> Secret<T> {
    /// Wraps a value.
    pub const fn new(value: T) -> Self {
        Self(value)
    }

    /// Borrows the value.
    pub const fn expose(&self) -> &T {
        &self.0
    }

    /// Returns the value.
    pub fn into_exposed(self) -> T {
        self.0
    }
}

impl<T> From<T> for Secret<T> {
    fn from(value: T) -> Self {
        Self(value)
    }
}

impl<T> fmt::Debug for Secret<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(REDACTED)
    }
}

impl<T> fmt::Display for Secret<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(REDACTED)
    }
}

impl<T> Serialize for Secret<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // A configuration is often logged or saved as a whole.
        serializer.serialize_str(REDACTED)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Secret<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::deserialize(deserializer).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Serialize, Deserialize)]
    struct Configuration {
        key: Secret<Vec<u32>>,
    }

    #[test]
    fn secret_is_read_and_never_written() {
        let read: Configuration = serde_json::from_str(r#"{"key": [1234, 5678]}"#).unwrap();

        assert_eq!(read.key.expose(), &[1234, 5678]);
        assert_eq!(
            serde_json::to_string(&read).unwrap(),
            r#"{"key":"[redacted]"}"#
        );
        assert_eq!(format!("{read:?}"), "Configuration { key: [redacted] }");
    }
}
