//! Key that encrypts arguments.

use std::sync::Arc;

use aws_lc_rs::aead::{AES_256_GCM_SIV, Aad, NONCE_LEN, Nonce, RandomizedNonceKey};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use tool_core::ledger::{ArgumentCipher, CallKey, CipherError};

/// Separates these arguments from other data under the same key, and names the format.
const PURPOSE: &[u8] = b"toolwright ledger arguments 1";

/// Key of the host that encrypts the complete arguments of calls, with AES-256-GCM-SIV and random nonces.
///
/// Encrypted arguments belong to the [`CallKey`] of their call: moved to another entry, they cannot be decrypted. Clones
/// share the key.
///
/// # Examples
/// ```
/// use std::sync::Arc;
/// use tool_core::Registry;
/// use tool_core::ledger::StoredArguments;
/// use tool_ledger::{ArgumentKey, SqliteLedger};
///
/// // From a secret store; the same on all hosts that recover calls.
/// let key = ArgumentKey::new(&[7; 32])?;
/// let registry = Registry::builder()
///     .ledger(Arc::new(SqliteLedger::in_memory()?))
///     .ledger_arguments(StoredArguments::encrypted(key))
///     .build();
/// # let _ = registry;
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct ArgumentKey {
    /// The first one encrypts.
    keys: Vec<Arc<RandomizedNonceKey>>,
}

/// Error of a key of the wrong length.
///
/// # Examples
/// ```
/// use tool_ledger::{ArgumentKey, InvalidArgumentKey};
///
/// let error = ArgumentKey::new(b"short").unwrap_err();
/// assert_eq!(error.to_string(), "a key of 5 bytes; use 32 random bytes");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a key of {bytes} bytes; use 32 random bytes")]
pub struct InvalidArgumentKey {
    bytes: usize,
}

impl ArgumentKey {
    /// Creates a key from 32 random bytes, which must stay secret.
    ///
    /// # Errors
    /// Returns [`InvalidArgumentKey`] if there are not 32 bytes.
    pub fn new(key: &[u8]) -> Result<Self, InvalidArgumentKey> {
        let invalid = |_| InvalidArgumentKey { bytes: key.len() };
        let key = RandomizedNonceKey::new(&AES_256_GCM_SIV, key).map_err(invalid)?;
        Ok(Self {
            keys: vec![Arc::new(key)],
        })
    }

    /// Also decrypts arguments that an older key encrypted.
    #[must_use]
    pub fn with_older(mut self, older: Self) -> Self {
        self.keys.extend(older.keys);
        self
    }
}

impl ArgumentCipher for ArgumentKey {
    fn encrypt(&self, key: &CallKey, arguments: &str) -> Result<String, CipherError> {
        let newest = self.keys.first().ok_or(CipherError::Encrypt)?;
        let mut text = arguments.as_bytes().to_vec();
        let nonce = newest
            .seal_in_place_append_tag(Aad::from(bound_to(key)), &mut text)
            .map_err(|_| CipherError::Encrypt)?;
        let bytes = [nonce.as_ref().as_slice(), &text].concat();
        Ok(URL_SAFE_NO_PAD.encode(bytes))
    }

    fn decrypt(&self, key: &CallKey, encrypted: &str) -> Result<String, CipherError> {
        let failed = CipherError::Decrypt;
        let bytes = URL_SAFE_NO_PAD.decode(encrypted).map_err(|_| failed)?;
        let (nonce, text) = bytes.split_first_chunk::<NONCE_LEN>().ok_or(failed)?;
        // The text names no key. Authenticated encryption rejects a wrong one, so trying them is enough.
        let opened = self.keys.iter().find_map(|own| {
            let mut text = text.to_vec();
            let nonce = Nonce::from(nonce);
            let opened = own.open_in_place(nonce, Aad::from(bound_to(key)), &mut text);
            opened.ok().map(|text| text.to_vec())
        });
        String::from_utf8(opened.ok_or(failed)?).map_err(|_| failed)
    }
}

