//! Whether anything can be changed at all, which for most arguments that do not fit is not so.

use serde_json::Value;

use super::{boolean_of, number_of};
use crate::json::Tape;

/// Whether [`coerce`](super::coerce) may change something: without that, nobody need copy the arguments.
pub(in crate::arguments) fn may_coerce(tape: &Tape<'_>, wanted: Wanted) -> bool {
    tape.nodes().any(|node| {
        if let Some(text) = node.as_str() {
            return wanted.arrays || says_something_else(text);
        }
        let is_scalar = node.as_bool().is_some() || node.as_f64().is_some();
        node.is_null()
            || (wanted.texts && is_scalar)
            || (wanted.arrays && (is_scalar || node.is_object()))
    })
}

/// Whether a text reads as a number, a boolean, an array or an object.
fn says_something_else(text: &str) -> bool {
    text.contains(['{', '[']) || number_of(text, true).is_some() || boolean_of(text).is_some()
}

/// What a schema wants somewhere, that other values may be changed to.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Wanted {
    texts: bool,
    arrays: bool,
}

impl Wanted {
    pub(crate) fn by(schema: &Value) -> Self {
        let mut wanted = Self::default();
        let mut open = vec![schema];
        while let Some(part) = open.pop() {
            match part {
                // The name of a type, or something else that reads like one.
                Value::String(name) => {
                    wanted.texts |= name == "string";
                    wanted.arrays |= name == "array";
                }
                Value::Array(parts) => open.extend(parts),
                Value::Object(keywords) => {
                    for (keyword, part) in keywords {
                        if keyword == "enum" || keyword == "const" {
                            wanted.constants(keyword, part);
                        }
                        open.push(part);
                    }
                }
                _ => {}
            }
        }
        wanted
    }

    /// Constants say their types too.
    fn constants(&mut self, keyword: &str, part: &Value) {
        let all = part.as_array().filter(|_| keyword == "enum");
        for constant in all.map_or(std::slice::from_ref(part), Vec::as_slice) {
            self.texts |= constant.is_string();
            self.arrays |= constant.is_array();
        }
    }
}
