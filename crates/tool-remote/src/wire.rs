//! Messages between callers and workers, as JSON, and definitions of tools as data.

use std::collections::BTreeMap;
use std::time::Duration;

use bytes::Bytes;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tool_core::CallEvent;
use tool_core::approval::SealedRequest;
use tool_core::ledger::CallKey;
use tool_core::{Hints, RiskLevel, ToolDefinition, ToolResult};

/// Error of a damaged message. It contains no part of the message, which can have arguments.
#[derive(Debug, thiserror::Error)]
#[error("damaged JSON at line {line}, column {column}")]
pub(crate) struct Damaged {
    line: usize,
    column: usize,
}

/// Reads a message.
pub(crate) fn read<T: DeserializeOwned>(message: &[u8]) -> Result<T, Damaged> {
    serde_json::from_slice(message).map_err(|error| Damaged {
        line: error.line(),
        column: error.column(),
    })
}

/// A call, a query about an earlier call, or its cancellation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Request {
    /// Key of the call, chosen by the caller.
    pub(crate) key: CallKey,
    pub(crate) tool: String,
    /// Digest of the definition that the caller knows.
    pub(crate) definition: String,
    pub(crate) arguments: Sent,
    /// Parent call or agent, for the audit log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) parent: Option<String>,
}

/// Arguments of a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Sent {
    Plain(Value),
    /// Arguments with the decision of the caller's side to run the call.
    Sealed(Box<SealedRequest>),
}

impl Sent {
    pub(crate) fn value(&self) -> &Value {
        match self {
            Self::Plain(arguments) => arguments,
            Self::Sealed(sealed) => &sealed.request.arguments,
        }
    }
}

/// End of the subject of reports, which precede the outcome of a call.
pub(crate) const REPORT: &str = ".report";

/// A message about a running call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Report {
    /// A worker has the call.
    Alive,
    Event(CallEvent),
}

/// The last message about a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Outcome {
    Finished(Box<Finished>),
    /// The worker has too many calls. The call did not run.
    Busy {
        retry_after_ms: u64,
    },
    /// The worker has another definition of the tool, or does not have it. The call did not run.
    OtherDefinition,
}

/// Result of a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Finished {
    /// Name of the worker.
    pub(crate) worker: String,
    pub(crate) result: ToolResult,
}

/// State of an earlier call in the ledger of the workers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Finding {
    /// The ledger does not contain the call, or it failed before it had any effect.
    NotRun,
    Running,
    Settled(Box<ToolResult>),
    /// The outcome is unknown. The result describes when and where the call ran.
    Unknown(Box<ToolResult>),
    /// The ledger is unavailable.
    Unavailable,
}

/// A worker, as it announces itself with every heartbeat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Beat {
    pub(crate) worker: String,
    pub(crate) group: String,
    /// Time between heartbeats.
    pub(crate) interval_ms: u64,
    /// Digest of the definition of each tool, which is its key in the bucket of definitions.
    pub(crate) tools: BTreeMap<String, String>,
}

/// A definition in the bucket of definitions, under its digest.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(crate) struct Described {
    definition: Shown,
    aliases: Vec<(String, String)>,
    examples: Vec<Value>,
    /// Timeout of the tool, which starts when it runs.
    timeout_ms: Option<u64>,
}

/// The form of [`ToolDefinition::to_value`].
#[derive(Debug, Clone, PartialEq, Deserialize)]
struct Shown {
    name: String,
    title: Option<String>,
    description: String,
    input_schema: Value,
    output_schema: Option<Value>,
    risk: RiskLevel,
    hints: Hints,
}

impl Described {
    /// Maximum bytes of a definition.
    pub(crate) const MAX_BYTES: usize = 512 * 1024;

    /// Returns the stored bytes of a definition and their digest.
    pub(crate) fn encode(definition: &ToolDefinition) -> (Vec<u8>, String) {
        let timeout = definition.timeout().map(|timeout| timeout.as_millis());
        let described = json!({
            "definition": definition.to_value(),
            "aliases": definition.aliases(),
            "examples": definition.examples(),
            "timeout_ms": timeout.map(|time| u64::try_from(time).unwrap_or(u64::MAX)),
        });
        let bytes = described.to_string().into_bytes();
        let digest = sha256(&bytes);
        (bytes, digest)
    }

