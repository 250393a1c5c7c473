//! Digests of text.

use std::fmt::Write;

use sha2::{Digest, Sha256};

/// Returns the SHA-256 of a text in hexadecimal digits.
pub(crate) fn digest(text: &str) -> String {
    let bytes = Sha256::digest(text);
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a `String` cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
