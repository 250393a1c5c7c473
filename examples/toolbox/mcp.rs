//! `mcp`: the tools of configured MCP servers.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, Subcommand};
use serde_json::{Value, json};
use tool_core::{CallOptions, Registry, ToolCall};
use tool_mcp::client::ServerReport;
use tool_mcp::{McpConfig, McpManager};
use tools_builtin::toolsets::ToolsetName;

use crate::approval::Approval;
use crate::failure::Failure;
use crate::{input, output, runtime};

/// Time for the servers to finish their calls before they are terminated.
const END_GRACE: Duration = Duration::from_secs(1);

/// Lists and calls the tools of MCP servers. All started servers are terminated at the end.
#[derive(Debug, Args)]
#[command(after_help = r#"Examples:
  toolbox mcp --config mcp.json list
  toolbox mcp --config mcp.json call files__read_file '{"path": "README.md"}' --approve all"#)]
pub(crate) struct Mcp {
    /// File with the servers, as Claude, Cursor, VS Code and Gemini use it.
    #[arg(long, value_name = "FILE")]
    config: PathBuf,
    #[command(subcommand)]
    command: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Print the definitions of all tools, each with its server.
    List,
    /// Call one tool and print its result. Exits with 1 if the tool fails.
    Call {
        /// Name of the tool: `{server}__{tool}`.
        name: String,
        /// Arguments as a model would send them; `-` reads them from standard input.
        #[arg(value_name = "ARGS", default_value = "{}")]
        arguments: String,
        /// Handling of a call that requires approval.
        #[arg(long, value_name = "WHO", value_enum, default_value_t)]
        approve: Approval,
    },
    /// Start all servers and print their states.
    Status,
    /// Print the ignored and invalid parts of the file. Starts nothing.
    Check,
}

impl Mcp {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        let config = McpConfig::read(&self.config)
            .map_err(|error| Failure::input(self.config.display(), error))?;
        for error in config.errors() {
            eprintln!("toolbox: {error}");
        }
        match self.command {
            Action::Check => check(&config),
            Action::List => connected(config, &Registry::new(), async |registry, reports| {
                output::document(&list(registry, reports))?;
                Ok(ExitCode::SUCCESS)
            }),
            Action::Status => connected(config, &Registry::new(), async |_, reports| {
                let states: Vec<Value> = reports.iter().map(state).collect();
                output::document(&states)?;
                Ok(ExitCode::SUCCESS)
            }),
            Action::Call {
                name,
                arguments,
                approve,
            } => {
                let reads_input = arguments == "-";
                let text = if reads_input {
                    input::standard_input()?
                } else {
                    arguments
                };
                let builder = Registry::builder();
                let registry = approve
                    .configure(builder, !reads_input, ToolsetName::default())
                    .build();
                let call = ToolCall::new(name, text);
                connected(config, &registry, async |registry, _| {
                    let result = registry.execute_async(call, CallOptions::default()).await;
                    output::document(&result)?;
                    Ok(ExitCode::from(u8::from(!result.success)))
                })
            }
        }
    }
}

/// Starts the servers, and terminates them after `work` or an interrupt.
fn connected(
    config: McpConfig,
    registry: &Registry,
    work: impl AsyncFnOnce(&Registry, &[ServerReport]) -> Result<ExitCode, Failure>,
) -> Result<ExitCode, Failure> {
    runtime::run(async |interrupt| {
        let manager = McpManager::builder()
            .servers(config)
            .registry(registry)
            .build();
        let working = async {
            let report = manager.connect().await;
            for server in &report.servers {
                for line in server
                    .error
                    .iter()
                    .map(ToString::to_string)
                    .chain(server.omissions())
                {
                    eprintln!("toolbox: {line}");
                }
            }
            work(registry, &report.servers).await
        };
        let outcome = interrupt.run_until_cancelled(working).await;
        manager.shutdown(END_GRACE).await;
        outcome.unwrap_or_else(|| Ok(ExitCode::from(runtime::INTERRUPTED)))
    })?
}

fn check(config: &McpConfig) -> Result<ExitCode, Failure> {
    let texts = |texts: Vec<String>| Value::from(texts);
    let issues = config.issues().iter().map(ToString::to_string).collect();
    let errors = config.errors().iter().map(ToString::to_string).collect();
    let servers = config
        .servers()
        .iter()
        .map(|(name, _)| name.clone())
        .collect();
    output::document(&json!({
        "servers": texts(servers),
        "issues": texts(issues),
        "errors": texts(errors),
    }))?;
    Ok(ExitCode::SUCCESS)
}

fn list(registry: &Registry, reports: &[ServerReport]) -> Vec<Value> {
    let definitions = registry.list();
    let with_server = definitions.iter().map(|definition| {
        let name = definition.name();
        let offers = |report: &&ServerReport| report.tools.iter().any(|tool| tool == name);
        let mut value = definition.to_value();
        value["server"] = json!(reports.iter().find(offers).map(|report| &report.name));
        value
    });
    with_server.collect()
}

fn state(report: &ServerReport) -> Value {
    json!({
        "name": report.name,
        "state": report.state.to_string(),
        "protocol": report.protocol,
        "start_time_ms": report.start_time.map(|time| time.as_secs_f64() * 1000.0),
        "tools": report.tools,
        "omitted": report.omitted.iter().map(|tool| json!({"name": tool.name, "reason": tool.reason})).collect::<Vec<_>>(),
        "warnings": report.warnings,
        "error": report.error.as_ref().map(ToString::to_string),
    })
}
