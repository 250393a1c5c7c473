//! Running one program without a shell.

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests;

use std::time::Duration;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{Engine, Limits, RiskLevel, ToolContext, ToolError, ToolOutput};

use super::environment::Environment;
use super::process::{self, Budget, End, Outcome};
use super::program::Program;
use super::sandbox::Confinement;
use super::words::{self, UnbalancedQuote};
use crate::blocking::blocking;
use crate::workspace::Workspace;

/// How much of each stream is kept, half from its beginning and half from its end.
const CAPTURE_BYTES: usize = 64 * 1024;

/// The longest timeout that a call may ask for.
const MAX_TIMEOUT_SECONDS: u64 = 600;

/// How much of a word is repeated in a warning.
const MAX_WORD_CHARS: usize = 80;

/// Words that only a shell understands.
const SHELL_WORDS: [&str; 10] = ["|", "||", "&&", ";", "&", ">", ">>", "<", "2>", "2>&1"];

/// Which program to run, and how.
///
/// # Examples
/// ```
/// use tools_builtin::shell::RunCommandInput;
///
/// let input: RunCommandInput = serde_json::from_str(r#"{"command": "ls -l"}"#)?;
/// assert_eq!((input.timeout_seconds, input.working_directory.as_str()), (120, "."));
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct RunCommandInput {
    /// Program to run, without a shell; it may be a whole command line when no arguments are given.
    pub command: String,
    /// Arguments of the program: a list of them, or one text that is split at blanks outside of quotes.
    #[serde(default)]
    pub arguments: Option<CommandArguments>,
    /// Seconds after which the program and everything it started is ended.
    #[serde(default = "default_timeout_seconds")]
    #[schemars(range(min = 1, max = 600))]
    pub timeout_seconds: u64,
    /// Folder to run the program in, relative to the workspace root.
    #[serde(default = "default_working_directory")]
    pub working_directory: String,
}

impl RunCommandInput {
    /// Whether the arguments come from a text that was split, and not from a list.
    fn is_split(&self) -> bool {
        !matches!(&self.arguments, Some(CommandArguments::List(list)) if !list.is_empty())
    }
}

/// Arguments of a program in one of two forms.
///
/// # Examples
/// ```
/// use tools_builtin::shell::CommandArguments;
///
/// let text: CommandArguments = serde_json::from_str(r#""-l 'my file'""#)?;
/// assert_eq!(text, CommandArguments::Text("-l 'my file'".to_owned()));
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(description = "")]
pub enum CommandArguments {
    /// One argument an item, passed on as it is.
    List(Vec<String>),
    /// One text, split at blanks outside of quotes.
    Text(String),
}

/// What the program wrote, and how it ended.
///
/// # Examples
/// ```
/// use tool_core::Engine;
/// use tools_builtin::shell::{RunCommand, RunCommandOutput};
///
/// let output = RunCommandOutput {
///     stdout: "built\n".to_owned(),
///     stderr: String::new(),
///     exit_code: Some(1),
///     timed_out: false,
/// };
/// assert_eq!(RunCommand::render(&output), "built\nexit code 1");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
pub struct RunCommandOutput {
    /// What it wrote to its standard output.
    pub stdout: String,
    /// What it wrote to its standard error.
    pub stderr: String,
    /// Its exit code; null when it was ended by a signal.
    pub exit_code: Option<i32>,
    /// Whether it was ended because it ran too long.
    pub timed_out: bool,
}

/// Runs a program in a folder of the workspace, and leaves nothing running behind.
///
/// The folder is where the program starts; the program itself may go anywhere, as the host's user may. It needs a tokio
/// runtime with its I/O and time drivers on.
///
/// A call that is dropped, as the registry does when it is cancelled or runs into its own timeout, is ended by a thread
/// of its own within a few hundred milliseconds. A host that is about to end should give it that time.
///
/// # Examples
/// ```
/// use tool_core::{Engine, Limits, ToolContext};
/// use tool_test::Scratch;
/// use tools_builtin::shell::RunCommand;
/// use tools_builtin::workspace::Workspace;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let scratch = Scratch::new();
/// let engine = RunCommand::new(Workspace::open(scratch.path())?);
/// let input = serde_json::from_str(r#"{"command": "echo 'hello  world'"}"#)?;
/// let output = engine.run(&ToolContext::test(), input, &Limits::default()).await?;
/// assert_eq!((output.stdout.as_str(), output.exit_code), ("hello  world\n", Some(0)));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct RunCommand {
    workspace: Workspace,
    environment: Environment,
    confinement: Option<Confinement>,
}

