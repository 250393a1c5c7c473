//! Risk and hints of definitions from outside.

use serde::de::DeserializeOwned;
use serde_json::Value;
use tool_core::{Hints, RiskLevel, ToolDefinition};

use crate::Object;

/// Hints of a tool without trusted claims.
pub(super) const UNKNOWN: Hints = Hints {
    read_only: false,
    destructive: true,
    idempotent: false,
    open_world: true,
};

/// Whether the host vouches for the risk and the hints in the JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trust {
    Host,
    Nobody,
}

impl Trust {
    /// Sets risk and hints. Without trust, a claim could only raise the risk, which is the highest
    /// already.
    pub(super) fn classify(self, definition: ToolDefinition, entry: &Object) -> ToolDefinition {
        let (risk, hints) = match self {
            Self::Host => claims(entry),
            Self::Nobody => (RiskLevel::Dangerous, UNKNOWN),
        };
        definition.with_risk(risk).with_hints(hints)
    }
}

/// Returns the risk and the hints that the entry claims. A missing risk follows from the hints,
/// missing hints follow from the risk.
fn claims(entry: &Object) -> (RiskLevel, Hints) {
    let hints = read(entry, "hints").or_else(|| entry.get("annotations").map(hints_of));
    match (read(entry, "risk"), hints) {
        (Some(risk), Some(hints)) => (risk, hints),
        (Some(risk), None) => (risk, Hints::of(risk)),
        (None, Some(hints)) => (risk_of(hints), hints),
        (None, None) => (RiskLevel::Dangerous, UNKNOWN),
    }
}

/// Reads annotations of the Model Context Protocol, which defines the value of each missing one.
fn hints_of(annotations: &Value) -> Hints {
    let hint = |name: &str, missing: bool| {
        let hint = annotations.get(name).and_then(Value::as_bool);
        hint.unwrap_or(missing)
    };
    Hints {
        read_only: hint("readOnlyHint", UNKNOWN.read_only),
        destructive: hint("destructiveHint", UNKNOWN.destructive),
        idempotent: hint("idempotentHint", UNKNOWN.idempotent),
        open_world: hint("openWorldHint", UNKNOWN.open_world),
    }
}

/// Returns the risk that follows from hints. The protocol ignores `destructive` on tools that only
/// read.
fn risk_of(hints: Hints) -> RiskLevel {
    match (hints.read_only, hints.destructive) {
        (true, _) => RiskLevel::ReadOnly,
        (false, false) => RiskLevel::SafeWrite,
        (false, true) => RiskLevel::Dangerous,
    }
}

fn read<T: DeserializeOwned>(entry: &Object, key: &str) -> Option<T> {
    serde_json::from_value(entry.get(key)?.clone()).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tool_core::RiskLevel::{Dangerous, ReadOnly, SafeWrite};

    use super::super::{definitions_from_json, trusted_definitions_from_json};
    use super::*;

    fn claims() -> [(Value, RiskLevel); 8] {
        let hints_of = |hints: Value| json!({"name": "f", "annotations": hints});
        let hints = json!(Hints::of(SafeWrite));
        [
            (json!({"name": "f"}), Dangerous),
            (hints_of(json!({})), Dangerous),
            (hints_of(json!({"destructiveHint": true})), Dangerous),
            (hints_of(json!({"destructiveHint": false})), SafeWrite),
            (hints_of(json!({"readOnlyHint": true})), ReadOnly),
            (json!({"name": "f", "risk": "read_only"}), ReadOnly),
            (json!({"name": "f", "risk": "harmless"}), Dangerous),
            (json!({"name": "f", "hints": hints}), SafeWrite),
        ]
    }

    #[test]
    fn claims_do_not_lower_risk_of_foreign_tools() {
        for (entry, _) in claims() {
            let definition = definitions_from_json(&entry.to_string()).unwrap().remove(0);

            assert_eq!(definition.risk(), Dangerous, "{entry}");
            assert_eq!(definition.hints(), UNKNOWN, "{entry}");
        }
    }

    #[test]
    fn claims_of_trusted_tools_set_risk() {
        for (entry, risk) in claims() {
            let text = entry.to_string();
            let definition = trusted_definitions_from_json(&text).unwrap().remove(0);

            assert_eq!(definition.risk(), risk, "{entry}");
            let read_only = risk == ReadOnly;
            assert_eq!(definition.hints().read_only, read_only, "{entry}");
        }
    }

    #[test]
    fn host_lowers_risk_of_single_tool() {
        let foreign = definitions_from_json(r#"{"name": "f"}"#).unwrap().remove(0);

        let reviewed = foreign.with_trusted_risk(ReadOnly);

        assert_eq!(reviewed.risk(), ReadOnly);
        assert!(reviewed.hints().read_only && reviewed.hints().open_world);
    }
}
