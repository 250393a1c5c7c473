//! Spans of tool calls through OpenTelemetry. The exporter prints them; an application uses one for its collector, such as
//! `opentelemetry_otlp::SpanExporter`.
//!
//! `cargo run -p examples --example opentelemetry --features telemetry`

use std::error::Error;

use opentelemetry::trace::TracerProvider;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::trace::{SdkTracerProvider, SpanData, SpanExporter};
use serde_json::json;
use tool_core::{DynamicTool, Registry, RiskLevel, ToolDefinition, ToolError};
use tracing::Instrument;
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::layer::{Layer, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let provider = SdkTracerProvider::builder()
        .with_simple_exporter(Printer)
        .build();
    let spans = tracing_opentelemetry::layer()
        .with_tracer(provider.tracer("example"))
        .with_location(false)
        .with_target(false)
        .with_threads(false)
        .with_tracked_inactivity(false);
    tracing_subscriber::registry()
        .with(spans.with_filter(LevelFilter::INFO))
        .init();
    let registry = Registry::of(local())?;
    registry.register(of_server())?;

    // The spans of the calls are children of the current span.
    let turn = tracing::info_span!("turn");
    async {
        registry.execute("roll", json!({})).await;
        registry.execute("forecast", json!({"city": "Oslo"})).await;
    }
    .instrument(turn)
    .await;
    provider.shutdown()?;
    Ok(())
}

fn local() -> DynamicTool {
    let definition = ToolDefinition::new("roll", "Rolls a die.", json!({"type": "object"}));
    DynamicTool::new(definition.with_risk(RiskLevel::ReadOnly), |_, _| async {
        Ok(json!(4).into())
    })
}

/// Returns a tool of an MCP server, which records its request on the span of the call.
fn of_server() -> DynamicTool {
    let definition =
        ToolDefinition::new("forecast", "Returns a forecast.", json!({"type": "object"}))
            .with_risk(RiskLevel::ReadOnly)
            .with_source("mcp:weather");
    DynamicTool::new(definition, |cx, _| async move {
        cx.record("mcp.method.name", "tools/call");
        cx.record("jsonrpc.request.id", "7");
        cx.record("network.transport", "tcp");
        cx.record("server.address", "weather.example");
        cx.record("server.port", 443);
        cx.record("error.type", "tool_error");
        Err(ToolError::failed("The city is unknown."))
    })
}

/// Exporter that prints each span.
#[derive(Debug)]
struct Printer;

impl SpanExporter for Printer {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        for span in batch {
            println!("{} {:?} {:?}", span.name, span.span_kind, span.status);
            for attribute in &span.attributes {
                println!("  {} = {}", attribute.key, attribute.value);
            }
        }
        Ok(())
    }
}
