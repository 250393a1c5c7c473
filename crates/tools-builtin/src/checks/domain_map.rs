//! Domain map of a code base.

use serde_json::Value;

use super::{Findings, OutputType};

/// Returns the output type `domain_map`: an object with the domains of a code base, its layout and
/// a summary.
///
/// `domains` must be a non-empty array. If `layout` or `summary` is not an object, a warning is
/// added.
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
