//! `mcp`: the tools of configured MCP servers.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, Subcommand};
use serde_json::{Value, json};
use tool_core::{CallOptions, CancellationToken, Registry, ToolCall};
use tool_mcp::client::{HiddenTool, OmittedTool, Pins, ServerReport};
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
  toolbox mcp --config mcp.json call files__read '{"path": "README.md"}' --approve all
  toolbox mcp --config mcp.json --pins pins.json diff"#)]
pub(crate) struct Mcp {
    /// File with the servers, as Claude, Cursor, VS Code and Gemini use it.
    #[arg(long, value_name = "FILE")]
    config: PathBuf,
    /// File with the reviewed definitions of the tools. It is created if it does not exist.
    #[arg(long, value_name = "FILE")]
    pins: Option<PathBuf>,
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
    /// Print the tools that are hidden because their definitions changed, with both definitions.
    Diff,
    /// Accept the changed definitions of a server, or of one of its tools.
    Accept {
        /// Name of the server.
        server: String,
        /// Name of the tool on the server. By default, all hidden tools are accepted.
        tool: Option<String>,
    },
    /// Print the ignored and invalid parts of the file. Starts nothing.
    Check,
}

impl Mcp {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        let config = read(&self.config)?;
        let pins = match &self.pins {
            Some(path) => {
                Pins::open(path).map_err(|error| Failure::input(path.display(), error))?
            }
            None => Pins::memory(),
        };
        let servers = Servers { config, pins };
        match self.command {
            Action::Check => check(&servers.config),
            Action::List => servers.run(&Registry::new(), async |registry, manager| {
                output::document(&list(registry, &manager.status()))?;
                Ok(ExitCode::SUCCESS)
            }),
            Action::Status => servers.run(&Registry::new(), async |_, manager| {
                let states: Vec<Value> = manager.status().iter().map(state).collect();
                output::document(&states)?;
                Ok(ExitCode::SUCCESS)
            }),
            Action::Diff => servers.run(&Registry::new(), async |_, manager| {
                let reports = manager.status();
                let hidden = reports.iter().flat_map(|report| {
                    let tools = report.hidden.iter();
                    tools.map(|tool| review(&report.name, tool))
                });
                output::document(&hidden.collect::<Vec<_>>())?;
                Ok(ExitCode::SUCCESS)
            }),
            Action::Accept { server, tool } => servers.run(&Registry::new(), async |_, manager| {
                accept(manager, &server, tool.as_deref()).await
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
                servers.run(&registry, async |registry, _| {
                    let result = registry.spawn(call, CallOptions::default()).await;
                    output::document(&result)?;
                    Ok(ExitCode::from(u8::from(!result.success)))
                })
            }
        }
    }
}

/// Reads a file with servers, and prints what is wrong with it.
fn read(file: &Path) -> Result<McpConfig, Failure> {
    let config = McpConfig::read(file).map_err(|error| Failure::input(file.display(), error))?;
    let errors = config.errors().iter().map(ToString::to_string);
    for line in errors.chain(config.issues().iter().cloned()) {
        eprintln!("toolbox: {line}");
    }
    Ok(config)
}

/// Runs `work` while the servers of a file are connected to the registry. Returns `None` if an interrupt came first.
pub(crate) async fn with_servers<T>(
    file: &Path,
    registry: &Registry,
    interrupt: &CancellationToken,
    work: impl AsyncFnOnce() -> T,
) -> Result<Option<T>, Failure> {
    let servers = Servers {
        config: read(file)?,
        pins: Pins::memory(),
    };
    Ok(servers
        .connected(registry, interrupt, async |_| work().await)
        .await)
}

/// Configured servers and the reviewed definitions of their tools.
struct Servers {
    config: McpConfig,
    pins: Pins,
}

impl Servers {
    /// Runs a command while the servers are connected, until an interrupt.
    fn run(
        self,
        registry: &Registry,
        work: impl AsyncFnOnce(&Registry, &McpManager) -> Result<ExitCode, Failure>,
    ) -> Result<ExitCode, Failure> {
        runtime::run(async |interrupt| {
            let work = async |manager: &McpManager| {
                let working = work(registry, manager);
                interrupt.run_until_cancelled(working).await
            };
            let outcome = self.connected(registry, &interrupt, work).await;
            outcome
                .flatten()
                .unwrap_or_else(|| Ok(ExitCode::from(runtime::INTERRUPTED)))
        })?
    }

    /// Starts the servers, and terminates them after `work`, or after an interrupt during the start.
    async fn connected<T>(
        self,
        registry: &Registry,
        interrupt: &CancellationToken,
        work: impl AsyncFnOnce(&McpManager) -> T,
    ) -> Option<T> {
        let manager = McpManager::builder()
            .servers(self.config)
            .registry(registry)
            .pins(self.pins)
            .build();
        let started = interrupt.run_until_cancelled(manager.connect()).await;
        let outcome = match started {
            Some(reports) => {
                reports.iter().for_each(report);
                Some(work(&manager).await)
            }
            None => None,
        };
        manager.shutdown(END_GRACE).await;
        outcome
    }
}

/// Prints the problems of a server.
fn report(server: &ServerReport) {
    let (name, available) = (&server.name, server.tools.len());
    if let Some(error) = &server.error {
        eprintln!("toolbox: {error}");
    }
    for OmittedTool {
        name: tool, reason, ..
    } in &server.omitted
    {
        eprintln!(
            "toolbox: server \"{name}\": the tool \"{tool}\" is omitted: {reason}. The other {available} tools are available."
        );
    }
    for hidden in &server.hidden {
        let (tool, changes) = (&hidden.name, hidden.changes.join(", "));
        eprintln!(
            "toolbox: server \"{name}\": the tool \"{tool}\" changed: {changes}. The tool is hidden until you accept it: toolbox mcp accept {name} {tool}."
        );
    }
}

/// Accepts the hidden tools of a server, or one of them, and prints them.
async fn accept(
    manager: &McpManager,
    server: &str,
    tool: Option<&str>,
) -> Result<ExitCode, Failure> {
    let reports = manager.status();
    let hidden = reports
        .iter()
        .filter(|report| report.name == server)
        .flat_map(|report| &report.hidden);
    let chosen = hidden.filter(|hidden| tool.is_none_or(|tool| tool == hidden.name));
    let mut accepted = Vec::new();
    for tool in chosen {
        // A definition that changed again stays hidden.
        if manager.accept(server, &tool.name, &tool.digest).await {
            accepted.push(review(server, tool));
        }
    }
    output::document(&accepted)?;
    Ok(ExitCode::from(u8::from(accepted.is_empty())))
}

fn review(server: &str, tool: &HiddenTool) -> Value {
    json!({
        "server": server,
        "tool": tool.name,
        "changes": tool.changes,
        "reviewed": tool.reviewed,
        "current": tool.current,
        "digest": tool.digest,
    })
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
        let report = reports.iter().find(offers);
        let claims = report.and_then(|report| report.claims.get(name));
        let mut value = definition.to_value();
        value["server"] = json!(report.map(|report| &report.name));
        // They lower the risk only if the server is trusted.
        value["claimed"] = json!(claims);
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
        "hidden": report.hidden.iter().map(|tool| &tool.name).collect::<Vec<_>>(),
        "warnings": report.warnings,
        "memory_bytes": report.process_id.and_then(memory),
        "error": report.error.as_ref().map(ToString::to_string),
    })
}

/// Returns the resident memory of a process in bytes, if the system shows it.
fn memory(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim_end().parse().ok()?;
    Some(kibibytes * 1024)
}
