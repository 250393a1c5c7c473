//! The map of a code base by its domains.

use serde_json::Value;

use super::{Findings, OutputType};

/// The output type `domain_map`: an object with the domains of a code base, its layout and a summary.
///
/// `domains` must be an array that is not empty. `layout` and `summary` should be objects; without them there is a warning.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tools_builtin::checks::domain_map;
///
/// let findings = domain_map().validate(&json!({"domains": [], "layout": {}, "summary": {}}));
/// assert_eq!(findings.errors(), ["Missing 'domains' array"]);
/// ```
#[must_use]
pub fn domain_map() -> OutputType {
    OutputType::named("domain_map").check(check)
}

fn check(data: &Value, findings: &mut Findings) {
    let domains = data.get("domains").and_then(Value::as_array);
    if domains.is_none_or(Vec::is_empty) {
        findings.error("Missing 'domains' array");
    }
    for part in ["layout", "summary"] {
        if !data.get(part).is_some_and(Value::is_object) {
            findings.warn(format!("Missing '{part}' object"));
        }
    }
}
