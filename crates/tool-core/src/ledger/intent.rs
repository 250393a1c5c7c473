//! Intents: the facts about a call before it runs, and how its arguments are stored.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::CallKey;
#[cfg(feature = "typed")]
use crate::approval::{ApprovalRequest, canonical_json, sha256};
use crate::{RiskLevel, Timestamp};

/// Facts about a call, stored before it runs. Arguments are stored without secrets.
///
/// `Debug` omits complete and encrypted arguments.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::RiskLevel;
/// use tool_core::ledger::Intent;
///
/// let intent = Intent::new("pay", &json!({"amount": 5}), RiskLevel::Dangerous);
/// let again = Intent::new("pay", &json!({"amount": 5}), RiskLevel::Dangerous);
/// assert!(intent.is_same_call(&again));
/// ```
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Intent {
    /// Name of the tool.
    pub tool: String,
    /// Digest of the tool's definition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition_digest: Option<String>,
    /// Digest of the final arguments.
    pub arguments_digest: String,
    /// Risk of the call.
    pub risk: RiskLevel,
    /// Whether the call may run again after its lease ended, because it only reads or is idempotent.
    #[serde(default)]
    pub repeatable: bool,
    /// Arguments without secrets, or all of them if the host stores them
    /// ([`StoredArguments`]).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Value>,
    /// Whether `arguments` are complete.
    #[serde(default)]
    pub complete: bool,
    /// Encrypted complete arguments, if the host stores them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encrypted: Option<String>,
    /// Id of the call.
    #[serde(default)]
    pub call_id: String,
    /// Name of the process that runs the call, or the parent of the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Id of the request whose decision allows the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<String>,
    /// Digest of the arguments before the approver edited them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requested_digest: Option<String>,
    /// Time of the claim, by the clock of the registry.
    pub time: Timestamp,
}

#[cfg(feature = "typed")]
impl Intent {
    /// Creates an intent without arguments.
    pub fn new(tool: impl Into<String>, arguments: &Value, risk: RiskLevel) -> Self {
        Self {
            tool: tool.into(),
            definition_digest: None,
            arguments_digest: digest_of(arguments),
            risk,
            repeatable: false,
            arguments: None,
            complete: false,
            encrypted: None,
            call_id: String::new(),
            by: None,
            approval: None,
            requested_digest: None,
            time: Timestamp::now(),
        }
    }

    /// Creates the intent of a call that waits for approval.
    pub fn of_request(request: &ApprovalRequest) -> Self {
        Self {
            call_id: request.call_id.clone(),
            time: request.requested_at,
            ..Self::new(request.tool.as_str(), &request.arguments, request.risk)
        }
    }

    /// Sets the request whose decision allows the call.
    #[must_use]
    pub fn with_approval(mut self, request: &ApprovalRequest) -> Self {
        self.approval = Some(request.id.clone());
        self.requested_digest = Some(digest_of(&request.arguments));
        self
    }
}

impl Intent {
    /// Returns `true` if a later call has the same tool and arguments, before or after an edit of the approver. Another
    /// definition or risk does not matter: a stored result stays valid after an update of the tool.
    pub fn is_same_call(&self, later: &Self) -> bool {
        let digest = &later.arguments_digest;
        let is_same =
            self.arguments_digest == *digest || self.requested_digest.as_ref() == Some(digest);
        self.tool == later.tool && is_same
    }
}

// Complete arguments may contain secrets, and debug output ends in logs.
debug_fields!(Intent, this =>
    tool: this.tool, definition_digest: this.definition_digest, arguments_digest: this.arguments_digest,
    risk: this.risk, repeatable: this.repeatable, arguments: this.arguments.as_ref().filter(|_| !this.complete),
    complete: this.complete, encrypted: this.encrypted.is_some(), call_id: this.call_id, by: this.by,
    approval: this.approval, requested_digest: this.requested_digest, time: this.time);

#[cfg(feature = "typed")]
fn digest_of(arguments: &Value) -> String {
    sha256(canonical_json(arguments).as_bytes())
}

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
    pub fn encrypted(cipher: impl ArgumentCipher + 'static) -> Self {
        Self::Encrypted(Arc::new(cipher))
    }
}

// A cipher has no text.
debug_fields!(StoredArguments);

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
