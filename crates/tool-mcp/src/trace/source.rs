//! Trace context that clients send.

use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value};
use tool_core::ToolContext;

use super::TraceParent;

type Source = dyn Fn(&ToolContext) -> Option<String> + Send + Sync;

/// Source of the `traceparent` of calls.
#[derive(Clone)]
pub(crate) struct TraceSource(Arc<Source>);

impl TraceSource {
    pub(crate) fn new(
        source: impl Fn(&ToolContext) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(source))
    }

    fn current(&self, cx: &ToolContext) -> Option<TraceParent> {
        TraceParent::parse(&(self.0)(cx)?)
    }
}

/// Returns the members of `_meta` for a call: the position in the host's trace, or else in the trace of the client whose
/// call this server runs.
pub(crate) fn meta(source: Option<&TraceSource>, cx: &ToolContext) -> Map<String, Value> {
    let own = source.and_then(|source| source.current(cx));
    let parent = own.or_else(|| cx.extension::<TraceParent>().cloned());
    let member = parent.map(|parent| ("traceparent".to_owned(), Value::from(parent.to_string())));
    member.into_iter().collect()
}

impl fmt::Debug for TraceSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TraceSource")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            let source = TraceSource::new(move |_| given.map(str::to_owned));

            let meta = meta(Some(&source), cx);

            let sent = meta.get("traceparent").and_then(Value::as_str);
            assert_eq!(sent, expected, "{given:?}");
        }
    }
}
