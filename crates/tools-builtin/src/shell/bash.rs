//! Execution of command lines in a shell.

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests;

use std::ops::RangeInclusive;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use shell_verdict::{CommandFilter, words};
use tool_core::output_store::OutputStore;
use tool_core::{CallPlan, RiskLevel, ToolContext, ToolError, TypedTool};

use super::background::BackgroundCommands;
use super::command_output::CommandOutput;
use super::environment::Environment;
use super::grants::Request;
use super::guard::{Guard, Judged};
use super::launcher::{Launch, Launcher};
use super::program::{Invocation, nul};
use super::sandbox::{Confinement, Sandbox};
use super::streams::Kept;
use super::terminal::TerminalHistory;
use crate::timeout_range::TimeoutRange;
use crate::workspace::Workspace;

/// Default range of timeouts in seconds.
const TIMEOUTS: RangeInclusive<u64> = 1..=300;

/// Longest timeout in seconds without a maximum: three years.
#[cfg(feature = "document-sets")]
pub(crate) const MAX_SECONDS: u64 = 100_000_000;

/// Maximum length of a single argument on Linux, in bytes.
// `MAX_ARG_STRLEN` of the kernel includes the final NUL. For a longer one, `execve` would fail with `E2BIG`.
const MAX_COMMAND_BYTES: usize = 128 * 1024 - 1;

/// Command line to run and its options.
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
    /// Command line for the shell; may contain pipes, redirections and several lines.
    pub command: String,
    /// Timeout in seconds, after which the command and all its child processes are killed.
    #[serde(default = "default_timeout_seconds")]
    #[schemars(range(min = 1, max = 300))]
    pub timeout_seconds: u64,
    /// Directory to run the command in, relative to the workspace root.
    #[serde(default = "super::launcher::default_working_directory")]
    pub working_directory: String,
    /// Run the command in the background and return immediately; the timeout does not apply.
    #[serde(default)]
    pub background: bool,
    /// Permissions that the command needs beyond the sandbox: `network`, `services`, `write:<path>`
    /// or `unconfined`. Each requires approval.
    pub needs: Option<Vec<String>>,
    /// Reason for `needs`, shown to the approver.
    pub reason: Option<String>,
    /// Program that runs instead of the command line, without a shell.
    #[serde(skip)]
    pub(crate) program: Option<Argv>,
    #[serde(skip)]
    pub(crate) judged: OnceLock<Judged>,
}

/// A program and its arguments.
#[derive(Debug, Clone)]
#[cfg_attr(
    not(feature = "document-sets"),
    allow(dead_code, reason = "only a set of a document runs programs")
)]
pub(crate) struct Argv {
    pub(crate) words: Vec<String>,
    /// Whether the arguments are a parameter of their own.
    pub(crate) has_arguments: bool,
}

impl BashInput {
    /// Creates the input of a command line, with the default options.
    pub(crate) fn of(command: String) -> Self {
        Self {
            command,
            timeout_seconds: default_timeout_seconds(),
            working_directory: super::launcher::default_working_directory(),
            background: false,
            needs: None,
            reason: None,
            program: None,
            judged: OnceLock::new(),
        }
    }

    /// Returns what `guard` says about the command, which the plan and the run share.
    fn judged(&self, guard: &Guard) -> Result<&Judged, ToolError> {
        if let Some(judged) = self.judged.get() {
            return Ok(judged);
        }
        let judged = guard.judge(&self.invocation(), &self.working_directory)?;
        Ok(self.judged.get_or_init(|| judged))
    }

    fn invocation(&self) -> Invocation {
        let Some(argv) = &self.program else {
            return Invocation::Line(self.command.clone());
        };
        let mut words = argv.words.iter().cloned();
        let name = words.next().unwrap_or_default();
        let arguments = words.collect();
        Invocation::Program { name, arguments }
    }

    /// Returns the parameters of one simple command, or of the entire call. Rules match parameters, so they have the form in
    /// which the call passed them.
    fn shown(&self, part: Option<&[String]>) -> Vec<(&'static str, Value)> {
        let program = self.program.as_ref();
        let Some(shown) = part.or_else(|| program.map(|argv| &*argv.words)) else {
            return vec![("command", json!(self.command))];
        };
        if !program.is_some_and(|argv| argv.has_arguments) {
            return vec![("command", json!(words::join_part(shown)))];
        }
        let (name, rest) = shown.split_at(shown.len().min(1));
        vec![
            ("command", json!(name.concat())),
            ("arguments", json!(words::join_part(rest))),
        ]
    }

    fn request(&self) -> Request<'_> {
        Request {
            needs: self.needs.as_deref(),
            reason: self.reason.as_deref(),
        }
    }
}

