//! What the stores share: limits, requests for approval, random tokens, and rows of a database.

use std::time::{Duration, UNIX_EPOCH};

use tool_core::Timestamp;
use tool_core::approval::{ApprovalRequest, PendingError};
use tool_core::ledger::{CallKey, Intent, LeaseToken, LedgerEntry, LedgerError, LedgerState};
use tool_core::output_store::{OutputHandle, StoreError, StoreLimits, StoredPage};

/// Limits of a store.
///
/// # Examples
/// ```
/// use tool_ledger::LedgerLimits;
///
/// let mut limits = LedgerLimits::default();
/// limits.max_requests = 50;
/// assert_eq!(limits.max_entry_bytes, 16 * 1024 * 1024);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct LedgerLimits {
    /// Maximum bytes of an intent, of a stored result and of a request for approval. The default is 16 MiB.
    pub max_entry_bytes: usize,
    /// Maximum number of requests that wait for approval. The default is 1,000.
    pub max_requests: usize,
    /// Limits of the stored outputs.
    pub outputs: StoreLimits,
}

impl Default for LedgerLimits {
    fn default() -> Self {
        Self {
            max_entry_bytes: 16 * 1024 * 1024,
            max_requests: 1000,
            outputs: StoreLimits::default(),
        }
    }
}

impl LedgerLimits {
    /// Serializes a part of an entry.
    pub(crate) fn json(&self, part: &impl serde::Serialize) -> Result<String, LedgerError> {
        let json = serde_json::to_string(part).map_err(LedgerError::unavailable)?;
        match json.len() {
            bytes if bytes > self.max_entry_bytes => Err(LedgerError::TooLarge {
                bytes,
                limit: self.max_entry_bytes,
            }),
            _ => Ok(json),
        }
    }
}

/// Returns the key of a request and the intent of its call; `None` if the request belongs to no ledger.
pub(crate) fn call_of(
    request: &ApprovalRequest,
) -> Result<Option<(&CallKey, Intent)>, LedgerError> {
    let Some(key) = &request.call_key else {
        return Ok(None);
    };
    key.check()?;
    Ok(Some((key, Intent::of_request(request))))
}

/// Returns a page of a stored text; `None` is no text.
pub(crate) fn page_of(
    text: Option<&[u8]>,
    offset: u64,
    limit: usize,
) -> Result<StoredPage, StoreError> {
    let text = std::str::from_utf8(text.ok_or(StoreError::Unknown)?);
    StoredPage::of(text.map_err(|_| StoreError::Damaged)?, offset, limit)
}

pub(crate) fn io_error(error: LedgerError) -> StoreError {
    StoreError::Io(std::io::Error::other(error))
}

/// Returns the error of a stored request that cannot be read, without the cause, which can contain arguments.
pub(crate) fn damaged(error: &serde_json::Error) -> LedgerError {
    let (line, column) = (error.line(), error.column());
    LedgerError::unavailable(format!(
        "a stored request for approval is damaged at line {line}, column {column}"
    ))
}

pub(crate) fn store_failed(
    error: impl Into<Box<dyn std::error::Error + Send + Sync>>,
) -> PendingError {
    PendingError::Store(error.into())
}

/// Returns a token that no other claim has.
pub(crate) fn new_token() -> Result<LeaseToken, LedgerError> {
    let mut bytes = [0; 8];
    // Not a counter: several processes claim, and one that restarts must not get the token of an old claim.
    getrandom::fill(&mut bytes)
        .map_err(|_| LedgerError::unavailable("the system returned no random numbers"))?;
    Ok(LeaseToken::from_random(u64::from_ne_bytes(bytes)))
}

/// Returns the handle of a new output.
pub(crate) fn new_handle() -> Result<OutputHandle, StoreError> {
    let mut bytes = [0; 16];
    // Whoever knows a handle can read the output, so it must not be guessable.
    getrandom::fill(&mut bytes).map_err(|_| StoreError::NoRandomness)?;
    Ok(OutputHandle::from_random(u128::from_ne_bytes(bytes)))
}

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
    pub(crate) fn bytes(&self) -> usize {
        let length = |column: &Option<String>| column.as_ref().map_or(0, String::len);
        self.intent.len() + length(&self.result) + length(&self.request)
    }

    fn parsed(self, key: CallKey) -> Option<LedgerEntry> {
        let intent: Intent = serde_json::from_str(&self.intent).ok()?;
        let position = u64::try_from(self.position).ok()?;
        let mut entry = LedgerEntry::new(position, key, intent, time(self.since));
        entry.state = LedgerState::ALL
            .into_iter()
            .find(|state| state.as_str() == self.state)?;
        entry.lease_until = self.lease_until.map(time);
        entry.token = self.token.map(token_of);
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

fn token_of(column: i64) -> LeaseToken {
    LeaseToken::from_random(column.cast_unsigned())
}

/// Returns the column of a position.
pub(crate) fn position_column(position: u64) -> i64 {
    i64::try_from(position).unwrap_or(i64::MAX)
}
