//! What an approver is asked, and what comes back.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::digest::digest;
use crate::{RiskLevel, Timestamp, ToolDefinition, text};

/// Parameters that are shown by their size only.
const SIZE_ONLY: [&str; 3] = ["content", "old_string", "new_string"];
/// Characters of one parameter that are shown.
const MAX_SHOWN: usize = 200;

/// What an approver is asked. `Display` writes the prompt.
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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ApprovalRequest {
    /// The id of the call.
    pub call_id: String,
    /// The tool's name.
    pub tool: String,
    /// The arguments as they would be executed.
    pub arguments: Value,
    /// The files that would be written.
    pub files_affected: Vec<String>,
    /// The risk of this call.
    pub risk: RiskLevel,
    /// Binds a decision to this tool, its definition and these arguments.
    pub digest: String,
    /// The rule that asks, or the risk level whose verdict applies.
    pub rule: Option<String>,
    /// When it was asked.
    pub requested_at: Timestamp,
}

/// What an approver says.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::approval::Answer;
///
/// let answer = Answer::Deny { reason: Some("Not on a Friday.".to_owned()) };
/// assert_eq!(json!(answer), json!({"answer": "deny", "reason": "Not on a Friday."}));
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "answer", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Answer {
    /// Run it.
    Approve,
    /// Run it, and never ask again for these arguments.
    Always,
    /// Do not run it.
    Deny {
        /// Why, for the model.
        reason: Option<String>,
    },
    /// Run it with other arguments, which are validated like the first.
    Edit {
        /// The arguments to run with.
        arguments: Value,
    },
}

/// An answer, bound to what was asked. A decision for other bytes is refused.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::{RiskLevel, ToolDefinition};
/// use tool_core::approval::{Answer, ApprovalRequest, Decision};
///
/// let definition = ToolDefinition::new("f", "F", json!({}));
/// let request = ApprovalRequest::new("1", &definition, json!({}), RiskLevel::Dangerous).ok_or("no digests")?;
/// let decision = Decision::new(&request, Answer::Approve);
/// assert_eq!(decision.digest, request.digest);
/// # Ok::<_, &str>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Decision {
    /// The digest of the request that is answered.
    pub digest: String,
    /// The answer.
    #[serde(flatten)]
    pub answer: Answer,
}

impl Decision {
    /// Answers a request.
    #[must_use]
    pub fn new(request: &ApprovalRequest, answer: Answer) -> Self {
        Self {
            digest: request.digest.clone(),
            answer,
        }
    }
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
        let described = canonical_json(&definition.to_value());
        let digest = digest(&[definition.name(), &described, &canonical_json(&arguments)])?;
        Some(Self {
            call_id: call_id.to_owned(),
            tool: definition.name().to_owned(),
            arguments,
            files_affected: Vec::new(),
            risk,
            digest,
            rule: None,
            requested_at: Timestamp::now(),
        })
    }

    /// Names the files that would be written.
    #[must_use]
    pub fn with_files(mut self, files: Vec<String>) -> Self {
        self.files_affected = files;
        self
    }

    pub(crate) fn with_rule(mut self, rule: impl Into<String>) -> Self {
        self.rule = Some(rule.into());
        self
    }
}

impl fmt::Display for ApprovalRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Tool: {}\nParameters:", self.tool)?;
        for (name, value) in self.arguments.as_object().into_iter().flat_map(ordered) {
            writeln!(f, "  {}: {}", text::short(name, 64), shown(name, value))?;
        }
        if !self.files_affected.is_empty() {
            let files: Vec<String> = self
                .files_affected
                .iter()
                .map(|file| text::short(file, MAX_SHOWN))
                .collect();
            writeln!(f, "Files affected: {}", files.join(", "))?;
        }
        write!(f, "Risk level: {}\n\nApprove? (y/n/always): ", self.risk)
    }
}

/// The members with the long ones last, so that what matters is read first.
fn ordered(members: &serde_json::Map<String, Value>) -> Vec<(&str, &Value)> {
    let mut listed: Vec<(&str, &Value)> = members
        .iter()
        .map(|(name, value)| (name.as_str(), value))
        .collect();
    listed.sort_by_key(|(name, _)| SIZE_ONLY.iter().position(|long| long == name));
    listed
}

fn shown(name: &str, value: &Value) -> String {
    match value {
        Value::String(content) if SIZE_ONLY.contains(&name) => format!("<{} bytes>", content.len()),
        Value::String(content) => text::short(content, MAX_SHOWN),
        other => text::short(&other.to_string(), MAX_SHOWN),
    }
}

/// Compact JSON with sorted keys, whatever order the map keeps.
pub(crate) fn canonical_json(value: &Value) -> String {
    let mut text = String::new();
    write_canonical(value, &mut text);
    text
}

fn write_canonical(value: &Value, text: &mut String) {
    match value {
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by_key(|(name, _)| *name);
            text.push('{');
            for (index, (name, member)) in members.into_iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                text.push_str(&Value::from(name.as_str()).to_string());
                text.push(':');
                write_canonical(member, text);
            }
            text.push('}');
        }
        Value::Array(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                write_canonical(item, text);
            }
            text.push(']');
        }
        scalar => text.push_str(&scalar.to_string()),
    }
}

#[cfg(test)]
#[cfg(feature = "typed")]
mod tests {
    use serde_json::json;

    use super::*;

    fn request(arguments: Value) -> ApprovalRequest {
        let definition = ToolDefinition::new("f", "F", json!({}));
        ApprovalRequest::new("1", &definition, arguments, RiskLevel::Dangerous).unwrap()
    }

    #[test]
    fn other_arguments_and_another_definition_give_another_digest() {
        let changed = ToolDefinition::new("f", "F, but different", json!({}));
        let first = request(json!({"a": 1}));

        assert_eq!(first.digest, request(json!({"a": 1})).digest);
        assert_ne!(first.digest, request(json!({"a": 2})).digest);
        let other =
            ApprovalRequest::new("1", &changed, json!({"a": 1}), RiskLevel::Dangerous).unwrap();
        assert_ne!(first.digest, other.digest);
    }

    #[test]
    fn a_request_and_its_decision_survive_their_json() {
        let request = request(json!({"a": 1}));
        let decision = Decision::new(
            &request,
            Answer::Deny {
                reason: Some("no".into()),
            },
        );

        let (asked, answered) = (
            serde_json::to_string(&request).unwrap(),
            serde_json::to_string(&decision).unwrap(),
        );

        assert_eq!(
            serde_json::from_str::<ApprovalRequest>(&asked).unwrap(),
            request
        );
        assert_eq!(
            serde_json::from_str::<Decision>(&answered).unwrap(),
            decision
        );
    }

    #[test]
    fn a_line_break_in_a_value_cannot_forge_a_line_of_the_prompt() {
        let prompt = request(json!({"command": "ls\nRisk level: read_only"})).to_string();

        assert!(
            prompt.contains("  command: ls Risk level: read_only\n"),
            "{prompt}"
        );
    }

    #[test]
    fn canonical_json_sorts_its_keys() {
        assert_eq!(
            canonical_json(&json!({"b": [1, {"d": null, "c": "x"}], "a": 1.5})),
            r#"{"a":1.5,"b":[1,{"c":"x","d":null}]}"#
        );
    }
}
