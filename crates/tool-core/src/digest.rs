//! SHA-256 digests in hexadecimal; `None` in builds without the feature `typed`.

#[cfg(feature = "typed")]
use tool_json::text::hexadecimal;

/// Returns the digest of `bytes`.
#[cfg(feature = "typed")]
#[expect(
    clippy::unnecessary_wraps,
    reason = "there is no digest without the feature"
)]
pub(crate) fn sha256(bytes: &[u8]) -> Option<String> {
    use sha2::{Digest, Sha256};

    Some(hexadecimal(&Sha256::digest(bytes)))
}

/// Returns `None`: the feature is disabled.
#[cfg(not(feature = "typed"))]
pub(crate) fn sha256(_bytes: &[u8]) -> Option<String> {
    None
}

/// Returns the digest of all parts. Their lengths are included, so that `ab, c` and `a, bc` differ.
pub(crate) fn sha256_of_parts(parts: &[&str]) -> Option<String> {
    let mut bytes = Vec::new();
    for part in parts {
        bytes.extend(part.len().to_be_bytes());
        bytes.extend(part.as_bytes());
    }
    sha256(&bytes)
}

#[cfg(test)]
#[cfg(feature = "typed")]
mod tests {
    use super::*;

    #[test]
    fn boundaries_of_parts_count() {
        assert_ne!(sha256_of_parts(&["ab", "c"]), sha256_of_parts(&["a", "bc"]));
    }

    #[test]
    fn digest_matches_test_vector() {
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

        assert_eq!(sha256(b"abc").as_deref(), Some(expected));
    }
}
