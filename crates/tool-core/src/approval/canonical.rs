//! Canonical text of arguments, and its digest.

use serde_json::Value;
#[cfg(feature = "typed")]
use tool_json::text::hexadecimal;

use super::command::CommandPart;
use crate::Touches;

/// Arguments of a call and of its parts, in the form that rules match.
#[derive(Debug, Default)]
pub(crate) struct CanonicalArguments {
    pub(crate) whole: String,
    pub(crate) parts: Vec<String>,
    /// Digest of the tool's definition; `None` if it is unknown.
    pub(crate) definition: Option<String>,
    /// Names of the tool's findings.
    pub(crate) findings: Vec<String>,
    pub(crate) commands: Vec<CommandPart>,
    /// Whether all findings are about the commands.
    pub(crate) is_about_commands: bool,
    pub(crate) hosts: Vec<String>,
    /// What the call touches; `None` if it is unknown.
    pub(crate) touches: Option<Touches>,
}

impl From<String> for CanonicalArguments {
    fn from(whole: String) -> Self {
        Self {
            whole,
            ..Self::default()
        }
    }
}

/// Returns compact JSON with sorted keys, regardless of the order of the map.
pub(crate) fn canonical_json(value: &Value) -> String {
    let mut text = String::new();
    write_canonical(value, &mut text);
    text
}

fn write_canonical(value: &Value, text: &mut String) {
    match value {
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            // The map keeps the model's order, and equal arguments must give equal text.
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

/// Returns the digest of `bytes`.
#[cfg(feature = "typed")]
#[expect(
    clippy::unnecessary_wraps,
    reason = "there is no digest without the feature"
)]
pub(crate) fn sha256(bytes: &[u8]) -> Option<String> {
    use sha2::{Digest, Sha256};

    Some(hexadecimal(&Sha256::digest(bytes)))
}

/// Returns `None`: the feature is disabled.
#[cfg(not(feature = "typed"))]
pub(crate) fn sha256(_bytes: &[u8]) -> Option<String> {
    None
}

/// Returns the digest of all parts. Their lengths are included, so that `ab, c` and `a, bc` differ.
pub(crate) fn sha256_of_parts(parts: &[&str]) -> Option<String> {
    let mut bytes = Vec::new();
    for part in parts {
        bytes.extend(part.len().to_be_bytes());
        bytes.extend(part.as_bytes());
    }
    sha256(&bytes)
}

#[cfg(test)]
mod tests;
