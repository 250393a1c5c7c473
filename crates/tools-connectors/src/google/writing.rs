//! Calls that send mail or create events: their identifiers and outcomes.

use oauth2::CsrfToken;
use sha2::{Digest as _, Sha256};
use tool_core::ledger::{CallKey, Verified};
use tool_core::{SideEffects, ToolContext, ToolError, ToolOutput, TypedTool};

use crate::door::Problem;

/// Certainty about the effect of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Done,
    NotDone,
    Unknown,
}

impl Outcome {
    /// Adds the outcome to the metadata of the result.
    pub(crate) fn note(self, cx: &ToolContext) {
        let outcome = match self {
            Self::Done => "done",
            Self::NotDone => "not_done",
            Self::Unknown => "unknown",
        };
        cx.note("outcome", outcome);
    }

    /// Notes the outcome and states the side effects in the error.
    pub(crate) fn state(self, cx: &ToolContext, error: ToolError) -> ToolError {
        self.note(cx);
        match self {
            Self::NotDone => error.with_side_effects(SideEffects::None),
            Self::Unknown => error.with_side_effects(SideEffects::Possible),
            Self::Done => error,
        }
    }
}

/// Returns the state of a call whose effect was found later.
pub(crate) fn happened<T: TypedTool>(output: &T::Output) -> Verified {
    let text = T::render(output);
    match serde_json::to_value(output) {
        Ok(data) => Verified::Happened(ToolOutput::text(text).with_data(data)),
        Err(_) => Verified::Unknown,
    }
}

/// Returns bytes that are equal in all processes for the same key, and random without a key.
fn bytes<const N: usize>(purpose: &str, key: Option<&CallKey>) -> Result<[u8; N], Problem> {
    let mut digest = Sha256::new().chain_update(purpose);
    match key {
        Some(key) => {
            for part in [&key.scope, &key.key] {
                // The length keeps scope and key apart: `a` and `bc` must not equal `ab` and `c`.
                digest.update((part.len() as u64).to_le_bytes());
                digest.update(part);
            }
        }
        // 256 random bits.
        None => digest.update(CsrfToken::new_random_len(32).secret()),
    }
    let digest: [u8; 32] = digest.finalize().into();
    let start = digest.first_chunk().copied();
    start.ok_or(Problem::InvalidResponse)
}

/// Returns 128 bits in hexadecimal.
pub(crate) fn hex_id(key: Option<&CallKey>) -> Result<String, Problem> {
    let number = u128::from_le_bytes(bytes("message", key)?);
    Ok(format!("{number:032x}"))
}

/// Returns 160 bits as 32 characters of base32hex, as IDs of events are.
pub(crate) fn event_id(key: Option<&CallKey>) -> Result<String, Problem> {
    let bytes: [u8; 20] = bytes("event", key)?;
    let mut id = String::with_capacity(32);
    for chunk in bytes.chunks_exact(5) {
        let bits = chunk
            .iter()
            .fold(0_u64, |bits, byte| bits << 8 | u64::from(*byte));
        for shift in (0..8).rev() {
            let digit = u32::try_from(bits >> (shift * 5) & 31).unwrap_or_default();
            id.extend(char::from_digit(digit, 32));
        }
    }
    Ok(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_have_length_and_alphabet() {
        let (first, second) = (event_id(None).unwrap(), event_id(None).unwrap());

        assert_ne!(first, second);
        assert_eq!(first.len(), 32);
        assert!(first.chars().all(|c| matches!(c, '0'..='9' | 'a'..='v')));
        assert_eq!(hex_id(None).unwrap().len(), 32);
    }

    #[test]
    fn ids_of_key_are_stable_and_differ_from_other_keys() {
        let keys =
            [("a", "bc"), ("ab", "c"), ("a", "b")].map(|(scope, key)| CallKey::new(scope, key));
        let ids: Vec<[String; 2]> = keys
            .iter()
            .map(|key| [hex_id(Some(key)).unwrap(), event_id(Some(key)).unwrap()])
            .collect();

        // Other processes and later versions must derive the same.
        assert_eq!(
            ids[0],
            [
                "2d64e687caac2792fbc04e7f82c86e45",
                "8tf470n541gai4j32rkdl9ea6dk8t1v3"
            ]
        );
        assert!(ids[1].iter().all(|id| id.len() == 32));
        assert_ne!(ids[0], ids[1]);
        assert_ne!(ids[0], ids[2]);
    }
}