impl RunCommand {
    /// Creates an engine whose programs start in `workspace` and see little of the host's environment.
    #[must_use]
    pub fn new(workspace: Workspace) -> Self {
        Self {
            workspace,
            environment: Environment::of_host(),
            confinement: None,
        }
    }

    /// Gives the programs this environment.
    #[must_use]
    pub fn with_environment(self, environment: Environment) -> Self {
        Self {
            environment,
            ..self
        }
    }

    /// Runs the programs in this sandbox, with the engine's workspace as the place they may write.
    ///
    /// # Examples
    /// ```
    /// use tool_test::Scratch;
    /// use tools_builtin::shell::{RunCommand, Sandbox};
    /// use tools_builtin::workspace::Workspace;
    ///
    /// let scratch = Scratch::new();
    /// let engine = RunCommand::new(Workspace::open(scratch.path())?).with_sandbox(Sandbox::standard());
    /// # Ok::<_, Box<dyn std::error::Error>>(())
    /// ```
    #[cfg(feature = "sandbox")]
    #[must_use]
    pub fn with_sandbox(self, sandbox: super::Sandbox) -> Self {
        let confinement = Confinement::new(self.workspace.clone(), sandbox);
        self.confined(confinement)
    }

    /// Runs the programs in a sandbox that other engines may share.
    #[cfg(feature = "sandbox")]
    pub(crate) fn confined(self, confinement: Confinement) -> Self {
        Self {
            confinement: Some(confinement),
            ..self
        }
    }
}

#[async_trait]
impl Engine for RunCommand {
    type Input = RunCommandInput;
    type Output = RunCommandOutput;

    const RISK: RiskLevel = RiskLevel::Dangerous;

    fn check(&self, input: &RunCommandInput) -> Result<(), ToolError> {
        timeout_of(input)?;
        argv(input).map(drop)
    }

    fn timeout(&self) -> Option<Duration> {
        // The engine's own timeout comes first, and its clean-up needs a moment.
        Some(Duration::from_secs(MAX_TIMEOUT_SECONDS + 30))
    }

    async fn run(
        &self,
        cx: &ToolContext,
        input: RunCommandInput,
        limits: &Limits,
    ) -> Result<RunCommandOutput, ToolError> {
        let budget = Budget {
            timeout: timeout_of(&input)?,
            capture_bytes: limits.max_bytes.min(CAPTURE_BYTES),
        };
        let (name, arguments) = argv(&input)?;
        warn_of_shell_words(&arguments, input.is_split(), cx);
        let workspace = self.workspace.clone();
        let folder = blocking(cx, move |_| {
            workspace.working_directory("working_directory", &input.working_directory)
        })
        .await?;
        let program = Program {
            name,
            arguments,
            folder: folder.path().to_owned(),
            environment: self.environment.clone(),
            confinement: self.confinement.clone(),
        };
        let outcome = process::run(&program, budget, cx).await?;
        note(&outcome, cx);
        finish(&outcome, budget.timeout, limits)
    }

    fn render(output: &RunCommandOutput) -> String {
        let mut parts = Vec::new();
        if !output.stdout.is_empty() {
            parts.push(output.stdout.trim_end_matches('\n').to_owned());
        }
        if !output.stderr.is_empty() {
            parts.push(format!("stderr:\n{}", output.stderr.trim_end_matches('\n')));
        }
        match output.exit_code {
            Some(0) | None if output.timed_out => {}
            Some(0) if parts.is_empty() => parts.push("(no output)".to_owned()),
            Some(0) => {}
            Some(code) => parts.push(format!("exit code {code}")),
            None => parts.push("ended by a signal".to_owned()),
        }
        parts.join("\n")
    }
}

fn default_timeout_seconds() -> u64 {
    120
}

fn default_working_directory() -> String {
    ".".to_owned()
}