/// Runs command lines in `bash`, or in `sh` if `bash` is not installed. All processes that a
/// command starts are killed when the call finishes.
///
/// The shell is not the user's configured shell, does not run as a login shell and reads no startup
/// files. Nothing is kept between calls: no variables, working directory or jobs.
///
/// At most 64 KB of each stream is returned, half from its beginning and half from its end; see
/// [`with_max_output_bytes`](Self::with_max_output_bytes) and
/// [`with_output_store`](Self::with_output_store). A truncated stream causes a warning.
///
/// A command starts in the given directory but is not confined to it: without a [`Sandbox`], it can access everything that
/// the host's user can. So a [`CommandFilter`] checks each call before it runs. A forbidden call fails with
/// [`CommandForbidden`](tool_core::ErrorCode::CommandForbidden); a questionable call requires approval, even if the policy
/// allows the tool. The tokio runtime must have its I/O and time drivers enabled.
///
/// The registry drops a call that is cancelled or exceeds the registry's timeout. A separate thread
/// then kills the processes within a few hundred milliseconds. A runtime that is dropped waits for
/// this thread. Dropping the last owner of the tool, such as a kit or a registry, waits at most 2
/// seconds for it, even after `Runtime::shutdown_background`. `std::process::exit` does not wait, but
/// on Linux a separate watcher process kills the commands of a host that has ended. The metadata of a
/// result name the mechanism under `process_tree`; see [`process_tree::Mechanism`].
///
/// # Errors
/// - `invalid_arguments` if the command is empty, contains a NUL character or is longer than 128 KB
///   (the filter requires approval for commands over 64 KB), or if the timeout is out of range.
/// - The path error codes for `working_directory`.
/// - `command_not_found` if no shell is installed.
/// - `timeout` and `cancelled`, with the output so far.
///
/// Any exit code is a success: it is information for the model, and `grep` exits with 1 if nothing
/// matches.
///
/// # Examples
/// ```
/// use tool_core::{TypedTool, ToolContext};
/// use tool_test::Scratch;
/// use tools_builtin::shell::Bash;
/// use tools_builtin::Workspace;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let scratch = Scratch::new().file("a.txt", "one\ntwo\n");
/// let tool = Bash::new(Workspace::open(scratch.path())?);
/// let input = serde_json::from_str(r#"{"command": "grep -c o a.txt; exit 3"}"#)?;
/// let output = tool.run(&ToolContext::test(), input).await?;
/// assert_eq!((output.stdout.as_str(), output.exit_code), ("2\n", Some(3)));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct Bash {
    pub(crate) launcher: Launcher,
    background: Option<BackgroundCommands>,
}

impl Bash {
    /// Creates a tool that runs commands in `workspace` with a minimal environment. Timeouts are
    /// 1 to 300 seconds.
    pub fn new(workspace: Workspace) -> Self {
        Self {
            launcher: Launcher::new(workspace, TIMEOUTS),
            background: None,
        }
    }

    /// Sets the environment of the programs.
    pub fn with_environment(mut self, environment: Environment) -> Self {
        self.launcher.set_environment(environment);
        self
    }

    /// Sets the filter for commands. The default is the
    /// [filter for the workspace](crate::shell::workspace_filter). `~` is expanded to
    /// `HOME` of the environment.
    pub fn with_filter(mut self, filter: CommandFilter) -> Self {
        self.launcher.set_guard(Guard::with(filter));
        self
    }

    /// Disables the command filter, so that every command that the policy allows is run.
    /// Use it only if programs are confined by other means.
    pub fn without_filter(mut self) -> Self {
        self.launcher.set_guard(Guard::disabled());
        self
    }

    /// Records each command in `history`.
    pub(crate) fn with_history(mut self, history: TerminalHistory) -> Self {
        self.launcher.history = Some(history);
        self
    }

    /// Limits the address space of each process of a command. Supported only on Linux;
    /// other systems report a warning.
    ///
    /// The effective limit is reported in the metadata as `memory_limit_bytes`, rounded
    /// down to whole kilobytes. A second shell sets the limit before the command starts,
    /// which makes each call slightly slower.
    pub fn with_memory_limit(mut self, bytes: u64) -> Self {
        self.launcher.memory_limit = Some(bytes);
        self
    }

    /// Sets the maximum bytes returned of each stream. The default is 65,536; half is from
    /// the beginning of the stream and half from its end. A truncated stream causes a
    /// warning.
    pub fn with_max_output_bytes(mut self, bytes: usize) -> Self {
        self.launcher.output.max_bytes = bytes;
        self
    }

    /// Stores outputs that are truncated in `store`, up to 8 MB of each stream. The metadata
    /// contains the handle as `stored_output`.
    pub fn with_output_store(mut self, store: Arc<dyn OutputStore>) -> Self {
        self.launcher.output.store = Some(store);
        self
    }

