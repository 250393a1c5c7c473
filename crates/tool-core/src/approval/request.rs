//! What an approver is asked.

mod prompt;

use std::hash::{BuildHasher, RandomState};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::canonical::canonical_json;
use super::digest::digest;
use super::preview::Preview;
use crate::{RiskLevel, Timestamp, ToolDefinition};

/// What an approver is asked. `Display` writes the prompt.
///
/// A request is plain data: it can be stored, sent and answered elsewhere, and
/// [`Registry::resume`](crate::Registry::resume) takes the answer.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::{RiskLevel, ToolDefinition};
/// use tool_core::approval::ApprovalRequest;
///
/// let definition = ToolDefinition::new("create_file", "Creates a file.", json!({}));
/// let arguments = json!({"path": "hello.py", "content": "print('hello, you')\n"});
/// let request = ApprovalRequest::new("call_1", &definition, arguments, RiskLevel::SafeWrite)
///     .ok_or("built without digests")?
///     .with_files(vec!["hello.py".into()]);
/// assert_eq!(request.to_string(), "\
/// Tool: create_file
/// Parameters:
///   path: hello.py
///   content: <20 bytes>
/// Files affected: hello.py
/// Risk level: safe_write
///
/// Approve? (y/n/always): ");
/// # Ok::<_, &str>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ApprovalRequest {
    /// The id of the request, unlike that of any other.
    pub id: String,
    /// The id of the call.
    pub call_id: String,
    /// The tool's name.
    pub tool: String,
    /// The arguments as they would be executed.
    pub arguments: Value,
    /// The files that would be written.
    pub files_affected: Vec<String>,
    /// What would change, where the tool can say. It shows what was there when the question was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preview: Option<Preview>,
    /// The risk of this call.
    pub risk: RiskLevel,
    /// Binds a decision to this tool, its definition and these arguments.
    pub digest: String,
    /// The rule that asks, of the policy or of the tool itself, or the risk level whose verdict applies.
    pub rule: Option<String>,
    /// What the tool itself finds in these arguments, for a call that it makes ask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// When it was asked.
    pub requested_at: Timestamp,
    /// Until when an answer counts; without one it counts for ever.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
}

impl ApprovalRequest {
    /// Creates a request; `None` in a build without digests, where nothing can be approved.
    #[must_use]
    pub fn new(
        call_id: &str,
        definition: &ToolDefinition,
        arguments: Value,
        risk: RiskLevel,
    ) -> Option<Self> {
        let digest = digest_of(definition, &arguments)?;
        let requested_at = Timestamp::now();
        Some(Self {
            id: new_id(call_id, &digest, requested_at)?,
            call_id: call_id.to_owned(),
            tool: definition.name().to_owned(),
            arguments,
            files_affected: Vec::new(),
            preview: None,
            risk,
            digest,
            rule: None,
            reason: None,
            requested_at,
            expires_at: None,
        })
    }

    /// Names the files that would be written.
    #[must_use]
    pub fn with_files(mut self, files: Vec<String>) -> Self {
        self.files_affected = files;
        self
    }

    /// Shows what would change.
    #[must_use]
    pub fn with_preview(mut self, preview: Option<Preview>) -> Self {
        self.preview = preview;
        self
    }

    /// Ends the request at a time: an answer that comes then or later does not count.
    #[must_use]
    pub fn until(mut self, time: Timestamp) -> Self {
        self.expires_at = Some(time);
        self
    }

    /// Whether an answer at that time comes too late.
    #[must_use]
    pub fn is_expired_at(&self, now: Timestamp) -> bool {
        self.expires_at.is_some_and(|end| end <= now)
    }

    pub(crate) fn with_rule(mut self, rule: impl Into<String>) -> Self {
        self.rule = Some(rule.into());
        self
    }

    /// Whether the request was made for this tool as it is now, and these arguments.
    pub(crate) fn is_of(&self, definition: &ToolDefinition, arguments: &Value) -> bool {
        self.tool == definition.name()
            && digest_of(definition, arguments).is_some_and(|digest| digest == self.digest)
    }
}

fn digest_of(definition: &ToolDefinition, arguments: &Value) -> Option<String> {
    let described = canonical_json(&definition.to_value());
    digest(&[definition.name(), &described, &canonical_json(arguments)])
}

/// An id that no other request has, also of another process: the standard library's hash keys are random.
fn new_id(call_id: &str, bound: &str, asked: Timestamp) -> Option<String> {
    let random = [(); 2].map(|()| RandomState::new().hash_one(call_id).to_string());
    let [first, second] = &random;
    let id = digest(&[call_id, bound, &asked.to_string(), first, second])?;
    Some(format!("approval_{}", id.get(..32).unwrap_or(&id)))
}

#[cfg(test)]
#[cfg(feature = "typed")]
mod tests {
    use serde_json::json;

    use super::super::decision::{Answer, Decision};
    use super::*;

    fn request(arguments: Value) -> ApprovalRequest {
        let definition = ToolDefinition::new("f", "F", json!({}));
        ApprovalRequest::new("1", &definition, arguments, RiskLevel::Dangerous).unwrap()
    }

    #[test]
    fn other_arguments_and_another_definition_give_another_digest() {
        let same = ToolDefinition::new("f", "F", json!({}));
        let changed = ToolDefinition::new("f", "F, but different", json!({}));
        let first = request(json!({"a": 1}));

        assert_eq!(first.digest, request(json!({"a": 1})).digest);
        assert_ne!(first.digest, request(json!({"a": 2})).digest);
        assert!(first.is_of(&same, &json!({"a": 1})));
        assert!(!first.is_of(&same, &json!({"a": 2})));
        assert!(!first.is_of(&changed, &json!({"a": 1})));
    }

    #[test]
    fn two_requests_for_the_same_thing_differ_and_a_decision_is_for_one_of_them() {
        let (first, second) = (request(json!({"a": 1})), request(json!({"a": 1})));
        let decision = Decision::new(&first, Answer::Approve);

        assert_ne!(first.id, second.id);
        assert!(decision.is_for(&first));
        assert!(!decision.is_for(&second));
    }

    #[test]
    fn a_request_and_its_decision_survive_their_json() {
        let later = Timestamp::now().after(std::time::Duration::from_mins(5));
        let request = request(json!({"a": 1.5, "b": ["x", null]}))
            .with_files(vec!["a.txt".into()])
            .with_preview(Some(Preview::diff("-a\n+b\n")))
            .with_rule("dangerous")
            .until(later);
        let asked = serde_json::to_string(&request).unwrap();

        assert_eq!(
            serde_json::from_str::<ApprovalRequest>(&asked).unwrap(),
            request
        );
        for answer in [
            Answer::Approve,
            Answer::Always,
            Answer::Deny {
                reason: Some("no".into()),
            },
            Answer::Deny { reason: None },
            Answer::Edit {
                arguments: json!({"a": 2}),
            },
            Answer::Suspend,
        ] {
            let decision = Decision::new(&request, answer);
            let answered = serde_json::to_string(&decision).unwrap();

            assert_eq!(
                serde_json::from_str::<Decision>(&answered).unwrap(),
                decision,
                "{answered}"
            );
        }
    }
}
