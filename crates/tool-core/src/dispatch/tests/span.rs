//! Step 10: the span of a call, and its metadata.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Mutex, MutexGuard};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};
use tracing_core::span::Current;

use super::*;
use crate::{
    CallOptions, CancellationToken, Redactor, Secret, Timestamp, ToolCall, ToolContext, ToolError,
};

/// A recorded span or event: name, parent and fields.
#[derive(Debug, Clone, Default, PartialEq)]
struct RecordedSpan {
    name: String,
    parent: Option<String>,
    fields: BTreeMap<String, String>,
}

#[derive(Default)]
struct Recorded {
    /// The id of a span is its index plus 1.
    spans: Vec<RecordedSpan>,
    events: Vec<BTreeMap<String, String>>,
    entered: Vec<u64>,
    metadata: Vec<&'static Metadata<'static>>,
}

/// Records spans and events of one thread.
#[derive(Clone, Default)]
pub(super) struct Recorder(Arc<Mutex<Recorded>>);

struct Writer<'f>(&'f mut BTreeMap<String, String>);

impl Visit for Writer<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let text = format!("{value:?}").trim_matches('"').to_owned();
        self.0.insert(field.name().to_owned(), text);
    }
}

impl Recorder {
    fn recorded(&self) -> MutexGuard<'_, Recorded> {
        self.0.lock().unwrap()
    }

    pub(super) fn events(&self) -> Vec<BTreeMap<String, String>> {
        self.recorded().events.clone()
    }

    /// Returns the spans of the calls.
    fn calls(&self) -> Vec<RecordedSpan> {
        let recorded = self.recorded();
        let spans = recorded.spans.iter();
        spans
            .filter(|span| span.name == "execute_tool")
            .cloned()
            .collect()
    }
}

impl Recorded {
    fn span(&mut self, id: u64) -> Option<&mut RecordedSpan> {
        let place = usize::try_from(id).unwrap().checked_sub(1)?;
        self.spans.get_mut(place)
    }
}

impl Subscriber for Recorder {
    fn enabled(&self, _metadata: &Metadata<'_>) -> bool {
        true
    }
    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut recorded = self.recorded();
        let current = recorded
            .entered
            .last()
            .copied()
            .filter(|_| span.is_contextual());
        let parent = span.parent().map(Id::into_u64).or(current);
        let parent = parent.and_then(|id| recorded.span(id).map(|span| span.name.clone()));
        let mut fields = BTreeMap::new();
        span.record(&mut Writer(&mut fields));
        let name = span.metadata().name().to_owned();
        recorded.spans.push(RecordedSpan {
            name,
            parent,
            fields,
        });
        recorded.metadata.push(span.metadata());
        Id::from_u64(recorded.spans.len() as u64)
    }
    fn record(&self, span: &Id, values: &Record<'_>) {
        let mut recorded = self.recorded();
        values.record(&mut Writer(
            &mut recorded.span(span.into_u64()).unwrap().fields,
        ));
    }
    fn record_follows_from(&self, _span: &Id, _follows: &Id) {}
    fn event(&self, event: &Event<'_>) {
        let mut fields = BTreeMap::new();
        event.record(&mut Writer(&mut fields));
        self.recorded().events.push(fields);
    }
    fn enter(&self, span: &Id) {
        self.recorded().entered.push(span.into_u64());
    }
    fn exit(&self, _span: &Id) {
        self.recorded().entered.pop();
    }
    fn current_span(&self) -> Current {
        let recorded = self.recorded();
        let Some(id) = recorded.entered.last() else {
            return Current::none();
        };
        let place = usize::try_from(*id).unwrap() - 1;
        Current::new(Id::from_u64(*id), recorded.metadata[place])
    }
}

/// Returns the spans and events of `work`.
pub(super) fn recorded<F: Future>(work: impl FnOnce() -> F) -> (Recorder, F::Output) {
    let recorder = Recorder::default();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    wait_until_enabled(&runtime);
    let output = tracing::subscriber::with_default(recorder.clone(), || runtime.block_on(work()));
    (recorder, output)
}

