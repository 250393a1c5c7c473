//! Tokens of a signed-in user.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use tool_core::Secret;

/// Time before the expiry at which a token is refreshed.
const MARGIN: SignedDuration = SignedDuration::from_secs(60);
const VERSION: u32 = 1;
/// Lifetime of a token without a stated one.
const DEFAULT_LIFETIME: u64 = 3600;

/// Tokens and their scopes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Grant {
    pub(super) access_token: Secret<String>,
    pub(super) refresh_token: Option<Secret<String>>,
    pub(super) expires_at: Timestamp,
    pub(super) scopes: Vec<String>,
}

/// Content of a token file.
#[derive(Serialize, Deserialize)]
struct Stored {
    version: u32,
    client_id: String,
    access_token: Option<String>,
    refresh_token: Option<String>,
    expires_at: Option<String>,
    #[serde(default)]
    scopes: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<String>,
}

/// State of a sign-in in the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Known {
    Nothing,
    /// The service rejected the refresh token.
    Refused,
    Grant(Grant),
}

impl Grant {
    /// Returns the expiry of a token with a lifetime in seconds, which is clamped to a day.
    pub(super) fn expiry(lifetime: Option<u64>) -> Timestamp {
        let seconds = lifetime.unwrap_or(DEFAULT_LIFETIME).clamp(60, 86_400);
        let lifetime = SignedDuration::from_secs(i64::try_from(seconds).unwrap_or(60));
        let now = Timestamp::now();
        now.checked_add(lifetime).unwrap_or(now)
    }

    /// Returns whether at least 60 seconds are left.
    pub(super) fn is_fresh(&self) -> bool {
        self.expires_at.duration_since(Timestamp::now()) >= MARGIN
    }

    /// Returns whether the user is known not to have granted a scope. Users may untick single scopes.
    pub(super) fn lacks(&self, scope: &str) -> bool {
        !self.scopes.is_empty() && !self.scopes.iter().any(|granted| granted == scope)
    }

    /// Returns the content of a token file.
    pub(super) fn to_text(&self, client: &str) -> Option<Secret<String>> {
        let stored = Stored {
            version: VERSION,
            client_id: client.to_owned(),
            access_token: Some(self.access_token.expose().clone()),
            refresh_token: self
                .refresh_token
                .as_ref()
                .map(|token| token.expose().clone()),
            expires_at: Some(self.expires_at.to_string()),
            scopes: self.scopes.clone(),
            refused: None,
        };
        serde_json::to_string(&stored).ok().map(Secret::new)
    }
}

impl Known {
    /// Returns the content of a token file after the service rejected its refresh token.
    pub(super) fn refused(client: &str) -> Option<Secret<String>> {
        let stored = Stored {
            version: VERSION,
            client_id: client.to_owned(),
            access_token: None,
            refresh_token: None,
            expires_at: None,
            scopes: Vec::new(),
            refused: Some(Timestamp::now().to_string()),
        };
        serde_json::to_string(&stored).ok().map(Secret::new)
    }

    /// Reads a token file. `None` means that it is unreadable.
    pub(super) fn parse(text: &Secret<String>, client: &str) -> Option<Self> {
        let stored: Stored = serde_json::from_str(text.expose()).ok()?;
        if stored.version != VERSION || stored.client_id != client {
            return None;
        }
        if stored.refused.is_some() {
            return Some(Self::Refused);
        }
        let expires_at = stored.expires_at.and_then(|time| time.parse().ok());
        Some(Self::Grant(Grant {
            access_token: Secret::new(stored.access_token?),
            refresh_token: stored.refresh_token.map(Secret::new),
            expires_at: expires_at.unwrap_or(Timestamp::UNIX_EPOCH),
            scopes: stored.scopes,
        }))
    }
}
