//! An agent that searches among the 120 tools of three MCP servers: two written without this library, and one of ours.
//!
//! `cargo run -p toolbox --example mcp`
//!
//! The servers are this program, started with an argument. No key and no network is needed.

use std::env;
use std::error::Error;
use std::io::{BufRead, Write};
use std::time::Duration;

use agent_loop::{AgentLoop, Event, EventKind, ModelReply, ScriptedModel};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tool_core::approval::{Policy, Rule, Verdict};
use tool_core::search::{CALL_TOOL, SEARCH_TOOLS, SearchOptions};
use tool_core::{Registry, RiskLevel, ToolCall, tool_fn};
use tool_mcp::{McpConfig, McpManager, McpServer};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    match env::args().nth(1).as_deref() {
        Some("notes") => Ok(notes()?.serve_stdio().await?),
        Some("weather") => Ok(serve(&weather())?),
        Some("units") => Ok(serve(&units())?),
        _ => run_agent().await,
    }
}

async fn run_agent() -> Result<(), Box<dyn Error>> {
    // Tools of foreign servers are dangerous unless the host states their risk.
    let program = env::current_exe()?;
    let program = program.to_string_lossy().replace('$', "$$");
    let config = json!({"mcpServers": {
        "weather": {"command": program, "args": ["weather"], "risk": {"forecast": "read_only"}},
        "units": {"command": program, "args": ["units"]},
        "notes": {"command": program, "args": ["notes"], "trust": "trusted"},
    }});
    let convert = Rule::new("convert", "units__to_fahrenheit", Verdict::Allow);
    let policy = Policy::default().with_rule(convert);
    let registry = Registry::builder().policy(policy).build();
    let manager = McpManager::builder()
        .servers(McpConfig::parse(&config.to_string())?)
        .registry(&registry)
        .build();
    for server in manager.connect().await {
        let protocol = server.protocol.unwrap_or_default();
        println!("{}: {} ({protocol})", server.name, server.state);
    }

    // All definitions would fill the context of a model, so it sees one and finds the others.
    let options = SearchOptions::default().with_always(["notes__add_note"]);
    let searchable = registry.searchable(options)?;
    let (all, shown) = (registry.list().len(), searchable.list().len());
    println!("{all} tools, of which the model sees {shown}");

    let found =
        |name, arguments| ToolCall::new(CALL_TOOL, json!({"name": name, "arguments": arguments}));
    let query = json!({"query": "weather forecast of a town", "limit": 1});
    let model = ScriptedModel::new([
        ModelReply::calls([ToolCall::new(SEARCH_TOOLS, query)]),
        ModelReply::calls([found("weather__forecast", json!({"town": "Ulm"}))]),
        ModelReply::calls([
            found("units__to_fahrenheit", json!({"celsius": 24})),
            found("weather__set_alarm", json!({"town": "Ulm"})),
        ]),
        ModelReply::calls([ToolCall::new(
            "notes__add_note",
            json!({"text": "Ulm: 75 °F"}),
        )]),
        ModelReply::text("It is 75 °F in Ulm. I noted it."),
    ]);
    let outcome = AgentLoop::new(searchable, model)
        .on_event(print_calls)
        .run("How warm is it in Ulm, in Fahrenheit? Note it.")
        .await;
    manager.shutdown(Duration::from_secs(5)).await;
    println!("{}", outcome.reply.unwrap_or_default());
    Ok(())
}

fn print_calls(event: &Event<'_>) {
    if let EventKind::CallFinished { result } = event.kind {
        println!("{}: {result}", result.name);
    }
}

#[derive(Deserialize, JsonSchema)]
struct Note {
    /// Text of the note.
    text: String,
}

