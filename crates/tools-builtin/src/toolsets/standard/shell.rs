//! The command line.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use tool_core::{CallPlan, RiskLevel, ToolContext, ToolError, TypedTool};

use crate::shell::{Bash, BashInput, CommandOutput};
use crate::toolsets::names::Names;

/// Runs command lines.
pub(super) struct RunLine(pub(super) Arc<Bash>);

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct RunLineInput {
    /// Command line; may have several lines.
    command: String,
    /// Time until it is killed, 30 if omitted.
    #[serde(default)]
    #[schemars(range(min = 1, max = 300))]
    timeout_seconds: Option<u64>,
    /// Directory to run in, the root if omitted.
    #[serde(default)]
    cwd: Option<String>,
    /// Start it and return at once.
    #[serde(default)]
    background: Option<bool>,
    /// Permissions beyond the sandbox: `network`, `write:<path>` or `unconfined`.
    #[serde(default)]
    needs: Option<Vec<String>>,
    /// Reason for `needs`.
    #[serde(default)]
    reason: Option<String>,
    /// The engine's input, which keeps the verdict of the plan for the run.
    #[serde(skip)]
    request: OnceLock<BashInput>,
}

impl RunLineInput {
    fn request(&self) -> &BashInput {
        self.request.get_or_init(|| {
            let line = BashInput::of(self.command.clone());
            BashInput {
                timeout_seconds: self.timeout_seconds.unwrap_or(line.timeout_seconds),
                working_directory: self.cwd.clone().unwrap_or(line.working_directory),
                background: self.background.unwrap_or_default(),
                needs: self.needs.clone(),
                reason: self.reason.clone(),
                ..BashInput::of(line.command)
            }
        })
    }
}

const NAMES: Names = Names::of(&[("working_directory", "cwd")]);

impl TypedTool for RunLine {
    type Input = RunLineInput;
    type Output = CommandOutput;

    const RISK: RiskLevel = Bash::RISK;
    const ALIASES: &'static [(&'static str, &'static str)] = &[
        ("cmd", "command"),
        ("working_directory", "cwd"),
        ("workdir", "cwd"),
        ("run_in_background", "background"),
    ];

    fn plan(&self, cx: &ToolContext, input: &RunLineInput) -> Result<CallPlan, ToolError> {
        NAMES.plan(self.0.plan(cx, input.request()))
    }

    fn timeout(&self) -> Option<Duration> {
        self.0.timeout()
    }

    async fn run(&self, cx: &ToolContext, input: RunLineInput) -> Result<CommandOutput, ToolError> {
        input.request();
        let Some(request) = input.request.into_inner() else {
            return Err(ToolError::failed("The command could not be prepared"));
        };
        NAMES.run(cx, self.0.run(cx, request)).await
    }

    fn render(output: &CommandOutput) -> String {
        Bash::render(output)
    }
}
