//! Calls that send mail or create events: their identifiers and outcomes.

use oauth2::CsrfToken;
use tool_core::ledger::{CallKey, Verified};
use tool_core::{SideEffects, ToolContext, ToolData, ToolError, ToolOutput, TypedTool};

use super::account::Account;
use super::doubles::{Doubles, Fingerprint};
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

/// Returns the error of a call, and records the call if it may have taken effect.
pub(crate) fn failed(
    problem: Problem,
    call: Fingerprint,
    doubles: &Doubles,
    account: &Account,
    cx: &ToolContext,
) -> ToolError {
    let outcome = if matches!(problem, Problem::OutcomeUnknown(..)) {
        doubles.add(call, cx);
        Outcome::Unknown
    } else {
        Outcome::NotDone
    };
    outcome.state(cx, account.error(problem))
}

/// Returns the state of a call whose effect was found later.
pub(crate) fn happened<T: TypedTool>(output: &T::Output) -> Verified {
    let text = T::render(output);
    match output.to_data() {
        Ok(data) => Verified::Happened(ToolOutput::text(text).with_data(data)),
        Err(_) => Verified::Unknown,
    }
}

/// Returns 128 bits in hexadecimal, which are equal in all processes for the same key, and random without
/// a key. Also valid as the ID of an event.
pub(crate) fn unique_id(key: Option<&CallKey>) -> String {
    let digest = match key {
        Some(key) => Fingerprint::of([key.scope.as_str(), &key.key]),
        // 256 random bits.
        None => Fingerprint::of([CsrfToken::new_random_len(32).secret().as_str()]),
    };
    digest.short()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_have_length_and_alphabet() {
        let (first, second) = (unique_id(None), unique_id(None));

        assert_ne!(first, second);
        assert_eq!(first.len(), 32);
        assert!(first.chars().all(|c| matches!(c, '0'..='9' | 'a'..='f')));
    }

    #[test]
    fn ids_of_key_are_stable_and_differ_from_other_keys() {
        let keys =
            [("a", "bc"), ("ab", "c"), ("a", "b")].map(|(scope, key)| CallKey::new(scope, key));
        let ids = keys.each_ref().map(|key| unique_id(Some(key)));

        // Other processes and later versions must derive the same.
        assert_eq!(ids[0], "9a8acca1b6c6c0befd3fbc756aed625d");
        assert_ne!(ids[0], ids[1]);
        assert_ne!(ids[0], ids[2]);
    }
}
