//! Common code of the tools that run commands: working directory, limits, sandbox and history.

use std::borrow::Cow;
use std::mem;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use process_tree::ProcessTrees;
use serde_json::{Value, json};
use shell_verdict::Grant;
#[cfg(target_os = "linux")]
use tool_core::CancellationToken;
use tool_core::{CallPlan, ToolContext, ToolError};

use super::advice;
use super::command_output::{CommandOutput, OutputBudget, note};
use super::environment::Environment;
use super::grants::{self, Request};
use super::guard::{Guard, Judged};
use super::process::{ExitBarrier, Run};
use super::program::{Invocation, Program};
#[cfg(target_os = "linux")]
use super::recovery;
use super::sandbox::{Confinement, Effects};
use super::streams::Kept;
use super::terminal::{ExecutedCommand, TerminalHistory};
use crate::blocking::blocking_with_rest;
use crate::timeout_range::TimeoutRange;
#[cfg(target_os = "linux")]
use crate::workspace::Checkpoint;
use crate::workspace::{WorkingDirectory, Workspace};

/// Time before the deadline of a call at which the command is killed, so that its output can be
/// returned.
const DEADLINE_MARGIN: Duration = Duration::from_millis(500);

/// Command to run.
#[derive(Debug, Clone)]
pub(crate) struct Launch {
    /// Command line for the history.
    pub(crate) command: String,
    pub(crate) invocation: Invocation,
    /// Working directory, as passed by the model.
    pub(crate) working_directory: String,
    pub(crate) timeout: Duration,
    /// Whether the command runs on after its call, and later calls can write to it.
    pub(crate) in_background: bool,
    /// Permissions that the model requested and a person approved.
    pub(crate) requested: Vec<Grant>,
    /// What the filter says about the command.
    pub(crate) judged: Judged,
}

/// Starts programs in a workspace and waits for them.
#[derive(Debug, Clone)]
pub(crate) struct Launcher {
    pub(crate) workspace: Workspace,
    environment: Environment,
    guard: Guard,
    pub(crate) exit_barrier: ExitBarrier,
    pub(crate) timeouts: TimeoutRange,
    pub(crate) memory_limit: Option<u64>,
    pub(crate) confinement: Option<Confinement>,
    pub(crate) history: Option<TerminalHistory>,
    pub(crate) output: OutputBudget,
    /// Whether the tool can start commands that outlive their call.
    pub(crate) has_background: bool,
}

impl Launcher {
    /// Creates a launcher with a minimal environment and these timeouts in seconds.
    pub(crate) fn new(workspace: Workspace, timeouts: RangeInclusive<u64>) -> Self {
        let environment = Environment::of_host();
        Self {
            guard: Guard::of(&workspace, &environment),
            workspace,
            environment,
            exit_barrier: ExitBarrier::default(),
            timeouts: TimeoutRange::new(timeouts),
            memory_limit: None,
            confinement: None,
            history: None,
            output: OutputBudget::default(),
            has_background: false,
        }
    }

    /// Returns whether a sandbox confines commands without the grant to run outside it.
    pub(crate) fn is_confined(&self) -> bool {
        self.confinement.is_some()
    }

    pub(crate) fn set_environment(&mut self, environment: Environment) {
        self.guard = mem::take(&mut self.guard).at_home(&environment);
        self.environment = environment;
    }

