//! What everything that runs commands has in common: where, under which limits, and who is told.

use std::mem;
use std::path::Path;
use std::time::{Duration, Instant};

use tool_core::{Limits, ToolContext, ToolError};

use super::command_output::{CommandOutput, note};
use super::environment::Environment;
use super::guard::Guard;
use super::process::Run;
use super::program::{Invocation, Program};
use super::sandbox::Confinement;
use super::terminal::{ExecutedCommand, TerminalHistory};
use crate::blocking::blocking_with_rest;
use crate::workspace::Workspace;

/// How much of each stream is kept, half from its beginning and half from its end.
const CAPTURE_BYTES: usize = 64 * 1024;

/// How long before the deadline of its call a command is ended, so that what it wrote can still be told.
const DEADLINE_MARGIN: Duration = Duration::from_millis(500);

/// One command as an engine asks for it.
#[derive(Debug, Clone)]
pub(crate) struct Launch {
    /// How the history tells it.
    pub(crate) command: String,
    /// What to run.
    pub(crate) invocation: Invocation,
    /// The folder to run it in, as the model wrote it.
    pub(crate) working_directory: String,
    /// How long it may take.
    pub(crate) timeout: Duration,
}

/// Starts programs in a workspace and sees them to their end.
#[derive(Debug, Clone)]
pub(crate) struct Launcher {
    workspace: Workspace,
    environment: Environment,
    guard: Guard,
    pub(crate) memory_limit: Option<u64>,
    pub(crate) confinement: Option<Confinement>,
    pub(crate) history: Option<TerminalHistory>,
}

impl Launcher {
    /// A launcher whose programs see little of the host's environment.
    pub(crate) fn new(workspace: Workspace) -> Self {
        let environment = Environment::of_host();
        Self {
            guard: Guard::of(&workspace, &environment),
            workspace,
            environment,
            memory_limit: None,
            confinement: None,
            history: None,
        }
    }

    /// Where the programs start.
    #[cfg(feature = "sandbox")]
    pub(crate) fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// Gives the programs this environment.
    pub(crate) fn see(&mut self, environment: Environment) {
        self.guard = mem::take(&mut self.guard).at_home(&environment);
        self.environment = environment;
    }

    /// Judges commands by this guard.
    pub(crate) fn judge_by(&mut self, guard: Guard) {
        self.guard = guard.at_home(&self.environment);
    }

    /// What judges the commands.
    pub(crate) fn guard(&self) -> &Guard {
        &self.guard
    }

    /// Runs a command to its end, its timeout or its cancellation.
    pub(crate) async fn run(
        &self,
        cx: &ToolContext,
        launch: Launch,
        limits: &Limits,
    ) -> Result<CommandOutput, ToolError> {
        let (command, timeout) = (launch.command.clone(), launch.timeout);
        let executed_at = self.history.as_ref().map(TerminalHistory::now);
        let first = within_deadline(timeout, cx);
        let wait = move |run: &mut Run| run.wait_briefly(first);
        let run = self.start(cx, launch, limits, wait).await?;
        let allowed = within_deadline(timeout, cx);
        let outcome = run.finish(allowed, cx).await?;
        note(&outcome, cx);
        if let (Some(history), Some(executed_at)) = (&self.history, executed_at) {
            history.record(ExecutedCommand {
                command,
                exit_code: outcome.exit_code(),
                executed_at,
                output: outcome.both.to_text(),
            });
        }
        CommandOutput::of(&outcome, allowed, limits)
    }

    /// Starts a command: the only place from which anything is spawned.
    ///
    /// The folder is found and the program started on a thread that may block, which then does `first` with the run. If
    /// the call is dropped meanwhile, so is the run, which ends the program.
    pub(crate) async fn start(
        &self,
        cx: &ToolContext,
        launch: Launch,
        limits: &Limits,
        first: impl FnOnce(&mut Run) + Send + 'static,
    ) -> Result<Run, ToolError> {
        let Self {
            workspace,
            environment,
            guard,
            memory_limit,
            confinement,
            history: _,
        } = self.clone();
        let capture_bytes = limits.max_bytes.min(CAPTURE_BYTES);
        let context = cx.clone();
        blocking_with_rest(cx, move |cancellation| {
            // The handle of the folder stays open until the program has started in it.
            let folder =
                workspace.working_directory("working_directory", &launch.working_directory)?;
            // Once more, where links lead: what was approved may be forbidden there.
            guard.check(&launch.invocation, &folder, &launch.working_directory)?;
            if cancellation.is_cancelled() {
                return Err(ToolError::cancelled());
            }
            let program = Program {
                invocation: launch.invocation,
                folder: folder.path().to_owned(),
                short_cut: folder.short_cut().map(Path::to_owned),
                environment,
                memory_limit,
            };
            let mut run = match confinement {
                Some(confinement) => confinement.start(program, capture_bytes, &context),
                None => Run::start(&program, capture_bytes, &context),
            }?;
            first(&mut run);
            let rest = (run.take_closed(), folder);
            Ok((run, rest))
        })
        .await
    }
}

/// The timeout of a command, or less where the call as a whole ends before.
fn within_deadline(timeout: Duration, cx: &ToolContext) -> Duration {
    let Some(deadline) = cx.deadline() else {
        return timeout;
    };
    let left = deadline.saturating_duration_since(Instant::now());
    timeout.min(left.saturating_sub(DEADLINE_MARGIN).max(left / 2))
}
