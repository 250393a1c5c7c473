//! References: kept in one place, written out, or cut where they never end.

mod hoist;
mod inline;
mod recursion;

use serde_json::{Map, Value};

pub(crate) use hoist::{forget_unknown, forget_unknown_here, hoist};
pub(crate) use inline::inline;
pub(crate) use recursion::{is_recursive, relax_recursion};

/// The reference of a schema, where it has one.
pub(crate) fn reference(schema: &Map<String, Value>) -> Option<&str> {
    schema.get("$ref").and_then(Value::as_str)
}

/// What a reference into this schema leads to.
pub(crate) fn resolve<'s>(root: &'s Value, reference: &str) -> Option<&'s Map<String, Value>> {
    resolve_value(root, reference)?.as_object()
}

/// The same, where the target may be any value.
pub(crate) fn resolve_value<'s>(root: &'s Value, reference: &str) -> Option<&'s Value> {
    let fragment = percent_decoded(reference.strip_prefix('#')?)?;
    root.pointer(&fragment)
}

/// The most references that may follow each other before there is a rule.
const MAX_CHAIN: usize = 64;

/// Whether a reference leads to something else than references in a circle.
fn leads_somewhere(root: &Value, target: &str) -> bool {
    let Some(mut found) = resolve(root, target) else {
        return false;
    };
    for _ in 0..MAX_CHAIN {
        match reference(found).and_then(|next| resolve(root, next)) {
            Some(next) => found = next,
            None => return true,
        }
    }
    false
}

/// A pointer in a reference is a piece of a URI, so that it may hold `%24defs`.
fn percent_decoded(text: &str) -> Option<String> {
    if !text.contains('%') {
        return Some(text.to_owned());
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let high = char::from(rest.next()?).to_digit(16)?;
            let low = char::from(rest.next()?).to_digit(16)?;
            bytes.push(u8::try_from(high * 16 + low).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

/// How many values a schema holds.
fn size(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(size).sum::<usize>(),
        Value::Object(members) => 1 + members.values().map(size).sum::<usize>(),
        _ => 1,
    }
}
