//! Keys by which servers recognize repeated calls.

use sha2::{Digest, Sha256};
use tool_core::ledger::CallKey;

use crate::hexadecimal::hexadecimal;

/// Metadata of a request with the client's key of the call.
pub(crate) const IDEMPOTENCY_KEY: &str = "toolwright/idempotency-key";

/// Returns the key of a call for a server: a digest, because a scope may name a user or tenant.
pub(crate) fn idempotency_key(key: &CallKey) -> String {
    let length = u64::try_from(key.scope.len()).unwrap_or(u64::MAX);
    let mut digest = Sha256::new();
    digest.update(length.to_be_bytes());
    digest.update(&key.scope);
    digest.update(&key.key);
    hexadecimal(&digest.finalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_differ_in_scope_and_key() {
        let pairs = [
            ("a", "bc"),
            ("ab", "c"),
            ("", "abc"),
            ("abc", ""),
            ("tenant 1", "ä\n"),
        ];

        let keys = pairs.map(|(scope, key)| idempotency_key(&CallKey::new(scope, key)));

        let different: std::collections::HashSet<&String> = keys.iter().collect();
        assert_eq!(different.len(), pairs.len());
        assert_eq!(keys[0], idempotency_key(&CallKey::new("a", "bc")));
        for key in &keys {
            assert!(
                key.len() == 64 && key.bytes().all(|byte| byte.is_ascii_hexdigit()),
                "{key}"
            );
        }
    }
}
