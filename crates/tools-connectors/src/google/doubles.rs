//! Detection of calls that repeat an earlier one.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use sha2::{Digest as _, Sha256};
use tool_core::ledger::CallKey;
use tool_core::{ErrorCode, SideEffects, ToolContext, ToolError};
use tool_json::text::hexadecimal;

/// Time in which the same call counts as a repetition.
const KEPT: Duration = Duration::from_mins(10);
/// Number of calls that are kept.
const MOST: usize = 1000;

/// Digests of the calls of the last 10 minutes. Clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Doubles(Arc<Mutex<VecDeque<Made>>>);

/// Call that took effect or may have.
#[derive(Debug)]
struct Made {
    at: Instant,
    digest: [u8; 32],
    /// Key in the ledger, if there is one.
    key: Option<CallKey>,
}

/// Digest of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fingerprint([u8; 32]);

impl Fingerprint {
    /// Returns the digest of these parts.
    pub(crate) fn of<'p>(parts: impl IntoIterator<Item = &'p str>) -> Self {
        let mut digest = Sha256::new();
        for part in parts {
            // The length keeps parts apart: `a` and `bc` must not equal `ab` and `c`.
            digest.update((part.len() as u64).to_le_bytes());
            digest.update(part.as_bytes());
        }
        Self(digest.finalize().into())
    }

    /// Returns the first 128 bits in hexadecimal.
    pub(crate) fn short(self) -> String {
        hexadecimal(self.0.get(..16).unwrap_or_default())
    }
}

impl Doubles {
    /// Rejects a call that was made in the last 10 minutes under another key. The ledger decides about the same key.
    pub(crate) fn check(
        &self,
        call: Fingerprint,
        what: &str,
        cx: &ToolContext,
    ) -> Result<(), ToolError> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = cx.call_key();
        let is_double = |made: &Made| {
            let is_same_call = key.is_some() && made.key.as_ref() == key;
            made.digest == call.0 && made.at.elapsed() < KEPT && !is_same_call
        };
        if !known.iter().any(is_double) {
            return Ok(());
        }
        Err(ToolError::new(
            ErrorCode::AlreadyExists,
            format!("The same {what} was sent in the last 10 minutes, or may have been"),
        )
        .suggest("Tell the user, and set `allowDuplicate` to true only if the user wants it twice.")
        .with_side_effects(SideEffects::None))
    }

    /// Records a call that took effect or may have.
    pub(crate) fn add(&self, call: Fingerprint, cx: &ToolContext) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|made| made.at.elapsed() < KEPT && made.digest != call.0);
        if known.len() >= MOST {
            known.pop_front();
        }
        known.push_back(Made {
            at: Instant::now(),
            digest: call.0,
            key: cx.call_key().cloned(),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn same_call_is_detected() {
        let (doubles, cx) = (Doubles::default(), ToolContext::test());
        let call = Fingerprint::of(["a", "bc"]);
        assert!(doubles.check(call, "message", &cx).is_ok());

        doubles.add(call, &cx);

        let error = doubles.check(call, "message", &cx).unwrap_err();
        assert_eq!(error.code(), &ErrorCode::AlreadyExists);
        assert!(
            doubles
                .check(Fingerprint::of(["ab", "c"]), "message", &cx)
                .is_ok()
        );
    }

    #[test]
    fn ledger_decides_about_same_key() {
        let doubles = Doubles::default();
        let call = Fingerprint::of(["a"]);
        let with_key = |key| ToolContext::test().with_call_key(CallKey::new("run-7", key));

        doubles.add(call, &with_key("1"));

        assert!(doubles.check(call, "message", &with_key("1")).is_ok());
        for cx in [with_key("2"), ToolContext::test()] {
            assert!(doubles.check(call, "message", &cx).is_err());
        }
    }
}