/// Waits until events are recorded: a concurrent test may have cached the callsite as disabled, which the next recorder
/// corrects.
fn wait_until_enabled(runtime: &tokio::runtime::Runtime) {
    for _ in 0..1000 {
        let probe = Recorder::default();
        let call = async || Registry::new().execute("nobody", json!({})).await;
        let answer = tracing::subscriber::with_default(probe.clone(), || runtime.block_on(call()));
        assert!(!answer.success);
        let (calls, events) = (probe.calls().len(), probe.recorded().events.len());
        if calls == 1 && events > 0 {
            return;
        }
        std::thread::yield_now();
    }
}

fn strings<const N: usize>(pairs: [(&str, &str); N]) -> BTreeMap<String, String> {
    pairs
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .into()
}

#[test]
fn span_has_conventional_attributes() {
    let registry = Registry::of(echo("f", json!({})).0).unwrap();
    let call = ToolCall::new("f", "{}").with_id("call_7");

    let (recorder, _) =
        recorded(async || registry.execute_call(&call, &CallOptions::default()).await);

    let expected = RecordedSpan {
        name: "execute_tool".into(),
        parent: None,
        fields: strings([
            ("otel.name", "execute_tool f"),
            ("gen_ai.operation.name", "execute_tool"),
            ("gen_ai.tool.name", "f"),
            ("gen_ai.tool.description", "Gives its arguments back."),
            ("gen_ai.tool.type", "function"),
            ("gen_ai.tool.call.id", "call_7"),
        ]),
    };
    assert_eq!(recorder.calls(), [expected]);
}

/// Records all fields of an MCP request, and one that the span does not declare.
fn calls_server(cx: &ToolContext) {
    cx.record("mcp.method.name", "tools/call");
    cx.record("mcp.protocol.version", "2025-11-25");
    cx.record("mcp.session.id", "s".repeat(300));
    cx.record("jsonrpc.request.id", "7");
    cx.record("network.transport", "tcp");
    cx.record("server.address", "mcp.example.com");
    cx.record("server.port", 443);
    cx.record("gen_ai.tool.name", "another");
    cx.record("server.address", json!(["no", "array"]));
}

#[test]
fn span_of_mcp_tool_has_fields_of_request() {
    let tool = |name: &str, source: Option<&str>| {
        let definition = definition(name, RiskLevel::ReadOnly);
        let definition = match source {
            Some(source) => definition.with_source(source),
            None => definition,
        };
        DynamicTool::new(definition, |cx, arguments| {
            calls_server(&cx);
            if arguments["fail"] == true {
                cx.record("error.type", "tool_error");
                return std::future::ready(Err(ToolError::failed("No")));
            }
            std::future::ready(Ok("done".into()))
        })
    };
    let registry = Registry::of(tool("local", None)).unwrap();
    registry.register(tool("own", Some("mcp:files"))).unwrap();
    let server = registry.source("mcp:search").unwrap();
    server.refresh([tool("listed", None)]).unwrap();
    let request = strings([
        ("mcp.method.name", "tools/call"),
        ("mcp.protocol.version", "2025-11-25"),
        ("mcp.session.id", &"s".repeat(256)),
        ("jsonrpc.request.id", "7"),
        ("network.transport", "tcp"),
        ("server.address", "mcp.example.com"),
        ("server.port", "443"),
    ]);
    for (name, is_mcp) in [("local", false), ("own", true), ("listed", true)] {
        let (recorder, results) = recorded(async || {
            let passed = registry.execute(name, json!({})).await;
            (passed, registry.execute(name, json!({"fail": true})).await)
        });

        assert!(results.0.success && !results.1.success, "{name}");
        let calls = recorder.calls();
        let [passed, failed] = calls.as_slice() else {
            panic!("{calls:?}")
        };
        assert_eq!(passed.fields["gen_ai.tool.name"], name);
        assert_eq!(passed.fields["otel.name"], format!("execute_tool {name}"));
        assert_eq!(passed.fields.contains_key("otel.kind"), is_mcp, "{name}");
        for (field, value) in &request {
            let reported = passed.fields.get(field);
            assert_eq!(reported, is_mcp.then_some(value), "{name}: {field}");
        }
        assert!(!passed.fields.contains_key("error.type"));
        let error_type = if is_mcp { "tool_error" } else { "failed" };
        assert_eq!(failed.fields["error.type"], error_type);
        assert_eq!(failed.fields["otel.status_code"], "ERROR");
    }
}