/// Returns the data that encrypted arguments are bound to. The length keeps the parts of the key apart.
fn bound_to(key: &CallKey) -> Vec<u8> {
    let length = (key.scope.len() as u64).to_be_bytes();
    let parts: [&[u8]; 4] = [PURPOSE, &length, key.scope.as_bytes(), key.key.as_bytes()];
    parts.concat()
}

tool_core::debug_fields!(ArgumentKey);

#[cfg(test)]
mod tests {
    use super::*;

    const ARGUMENTS: &str = r#"{"password":"hunter2"}"#;

    fn own() -> ArgumentKey {
        ArgumentKey::new(&[7; 32]).unwrap()
    }

    fn call(scope: &str, key: &str) -> CallKey {
        CallKey::new(scope, key)
    }

    fn encrypted() -> String {
        own().encrypt(&call("run-7", "1"), ARGUMENTS).unwrap()
    }

    #[test]
    fn arguments_round_trip() {
        for text in ["", ARGUMENTS, "äöü \u{0} 🦀", &"x".repeat(1024 * 1024)] {
            let encrypted = own().encrypt(&call("run-7", "1"), text).unwrap();

            let decrypted = own().decrypt(&call("run-7", "1"), &encrypted);

            assert_eq!(decrypted.as_deref(), Ok(text));
        }
    }

    #[test]
    fn equal_arguments_differ_when_encrypted() {
        assert_ne!(encrypted(), encrypted());
    }

    #[test]
    fn rejects_other_encryption_key() {
        let other = ArgumentKey::new(&[8; 32]).unwrap();

        let decrypted = other.decrypt(&call("run-7", "1"), &encrypted());

        assert_eq!(decrypted, Err(CipherError::Decrypt));
    }

    #[test]
    fn rejects_arguments_of_other_call() {
        let joined = own().encrypt(&call("run", "-71"), ARGUMENTS).unwrap();
        for (key, encrypted) in [
            (call("run-7", "2"), encrypted()),
            (call("run-8", "1"), encrypted()),
            (call("run-71", ""), encrypted()),
            (call("run-7", "1"), joined),
        ] {
            let decrypted = own().decrypt(&key, &encrypted);

            assert_eq!(decrypted, Err(CipherError::Decrypt), "{key}");
        }
    }

    #[test]
    fn rejects_every_changed_byte() {
        let key = call("run-7", "1");
        let bytes = URL_SAFE_NO_PAD.decode(encrypted()).unwrap();
        for position in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[position] ^= 1;

            let decrypted = own().decrypt(&key, &URL_SAFE_NO_PAD.encode(changed));

            assert_eq!(decrypted, Err(CipherError::Decrypt), "byte {position}");
        }
    }

    #[test]
    fn rejects_truncated_arguments_and_other_text() {
        let (key, whole) = (call("run-7", "1"), encrypted());
        let lengths = (0..whole.len()).filter_map(|length| whole.get(..length));
        for text in lengths.chain([ARGUMENTS, "äöü"]) {
            assert_eq!(own().decrypt(&key, text), Err(CipherError::Decrypt));
        }
    }

    #[test]
    fn older_key_decrypts_until_it_is_removed() {
        let (key, old) = (call("run-7", "1"), encrypted());
        let newest = ArgumentKey::new(&[8; 32]).unwrap();
        let both = newest.clone().with_older(own());

        assert_eq!(both.decrypt(&key, &old).as_deref(), Ok(ARGUMENTS));
        let new = both.encrypt(&key, ARGUMENTS).unwrap();
        assert_eq!(newest.decrypt(&key, &new).as_deref(), Ok(ARGUMENTS));
        assert_eq!(own().decrypt(&key, &new), Err(CipherError::Decrypt));
    }

    #[test]
    fn rejects_key_of_other_length() {
        for bytes in [0, 16, 31, 33] {
            let error = ArgumentKey::new(&vec![7; bytes]).unwrap_err();

            assert_eq!(error, InvalidArgumentKey { bytes });
        }
    }

    #[test]
    fn debug_output_and_errors_have_no_secrets() {
        let shown = format!(
            "{:?} {:?} {}",
            own(),
            CipherError::Decrypt,
            CipherError::Decrypt
        );

        assert!(
            !shown.contains('7') && !shown.contains("hunter2"),
            "{shown}"
        );
    }
}
