//! Key that seals decisions of the caller's side.

use serde_json::Value;
use tool_core::approval::{ApprovalKey, ApprovalRequest, SealedRequest};
use tool_core::{RiskLevel, Timestamp, ToolDefinition};

use crate::RemoteError;

/// Separates this key from an [`ApprovalKey`] of the same secret, which seals requests that are not decided yet.
const PURPOSE: &[u8] = b"toolwright remote decision:";
/// Minimum bytes of a secret.
const MIN_SECRET: usize = 16;

/// Key that callers and workers share, so that a worker runs only calls that a caller has permitted.
///
/// The caller's policy and approver decide before a call is sent. The seal binds their decision to the call's key, the tool,
/// its definition and the final arguments. A worker with a key rejects calls with effects that have no valid seal, and its
/// registry accepts the seal instead of an approver. Rules of the worker that deny still apply.
///
/// # Examples
/// ```
/// use tool_remote::{DecisionKey, RemoteError};
///
/// let key = DecisionKey::new(b"thirty-two bytes of randomness..")?;
/// assert_eq!(format!("{key:?}"), "DecisionKey { .. }");
/// assert!(matches!(DecisionKey::new(b"short"), Err(RemoteError::ShortKey)));
/// # Ok::<_, RemoteError>(())
/// ```
#[derive(Clone)]
pub struct DecisionKey(ApprovalKey);

impl DecisionKey {
    /// Creates a key from at least 16 random bytes, preferably 32. They must stay secret.
    ///
    /// # Errors
    /// Returns [`RemoteError::ShortKey`] if there are fewer than 16 bytes.
    pub fn new(secret: &[u8]) -> Result<Self, RemoteError> {
        if secret.len() < MIN_SECRET {
            return Err(RemoteError::ShortKey);
        }
        let key = ApprovalKey::new(&[PURPOSE, secret].concat());
        key.map(Self).map_err(|_| RemoteError::ShortKey)
    }

    /// Seals the decision to run a call.
    pub(crate) fn seal(
        &self,
        call: &str,
        definition: &ToolDefinition,
        arguments: Value,
        expires: Timestamp,
    ) -> SealedRequest {
        let mut request = ApprovalRequest::new(call, definition, arguments, definition.risk());
        request.expires_at = Some(expires);
        self.0.seal(request)
    }

    /// Returns the decision if it is genuine, has not expired and belongs to `call`.
    pub(crate) fn open(&self, call: &str, sealed: SealedRequest) -> Option<Decided> {
        let request = self.0.open(sealed, Timestamp::now()).ok()?;
        // Otherwise, a decision for one call would permit every later call with the same arguments.
        (request.call_id == call).then_some(Decided {
            digest: request.digest,
            risk: request.risk,
        })
    }
}

tool_core::debug_fields!(DecisionKey);

/// Decision of the caller's side to run a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Decided {
    digest: String,
    risk: RiskLevel,
}

impl Decided {
    /// Returns `true` if the decision covers the request of the worker's registry.
    pub(crate) fn covers(&self, request: &ApprovalRequest) -> bool {
        // The worker can rate the call as riskier than the caller did, and nobody has approved that.
        self.digest == request.digest && request.risk <= self.risk
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::*;

    fn key() -> DecisionKey {
        DecisionKey::new(&[7; 32]).unwrap()
    }

    fn definition(risk: RiskLevel) -> ToolDefinition {
        ToolDefinition::new("pay", "Pays.", json!({"type": "object"})).with_risk(risk)
    }

    fn sealed(key: &DecisionKey, expires: Timestamp) -> SealedRequest {
        let definition = definition(RiskLevel::SafeWrite);
        key.seal("run/1", &definition, json!({"amount": 5}), expires)
    }

    fn later() -> Timestamp {
        Timestamp::now().after(Duration::from_mins(1))
    }

    #[test]
    fn decision_covers_only_its_arguments_definition_and_risk() {
        let key = key();
        let decided = key.open("run/1", sealed(&key, later())).unwrap();
        let request = |definition: &ToolDefinition, amount: u32| {
            ApprovalRequest::new(
                "any",
                definition,
                json!({"amount": amount}),
                definition.risk(),
            )
        };
        let own = definition(RiskLevel::SafeWrite);

        assert!(decided.covers(&request(&own, 5)));
        assert!(!decided.covers(&request(&own, 6)));
        assert!(!decided.covers(&request(&own.clone().with_description("Pays twice."), 5)));
        assert!(!decided.covers(&request(&definition(RiskLevel::Dangerous), 5)));
        let riskier = ApprovalRequest::new("any", &own, json!({"amount": 5}), RiskLevel::Dangerous);
        assert!(!decided.covers(&riskier));
    }

    #[test]
    fn rejects_foreign_expired_and_changed_decisions() {
        let key = key();
        let other = DecisionKey::new(&[8; 32]).unwrap();
        let undecided = ApprovalKey::new(&[7; 32]).unwrap();
        let request = sealed(&key, later()).request;
        let mut changed = sealed(&key, later());
        changed.request.arguments = json!({"amount": 500});

        for (name, sealed) in [
            ("another key", sealed(&other, later())),
            ("expired", sealed(&key, Timestamp::now())),
            ("changed", changed),
            (
                "an undecided request of the same secret",
                undecided.seal(request),
            ),
        ] {
            assert_eq!(key.open("run/1", sealed), None, "{name}");
        }
        assert_eq!(key.open("run/2", sealed(&key, later())), None);
    }
}