    /// Returns the guard for the next command. If the last checkpoint did not hold everything, losses
    /// require approval.
    pub(crate) fn guard(&self) -> Cow<'_, Guard> {
        #[cfg(target_os = "linux")]
        if self.workspace.has_gaps() {
            return Cow::Owned(self.guard.without_recovery());
        }
        Cow::Borrowed(&self.guard)
    }

    pub(crate) fn set_guard(&mut self, guard: Guard) {
        self.guard = guard.at_home(&self.environment);
    }

    /// Rejects commands with literal paths outside the workspace. Computed paths fail in the sandbox, and require approval
    /// without one.
    #[cfg(feature = "document-sets")]
    pub(crate) fn restrict_to_workspace(&mut self) {
        self.guard = mem::take(&mut self.guard).within_workspace();
        let limited = self.confinement.as_ref();
        self.confinement = limited.map(Confinement::with_limited_reads);
    }

    /// Runs a command until it exits, times out or is cancelled.
    pub(crate) async fn run(
        &self,
        cx: &ToolContext,
        launch: Launch,
    ) -> Result<CommandOutput, ToolError> {
        let (command, timeout) = (launch.command.clone(), launch.timeout);
        let executed_at = self.history.as_ref().map(TerminalHistory::now);
        let first = within_deadline(timeout, cx);
        let wait = move |run: &mut Run| run.wait_briefly(first);
        let (run, granted) = self.start(cx, launch, self.output.kept(), wait).await?;
        // Again, because the start may have used a part of the time until the deadline.
        let allowed = within_deadline(timeout, cx);
        let mut outcome = run.finish(allowed, cx).await?;
        let shown = self.output.shown(&mut outcome, cx).await;
        note(&outcome, cx);
        if self.output.for_model {
            advice::report_end(&outcome, cx);
        }
        advice::report_left(&outcome, self.has_background, cx);
        advice::report_missing_variable(&outcome, &self.environment, cx);
        if let Some(confinement) = self.confinement_for(&granted) {
            advice::report_denial(&outcome, &granted, confinement.network(&granted), cx);
        }
        if let (Some(history), Some(executed_at)) = (&self.history, executed_at) {
            history.record(ExecutedCommand {
                command,
                exit_code: outcome.exit_code(),
                executed_at,
                output: outcome.combined.to_text(),
            });
        }
        let output = CommandOutput::so_far(&outcome, shown);
        output.or_partial(&outcome, allowed, self.output.for_model)
    }

    /// Starts a command that keeps `kept` of each stream, and returns it with its grants. All processes are spawned here.
    ///
    /// A blocking thread resolves the directory, spawns the program and calls `first` with the run.
    /// If the call is dropped before that, the run is dropped too, which kills the program.
    pub(crate) async fn start(
        &self,
        cx: &ToolContext,
        launch: Launch,
        kept: Kept,
        first: impl FnOnce(&mut Run) + Send + 'static,
    ) -> Result<(Run, Vec<Grant>), ToolError> {
        // The thread must not be an owner: dropping the last owner waits for its run.
        let launcher = Self {
            exit_barrier: ExitBarrier::default(),
            ..self.clone()
        };
        let running = self.exit_barrier.running();
        let context = cx.clone();
        blocking_with_rest(cx, move |cancellation| {
            // Keep the directory handle open until the program has started in it.
            let written = &launch.working_directory;
            let directory = launcher
                .workspace
                .working_directory("working_directory", written)?;
            // Check again with the resolved path, where an approved command may be forbidden.
            launcher
                .guard
                .check_resolved(&launch.invocation, &directory, written)?;
            if cancellation.is_cancelled() {
                return Err(ToolError::cancelled());
            }
            let found = launch.judged.grants();
            let granted = launcher.given(launch.requested.clone(), found, written)?;
            #[cfg(target_os = "linux")]
            let checkpoint = launcher.checkpoint(&launch, &granted, &context, cancellation)?;
            let effects = launch.judged.effects();
            let program = launcher.program(launch, &directory, &granted);
            let mut run = launcher.started(program, &granted, effects, kept, &context)?;
            run.tree.keep(running);
            // After the sandbox has restored what is protected, which is no change of the command.
            #[cfg(target_os = "linux")]
            if let Some(checkpoint) = checkpoint {
                let call_id = context.call_id().to_owned();
                run.after_exit(move || recovery::finish(checkpoint, &call_id));
            }
            first(&mut run);
            // Closing handles costs time, so it happens after the result has been sent (benches/NOTEBOOK.md).
            let rest = (run.streams.take_closed(), directory);
            Ok(((run, granted), rest))
        })
        .await
    }

    /// Starts `program` in the sandbox with the granted permissions, or without a sandbox.
    fn started(
        &self,
        program: Program,
        granted: &[Grant],
        effects: Effects,
        kept: Kept,
        cx: &ToolContext,
    ) -> Result<Run, ToolError> {
        if !granted.is_empty() {
            let names: Vec<String> = granted.iter().map(Grant::to_string).collect();
            cx.note("grants", names);
        }
        if let Some(confinement) = self.confinement_for(granted) {
            return confinement.start(program, granted, effects, kept, cx);
        }
        cx.note("sandbox", json!({"enforced": false}));
        Run::start(&program, kept, cx)
    }

    /// Makes a checkpoint before a command that may write.
    #[cfg(target_os = "linux")]
    fn checkpoint(
        &self,
        launch: &Launch,
        granted: &[Grant],
        cx: &ToolContext,
        cancellation: &CancellationToken,
    ) -> Result<Option<Checkpoint>, ToolError> {
        if !launch.judged.may_write() && granted.is_empty() {
            return Ok(None);
        }
        recovery::checkpoint(&self.workspace, cx, cancellation, || {
            let guard = self.guard().without_recovery();
            let alone = guard.judge(&launch.invocation, &launch.working_directory)?;
            let is_confined = self.confinement.is_some();
            Ok(alone.asks(is_confined) > launch.judged.asks(is_confined))
        })
    }

    fn program(&self, launch: Launch, directory: &WorkingDirectory, granted: &[Grant]) -> Program {
        Program {
            invocation: launch.invocation,
            directory: directory.path().to_owned(),
            environment: self.environment_for(granted),
            memory_limit: self.memory_limit,
            in_background: launch.in_background,
            is_held: false,
            // Not in the sandbox, which denies access to cgroups.
            containment: ProcessTrees::prepare(),
        }
    }

    /// Says what a command would do that starts in `directory`: the findings of the filter, what the call requests beyond the
    /// sandbox, and all permissions that approval gives. `shown` returns the parameters for one simple command, or for the
    /// entire call.
    ///
    /// # Errors
    /// Returns an error for an invalid request, or a path that cannot be granted.
    pub(crate) fn plan(
        &self,
        judged: &Judged,
        request: Request<'_>,
        directory: &str,
        shown: impl Fn(Option<&[String]>) -> Vec<(&'static str, Value)>,
    ) -> Result<CallPlan, ToolError> {
        let is_confined = self.is_confined();
        let risk = request.risk(|| judged.risk(is_confined));
        let plan = judged.describe(CallPlan::of(risk), is_confined, shown);
        let plan = self
            .workspace
            .matching_path(plan, "working_directory", directory);
        let given = self.given(request.grants()?, judged.grants(), directory)?;
        let given = given
            .iter()
            .map(|grant| grants::shown(grant, &self.environment));
        let plan = given.fold(request.raise(plan)?, CallPlan::with_grant);
        Ok(self.workspace.plan_of_command(plan))
    }

    /// Returns what approval gives to a command in `directory`, as the model has written it: a directory
    /// that is replaced after the approval gives nothing more.
    fn given(
        &self,
        requested: Vec<Grant>,
        found: Vec<Grant>,
        directory: &str,
    ) -> Result<Vec<Grant>, ToolError> {
        let first = self.workspace.roots().next();
        let directory = first.map_or_else(PathBuf::new, |root| root.real_path().join(directory));
        let is_confined = self.is_confined();
        grants::given(requested, found, &directory, &self.environment, is_confined)
    }

    /// Returns the environment for a call with these grants.
    fn environment_for(&self, grants: &[Grant]) -> Environment {
        let environment = self.environment.clone();
        let is_granted = |grant| grants.contains(&grant);
        let confinement = self.confinement.as_ref();
        let is_open = confinement.is_some_and(Confinement::allows_network);
        if is_open || is_granted(Grant::Network) || is_granted(Grant::Unconfined) {
            environment.with_proxies()
        } else {
            environment
        }
    }

    /// Returns the sandbox for a call with these grants.
    fn confinement_for(&self, grants: &[Grant]) -> Option<&Confinement> {
        let confined = !grants.contains(&Grant::Unconfined);
        self.confinement.as_ref().filter(|_| confined)
    }
}

