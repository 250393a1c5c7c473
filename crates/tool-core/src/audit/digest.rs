//! Digests of what is recorded.

/// The SHA-256 of `bytes` in hexadecimal; `None` in a build without digests.
#[cfg(feature = "typed")]
#[expect(
    clippy::unnecessary_wraps,
    reason = "without the feature there is no digest"
)]
pub(crate) fn digest(bytes: &[u8]) -> Option<String> {
    use std::fmt::Write as _;

    use sha2::{Digest, Sha256};

    let mut text = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    Some(text)
}

/// Without the feature events have no digests.
#[cfg(not(feature = "typed"))]
pub(crate) fn digest(_bytes: &[u8]) -> Option<String> {
    None
}

#[cfg(test)]
#[cfg(feature = "typed")]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_the_one_that_everybody_computes() {
        assert_eq!(
            digest(b"abc").unwrap(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }
}