#[test]
fn every_failure_is_recorded_in_span() {
    let registry = failing();
    let stopped = CancellationToken::new();
    stopped.cancel();
    let at_once = CallOptions::default().with_timeout(Duration::from_millis(1));
    let stopped = CallOptions::default().with_cancellation(stopped);
    for (name, arguments, options, code) in [
        ("g", "{}", CallOptions::default(), "tool_not_found"),
        ("fails", "{", CallOptions::default(), "truncated_arguments"),
        ("fails", "7", CallOptions::default(), "invalid_arguments"),
        ("asks", "{}", CallOptions::default(), "approval_denied"),
        ("hangs", "{}", at_once, "timeout"),
        ("hangs", "{}", stopped, "cancelled"),
        ("panics", "{}", CallOptions::default(), "panic"),
        ("fails", "{}", CallOptions::default(), "out_of_paper"),
    ] {
        let call = ToolCall::new(name, arguments);

        let (recorder, _) = recorded(async || registry.execute_call(&call, &options).await);

        let calls = recorder.calls();
        let fields = &calls[0].fields;
        assert_eq!(calls.len(), 1, "{name}");
        assert_eq!(fields["error.type"], code, "{name}");
        assert_eq!(fields["otel.status_code"], "ERROR", "{name}");
        assert_eq!(fields["otel.name"], format!("execute_tool {name}"));
    }
}

fn failing() -> Registry {
    let reading = |name| definition(name, RiskLevel::ReadOnly);
    Registry::builder()
        .tool(DynamicTool::new(reading("fails"), |_, _| async {
            Err(ToolError::new("out_of_paper".into(), "No"))
        }))
        .and_then(|tools| tools.tool(DynamicTool::new(reading("hangs"), |_, _| forever())))
        .and_then(|tools| {
            let panics = DynamicTool::new(reading("panics"), |_, _| async { panic!("a bug") });
            tools.tool(panics)
        })
        .and_then(|tools| {
            let asks = definition("asks", RiskLevel::Dangerous);
            tools.tool(DynamicTool::new(asks, |_, _| forever()))
        })
        .unwrap()
        .build()
}

#[test]
fn span_nests_between_caller_and_tool() {
    use tracing::Instrument;

    let registry = registry_of(definition("f", RiskLevel::ReadOnly), |_, _| async {
        tokio::task::yield_now().await;
        tracing::info_span!("inside").in_scope(|| Ok("done".into()))
    });
    let calls = || vec![ToolCall::new("f", "{}"), ToolCall::new("f", "{}")];

    let (recorder, _) = recorded(|| {
        let work = async { registry.execute_many(calls()).await };
        work.instrument(tracing::info_span!("turn"))
    });

    let all = recorder.recorded();
    let mut tree: Vec<(&str, Option<&str>)> = all
        .spans
        .iter()
        .map(|span| (span.name.as_str(), span.parent.as_deref()))
        .collect();
    tree.sort_unstable();
    let call = ("execute_tool", Some("turn"));
    let inside = ("inside", Some("execute_tool"));
    assert_eq!(tree, [call, call, inside, inside, ("turn", None)]);
    assert_eq!(all.entered, [] as [u64; 0]);
}

