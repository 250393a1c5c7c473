//! Settings of one connection.

use std::collections::HashSet;
use std::sync::{Mutex, OnceLock, PoisonError};

use rmcp::model::ErrorData;

use crate::server::LogLevel;

/// Maximum number of resources to which a session may subscribe.
const MAX_SUBSCRIPTIONS: usize = 1_000;

/// Settings of a client of an older revision.
#[derive(Default)]
pub(super) struct Session {
    level: OnceLock<Mutex<LogLevel>>,
    subscriptions: Mutex<HashSet<String>>,
}

impl Session {
    /// Returns the minimum level of log lines, if the client has requested any.
    pub(super) fn level(&self) -> Option<LogLevel> {
        let level = self.level.get()?;
        Some(*level.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn set_level(&self, level: LogLevel) {
        let known = self.level.get_or_init(|| Mutex::new(level));
        *known.lock().unwrap_or_else(PoisonError::into_inner) = level;
    }

    /// Adds the URI of a resource.
    ///
    /// # Errors
    /// Returns an error for the client if the session has too many subscriptions.
    pub(super) fn subscribe(&self, uri: String) -> Result<(), ErrorData> {
        let subscriptions = self.subscriptions.lock();
        let mut subscriptions = subscriptions.unwrap_or_else(PoisonError::into_inner);
        if subscriptions.len() >= MAX_SUBSCRIPTIONS {
            let reason = format!("at most {MAX_SUBSCRIPTIONS} subscriptions are allowed");
            return Err(ErrorData::invalid_params(reason, None));
        }
        subscriptions.insert(uri);
        Ok(())
    }

    pub(super) fn unsubscribe(&self, uri: &str) {
        let subscriptions = self.subscriptions.lock();
        subscriptions
            .unwrap_or_else(PoisonError::into_inner)
            .remove(uri);
    }

    pub(super) fn is_subscribed(&self, uri: &str) -> bool {
        let subscriptions = self.subscriptions.lock();
        subscriptions
            .unwrap_or_else(PoisonError::into_inner)
            .contains(uri)
    }
}