/// Returns the timeout of a command, shortened to the deadline of the call.
fn within_deadline(timeout: Duration, cx: &ToolContext) -> Duration {
    let Some(deadline) = cx.deadline() else {
        return timeout;
    };
    let left = deadline.saturating_duration_since(Instant::now());
    // With less than a second left, the margin would leave the command nothing, so it gets half of the rest.
    timeout.min(left.saturating_sub(DEADLINE_MARGIN).max(left / 2))
}

/// Returns the default working directory of a command.
pub(crate) fn default_working_directory() -> String {
    ".".to_owned()
}

#[cfg(test)]
mod tests {
    use tool_test::Scratch;

    use super::*;
    use crate::shell::Sandbox;

    #[test]
    fn commands_get_proxies_only_with_network_access() {
        let scratch = Scratch::new();
        let workspace = Workspace::open(scratch.path()).unwrap();
        let mut launcher = Launcher::new(workspace.clone(), 1..=300);
        launcher.set_environment(Environment::of([("HTTP_PROXY".into(), "proxy".into())]));
        let has_proxy = |launcher: &Launcher, grants: &[Grant]| {
            let environment = launcher.environment_for(grants);
            environment.value("HTTP_PROXY").is_some()
        };

        assert!(!has_proxy(&launcher, &[]));
        assert!(!has_proxy(&launcher, &[Grant::Write("/srv".to_owned())]));
        assert!(has_proxy(&launcher, &[Grant::Network]));
        assert!(has_proxy(&launcher, &[Grant::Unconfined]));

        let open = Sandbox::standard().allow_network();
        launcher.confinement = Some(Confinement::new(workspace, open));
        assert!(has_proxy(&launcher, &[]));
    }
}