#[test]
fn span_contains_no_arguments_or_outputs() {
    let schema = json!({"type": "object", "properties": {"text": {"type": "integer"}}});
    let narrow = ToolDefinition::new("narrow", "For a test.", schema);
    let registry = registry_of(
        definition("f", RiskLevel::SafeWrite),
        |cx, arguments| async move {
            cx.warn("SECRET");
            cx.note("key", "SECRET");
            let output = ToolOutput::json(arguments.clone());
            if arguments["fail"] == true {
                return Err(ToolError::failed("It says SECRET").with_output(output));
            }
            Ok(output)
        },
    );
    registry
        .register(DynamicTool::new(narrow, |_, _| forever()))
        .unwrap();

    let (recorder, results) = recorded(async || {
        let mut results = Vec::new();
        for (name, arguments) in [
            ("f", r#"{"text": "SECRET"}"#),
            ("f", r#"{"text": "SECRET", "fail": true}"#),
            ("f", r#"{"text": "SECRET"#),
            ("f", r#"{"text": SECRET SECRET}"#),
            ("f", r#"{"SECRET": 1, "SECRET": 2}"#),
            ("narrow", r#"{"text": "SECRET"}"#),
        ] {
            results.push(registry.execute(name, arguments).await.success);
        }
        results
    });

    assert_eq!(results, [true, false, false, false, false, false]);
    let all = recorder.recorded();
    let reported = format!("{:?} {:?}", all.spans, all.events);
    assert_eq!(told_of(&all), (6, 5));
    assert!(!reported.contains("SECRET"), "{reported}");
}

#[test]
fn causes_are_logged_and_never_shown() {
    let key = Secret::new("hunter22".to_owned());
    let redactor = Redactor::new().with_value(&key).unwrap();
    for (builder, key) in [
        (Registry::builder(), "hunter22"),
        (Registry::builder().redactor(redactor), "[redacted]"),
    ] {
        let panics = DynamicTool::new(definition("panics", RiskLevel::ReadOnly), |_, _| async {
            panic!("a bug at hunter22")
        });
        let fails = DynamicTool::new(definition("fails", RiskLevel::ReadOnly), |_, _| async {
            Err(ToolError::failed("No").caused_by("refused by hunter22"))
        });
        let registry = builder.tool(panics).unwrap().tool(fails).unwrap().build();
        for (name, source) in [("panics", "a bug at "), ("fails", "refused by ")] {
            let (recorder, result) = recorded(async || registry.execute(name, json!({})).await);

            let events = recorder.events();
            let failed = events
                .iter()
                .find(|event| event["message"] == "the call failed");
            assert_eq!(failed.unwrap()["source"], format!("{source}{key}"));
            let shown = format!("{result} {}", serde_json::to_string(&result).unwrap());
            assert!(!shown.contains(source), "{shown}");
        }
    }
}

/// Returns the number of calls and of failures.
fn told_of(recorded: &Recorded) -> (usize, usize) {
    let failed = |event: &&BTreeMap<String, String>| event["message"] == "the call failed";
    (
        recorded.spans.len(),
        recorded.events.iter().filter(failed).count(),
    )
}

#[test]
fn span_truncates_invented_names() {
    let name = "é".repeat(1000);

    let (recorder, _) = recorded(async || Registry::new().execute(&name, json!({})).await);

    let reported = &recorder.calls()[0].fields;
    assert_eq!(reported["gen_ai.tool.name"], "é".repeat(64));
    assert_eq!(
        reported["otel.name"],
        format!("execute_tool {}", "é".repeat(64))
    );
}

#[tokio::test(start_paused = true)]
async fn times_use_host_clock() {
    let noon = Timestamp::parse("2025-11-10T12:00:00Z").unwrap();
    let tool = DynamicTool::new(definition("f", RiskLevel::ReadOnly), |_, _| async {
        tokio::time::sleep(Duration::from_secs(90)).await;
        Ok("done".into())
    });
    let registry = Registry::builder()
        .clock(move || noon)
        .timeout(Duration::from_mins(2))
        .tool(tool)
        .unwrap()
        .build();

    let metadata = registry.execute("f", json!({})).await.metadata;

    assert_eq!(metadata.start_time, noon);
    assert_eq!(metadata.end_time, noon.after(Duration::from_secs(90)));
    assert_eq!(metadata.execution_time, Duration::from_secs(90));
    assert_eq!(metadata.total_time, Duration::from_secs(90));
}

#[tokio::test]
async fn metadata_has_times() {
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
