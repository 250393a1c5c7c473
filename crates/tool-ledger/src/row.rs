//! Entries as rows of a database.

use std::time::{Duration, UNIX_EPOCH};

use tool_core::Timestamp;
use tool_core::ledger::{CallKey, Intent, LeaseToken, LedgerEntry, LedgerError};

/// Row of an entry.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) position: i64,
    pub(crate) scope: String,
    pub(crate) key: String,
    pub(crate) state: String,
    pub(crate) since: i64,
    pub(crate) lease_until: Option<i64>,
    pub(crate) token: Option<i64>,
    pub(crate) claims: i64,
    pub(crate) intent: String,
    pub(crate) result: Option<String>,
    pub(crate) request: Option<String>,
    pub(crate) withdrawn: Option<String>,
}

/// Columns of a [`Row`], in order. `call` is the table of calls and `approval` the table of requests.
pub(crate) const COLUMNS: &str = "call.position, call.scope, call.key, call.state, call.since, call.lease_until, \
     call.token, call.claims, call.intent, call.result, approval.request, call.withdrawn";

impl Row {
    pub(crate) fn into_entry(self) -> Result<LedgerEntry, LedgerError> {
        let key = CallKey::new(self.scope.as_str(), self.key.as_str());
        // The cause is omitted, because it can quote stored arguments.
        self.parsed(key.clone()).ok_or(LedgerError::Damaged { key })
    }

    /// Returns the bytes of the variable columns.
    #[cfg(feature = "sqlite")]
    pub(crate) fn bytes(&self) -> usize {
        let length = |column: &Option<String>| column.as_ref().map_or(0, String::len);
        self.intent.len() + length(&self.result) + length(&self.request)
    }

    fn parsed(self, key: CallKey) -> Option<LedgerEntry> {
        let intent: Intent = serde_json::from_str(&self.intent).ok()?;
        let position = u64::try_from(self.position).ok()?;
        let mut entry = LedgerEntry::new(position, key, intent, time(self.since));
        entry.state = self.state.parse().ok()?;
        entry.lease_until = self.lease_until.map(time);
        entry.token = self.token.map(token);
        entry.claims = u32::try_from(self.claims).unwrap_or(u32::MAX);
        if let Some(result) = self.result {
            entry.result = Some(Box::new(serde_json::from_str(&result).ok()?));
        }
        if let Some(request) = self.request {
            entry.request = Some(Box::new(serde_json::from_str(&request).ok()?));
        }
        entry.withdrawn = self.withdrawn;
        Some(entry)
    }
}

/// Returns the time of a column in milliseconds since 1970.
pub(crate) fn time(milliseconds: i64) -> Timestamp {
    let since = Duration::from_millis(u64::try_from(milliseconds).unwrap_or_default());
    UNIX_EPOCH
        .checked_add(since)
        .map_or_else(Timestamp::now, Timestamp::from)
}

/// Returns the column of a time.
#[cfg(feature = "sqlite")]
pub(crate) fn column(time: Timestamp) -> i64 {
    i64::try_from(time.as_milliseconds()).unwrap_or(i64::MAX)
}

/// Returns a duration in milliseconds.
pub(crate) fn milliseconds(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

/// Returns the column of a token: its bits as a signed number.
pub(crate) fn token_column(token: LeaseToken) -> i64 {
    token.as_u64().cast_signed()
}

fn token(column: i64) -> LeaseToken {
    LeaseToken::from_random(column.cast_unsigned())
}

/// Returns the column of a position.
pub(crate) fn position_column(position: u64) -> i64 {
    i64::try_from(position).unwrap_or(i64::MAX)
}
