//! `call`: one call, as if from a model.

use std::path::{self, Path};
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use tool_core::{CallOptions, Registry, RegistryBuilder, ToolCall, ToolResult};
use tools_builtin::toolsets::CliAgentText;

use crate::approval::Approval;
use crate::failure::Failure;
#[cfg(feature = "ledger")]
use crate::ledger_options::LedgerOption;
use crate::options::{SandboxOptions, ToolsetOptions};
use crate::{input, output, runtime};

/// Ledger of a call and its key.
#[cfg(feature = "ledger")]
#[derive(Debug, Args)]
struct LedgerKey {
    #[command(flatten)]
    ledger: LedgerOption,
    /// Key of the call: a later call with the same key, tool and arguments returns the stored result.
    #[arg(long, requires = "ledger")]
    key: Option<String>,
    /// Scope of the key. By default, `default`.
    #[arg(long, requires = "key")]
    scope: Option<String>,
}

/// Calls one tool and prints its result. Exits with 1 if the tool fails.
#[derive(Debug, Args)]
#[command(after_help = r#"Examples:
  toolbox call read '{"path": "README.md", "start_line": "1", "limit": 3}'
  echo '{"command": "ls"}' | toolbox call run_command - --approve all --human
  toolbox call list_dir '{"path": "./src"}' --contract cli_agent
  toolbox call web_fetch '{"url": "http://127.0.0.1:8000/"}' --group web --approve all --allow-net 127.0.0.0/8
  toolbox call run_command '{"command": "touch /etc/evil"}' --approve all --sandbox
  toolbox call gmail_search '{"query": "is:unread"}' --contract assistant
  toolbox call search_code '{"query": "fn main"}' --contract repo_explorer --github rust-lang/log
  toolbox call files__read '{"path": "README.md"}' --mcp mcp.json --policy policy.json
  toolbox call append_file '{"path": "log", "content": "x"}' --ledger calls.db --key order-7"#)]
pub(crate) struct Call {
    /// Name of the tool.
    name: String,
    /// Arguments as a model would send them, including repair and coercion; `-` reads them from
    /// standard input.
    #[arg(value_name = "ARGS", default_value = "{}")]
    arguments: String,
    #[command(flatten)]
    toolset: ToolsetOptions,
    /// Handling of a call that requires approval.
    #[arg(long, value_name = "WHO", value_enum, default_value_t)]
    approve: Approval,
    /// Timeout in seconds, instead of the tool's own.
    #[arg(long, value_name = "S", value_parser = seconds)]
    timeout: Option<Duration>,
    #[command(flatten)]
    sandbox: SandboxOptions,
    #[cfg(feature = "ledger")]
    #[command(flatten)]
    ledger: LedgerKey,
    /// Print the result as text instead of JSON.
    #[arg(long)]
    human: bool,
}

impl Call {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        let reads_input = self.arguments == "-";
        let builder = self.builder(!reads_input)?;
        let text = if reads_input {
            input::standard_input()?
        } else {
            self.arguments
        };
        let call = ToolCall::new(self.name, text);
        let mut options = CallOptions::default();
        options.timeout = self.timeout;
        #[cfg(feature = "ledger")]
        {
            options.call_key = self.ledger.key;
            options.scope = self.ledger.scope;
        }
        let result = runtime::run(async |interrupt| {
            #[cfg(feature = "ledger")]
            let builder = self.ledger.ledger.add_to(builder).await?;
            let registry = builder.build();
            let options = options.with_cancellation(interrupt.clone());
            let run = async || registry.spawn(call, options).await;
            self.toolset.with_servers(&registry, &interrupt, run).await
        })??;
        let Some(result) = result else {
            return Ok(ExitCode::from(runtime::INTERRUPTED));
        };
        if self.human {
            output::text(&human_text(&result, self.toolset.first_folder()))?;
        } else {
            output::document(&result)?;
        }
        Ok(ExitCode::from(u8::from(!result.success)))
    }

    fn builder(&self, can_ask: bool) -> Result<RegistryBuilder, Failure> {
        let builder = self.toolset.add_to(Registry::builder(), &self.sandbox)?;
        Ok(self
            .approve
            .configure(builder, can_ask, self.toolset.contract))
    }
}

fn human_text(result: &ToolResult, workspace: &Path) -> String {
    let folder = path::absolute(workspace).unwrap_or_else(|_| workspace.to_owned());
    CliAgentText::of(result).in_directory(&folder).to_string()
}

/// Parses a number of seconds.
pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    let wrong = "must be a number of seconds above 0, such as 30 or 0.5";
    text.parse()
        .ok()
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .filter(|duration| !duration.is_zero())
        .ok_or_else(|| wrong.to_owned())
}
