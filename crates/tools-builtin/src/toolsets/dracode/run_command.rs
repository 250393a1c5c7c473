//! `run_command` of the toolset: returns the output regardless of the exit code.

use std::sync::OnceLock;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use tool_core::{CallPlan, ErrorCode, RiskLevel, ToolContext, ToolError, TypedTool};

use crate::shell::{
    CLOSE_THE_QUOTE, CommandArguments, CommandOutput, MAX_SECONDS, RunCommand, RunCommandInput,
};
use crate::toolsets::document::{reword, reword_prefixed, without_blank_text};
use crate::toolsets::names::Names;

pub(super) const DESCRIPTION: &str = "Execute shell commands with timeout and output capture.";

/// Prefix of errors that the source document does not word.
const ERROR: &str = "Error running command: ";

const NAMES: Names = Names::of(&[]).hiding(&["needs", "reason"]);

pub(super) struct RunProgram(RunCommand);

impl RunProgram {
    pub(super) fn new(run_command: &RunCommand) -> Self {
        Self(run_command.clone().with_long_timeouts())
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct RunProgramInput {
    /// Executable or shell command to run
    command: String,
    /// Optional arguments string
    arguments: Option<String>,
    /// Optional timeout in seconds
    #[serde(default = "default_seconds")]
    #[schemars(extend("default" = 120))]
    timeout_seconds: f64,
    /// The engine's input, which keeps the verdict of the plan for the run.
    #[serde(skip)]
    request: OnceLock<RunCommandInput>,
}

fn default_seconds() -> f64 {
    120.0
}

impl RunProgramInput {
    fn request(&self) -> Result<&RunCommandInput, ToolError> {
        let timeout_seconds = whole_seconds(self.timeout_seconds)?;
        Ok(self.request.get_or_init(|| RunCommandInput {
            command: self.command.clone(),
            arguments: self.arguments.clone().map(CommandArguments::Text),
            timeout_seconds,
            working_directory: ".".to_owned(),
            needs: None,
            reason: None,
            judged: OnceLock::new(),
        }))
    }
}

impl TypedTool for RunProgram {
    type Input = RunProgramInput;
    type Output = CommandOutput;

    const RISK: RiskLevel = RunCommand::RISK;

    fn plan(&self, cx: &ToolContext, input: &RunProgramInput) -> Result<CallPlan, ToolError> {
        let plan = input.request().and_then(|request| self.0.plan(cx, request));
        NAMES.plan(plan).map_err(map_error)
    }

    fn timeout(&self) -> Option<Duration> {
        self.0.timeout()
    }

    async fn run(
        &self,
        cx: &ToolContext,
        input: RunProgramInput,
    ) -> Result<CommandOutput, ToolError> {
        let request = input.request().map_err(map_error)?.clone();
        let run = self.0.run(cx, request);
        NAMES.run(cx, run).await.map_err(map_error)
    }

    /// Joins standard output and standard error.
    fn render(output: &CommandOutput) -> String {
        let (stdout, stderr) = (&output.stdout, &output.stderr);
        let is_separate = stdout.is_empty() || stderr.is_empty() || stdout.ends_with('\n');
        let separator = if is_separate { "" } else { "\n" };
        format!("{stdout}{separator}{stderr}")
    }
}

fn map_error(error: ToolError) -> ToolError {
    match error.code() {
        _ if error.suggestion() == Some(CLOSE_THE_QUOTE) => {
            reword_prefixed(error.suggest("Close the quote."), ERROR)
        }
        ErrorCode::Timeout => reword(without_blank_text(error), "Error: Process timed out"),
        ErrorCode::Failed | ErrorCode::PermissionDenied if error.parameter() == Some("command") => {
            reword(error, "Error: Failed to start process")
        }
        ErrorCode::Cancelled => error,
        _ => reword_prefixed(error, ERROR),
    }
}

/// Rounds up to whole seconds. Longer timeouts than the tool's maximum are indistinguishable from it.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the cast saturates"
)]
fn whole_seconds(seconds: f64) -> Result<u64, ToolError> {
    if seconds > 0.0 {
        return Ok((seconds.ceil() as u64).min(MAX_SECONDS));
    }
    let sentence = format!("must be above 0, not {seconds}");
    Err(ToolError::invalid_arguments("timeout_seconds", sentence)
        .suggest("Use 1 or more, or omit the parameter."))
}
