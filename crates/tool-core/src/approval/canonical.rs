//! Canonical text of arguments, and its digest.

use serde_json::Value;
use sha2::{Digest as _, Sha256};
use tool_json::text::hexadecimal;

/// Returns compact JSON with sorted keys, regardless of the order of the map.
pub(crate) fn canonical_json(value: &Value) -> String {
    let mut sorted = value.clone();
    // The map keeps the model's order, and equal arguments must give equal text.
    sorted.sort_all_objects();
    sorted.to_string()
}

/// Returns the digest of `bytes`.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

/// Returns the digest of all parts. Their lengths are included, so that `ab, c` and `a, bc` differ.
pub(crate) fn sha256_of_parts(parts: &[&str]) -> String {
    let mut bytes = Vec::new();
    for part in parts {
        bytes.extend(part.len().to_be_bytes());
        bytes.extend(part.as_bytes());
    }
    sha256(&bytes)
}

#[cfg(test)]
mod tests;
