//! Execution of single programs without a shell.

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests;

use std::iter;
use std::ops::RangeInclusive;
use std::sync::OnceLock;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use shell_verdict::words::{self, UnbalancedQuote};
use tool_core::{CallPlan, RiskLevel, ToolContext, ToolError, TypedTool};

use super::command_output::CommandOutput;
use super::grants::Request;
use super::guard::{Guard, Judged};
use super::launcher::{Launch, Launcher, launcher_settings};
use super::program::Invocation;
#[cfg(feature = "document-sets")]
use crate::timeout_range::TimeoutRange;
use crate::workspace::Workspace;

/// Default range of timeouts in seconds.
const TIMEOUTS: RangeInclusive<u64> = 1..=600;

/// Longest timeout in seconds without a maximum: three years.
#[cfg(feature = "document-sets")]
pub(crate) const MAX_SECONDS: u64 = 100_000_000;

/// Program to run and its options.
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
    /// Program to run, without a shell; may be a complete command line if `arguments` is omitted.
    pub command: String,
    /// Arguments of the program: a list, or a string that is split at spaces outside quotes.
    pub arguments: Option<CommandArguments>,
    /// Timeout in seconds, after which the program and all its child processes are killed.
    #[serde(default = "default_timeout_seconds")]
    #[schemars(range(min = 1, max = 600))]
    pub timeout_seconds: u64,
    /// Directory to run the program in, relative to the workspace root.
    #[serde(default = "super::launcher::default_working_directory")]
    pub working_directory: String,
    /// Permissions that the program needs beyond the sandbox: `network`, `services`, `write:<path>`
    /// or `unconfined`. Each requires approval.
    pub needs: Option<Vec<String>>,
    /// Reason for `needs`, shown to the approver.
    pub reason: Option<String>,
    #[serde(skip)]
    pub(crate) judged: OnceLock<Judged>,
}

impl RunCommandInput {
    /// Returns what `guard` says about the command, which the plan and the run share.
    fn judged(&self, guard: &Guard) -> Result<&Judged, ToolError> {
        if let Some(judged) = self.judged.get() {
            return Ok(judged);
        }
        let (name, arguments) = argv(self)?;
        let invocation = Invocation::Program { name, arguments };
        let judged = guard.judge(&invocation, &self.working_directory)?;
        Ok(self.judged.get_or_init(|| judged))
    }

    fn request(&self) -> Request<'_> {
        Request {
            needs: self.needs.as_deref(),
            reason: self.reason.as_deref(),
        }
    }

    /// Returns `true` if the arguments are split from a string.
    fn is_split(&self) -> bool {
        !matches!(&self.arguments, Some(CommandArguments::List(list)) if !list.is_empty())
    }
}

/// Arguments of a program, as a list or a string.
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
    /// Arguments that are passed unchanged.
    List(Vec<String>),
    /// String that is split at spaces outside quotes.
    Text(String),
}

/// Runs programs in a directory of the workspace. All processes that a program starts are killed
/// when the call finishes.
///
/// A program starts in the given directory but is not confined to it: without a
/// [`Sandbox`](super::Sandbox), it can access everything that the host's user can. So a
/// [`CommandFilter`](shell_verdict::CommandFilter) checks each call before it runs. A forbidden call
/// fails with [`CommandForbidden`](tool_core::ErrorCode::CommandForbidden); a questionable call
/// requires approval, even if the policy allows the tool. The tokio runtime must have its I/O and
/// time drivers enabled.
///
/// The registry drops a call that is cancelled or exceeds the registry's timeout. A separate thread
/// then kills the processes within a few hundred milliseconds. A runtime that is dropped waits for
/// this thread. Dropping the last owner of the tool, such as a kit or a registry, waits at most 2
/// seconds for it, even after `Runtime::shutdown_background`. `std::process::exit` does not wait, but
/// on Linux a separate watcher process kills the commands of a host that has ended. The metadata of a
/// result name the mechanism under `process_tree`; see [`process_tree::Mechanism`].
///
/// # Examples
/// ```
/// use tool_core::{TypedTool, ToolContext};
/// use tool_test::Scratch;
/// use tools_builtin::shell::RunCommand;
/// use tools_builtin::workspace::Workspace;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let scratch = Scratch::new();
/// let tool = RunCommand::new(Workspace::open(scratch.path())?);
/// let input = serde_json::from_str(r#"{"command": "echo 'hello  world'"}"#)?;
/// let output = tool.run(&ToolContext::test(), input).await?;
/// assert_eq!((output.stdout.as_str(), output.exit_code), ("hello  world\n", Some(0)));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct RunCommand {
    pub(crate) launcher: Launcher,
}

launcher_settings!(RunCommand);

impl RunCommand {
    /// Creates a tool that runs programs in `workspace` with a minimal environment. Timeouts are
    /// 1 to 600 seconds.
    pub fn new(workspace: Workspace) -> Self {
        Self {
            launcher: Launcher::new(workspace, TIMEOUTS),
        }
    }
}