fn timeout_of(input: &RunCommandInput) -> Result<Duration, ToolError> {
    let seconds = input.timeout_seconds;
    if (1..=MAX_TIMEOUT_SECONDS).contains(&seconds) {
        return Ok(Duration::from_secs(seconds));
    }
    Err(ToolError::invalid_arguments(
        "timeout_seconds",
        format!("must be from 1 to {MAX_TIMEOUT_SECONDS}, not {seconds}"),
    ))
}

/// The program's name and its arguments, whichever form they came in.
fn argv(input: &RunCommandInput) -> Result<(String, Vec<String>), ToolError> {
    let arguments = match &input.arguments {
        Some(CommandArguments::List(list)) if !list.is_empty() => list.clone(),
        Some(CommandArguments::Text(text)) if !text.trim().is_empty() => {
            words::split(text).map_err(|quote| unbalanced("arguments", quote))?
        }
        _ => return command_line(&input.command),
    };
    let name = input.command.trim();
    if name.is_empty() {
        return Err(no_program());
    }
    Ok((name.to_owned(), arguments))
}

fn command_line(text: &str) -> Result<(String, Vec<String>), ToolError> {
    let mut words = words::split(text)
        .map_err(|quote| unbalanced("command", quote))?
        .into_iter();
    match words.next() {
        Some(name) if !name.is_empty() => Ok((name, words.collect())),
        _ => Err(no_program()),
    }
}

fn no_program() -> ToolError {
    ToolError::invalid_arguments("command", "names no program")
        .suggest("Give the name of a program, such as `ls`.")
}

fn unbalanced(parameter: &str, quote: UnbalancedQuote) -> ToolError {
    let symbol = quote.symbol();
    let sentence = format!("has a {symbol} without its partner");
    ToolError::invalid_arguments(parameter, sentence)
        .suggest("Close the quote, or give the arguments as a list, which needs no quotes.")
}

fn warn_of_shell_words(arguments: &[String], is_split: bool, cx: &ToolContext) {
    let found = arguments.iter().find(|word| {
        SHELL_WORDS.contains(&word.as_str()) || (is_split && is_meant_for_a_shell(word))
    });
    if let Some(word) = found {
        let word: String = word.chars().take(MAX_WORD_CHARS).collect();
        cx.warn(format!(
            "There is no shell here: `{word}` was passed to the program as text."
        ));
    }
}

/// Whether this looks like a redirection, the end of a command, or something to expand. Quotes are gone by now, so that a
/// program's own language may look the same: that is worth a warning and no more.
fn is_meant_for_a_shell(word: &str) -> bool {
    let redirects =
        word.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == '&');
    let expands = word.strip_prefix('$').is_some_and(|name| {
        name.starts_with(|letter: char| letter.is_ascii_alphabetic() || "_{(".contains(letter))
    });
    redirects.starts_with('>') || word.ends_with(';') || expands
}

fn note(outcome: &Outcome, cx: &ToolContext) {
    if let End::Exited(status) = outcome.end {
        cx.note("exit_code", status.code());
        #[cfg(unix)]
        if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
            cx.note("signal", signal);
        }
    }
    for (name, stream) in [("stdout", &outcome.stdout), ("stderr", &outcome.stderr)] {
        if stream.dropped() > 0 {
            cx.note(format!("{name}_bytes_left_out"), stream.dropped());
        }
    }
}

fn finish(
    outcome: &Outcome,
    timeout: Duration,
    limits: &Limits,
) -> Result<RunCommandOutput, ToolError> {
    // Bytes were cut already, from the middle.
    let lines = Limits::lines(limits.max_lines);
    let output = RunCommandOutput {
        stdout: lines.cut(&outcome.stdout.to_text()),
        stderr: lines.cut(&outcome.stderr.to_text()),
        exit_code: match outcome.end {
            End::Exited(status) => status.code(),
            End::TimedOut | End::Cancelled => None,
        },
        timed_out: outcome.end == End::TimedOut,
    };
    match outcome.end {
        End::Exited(_) => Ok(output),
        End::TimedOut => Err(ToolError::timeout(timeout)
            .suggest("Allow more time, or run something smaller.")
            .with_output(so_far(&output))),
        End::Cancelled => Err(ToolError::cancelled().with_output(so_far(&output))),
    }
}

fn so_far(output: &RunCommandOutput) -> ToolOutput {
    let text = <RunCommand as Engine>::render(output);
    let data = serde_json::to_value(output).unwrap_or_default();
    ToolOutput::text(text).with_data(data)
}
