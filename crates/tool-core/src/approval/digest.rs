//! The digest that binds a decision to what was asked.

/// A digest of all parts, in hexadecimal; `None` without the means to make one.
#[cfg(feature = "typed")]
#[expect(
    clippy::unnecessary_wraps,
    reason = "without the feature there is no digest"
)]
pub(super) fn digest(parts: &[&str]) -> Option<String> {
    use std::fmt::Write as _;

    use sha2::{Digest, Sha256};

    let mut hasher = Sha256::new();
    for part in parts {
        // The length keeps `ab, c` and `a, bc` apart.
        hasher.update(part.len().to_be_bytes());
        hasher.update(part.as_bytes());
    }
    let mut text = String::with_capacity(64);
    for byte in hasher.finalize() {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    Some(text)
}

/// Without the feature nothing can bind a decision, so that nothing can be approved.
#[cfg(not(feature = "typed"))]
pub(super) fn digest(_parts: &[&str]) -> Option<String> {
    None
}

#[cfg(test)]
#[cfg(feature = "typed")]
mod tests {
    use super::*;

    #[test]
    fn the_border_between_parts_counts() {
        assert_ne!(digest(&["ab", "c"]), digest(&["a", "bc"]));
        assert_eq!(digest(&["a"]), digest(&["a"]));
    }
}
