//! Running a command line in a shell.

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests;

use std::ops::RangeInclusive;
use std::time::Duration;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use tool_core::approval::Assessment;
use tool_core::{Engine, Limits, RiskLevel, ToolContext, ToolError};

use super::background::BackgroundCommands;
use super::command_output::CommandOutput;
use super::environment::Environment;
use super::filter::CommandFilter;
use super::guard::Guard;
use super::launcher::{Launch, Launcher};
use super::program::{Invocation, nul};
#[cfg(feature = "sandbox")]
use super::sandbox::Confinement;
use super::terminal::TerminalHistory;
use crate::timeout_range::TimeoutRange;
use crate::workspace::Workspace;

/// The longest command, in bytes: Linux takes no longer single argument.
const MAX_COMMAND_BYTES: usize = 128 * 1024 - 1;

/// Which command line to run, and how.
///
/// # Examples
/// ```
/// use tools_builtin::shell::BashInput;
///
/// let input: BashInput = serde_json::from_str(r#"{"command": "ls | wc -l"}"#)?;
/// assert_eq!((input.timeout_seconds, input.working_directory.as_str()), (30, "."));
/// assert!(!input.background);
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct BashInput {
    /// Command line for the shell; pipes, redirections and several lines are fine.
    pub command: String,
    /// Seconds after which the command and everything it started is ended.
    #[serde(default = "default_timeout_seconds")]
    #[schemars(range(min = 1, max = 300))]
    pub timeout_seconds: u64,
    /// Folder to run the command in, relative to the workspace root.
    #[serde(default = "default_working_directory")]
    pub working_directory: String,
    /// Leave the command running and return at once; its timeout then does not apply.
    #[serde(default)]
    pub background: bool,
}

/// Runs a command line in `bash`, or in `sh` where there is none, and leaves nothing running behind.
///
/// The shell is never the user's own, is no login shell and reads no start-up file; on Windows it is `cmd.exe`. Nothing
/// is kept from one call to the next: no variable, no folder, no job. As with [`RunCommand`](super::RunCommand), the
/// folder is where the command starts and no fence, calls are judged by a [`CommandFilter`] before they run, the runtime needs its I/O and time drivers, and a call that is
/// dropped is ended by a thread of its own, which a runtime that goes down waits for.
///
/// # Errors
/// `invalid_arguments` for a command that is empty, holds a NUL character or is longer than 128 KB (the filter forbids one over 64 KB), and for a timeout out
/// of the range; the codes of paths for `working_directory`; `command_not_found` where there is no shell at all;
/// `timeout` and `cancelled` with the output so far. Any exit code is a success, unless
/// [`with_exit_code_errors`](Self::with_exit_code_errors) says otherwise.
///
/// # Examples
/// ```
/// use tool_core::{Engine, Limits, ToolContext};
/// use tool_test::Scratch;
/// use tools_builtin::shell::Bash;
/// use tools_builtin::Workspace;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let scratch = Scratch::new().file("a.txt", "one\ntwo\n");
/// let engine = Bash::new(Workspace::open(scratch.path())?);
/// let input = serde_json::from_str(r#"{"command": "grep -c o a.txt; exit 3"}"#)?;
/// let output = engine.run(&ToolContext::test(), input, &Limits::default()).await?;
/// assert_eq!((output.stdout.as_str(), output.exit_code), ("2\n", Some(3)));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct Bash {
    launcher: Launcher,
    timeouts: TimeoutRange,
    fails_on_exit_code: bool,
    background: Option<BackgroundCommands>,
}

impl Bash {
    /// Creates an engine whose commands start in `workspace`, see little of the host's environment and may ask for a
    /// timeout of 1 to 300 seconds.
    #[must_use]
    pub fn new(workspace: Workspace) -> Self {
        Self {
            launcher: Launcher::new(workspace),
            timeouts: TimeoutRange::new(1..=300),
            fails_on_exit_code: false,
            background: None,
        }
    }

    /// Gives the commands this environment.
    #[must_use]
    pub fn with_environment(mut self, environment: Environment) -> Self {
        self.launcher.see(environment);
        self
    }

    /// Judges commands with this filter, in place of the standard one for the workspace; see
    /// [`RunCommand::with_filter`](super::RunCommand::with_filter).
    #[must_use]
    pub fn with_filter(mut self, filter: CommandFilter) -> Self {
        self.launcher.judge_by(Guard::with(filter));
        self
    }

    /// Judges no command: what the policy allows runs, whatever it is. For hosts that confine their programs by other
    /// means.
    #[must_use]
    pub fn without_filter(mut self) -> Self {
        self.launcher.judge_by(Guard::off());
        self
    }

    /// Tells `history` each command.
    #[must_use]
    pub fn with_history(mut self, history: TerminalHistory) -> Self {
        self.launcher.history = Some(history);
        self
    }

    /// Holds each process of a command to so many bytes of address space. Only Linux can; elsewhere the call warns.
    ///
    /// What was set is noted as `memory_limit_bytes`, in whole kilobytes. A call takes the start of a second shell longer,
    /// which sets the limit before the command begins.
    #[must_use]
    pub fn with_memory_limit(mut self, bytes: u64) -> Self {
        self.launcher.memory_limit = Some(bytes);
        self
    }