    /// Sets the allowed timeouts in seconds. If the maximum exceeds the default range, the
    /// input of the tool that a model sees must also allow it.
    pub fn with_timeout_seconds(mut self, seconds: RangeInclusive<u64>) -> Self {
        self.launcher.timeouts = TimeoutRange::new(seconds);
        self
    }

    /// Returns whether a sandbox confines the programs.
    pub fn is_confined(&self) -> bool {
        self.launcher.is_confined()
    }

    /// Runs the programs without a sandbox.
    pub fn unconfined(mut self) -> Self {
        self.launcher.confinement = None;
        self
    }

    /// Runs the programs in `sandbox`, with write access to the tool's workspace.
    pub fn with_sandbox(mut self, sandbox: Sandbox) -> Self {
        let workspace = self.launcher.workspace.clone();
        self.launcher.confinement = Some(Confinement::new(workspace, sandbox));
        self
    }

    /// Enables background commands and stores them in `commands`. Background calls are rejected by
    /// default.
    ///
    /// Background commands use the same filter, sandbox, working directory and limits as other
    /// commands, but are not recorded in the history.
    pub fn with_background(mut self, commands: BackgroundCommands) -> Self {
        self.background = Some(commands);
        self.launcher.has_background = true;
        self
    }

    /// Returns the readable text of the output, with the lines that report errors, and explains why a command ended.
    pub(crate) fn for_model(mut self) -> Self {
        self.launcher.output.show_to_model();
        self
    }

    /// Runs programs, for as long as a call says unless the host has set a range of timeouts, and never in the background.
    #[cfg(feature = "document-sets")]
    pub(crate) fn for_programs(mut self) -> Self {
        if self.launcher.timeouts == TimeoutRange::new(TIMEOUTS) {
            self.launcher.timeouts = TimeoutRange::new(1..=MAX_SECONDS);
        }
        self.launcher.has_background = false;
        self.background = None;
        self
    }

    /// Rejects literal paths outside the workspace if a sandbox is enforced.
    #[cfg(feature = "document-sets")]
    pub(crate) fn within_workspace(mut self) -> Self {
        self.launcher.restrict_to_workspace();
        self
    }

    async fn run_in_background(
        &self,
        cx: &ToolContext,
        launch: Launch,
    ) -> Result<CommandOutput, ToolError> {
        let commands = self.background.as_ref().ok_or_else(no_background)?;
        // Check before the start, so that a full store starts nothing. `add` checks again under its lock.
        commands.check()?;
        let line = launch.command.clone();
        // The store keeps the output.
        let (run, _) = self
            .launcher
            .start(cx, launch, Kept::raw(0), |_run| {})
            .await?;
        Ok(CommandOutput {
            background_id: Some(commands.add(run, line)?),
            ..CommandOutput::default()
        })
    }
}

impl TypedTool for Bash {
    type Input = BashInput;
    type Output = CommandOutput;

    const RISK: RiskLevel = RiskLevel::Dangerous;

    fn plan(&self, _cx: &ToolContext, input: &BashInput) -> Result<CallPlan, ToolError> {
        let launcher = &self.launcher;
        launcher.timeouts.timeout(input.timeout_seconds)?;
        if input.program.is_none() {
            check_line(&input.command)?;
        }
        if input.background && self.background.is_none() {
            return Err(no_background());
        }
        let judged = input.judged(&launcher.guard())?;
        let shown = |part: Option<&[String]>| input.shown(part);
        launcher.plan(judged, input.request(), &input.working_directory, shown)
    }

    fn timeout(&self) -> Option<Duration> {
        // Longer than the tool's own timeout, which needs time for its cleanup.
        Some(self.launcher.timeouts.with_clean_up())
    }

    async fn run(&self, cx: &ToolContext, input: BashInput) -> Result<CommandOutput, ToolError> {
        let launch = Launch {
            timeout: self.launcher.timeouts.timeout(input.timeout_seconds)?,
            requested: input.request().grants()?,
            // The same verdict as in the plan, so the run receives exactly what the prompt has named.
            judged: input.judged(&self.launcher.guard())?.clone(),
            invocation: input.invocation(),
            command: input.command,
            working_directory: input.working_directory,
            in_background: input.background,
        };
        if input.background {
            return self.run_in_background(cx, launch).await;
        }
        self.launcher.run(cx, launch).await
    }

    fn render(output: &CommandOutput) -> String {
        output.to_string()
    }
}

fn default_timeout_seconds() -> u64 {
    30
}

fn check_line(line: &str) -> Result<(), ToolError> {
    if line.trim().is_empty() {
        return Err(ToolError::invalid_arguments("command", "is empty")
            .suggest("Pass a command line, such as `ls -l`."));
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
        .suggest("Omit the parameter and set a sufficient timeout.")
}
