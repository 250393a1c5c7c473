//! Requests for approval.

mod prompt;

use std::hash::{BuildHasher, RandomState};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::canonical::{canonical_json, sha256_of_parts};
use super::command::{CommandPart, Coverage};
use super::plan::{CallPlan, Finding};
use super::policy::Policy;
use super::preview::{Preview, PreviewKind};
use super::rule::Rule;
use crate::call_key::CallKey;
use crate::{RiskLevel, Timestamp, ToolDefinition};

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
    /// Creates a request for a call that would follow `plan`, which may be a risk alone.
    pub fn new(
        call_id: &str,
        definition: &ToolDefinition,
        arguments: Value,
        plan: impl Into<CallPlan>,
    ) -> Self {
        let plan = plan.into();
        let digest = digest_of(definition, &arguments);
        let requested_at = Timestamp::now();
        Self {
            id: new_id(call_id, &digest, requested_at),
            call_id: call_id.to_owned(),
            tool: definition.name().to_owned(),
            arguments,
            files_affected: plan.touches.files_written().to_vec(),
            grants: plan.findings.grants().to_vec(),
            findings: plan.findings.explained().to_vec(),
            suggested_rule: suggested_rule(&plan),
            preview: None,
            risk: plan.risk,
            digest,
            plan_digest: plan.digest(),
            rule: None,
            reason: plan.findings.reason().map(str::to_owned),
            call_key: None,
            requested_at,
            expires_at: None,
        }
    }

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

    /// Returns `true` if the request is for this definition and these arguments.
    pub(crate) fn is_of(&self, definition: &ToolDefinition, arguments: &Value) -> bool {
        self.tool == definition.name() && self.digest == digest_of(definition, arguments)
    }

    /// Returns `true` if the request is for a call that would do exactly this.
    pub(crate) fn is_of_plan(&self, plan: &CallPlan) -> bool {
        // Equality, because "wider" would need an order on patterns and parts that nobody could check by reading.
        self.risk == plan.risk && self.plan_digest == plan.digest()
    }
}

fn digest_of(definition: &ToolDefinition, arguments: &Value) -> String {
    // All that the model and the person saw, so that a changed description breaks the decision, too.
    let described = canonical_json(&definition.to_value());
    sha256_of_parts(&[definition.name(), &described, &canonical_json(arguments)])
}

/// Creates an id that is unique across processes: the hash keys of the standard library are random.
fn new_id(call_id: &str, bound: &str, asked: Timestamp) -> String {
    // Two random numbers of 64 bits, so that the id of a request cannot be guessed.
    let random = [(); 2].map(|()| RandomState::new().hash_one(call_id).to_string());
    let [first, second] = &random;
    let id = sha256_of_parts(&[call_id, bound, &asked.to_string(), first, second]);
    format!("approval_{}", id.get(..32).unwrap_or(&id))
}

/// Suggests a rule that allows a call and its like: its only command that asks, the directory of the only file that it
/// writes, or its only host. `None` if no such rule would allow it.
fn suggested_rule(plan: &CallPlan) -> Option<Rule> {
    let findings = &plan.findings;
    let policy = Policy::default();
    let (commands, written) = (findings.commands(), plan.touches.files_written());
    let suggested = if !commands.is_empty() {
        let is_open = |part: &&CommandPart| part.coverage != Coverage::Harmless;
        let mut open = commands.iter().filter(is_open).map(CommandPart::suggested);
        let words = open.next()??;
        let is_alone =
            findings.is_about_commands() && open.all(|other| other.as_ref() == Some(&words));
        is_alone.then(|| policy.allow_command(&words))
    } else if let [host] = findings.hosts() {
        findings
            .findings()
            .is_empty()
            .then(|| policy.allow_host(host))
    } else if let ([file], true) = (written, plan.touches.files_read().is_empty()) {
        let is_plain = plan.risk == RiskLevel::SafeWrite && findings.findings().is_empty();
        let place = file
            .rsplit_once('/')
            .map(|(directory, _)| format!("{directory}/**"));
        is_plain.then(|| policy.allow_write(place.as_deref().unwrap_or(file)))
    } else {
        None
    };
    suggested?.rules.pop()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::decision::{Answer, Decision};
    use super::*;

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
