//! Step 10: the span of a call, and its metadata.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::Mutex;

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use super::*;
use crate::Timestamp;

type Fields = Arc<Mutex<BTreeMap<String, String>>>;

/// Remembers the fields of spans.
struct Recorder(Fields);

struct Writer<'f>(&'f Fields);

impl Visit for Writer<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let text = format!("{value:?}").trim_matches('"').to_owned();
        self.0.lock().unwrap().insert(field.name().to_owned(), text);
    }
}

impl Subscriber for Recorder {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_span()
    }
    fn new_span(&self, span: &Attributes<'_>) -> Id {
        self.0
            .lock()
            .unwrap()
            .insert("name".into(), span.metadata().name().into());
        span.record(&mut Writer(&self.0));
        Id::from_u64(1)
    }
    fn record(&self, _span: &Id, values: &Record<'_>) {
        values.record(&mut Writer(&self.0));
    }
    fn record_follows_from(&self, _span: &Id, _follows: &Id) {}
    fn event(&self, _event: &Event<'_>) {}
    fn enter(&self, _span: &Id) {}
    fn exit(&self, _span: &Id) {}
}

fn recorded(name: &str) -> BTreeMap<String, String> {
    let fields = Fields::default();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    let registry = Registry::of(echo("f", json!({})).0).unwrap();
    let call = crate::ToolCall::new(name, "{}").with_id("call_7");
    tracing::subscriber::with_default(Recorder(Arc::clone(&fields)), || {
        runtime.block_on(registry.execute_call(&call, &crate::CallOptions::default()))
    });
    let fields = fields.lock().unwrap();
    fields.clone()
}

#[test]
fn a_span_has_the_names_of_the_conventions() {
    let expected = BTreeMap::from(
        [
            ("name", "execute_tool"),
            ("otel.name", "execute_tool f"),
            ("gen_ai.operation.name", "execute_tool"),
            ("gen_ai.tool.name", "f"),
            ("gen_ai.tool.type", "function"),
            ("gen_ai.tool.call.id", "call_7"),
        ]
        .map(|(key, value)| (key.to_owned(), value.to_owned())),
    );

    assert_eq!(recorded("f"), expected);
}

#[test]
fn a_failure_is_told_to_the_span() {
    let fields = recorded("g");

    assert_eq!(fields["error.type"], "tool_not_found");
    assert_eq!(fields["otel.status_code"], "ERROR");
}

#[tokio::test]
async fn the_metadata_says_when_and_how_long() {
    let before = Timestamp::now();
    let registry = registry_of(definition("f", RiskLevel::SafeWrite), |cx, _| async move {
        tokio::time::sleep(Duration::from_millis(12)).await;
        cx.affected("a.txt");
        Ok("done".into())
    });

    let result = registry.execute("f", json!({})).await;

    let metadata = &result.metadata;
    assert!(metadata.start_time >= before && metadata.end_time >= metadata.start_time);
    assert!(metadata.execution_time >= Duration::from_millis(10));
    assert!(metadata.total_time >= metadata.execution_time);
    assert_eq!(metadata.side_effects, crate::SideEffects::Done);
    assert_eq!(result.files_affected, ["a.txt"]);
}
