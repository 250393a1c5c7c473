//! Members of `_meta`: trace context, and keys by which servers recognize repeated calls.

use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value, json};
use tool_core::ToolContext;
use tool_core::ledger::CallKey;

use crate::hygiene::digest;

/// Name of the client's key of a call.
pub(crate) const IDEMPOTENCY_KEY: &str = "toolwright/idempotency-key";

/// Source of the `traceparent` of calls.
pub(crate) type TraceSource = Arc<dyn Fn(&ToolContext) -> Option<String> + Send + Sync>;

/// Returns the members of `_meta` for a call: its key, and the position in the host's trace, or else in the trace of the
/// client whose call this server runs.
pub(crate) fn meta(source: Option<&TraceSource>, cx: &ToolContext) -> Map<String, Value> {
    // The host knows its own trace better than we do; the one of a client is the next best.
    let own = source.and_then(|source| TraceParent::parse(&source(cx)?));
    let parent = own.or_else(|| cx.extension::<TraceParent>().cloned());
    let parent = parent.map(|parent| ("traceparent".to_owned(), parent.to_string().into()));
    let key = cx.call_key().map(idempotency_key);
    let key = key.map(|key| (IDEMPOTENCY_KEY.to_owned(), key.into()));
    parent.into_iter().chain(key).collect()
}

/// Returns the key of a call for a server: a digest, because a scope may name a user or tenant.
fn idempotency_key(key: &CallKey) -> String {
    digest(&json!([key.scope, key.key]).to_string())
}

/// Position of a call in a trace of the client (W3C Trace Context, version 00). Tools read it with
/// [`ToolContext::extension`](tool_core::ToolContext::extension), and pass its text to their own tracing.
///
/// # Examples
/// ```
/// use tool_mcp::server::TraceParent;
///
/// let text = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
/// assert_eq!(TraceParent::parse(text).ok_or("invalid")?.to_string(), text);
/// # Ok::<_, &str>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TraceParent(String);

impl TraceParent {
    /// Parses a `traceparent`. Returns `None` if the value is invalid.
    pub fn parse(text: &str) -> Option<Self> {
        let parts: Vec<&str> = text.split('-').collect();
        let [version, trace, parent, flags] = parts.try_into().ok()?;
        let is_valid =
            version == "00" && is_id(trace, 32) && is_id(parent, 16) && is_hexadecimal(flags, 2);
        is_valid.then(|| Self(text.to_owned()))
    }
}

impl fmt::Display for TraceParent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn is_hexadecimal(text: &str, length: usize) -> bool {
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    text.len() == length && text.bytes().all(is_digit)
}

/// Ids of zeros are invalid.
fn is_id(text: &str, length: usize) -> bool {
    is_hexadecimal(text, length) && text.bytes().any(|byte| byte != b'0')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn malformed_values_are_ignored() {
        let (trace, span) = ("4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7");
        for flags in ["00", "01"] {
            let text = format!("00-{trace}-{span}-{flags}");
            assert_eq!(TraceParent::parse(&text).unwrap().to_string(), text);
        }
        for text in [
            String::new(),
            "00".to_owned(),
            format!("01-{trace}-{span}-01"),
            format!("ff-{trace}-{span}-01"),
            format!("00-{trace}-{span}"),
            format!("00-{trace}-{span}-01-x"),
            format!("00-{trace}-{span}-1"),
            format!("00-{}-{span}-01", trace.to_uppercase()),
            format!("00-{}-{span}-01", "0".repeat(32)),
            format!("00-{trace}-{}-01", "0".repeat(16)),
            format!("00-{trace}x-{span}-01"),
            format!(" 00-{trace}-{span}-01"),
        ] {
            assert_eq!(TraceParent::parse(&text), None, "{text}");
        }
    }

    #[test]
    fn trace_of_host_replaces_trace_of_client() {
        let client = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        let own = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b8-01";
        let received = TraceParent::parse(client).unwrap();
        let extensions = tool_core::Extensions::default().with(received);
        let alone = ToolContext::test();
        let serving = ToolContext::test().with_extensions(extensions);
        for (cx, given, expected) in [
            (&alone, None, None),
            (&alone, Some("invalid"), None),
            (&alone, Some(own), Some(own)),
            (&serving, None, Some(client)),
            (&serving, Some("invalid"), Some(client)),
            (&serving, Some(own), Some(own)),
        ] {
            let source = Arc::new(move |_: &ToolContext| given.map(str::to_owned)) as TraceSource;

            let meta = meta(Some(&source), cx);

            let sent = meta.get("traceparent").and_then(Value::as_str);
            assert_eq!(sent, expected, "{given:?}");
        }
    }

    #[test]
    fn keys_differ_in_scope_and_key() {
        let pairs = [
            ("a", "bc"),
            ("ab", "c"),
            ("", "abc"),
            ("abc", ""),
            ("tenant 1", "ä\n"),
        ];

        let keys = pairs.map(|(scope, key)| idempotency_key(&CallKey::new(scope, key)));

        let different: std::collections::HashSet<&String> = keys.iter().collect();
        assert_eq!(different.len(), pairs.len());
        assert_eq!(keys[0], idempotency_key(&CallKey::new("a", "bc")));
        for key in &keys {
            assert!(
                key.len() == 64 && key.bytes().all(|byte| byte.is_ascii_hexdigit()),
                "{key}"
            );
        }
    }
}
