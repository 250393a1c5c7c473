//! Quick check for possible coercions, which most invalid arguments do not have.

use serde_json::Value;
use tool_json::Tape;

use super::{boolean_of, number_of};

/// Returns `true` if [`coerce`](super::coerce) may change something. Avoids a copy of the
/// arguments.
pub(in crate::arguments) fn may_coerce(tape: &Tape<'_>, targets: TargetTypes) -> bool {
    tape.descendants().any(|node| {
        if let Some(text) = node.as_str() {
            return targets.arrays || may_be_other_type(text);
        }
        let is_scalar = node.as_bool().is_some() || node.as_f64().is_some();
        node.is_null()
            || (targets.texts && is_scalar)
            || (targets.arrays && (is_scalar || node.is_object()))
    })
}

/// Returns `true` if a string may be a number, a boolean, an array or an object.
fn may_be_other_type(text: &str) -> bool {
    text.contains(['{', '[']) || number_of(text, true).is_some() || boolean_of(text).is_some()
}

/// Types in a schema that other values may be converted to.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct TargetTypes {
    texts: bool,
    arrays: bool,
}

impl TargetTypes {
    pub(crate) fn by(schema: &Value) -> Self {
        let mut targets = Self::default();
        let mut open = vec![schema];
        while let Some(part) = open.pop() {
            match part {
                // A type name, or another string that equals one.
                Value::String(name) => {
                    targets.texts |= name == "string";
                    targets.arrays |= name == "array";
                }
                Value::Array(parts) => open.extend(parts),
                Value::Object(keywords) => {
                    for (keyword, part) in keywords {
                        if keyword == "enum" || keyword == "const" {
                            targets.constants(keyword, part);
                        }
                        open.push(part);
                    }
                }
                _ => {}
            }
        }
        targets
    }

    /// Constants imply types, too.
    fn constants(&mut self, keyword: &str, part: &Value) {
        let all = part.as_array().filter(|_| keyword == "enum");
        for constant in all.map_or(std::slice::from_ref(part), Vec::as_slice) {
            self.texts |= constant.is_string();
            self.arrays |= constant.is_array();
        }
    }
}
