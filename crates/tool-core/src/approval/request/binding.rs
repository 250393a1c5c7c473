//! What binds a request to a call: digests of the tool, its definition, the arguments and the plan.

use std::hash::{BuildHasher, RandomState};

use serde_json::Value;

use super::ApprovalRequest;
use crate::approval::canonical::{canonical_json, sha256, sha256_of_parts};
use crate::approval::command::{CommandPart, Coverage};
use crate::approval::plan::CallPlan;
use crate::approval::policy::Policy;
use crate::approval::rule::Rule;
use crate::{RiskLevel, Timestamp, ToolDefinition};

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
            plan_digest: digest_of_plan(&plan),
            rule: None,
            reason: plan.findings.reason().map(str::to_owned),
            call_key: None,
            requested_at,
            expires_at: None,
        }
    }

    /// Returns `true` if the request is for this definition and these arguments.
    pub(crate) fn is_of(&self, definition: &ToolDefinition, arguments: &Value) -> bool {
        self.tool == definition.name() && self.digest == digest_of(definition, arguments)
    }

    /// Returns `true` if the request is for a call that would do exactly this.
    pub(crate) fn is_of_plan(&self, plan: &CallPlan) -> bool {
        // Equality, because "wider" would need an order on patterns and parts that is too hard to check by reading.
        self.risk == plan.risk && self.plan_digest == digest_of_plan(plan)
    }
}

fn digest_of(definition: &ToolDefinition, arguments: &Value) -> String {
    // All that the model and the person saw, so that a changed description breaks the decision, too.
    let described = canonical_json(&definition.to_value());
    sha256_of_parts(&[definition.name(), &described, &canonical_json(arguments)])
}

fn digest_of_plan(plan: &CallPlan) -> String {
    // Cannot fail: a plan is plain data with string keys.
    let json = serde_json::to_value(plan).unwrap_or_default();
    sha256(canonical_json(&json).as_bytes())
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
