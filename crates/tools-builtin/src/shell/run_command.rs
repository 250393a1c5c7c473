//! Running one program without a shell.

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests;

use std::iter;
use std::ops::RangeInclusive;
use std::time::Duration;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tool_core::approval::Assessment;
use tool_core::{Engine, Limits, RiskLevel, ToolContext, ToolError};

use super::command_output::CommandOutput;
use super::environment::Environment;
use super::filter::CommandFilter;
use super::guard::Guard;
use super::launcher::{Launch, Launcher};
use super::program::Invocation;
#[cfg(feature = "sandbox")]
use super::sandbox::Confinement;
use super::terminal::TerminalHistory;
use super::words::{self, UnbalancedQuote};
use crate::timeout_range::TimeoutRange;
use crate::workspace::Workspace;

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

/// Runs a program in a folder of the workspace, and leaves nothing running behind.
///
/// The folder is where the program starts; the program itself may go anywhere, as the host's user may. Calls are judged by a
/// [`CommandFilter`] before they run: one that is forbidden fails with
/// [`CommandForbidden`](tool_core::ErrorCode::CommandForbidden), and one that should be looked at asks, whatever the policy
/// says of the tool. It needs a tokio runtime with its I/O and time drivers on.
///
/// A call that is dropped, as the registry does when it is cancelled or runs into its own timeout, is ended by a thread
/// of its own within a few hundred milliseconds. A runtime that is dropped waits for that, so that a host which returns
/// from its `main` leaves nothing behind; `std::process::exit` and `Runtime::shutdown_background` do not wait.
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
    launcher: Launcher,
    timeouts: TimeoutRange,
}

impl RunCommand {
    /// Creates an engine whose programs start in `workspace`, see little of the host's environment and may ask for a
    /// timeout of 1 to 600 seconds.
    #[must_use]
    pub fn new(workspace: Workspace) -> Self {
        Self {
            launcher: Launcher::new(workspace),
            timeouts: TimeoutRange::new(1..=600),
        }
    }

    /// Gives the programs this environment.
    #[must_use]
    pub fn with_environment(mut self, environment: Environment) -> Self {
        self.launcher.see(environment);
        self
    }

    /// Tells `history` each command.
    #[must_use]
    pub fn with_history(mut self, history: TerminalHistory) -> Self {
        self.launcher.history = Some(history);
        self
    }

    /// Holds each process of a command to so many bytes of address space, as
    /// [`Bash::with_memory_limit`](super::Bash::with_memory_limit) does.
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
        let confinement = Confinement::new(self.launcher.workspace().clone(), sandbox);
        self.confined(confinement)
    }

    /// Runs the programs in a sandbox that other engines may share.
    #[cfg(feature = "sandbox")]
    pub(crate) fn confined(mut self, confinement: Confinement) -> Self {
        self.launcher.confinement = Some(confinement);
        self
    }

    /// Takes timeouts of so many seconds. A longer one than 600 also needs another schema for `timeout_seconds` in the
    /// presentation.
    #[must_use]
    pub fn with_timeout_seconds(mut self, seconds: RangeInclusive<u64>) -> Self {
        self.timeouts = TimeoutRange::new(seconds);
        self
    }

    /// Judges calls with this filter, in place of the standard one for the workspace. The home folder that it takes `~`
    /// for is that of the environment.
    ///
    /// # Examples
    /// ```
    /// use tool_test::Scratch;
    /// use tools_builtin::shell::{CommandFilter, RunCommand};
    /// use tools_builtin::workspace::Workspace;
    ///
    /// let scratch = Scratch::new();
    /// let workspace = Workspace::open(scratch.path())?;
    /// let filter = CommandFilter::of_workspace(&workspace).with_allowed_program("terraform");
    /// let engine = RunCommand::new(workspace).with_filter(filter);
    /// # Ok::<_, Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_filter(mut self, filter: CommandFilter) -> Self {
        self.launcher.judge_by(Guard::with(filter));
        self
    }

    /// Judges no call: what the policy allows runs, whatever it is. For hosts that confine their programs by other means.
    #[must_use]
    pub fn without_filter(mut self) -> Self {
        self.launcher.judge_by(Guard::off());
        self
    }
}

#[async_trait]
impl Engine for RunCommand {
    type Input = RunCommandInput;
    type Output = CommandOutput;

    const RISK: RiskLevel = RiskLevel::Dangerous;

    fn check(&self, input: &RunCommandInput) -> Result<(), ToolError> {
        self.timeouts.timeout(input.timeout_seconds)?;
        argv(input).map(drop)
    }

    fn assess(&self, input: &RunCommandInput) -> Result<Assessment, ToolError> {
        let (name, arguments) = argv(input)?;
        let words: Vec<String> = iter::once(name).chain(arguments).collect();
        let shown = |command: &[String]| parameters(input, command);
        let guard = self.launcher.guard();
        guard.assess_arguments(&words, &input.working_directory, shown)
    }

    fn timeout(&self) -> Option<Duration> {
        // The engine's own timeout comes first, and its clean-up needs a moment.
        Some(self.timeouts.with_clean_up())
    }

    async fn run(
        &self,
        cx: &ToolContext,
        input: RunCommandInput,
        limits: &Limits,
    ) -> Result<CommandOutput, ToolError> {
        let timeout = self.timeouts.timeout(input.timeout_seconds)?;
        let (name, arguments) = argv(&input)?;
        warn_of_shell_words(&arguments, input.is_split(), cx);
        let words = iter::once(&name).chain(&arguments);
        let launch = Launch {
            command: words::join(words.map(String::as_str)),
            invocation: Invocation::Program { name, arguments },
            working_directory: input.working_directory,
            timeout,
        };
        self.launcher.run(cx, launch, limits).await
    }

    fn render(output: &CommandOutput) -> String {
        output.to_string()
    }
}

fn default_timeout_seconds() -> u64 {
    120
}

fn default_working_directory() -> String {
    ".".to_owned()
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

/// The parameters of a call for `command` alone, in the form in which `input` came.
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

/// What to do about a quote without its partner, where arguments may be a list.
pub(crate) const CLOSE_THE_QUOTE: &str = "Close the quote. As a list, `arguments` need no quotes.";

fn no_program() -> ToolError {
    ToolError::invalid_arguments("command", "names no program")
        .suggest("Give the name of a program, such as `ls`.")
}

fn unbalanced(parameter: &str, quote: UnbalancedQuote) -> ToolError {
    let symbol = quote.symbol();
    let sentence = format!("has a {symbol} without its partner");
    ToolError::invalid_arguments(parameter, sentence).suggest(CLOSE_THE_QUOTE)
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
