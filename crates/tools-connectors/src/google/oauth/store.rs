//! Storage of tokens.

use std::any::Any;
use std::fmt::{self, Write as _};

use async_trait::async_trait;
use sha2::{Digest as _, Sha256};
use tool_core::Secret;

/// Identifies the tokens of a service and a client.
///
/// # Examples
/// ```
/// use tools_connectors::google::TokenKey;
///
/// let key = TokenKey::gmail("123.apps.googleusercontent.com");
/// assert_eq!(key.directory(), ".gmail-tokens");
/// assert!(key.file_name().starts_with("token-"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TokenKey {
    directory: &'static str,
    client: String,
}

impl TokenKey {
    /// Creates the key of Gmail.
    #[must_use]
    pub fn gmail(client_id: &str) -> Self {
        Self {
            directory: ".gmail-tokens",
            client: client_id.to_owned(),
        }
    }

    /// Creates the key of Google Calendar.
    #[must_use]
    pub fn calendar(client_id: &str) -> Self {
        Self {
            directory: ".calendar-tokens",
            client: client_id.to_owned(),
        }
    }

    /// Returns the name of the directory of the service.
    #[must_use]
    pub fn directory(&self) -> &'static str {
        self.directory
    }

    /// Returns a file name that depends on the client ID.
    #[must_use]
    pub fn file_name(&self) -> String {
        let digest = Sha256::digest(self.client.as_bytes());
        let mut name = "token-".to_owned();
        for byte in digest.iter().take(8) {
            // Writing to a String cannot fail.
            let _ = write!(name, "{byte:02x}");
        }
        name + ".json"
    }
}

/// Error of a token store. The message must not contain a path or a token.
///
/// # Examples
/// ```
/// use tools_connectors::google::TokenStoreError;
///
/// let error = TokenStoreError::new("the key ring is locked");
/// assert_eq!(error.to_string(), "the key ring is locked");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct TokenStoreError(&'static str);

impl TokenStoreError {
    /// Creates an error with a fixed message.
    #[must_use]
    pub const fn new(message: &'static str) -> Self {
        Self(message)
    }

    pub(super) fn message(self) -> &'static str {
        self.0
    }
}

/// Guard that unlocks the tokens when it is dropped.
pub type TokenLock = Box<dyn Any + Send>;

/// Storage of tokens, such as a directory or a key ring.
///
/// The values are opaque text. May be called concurrently.
#[async_trait]
pub trait TokenStore: fmt::Debug + Send + Sync {
    /// Returns the stored text, or `None` if there is none.
    ///
    /// # Errors
    /// Returns an error if the text cannot be read, or if others could have read it.
    async fn get(&self, key: &TokenKey) -> Result<Option<Secret<String>>, TokenStoreError>;

    /// Replaces the stored text in one step.
    ///
    /// # Errors
    /// Returns an error if the text cannot be stored.
    async fn put(&self, key: &TokenKey, text: &Secret<String>) -> Result<(), TokenStoreError>;

    /// Removes the stored text.
    ///
    /// # Errors
    /// Returns an error if the text exists and cannot be removed.
    async fn remove(&self, key: &TokenKey) -> Result<(), TokenStoreError>;

    /// Locks the tokens against other processes, so that only one of them refreshes.
    ///
    /// # Errors
    /// Returns an error if another process holds the lock for too long.
    async fn lock(&self, key: &TokenKey) -> Result<TokenLock, TokenStoreError>;
}
