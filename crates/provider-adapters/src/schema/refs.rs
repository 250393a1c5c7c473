//! References: resolution, relocation to `$defs`, inlining and recursion.

mod hoist;
mod inline;
mod recursion;

use serde_json::Value;

use crate::Object;

pub(crate) use hoist::{drop_dangling, drop_dangling_local, hoist};
pub(crate) use inline::inline;
pub(crate) use recursion::{is_recursive, relax_recursion};

/// Returns the reference of a schema, if it has one.
pub(crate) fn reference(schema: &Object) -> Option<&str> {
    schema.get("$ref").and_then(Value::as_str)
}

/// Returns the object schema that a reference within `root` refers to.
pub(crate) fn resolve<'s>(root: &'s Value, reference: &str) -> Option<&'s Object> {
    resolve_value(root, reference)?.as_object()
}

/// Like [`resolve`], but the target may be any value.
pub(crate) fn resolve_value<'s>(root: &'s Value, reference: &str) -> Option<&'s Value> {
    let fragment = percent_decoded(reference.strip_prefix('#')?)?;
    root.pointer(&fragment)
}

/// Maximum number of consecutive references.
const MAX_CHAIN: usize = 64;

/// Returns `true` if a reference resolves to a schema and is not part of a cycle.
fn resolves(root: &Value, target: &str) -> bool {
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

/// Decodes percent-encoded characters: a reference is part of a URI and may contain `%24defs`.
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

/// Returns the number of values in a schema.
fn size(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(size).sum::<usize>(),
        Value::Object(members) => 1 + members.values().map(size).sum::<usize>(),
        _ => 1,
    }
}