/// Our server: a registry.
fn notes() -> Result<McpServer, Box<dyn Error>> {
    let add = tool_fn("add_note", "Adds a note.", |_, note: Note| async move {
        Ok(format!("Noted: {}", note.text))
    });
    let policy = Policy::allow_all();
    let registry = Registry::builder()
        .policy(policy)
        .tool(add.risk(RiskLevel::SafeWrite))?
        .build();
    Ok(McpServer::new(registry).name("notes"))
}

/// Foreign server: its tools, and the text that a call returns.
struct Foreign {
    tools: Value,
    call: fn(&str, &Value) -> String,
}

fn weather() -> Foreign {
    let town =
        json!({"type": "object", "properties": {"town": {"type": "string"}}, "required": ["town"]});
    let tool = |name: String, description: String| json!({"name": name, "description": description, "inputSchema": town});
    let mut tools = vec![
        tool("forecast".into(), "Returns the weather forecast.".into()),
        tool("set_alarm".into(), "Sets an alarm for storms.".into()),
    ];
    tools.extend((1963..2023).map(|year| {
        tool(
            format!("climate_of_{year}"),
            format!("Returns the climate of a town in {year}."),
        )
    }));
    Foreign {
        tools: tools.into(),
        call: |_, arguments| format!("{}: sunny, 24 degrees", arguments["town"]),
    }
}

const LENGTHS: [(&str, f64); 8] = [
    ("meters", 1.0),
    ("kilometers", 1000.0),
    ("inches", 0.0254),
    ("feet", 0.3048),
    ("yards", 0.9144),
    ("miles", 1609.344),
    ("fathoms", 1.8288),
    ("nautical_miles", 1852.0),
];

fn units() -> Foreign {
    let tool = |name: &str, unit: &str| {
        let schema =
            json!({"type": "object", "properties": {unit: {"type": "number"}}, "required": [unit]});
        json!({"name": name, "description": format!("Converts {unit}."), "inputSchema": schema})
    };
    let mut tools = vec![tool("to_fahrenheit", "celsius")];
    for (from, _) in LENGTHS {
        let others = LENGTHS.iter().filter(|(to, _)| *to != from);
        tools.extend(others.map(|(to, _)| tool(&format!("{from}_to_{to}"), from)));
    }
    Foreign {
        tools: tools.into(),
        call: |name, arguments| {
            let given = |unit: &str| arguments[unit].as_f64().unwrap_or_default();
            let meters = |unit| {
                LENGTHS
                    .iter()
                    .find(|(known, _)| *known == unit)
                    .map(|(_, meters)| *meters)
            };
            let lengths = name.split_once("_to_");
            match lengths.and_then(|(from, to)| Some((given(from) * meters(from)?, meters(to)?))) {
                Some((length, unit)) => (length / unit).to_string(),
                None => format!("{:.0} °F", given("celsius") * 1.8 + 32.0),
            }
        },
    }
}

/// Serves tools in the protocol revision 2025-11-25, one message per line.
fn serve(server: &Foreign) -> std::io::Result<()> {
    for line in std::io::stdin().lock().lines() {
        let request: Value = serde_json::from_str(&line?)?;
        let Some(id) = request.get("id") else {
            continue;
        };
        let params = &request["params"];
        let result = match request["method"].as_str() {
            Some("initialize") => Ok(json!({
                "protocolVersion": "2025-11-25",
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "foreign", "version": "1.0.0"},
            })),
            Some("tools/list") => Ok(json!({"tools": server.tools})),
            Some("tools/call") => {
                let name = params["name"].as_str().unwrap_or_default();
                let text = (server.call)(name, &params["arguments"]);
                Ok(json!({"content": [{"type": "text", "text": text}]}))
            }
            _ => Err(json!({"code": -32601, "message": "unknown method"})),
        };
        let response = match result {
            Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
            Err(error) => json!({"jsonrpc": "2.0", "id": id, "error": error}),
        };
        let mut output = std::io::stdout().lock();
        writeln!(output, "{response}")?;
        output.flush()?;
    }
    Ok(())
}
