//! Names that are parts of subjects, streams and buckets.

use crate::RemoteError;

/// Maximum bytes of a name.
const MAX: usize = 64;

/// Checks a name.
pub(crate) fn check(kind: &'static str, name: &str) -> Result<(), RemoteError> {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    if (1..=MAX).contains(&name.len()) && name.bytes().all(is_allowed) {
        return Ok(());
    }
    let name = name.chars().take(MAX).collect();
    Err(RemoteError::InvalidName { kind, name })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_only_characters_of_subjects() {
        let long = "a".repeat(65);
        for (name, is_valid) in [
            ("a", true),
            ("GPU_2-west", true),
            (long.get(1..).unwrap(), true),
            ("", false),
            (&long, false),
            ("a.b", false),
            ("a b", false),
            ("*", false),
            (">", false),
            ("größe", false),
        ] {
            assert_eq!(check("tenant", name).is_ok(), is_valid, "{name}");
        }
    }
}
