//! Settings of one connection.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rmcp::model::ErrorData;

use crate::server::LogLevel;

/// Maximum number of resources to which a session may subscribe.
const MAX_SUBSCRIPTIONS: usize = 1_000;

/// Settings of a client of an older revision.
#[derive(Default)]
pub(super) struct Session(Mutex<Settings>);

#[derive(Default)]
struct Settings {
    level: Option<LogLevel>,
    subscriptions: HashSet<String>,
}

impl Session {
    fn settings(&self) -> MutexGuard<'_, Settings> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the minimum level of log lines, if the client has requested any.
    pub(super) fn level(&self) -> Option<LogLevel> {
        self.settings().level
    }

    pub(super) fn set_level(&self, level: LogLevel) {
        self.settings().level = Some(level);
    }

    /// Adds the URI of a resource.
    ///
    /// # Errors
    /// Returns an error for the client if the session has too many subscriptions.
    pub(super) fn subscribe(&self, uri: String) -> Result<(), ErrorData> {
        let mut settings = self.settings();
        if settings.subscriptions.len() >= MAX_SUBSCRIPTIONS {
            let reason = format!("at most {MAX_SUBSCRIPTIONS} subscriptions are allowed");
            return Err(ErrorData::invalid_params(reason, None));
        }
        settings.subscriptions.insert(uri);
        Ok(())
    }

    pub(super) fn unsubscribe(&self, uri: &str) {
        self.settings().subscriptions.remove(uri);
    }

    pub(super) fn is_subscribed(&self, uri: &str) -> bool {
        self.settings().subscriptions.contains(uri)
    }
}