#[cfg(feature = "document-sets")]
impl RunCommand {
    /// Removes the maximum timeout, unless the host has set one.
    pub(crate) fn with_long_timeouts(self) -> Self {
        if self.launcher.timeouts == TimeoutRange::new(TIMEOUTS) {
            self.with_timeout_seconds(1..=MAX_SECONDS)
        } else {
            self
        }
    }
}

impl TypedTool for RunCommand {
    type Input = RunCommandInput;
    type Output = CommandOutput;

    const RISK: RiskLevel = RiskLevel::Dangerous;

    fn plan(&self, _cx: &ToolContext, input: &RunCommandInput) -> Result<CallPlan, ToolError> {
        let launcher = &self.launcher;
        launcher.timeouts.timeout(input.timeout_seconds)?;
        let (name, arguments) = argv(input)?;
        let words: Vec<String> = iter::once(name).chain(arguments).collect();
        // Rules match parameters, so each simple command is shown in the form in which the call passed it.
        let shown = |command: Option<&[String]>| parameters(input, command.unwrap_or(&words));
        let judged = input.judged(&launcher.guard())?;
        launcher.plan(judged, input.request(), &input.working_directory, shown)
    }

    fn timeout(&self) -> Option<Duration> {
        // Longer than the tool's own timeout, which needs time for its cleanup.
        Some(self.launcher.timeouts.with_clean_up())
    }

    async fn run(
        &self,
        cx: &ToolContext,
        input: RunCommandInput,
    ) -> Result<CommandOutput, ToolError> {
        let timeout = self.launcher.timeouts.timeout(input.timeout_seconds)?;
        let (name, arguments) = argv(&input)?;
        warn_of_shell_words(&arguments, input.is_split(), cx);
        let words = iter::once(&name).chain(&arguments);
        let launch = Launch {
            requested: input.request().grants()?,
            judged: input.judged(&self.launcher.guard())?.clone(),
            command: words::join(words.map(String::as_str)),
            invocation: Invocation::Program { name, arguments },
            working_directory: input.working_directory,
            timeout,
            has_input: false,
        };
        self.launcher.run(cx, launch).await
    }

    fn render(output: &CommandOutput) -> String {
        output.to_string()
    }
}

fn default_timeout_seconds() -> u64 {
    120
}

/// Maximum characters of a word that a warning repeats.
const MAX_WORD_CHARS: usize = 80;

/// Words that have a meaning only in a shell.
const SHELL_WORDS: [&str; 10] = ["|", "||", "&&", ";", "&", ">", ">>", "<", "2>", "2>&1"];

/// Returns the program's name and its arguments.
fn argv(input: &RunCommandInput) -> Result<(String, Vec<String>), ToolError> {
    let arguments = match &input.arguments {
        Some(CommandArguments::List(list)) if !list.is_empty() => list.clone(),
        Some(CommandArguments::Text(text)) if !text.trim().is_empty() => {
            words::split(text).map_err(|quote| unbalanced("arguments", quote))?
        }
        // Empty arguments count as omitted, so `{"command": "ls -l", "arguments": []}` runs `ls` with `-l`.
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

/// Returns the parameters for `command` in the same form as `input`.
fn parameters(input: &RunCommandInput, command: &[String]) -> Vec<(&'static str, Value)> {
    let (name, rest) = command.split_at(command.len().min(1));
    match &input.arguments {
        Some(CommandArguments::List(list)) if !list.is_empty() => {
            vec![
                ("command", json!(name.concat())),
                ("arguments", json!(rest)),
            ]
        }
        Some(CommandArguments::Text(text)) if !text.trim().is_empty() => vec![
            ("command", json!(name.concat())),
            ("arguments", json!(words::join_part(rest))),
        ],
        _ => vec![("command", json!(words::join_part(command)))],
    }
}

/// Suggestion for an unbalanced quote if arguments may be a list.
pub(crate) const CLOSE_THE_QUOTE: &str = "Close the quote. As a list, `arguments` need no quotes.";

fn no_program() -> ToolError {
    ToolError::invalid_arguments("command", "names no program")
        .suggest("Pass the name of a program, such as `ls`.")
}

fn unbalanced(parameter: &str, quote: UnbalancedQuote) -> ToolError {
    let symbol = quote.symbol();
    let sentence = format!("has an unbalanced {symbol}");
    ToolError::invalid_arguments(parameter, sentence).suggest(CLOSE_THE_QUOTE)
}

/// Warns about arguments that only a shell would interpret.
fn warn_of_shell_words(arguments: &[String], is_split: bool, cx: &ToolContext) {
    let found = arguments
        .iter()
        .find(|word| SHELL_WORDS.contains(&word.as_str()) || (is_split && is_shell_syntax(word)));
    if let Some(word) = found {
        let word: String = word.chars().take(MAX_WORD_CHARS).collect();
        cx.warn(format!(
            "Commands run without a shell: `{word}` was passed to the program unchanged."
        ));
    }
}

/// Returns `true` if `word` looks like a redirection, a command separator or an expansion. Quotes
/// are already removed and the program may use the same syntax, so this is only worth a warning.
fn is_shell_syntax(word: &str) -> bool {
    let redirects = word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '&');
    let expands = word.strip_prefix('$').is_some_and(|name| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || "_{(".contains(c))
    });
    redirects.starts_with('>') || word.ends_with(';') || expands
}
