//! Requests for approval.

#[cfg(feature = "typed")]
mod binding;
mod prompt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::plan::Finding;
use super::preview::{Preview, PreviewKind};
use super::rule::Rule;
use crate::call_key::CallKey;
use crate::{RiskLevel, Timestamp};

/// A request for approval. `Display` writes the prompt with the [grants](Self::grants) first and every argument; the
/// alternate form `{:#}` shows `content`, `old_string` and `new_string` by their size, and the grants after the risk.
///
/// A request is plain data: it can be stored, sent and decided elsewhere, and
/// [`Registry::resume`](crate::Registry::resume) accepts the decision.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::{CallPlan, RiskLevel, ToolDefinition};
/// use tool_core::approval::ApprovalRequest;
///
/// let definition = ToolDefinition::new("create_file", "Creates a file.", json!({}));
/// let arguments = json!({"path": "hello.py", "content": "print('hello, you')\n"});
/// let plan = CallPlan::of(RiskLevel::SafeWrite).writes("hello.py");
/// let request = ApprovalRequest::new("call_1", &definition, arguments, plan);
/// assert_eq!(format!("{request:#}"), "\
/// Tool: create_file
/// Parameters:
///   path: hello.py
///   content: <20 bytes>
/// Files affected: hello.py
/// Risk level: safe_write
///
/// Approve? (y/n/always): ");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ApprovalRequest {
    /// Unique id of the request.
    pub id: String,
    /// Id of the call.
    pub call_id: String,
    /// Name of the tool.
    pub tool: String,
    /// Arguments that would be executed.
    pub arguments: Value,
    /// Files that would be written.
    pub files_affected: Vec<String>,
    /// Permissions that approval gives, such as `network`. Show all of them completely: the decision is about them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub grants: Vec<String>,
    /// Findings of the tool, with a sentence and the permissions that each needs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// A rule that would allow this call and its like, to offer as "always allow `cargo test`". Add it with
    /// [`Registry::edit_policy`](crate::Registry::edit_policy) if the person agrees.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggested_rule: Option<Rule>,
    /// Preview of the changes, created with the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preview: Option<Preview>,
    /// Risk of the call.
    pub risk: RiskLevel,
    /// Digest of the tool, its definition and the arguments. It binds the decision.
    pub digest: String,
    /// Digest of what the call would do: its risk, findings, grants and touches. A call whose later preparation differs in
    /// any of them needs a new request.
    #[serde(default)]
    pub plan_digest: String,
    /// Rule of the policy or of the tool that requires approval, or the risk level whose verdict applies.
    pub rule: Option<String>,
    /// Reason of the tool itself to require approval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Key of the call in a [ledger](crate::ledger), if the registry has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_key: Option<CallKey>,
    /// Time of the request.
    pub requested_at: Timestamp,
    /// Time at which the request expires. It never expires without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
}

impl ApprovalRequest {
    /// Returns the unified diff of the changes, if the preview is one.
    pub fn diff(&self) -> Option<&str> {
        let preview = self.preview.as_ref();
        let diff = preview.filter(|preview| preview.kind == PreviewKind::Diff);
        diff.map(|preview| preview.text.as_str())
    }

    /// Returns `true` if the request has expired at `now`.
    pub fn is_expired_at(&self, now: Timestamp) -> bool {
        self.expires_at.is_some_and(|end| end <= now)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::decision::{Answer, Decision};
    use super::*;
    use crate::ToolDefinition;

    fn request(arguments: Value) -> ApprovalRequest {
        let definition = ToolDefinition::new("f", "F", json!({}));
        ApprovalRequest::new("1", &definition, arguments, RiskLevel::Dangerous)
    }

    #[test]
    fn digest_depends_on_definition_and_arguments() {
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
    fn equal_requests_have_distinct_ids() {
        let (first, second) = (request(json!({"a": 1})), request(json!({"a": 1})));
        let decision = Decision::new(&first, Answer::Approve);

        assert_ne!(first.id, second.id);
        assert!(decision.is_for(&first));
        assert!(!decision.is_for(&second));
    }

    #[test]
    fn request_and_decision_survive_json() {
        let later = Timestamp::now().after(std::time::Duration::from_mins(5));
        let mut request = request(json!({"a": 1.5, "b": ["x", null]}));
        request.rule = Some("dangerous".to_owned());
        request.files_affected.push("a.txt".into());
        request.grants.push("network".into());
        request.preview = Some(Preview::diff("-a\n+b\n"));
        request.expires_at = Some(later);
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
            let stored = serde_json::to_string(&decision).unwrap();

            assert_eq!(
                serde_json::from_str::<Decision>(&stored).unwrap(),
                decision,
                "{stored}"
            );
        }
    }
}
