//! The digests that bind a decision to what was asked, and a rule to its arguments.

/// A digest of all parts, in hexadecimal; `None` without the means to make one.
#[cfg(feature = "typed")]
#[expect(
    clippy::unnecessary_wraps,
    reason = "without the feature there is no digest"
)]
pub(super) fn digest(parts: &[&str]) -> Option<String> {
    use sha2::{Digest, Sha256};

    let mut hasher = Sha256::new();
    for part in parts {
        // The length keeps `ab, c` and `a, bc` apart.
        hasher.update(part.len().to_be_bytes());
        hasher.update(part.as_bytes());
    }
    Some(hexadecimal(&hasher.finalize()))
}

/// The SHA-256 of a text, in hexadecimal; `None` without the means to make one.
#[cfg(feature = "typed")]
#[expect(
    clippy::unnecessary_wraps,
    reason = "without the feature there is no digest"
)]
pub(super) fn sha256(text: &str) -> Option<String> {
    use sha2::{Digest, Sha256};

    Some(hexadecimal(&Sha256::digest(text.as_bytes())))
}

/// Bytes as text, two digits each.
#[cfg(feature = "typed")]
pub(super) fn hexadecimal(bytes: &[u8]) -> String {
    use std::fmt::Write as _;

    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// Without the feature nothing can bind a decision, so that nothing can be approved.
#[cfg(not(feature = "typed"))]
pub(super) fn digest(_parts: &[&str]) -> Option<String> {
    None
}

/// Without the feature no rule can be about exactly these arguments.
#[cfg(not(feature = "typed"))]
pub(super) fn sha256(_text: &str) -> Option<String> {
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

    #[test]
    fn the_digest_of_a_text_is_what_other_programs_make_of_it() {
        let known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

        assert_eq!(sha256("abc").as_deref(), Some(known));
    }
}
