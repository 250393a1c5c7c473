//! Definitions of tools as data.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tool_core::{Hints, RiskLevel, ToolDefinition};

use crate::digest::sha256;

/// A definition in the bucket of definitions, under its digest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Described {
    definition: Shown,
    #[serde(default)]
    aliases: Vec<(String, String)>,
    #[serde(default)]
    examples: Vec<Value>,
    /// Timeout of the tool, which starts when it runs.
    #[serde(default)]
    timeout_ms: Option<u64>,
}

/// The form of [`ToolDefinition::to_value`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Shown {
    name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    description: String,
    input_schema: Value,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    output_schema: Option<Value>,
    risk: RiskLevel,
    hints: Hints,
}

impl Described {
    /// Maximum bytes of a definition.
    pub(crate) const MAX_BYTES: usize = 512 * 1024;

    pub(crate) fn of(definition: &ToolDefinition) -> Self {
        let timeout = definition.timeout().map(|timeout| timeout.as_millis());
        Self {
            definition: Shown {
                name: definition.name().to_owned(),
                title: definition.title().map(str::to_owned),
                description: definition.description().to_owned(),
                input_schema: definition.input_schema().clone(),
                output_schema: definition.output_schema().cloned(),
                risk: definition.risk(),
                hints: definition.hints(),
            },
            aliases: definition.aliases().to_vec(),
            examples: definition.examples().to_vec(),
            timeout_ms: timeout.map(|time| u64::try_from(time).unwrap_or(u64::MAX)),
        }
    }

    /// Returns the stored bytes and their digest.
    pub(crate) fn encode(&self) -> (Vec<u8>, String) {
        // Cannot fail: all keys are strings.
        let bytes = serde_json::to_vec(self).unwrap_or_default();
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
    pub(crate) fn to_definition(&self) -> ToolDefinition {
        let shown = &self.definition;
        let mut definition = ToolDefinition::new(
            shown.name.as_str(),
            shown.description.as_str(),
            shown.input_schema.clone(),
        )
        .with_risk(shown.risk)
        .with_hints(shown.hints);
        if let Some(title) = &shown.title {
            definition = definition.with_title(title.as_str());
        }
        if let Some(schema) = &shown.output_schema {
            definition = definition.with_output_schema(schema.clone());
        }
        for (alias, parameter) in &self.aliases {
            definition = definition.with_alias(alias.as_str(), parameter.as_str());
        }
        let add =
            |definition: ToolDefinition, example: &Value| definition.with_example(example.clone());
        self.examples.iter().fold(definition, add)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

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
        let (bytes, digest) = Described::of(&definition()).encode();

        let read = Described::decode(&bytes, &digest).unwrap();

        let proxy = read.to_definition();
        assert_eq!(proxy.to_value(), definition().to_value());
        assert_eq!(proxy.aliases(), definition().aliases());
        assert_eq!(proxy.examples(), definition().examples());
        assert_eq!(read.timeout(), Some(Duration::from_secs(5)));
    }

    #[test]
    fn rejects_damaged_definitions() {
        let (bytes, digest) = Described::of(&definition()).encode();
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
}
