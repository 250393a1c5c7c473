//! Complete arguments in a ledger.

use std::fmt;
use std::sync::Arc;

use super::CallKey;

/// Arguments in the entries of a ledger.
///
/// Entries with complete arguments let [`Tool::verify`](crate::Tool::verify) use them in a
/// [recovery](crate::Registry::recover). Complete arguments over 1 MiB are not stored.
///
/// # Examples
/// ```
/// use tool_core::ledger::StoredArguments;
///
/// assert!(matches!(StoredArguments::default(), StoredArguments::Redacted));
/// ```
#[derive(Clone, Default)]
#[non_exhaustive]
pub enum StoredArguments {
    /// Arguments without known secrets and with masked values of parameters with names such as `password`.
    #[default]
    Redacted,
    /// All arguments in plain text.
    Plain,
    /// Arguments as in [`Redacted`](Self::Redacted), and all arguments encrypted. A call whose arguments cannot be encrypted
    /// does not run. A call whose arguments cannot be decrypted stays unknown in a recovery.
    Encrypted(Arc<dyn ArgumentCipher>),
}

impl StoredArguments {
    /// Encrypts all arguments with a key of the host, such as an `ArgumentKey` of the crate `tool-ledger`.
    #[must_use]
    pub fn encrypted(cipher: impl ArgumentCipher + 'static) -> Self {
        Self::Encrypted(Arc::new(cipher))
    }
}

impl fmt::Debug for StoredArguments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Redacted => "Redacted",
            Self::Plain => "Plain",
            Self::Encrypted(_) => "Encrypted(..)",
        })
    }
}

/// Authenticated encryption of arguments with a key of the host. May be called concurrently, and must not block.
///
/// The crate `tool-ledger` implements it with AES-256-GCM-SIV (`ArgumentKey`).
pub trait ArgumentCipher: Send + Sync {
    /// Encrypts the arguments of the call `key`. The result must not contain control characters.
    ///
    /// # Errors
    /// Returns [`CipherError::Encrypt`] if they cannot be encrypted; the call does not run.
    fn encrypt(&self, key: &CallKey, arguments: &str) -> Result<String, CipherError>;

    /// Decrypts the arguments of the call `key`. Must reject arguments that were encrypted for another call or with another
    /// key, and arguments that were changed.
    ///
    /// # Errors
    /// Returns [`CipherError::Decrypt`] if they are rejected.
    fn decrypt(&self, key: &CallKey, encrypted: &str) -> Result<String, CipherError>;
}

/// Error of an [`ArgumentCipher`]. It never contains arguments.
///
/// # Examples
/// ```
/// use tool_core::ledger::CipherError;
///
/// assert_eq!(CipherError::Encrypt.to_string(), "the arguments of a call could not be encrypted");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CipherError {
    /// The arguments could not be encrypted.
    #[error("the arguments of a call could not be encrypted")]
    Encrypt,
    /// The encrypted arguments are damaged, were changed, or belong to another key or call.
    #[error(
        "encrypted arguments are damaged, were changed, or belong to another call or encryption key"
    )]
    Decrypt,
}