    /// Runs the programs in this sandbox, with the engine's workspace as the place they may write.
    ///
    /// # Examples
    /// ```
    /// use tool_test::Scratch;
    /// use tools_builtin::shell::{Bash, Sandbox};
    /// use tools_builtin::workspace::Workspace;
    ///
    /// let scratch = Scratch::new();
    /// let engine = Bash::new(Workspace::open(scratch.path())?).with_sandbox(Sandbox::standard());
    /// # Ok::<_, Box<dyn std::error::Error>>(())
    /// ```
    #[cfg(feature = "sandbox")]
    #[must_use]
    pub fn with_sandbox(self, sandbox: super::Sandbox) -> Self {
        let confinement = Confinement::new(self.launcher.workspace().clone(), sandbox);
        self.confined(confinement)
    }

    /// Runs the programs in a sandbox that other engines may share.
    #[cfg(feature = "sandbox")]
    pub(crate) fn confined(mut self, confinement: Confinement) -> Self {
        self.launcher.confinement = Some(confinement);
        self
    }

    /// Takes timeouts of so many seconds. A longer one than 300 also needs another schema for `timeout_seconds` in the
    /// presentation.
    #[must_use]
    pub fn with_timeout_seconds(mut self, seconds: RangeInclusive<u64>) -> Self {
        self.timeouts = TimeoutRange::new(seconds);
        self
    }

    /// Makes any exit code but 0, and an end by a signal, an error with the code `command_failed`. The error carries the
    /// [`CommandOutput`] as data.
    #[must_use]
    pub fn with_exit_code_errors(mut self) -> Self {
        self.fails_on_exit_code = true;
        self
    }

    /// Lets commands go on in the background, kept in `commands`; without this, a call that asks for it is refused.
    ///
    /// Filter, sandbox, folder and limits are those of every other command; the history is not told.
    #[must_use]
    pub fn with_background(mut self, commands: BackgroundCommands) -> Self {
        self.background = Some(commands);
        self
    }

    /// Leaves a command running.
    async fn leave(&self, cx: &ToolContext, launch: Launch) -> Result<CommandOutput, ToolError> {
        let commands = self.background.as_ref().ok_or_else(no_background)?;
        commands.check()?;
        let line = launch.command.clone();
        // What it writes is kept by the store.
        let none = Limits::bytes(0);
        let run = self.launcher.start(cx, launch, &none, |_run| {}).await?;
        Ok(CommandOutput {
            background_id: Some(commands.leave(run, line)?),
            ..CommandOutput::default()
        })
    }

    fn launch(&self, input: BashInput) -> Result<Launch, ToolError> {
        let timeout = self.timeouts.timeout(input.timeout_seconds)?;
        check_line(&input.command)?;
        Ok(Launch {
            invocation: Invocation::Line(input.command.clone()),
            command: input.command,
            working_directory: input.working_directory,
            timeout,
        })
    }
}

#[async_trait]
impl Engine for Bash {
    type Input = BashInput;
    type Output = CommandOutput;

    const RISK: RiskLevel = RiskLevel::Dangerous;

    fn check(&self, input: &BashInput) -> Result<(), ToolError> {
        self.timeouts.timeout(input.timeout_seconds)?;
        check_line(&input.command)?;
        if input.background && self.background.is_none() {
            return Err(no_background());
        }
        Ok(())
    }

    fn assess(&self, input: &BashInput) -> Result<Assessment, ToolError> {
        let guard = self.launcher.guard();
        guard.assess_text(&input.command, &input.working_directory)
    }

    fn timeout(&self) -> Option<Duration> {
        Some(self.timeouts.with_clean_up())
    }

    async fn run(
        &self,
        cx: &ToolContext,
        input: BashInput,
        limits: &Limits,
    ) -> Result<CommandOutput, ToolError> {
        self.check(&input)?;
        let in_background = input.background;
        let launch = self.launch(input)?;
        if in_background {
            return self.leave(cx, launch).await;
        }
        let output = self.launcher.run(cx, launch, limits).await?;
        if self.fails_on_exit_code {
            output.success()
        } else {
            Ok(output)
        }
    }

    fn render(output: &CommandOutput) -> String {
        output.to_string()
    }
}

fn default_timeout_seconds() -> u64 {
    30
}

fn default_working_directory() -> String {
    ".".to_owned()
}

fn check_line(line: &str) -> Result<(), ToolError> {
    if line.trim().is_empty() {
        return Err(ToolError::invalid_arguments("command", "is empty")
            .suggest("Give a command line, such as `ls -l`."));
    }
    if line.contains('\0') {
        return Err(nul("command"));
    }
    if line.len() > MAX_COMMAND_BYTES {
        let sentence = format!("is longer than {MAX_COMMAND_BYTES} bytes");
        return Err(ToolError::invalid_arguments("command", sentence)
            .suggest("Write it to a file and run that, such as `bash script.sh`."));
    }
    Ok(())
}

fn no_background() -> ToolError {
    ToolError::invalid_arguments("background", "cannot be used here")
        .suggest("Leave it out, and allow enough time.")
}