    /// Reads a stored definition. Returns the reason if it is damaged.
    pub(crate) fn decode(bytes: &[u8], digest: &str) -> Result<Self, String> {
        let (size, limit) = (bytes.len(), Self::MAX_BYTES);
        if size > limit {
            return Err(format!("has {size} bytes; the limit is {limit}"));
        }
        if sha256(bytes) != digest {
            return Err("does not match its digest".to_owned());
        }
        serde_json::from_slice(bytes).map_err(|error| format!("is not a definition: {error}"))
    }

    pub(crate) fn name(&self) -> &str {
        &self.definition.name
    }

    pub(crate) fn timeout(&self) -> Option<Duration> {
        self.timeout_ms.map(Duration::from_millis)
    }

    /// Returns the definition of a proxy. It equals the worker's in everything that approvals bind. Workers enforce what
    /// the calls of their tools touch.
    pub(crate) fn into_definition(self) -> ToolDefinition {
        let shown = self.definition;
        let mut definition = ToolDefinition::new(shown.name, shown.description, shown.input_schema)
            .with_risk(shown.risk)
            .with_hints(shown.hints);
        if let Some(title) = shown.title {
            definition = definition.with_title(title);
        }
        if let Some(schema) = shown.output_schema {
            definition = definition.with_output_schema(schema);
        }
        for (alias, parameter) in self.aliases {
            definition = definition.with_alias(alias, parameter);
        }
        let examples = self.examples.into_iter();
        examples.fold(definition, ToolDefinition::with_example)
    }
}

/// Returns the SHA-256 of `bytes` in hexadecimal.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    format!("{:x}", Bytes::copy_from_slice(&Sha256::digest(bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_contain_no_part_of_message() {
        for message in [
            r#""tango""#,
            r#"{"key": {"scope": "tango", "key": 5}, "tool": "pay"}"#,
            r#"{"arguments": {"tango": 1}}"#,
            r#"{"key": "tango"#,
        ] {
            let error = read::<Request>(message.as_bytes()).unwrap_err();

            let shown = format!("{error} {error:?}");
            assert!(!shown.contains("tango"), "{message}: {shown}");
        }
    }

    fn definition() -> ToolDefinition {
        ToolDefinition::new(
            "pay",
            "Pays.",
            json!({"type": "object", "properties": {"n": {"type": "integer"}}}),
        )
        .with_title("Pay")
        .with_output_schema(json!({"type": "object"}))
        .with_risk(RiskLevel::Dangerous)
        .with_hints(Hints {
            idempotent: true,
            ..Hints::of(RiskLevel::Dangerous)
        })
        .with_alias("amount", "n")
        .with_example(json!({"n": 1}))
        .with_timeout(Duration::from_secs(5))
    }

    #[test]
    fn proxy_equals_definition_in_bound_parts() {
        let (bytes, digest) = Described::encode(&definition());

        let read = Described::decode(&bytes, &digest).unwrap();

        assert_eq!(read.timeout(), Some(Duration::from_secs(5)));
        let proxy = read.into_definition();
        assert_eq!(proxy.to_value(), definition().to_value());
        assert_eq!(proxy.aliases(), definition().aliases());
        assert_eq!(proxy.examples(), definition().examples());
    }

    #[test]
    fn rejects_damaged_definitions() {
        let (bytes, digest) = Described::encode(&definition());
        let large = vec![b' '; Described::MAX_BYTES + 1];
        for (bytes, digest, reason) in [
            (bytes.as_slice(), "0000", "digest"),
            (b"{}".as_slice(), &*sha256(b"{}"), "not a definition"),
            (&large, &*digest, "limit"),
        ] {
            let error = Described::decode(bytes, digest).unwrap_err();

            assert!(error.contains(reason), "{error}");
        }
    }

    #[test]
    fn digest_matches_test_vector() {
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

        assert_eq!(sha256(b"abc"), expected);
    }
}
