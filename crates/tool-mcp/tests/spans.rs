//! Spans of a client and a server in one process.

#![cfg(all(feature = "http-client", feature = "http-server"))]
#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "helpers of tests"
)]

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use tokio::net::TcpListener;
use tool_core::approval::Policy;
use tool_core::{DynamicTool, Registry, RiskLevel, ToolDefinition};
use tool_mcp::server::HttpOptions;
use tool_mcp::{McpManager, McpServer, McpServerConfig};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// Span with its fields.
#[derive(Debug, Default, Clone)]
struct Recorded {
    fields: HashMap<&'static str, String>,
    parent: Option<u64>,
}

impl Visit for Recorded {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.fields.insert(field.name(), format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.fields.insert(field.name(), value.to_owned());
    }
}

thread_local! {
    static ENTERED: std::cell::RefCell<Vec<u64>> = const { std::cell::RefCell::new(Vec::new()) };
}

/// Subscriber that keeps all spans.
#[derive(Clone, Default)]
struct Spans(Arc<Mutex<Vec<Recorded>>>);

impl Subscriber for Spans {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_span() && !metadata.target().starts_with("rmcp")
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut recorded = Recorded::default();
        span.record(&mut recorded);
        let current = ENTERED.with_borrow(|entered| entered.last().copied());
        recorded.parent = span.parent().map_or(current, |id| Some(id.into_u64()));
        let mut spans = self.0.lock().unwrap();
        spans.push(recorded);
        Id::from_u64(spans.len() as u64)
    }

    fn record(&self, span: &Id, values: &Record<'_>) {
        let mut spans = self.0.lock().unwrap();
        let at = usize::try_from(span.into_u64()).unwrap() - 1;
        values.record(&mut spans[at]);
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {}

    fn enter(&self, span: &Id) {
        ENTERED.with_borrow_mut(|entered| entered.push(span.into_u64()));
    }

    fn exit(&self, _: &Id) {
        ENTERED.with_borrow_mut(Vec::pop);
    }
}

impl Spans {
    /// Returns the name, the kind, the method and the name of the parent of each span.
    fn tree(&self) -> Vec<[String; 4]> {
        let spans = self.0.lock().unwrap();
        let field =
            |span: &Recorded, name: &str| span.fields.get(name).cloned().unwrap_or_default();
        spans
            .iter()
            .map(|span| {
                let parent = span
                    .parent
                    .and_then(|id| spans.get(usize::try_from(id).ok()? - 1));
                [
                    field(span, "otel.name"),
                    field(span, "otel.kind"),
                    field(span, "mcp.method.name"),
                    parent.map_or_else(String::new, |parent| field(parent, "otel.name")),
                ]
            })
            .collect()
    }
}

fn registry() -> Registry {
    let definition = ToolDefinition::new("echo", "Returns the text.", json!({"type": "object"}));
    let definition = definition.with_risk(RiskLevel::ReadOnly);
    Registry::of(DynamicTool::new(definition, |_, _| async {
        Ok("hi".into())
    }))
    .unwrap()
}

#[tokio::test]
async fn client_and_server_have_spans_of_conventions() {
    let spans = Spans::default();
    tracing::subscriber::set_global_default(spans.clone()).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    tokio::spawn(McpServer::new(registry()).serve_http(listener, HttpOptions::default()));
    let host = Registry::builder().policy(Policy::allow_all()).build();
    let manager = McpManager::builder()
        .server("s", McpServerConfig::http(url))
        .registry(&host)
        .build();
    manager.connect().await;

    let result = host.execute("s__echo", json!({})).await;
    manager.shutdown(Duration::ZERO).await;

    assert!(result.success, "{result}");
    let tree = spans.tree();
    let tree: Vec<[&str; 4]> = tree
        .iter()
        .map(|span| span.each_ref().map(String::as_str))
        .collect();
    assert_eq!(
        tree,
        [
            ["server/discover s", "client", "server/discover", ""],
            ["tools/list s", "client", "tools/list", ""],
            ["tools/list", "server", "tools/list", ""],
            ["execute_tool s__echo", "client", "tools/call", ""],
            ["tools/call echo", "server", "tools/call", ""],
            ["execute_tool echo", "", "", "tools/call echo"],
        ]
    );
}
