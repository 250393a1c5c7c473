//! Background commands of one session.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tool_core::{ErrorCode, ToolError};

use super::command::{BackgroundCommand, Job, watch};
use crate::shell::process::{ExitBarrier, Run};

/// Default maximum number of running commands.
const MAX_RUNNING: usize = 8;

/// Maximum number of finished commands whose output is kept.
const MAX_ENDED: usize = 8;

/// Background commands of a session: the running ones and the most recently finished ones. Clones
/// share one store.
///
/// At most 8 commands run concurrently; see [`with_limit`](Self::with_limit). The store keeps the
/// last 64 KB of each command's output and the last 8 finished commands, so that a server which runs
/// for hours uses constant memory. Dropping the last clone, or the tokio runtime that started them,
/// kills all running commands with their child processes; the drop of a clone waits at most 2 seconds
/// for them. The runtime must be running to read their output, or they block when their pipes are
/// full.
///
/// # Examples
/// ```
/// use tool_core::{TypedTool, ToolContext};
/// use tool_test::Scratch;
/// use tools_builtin::Workspace;
/// use tools_builtin::shell::{BackgroundCommands, Bash};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let (scratch, commands) = (Scratch::new(), BackgroundCommands::default());
/// let bash = Bash::new(Workspace::open(scratch.path())?).with_background(commands.clone());
/// let input = serde_json::from_str(r#"{"command": "sleep 60", "background": true}"#)?;
/// let started = bash.run(&ToolContext::test(), input).await?;
///
/// let id = started.background_id.ok_or("it is not in the background")?;
/// assert!(commands.list().iter().all(|command| command.id == id && command.is_running()));
/// assert!(commands.stop(&id).await.is_some_and(|command| !command.is_running()));
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct BackgroundCommands {
    store: Arc<Store>,
    limit: usize,
}

impl Default for BackgroundCommands {
    fn default() -> Self {
        Self {
            store: Arc::default(),
            limit: MAX_RUNNING,
        }
    }
}

impl BackgroundCommands {
    /// Sets the maximum number of running commands. The default is 8.
    #[must_use]
    pub fn with_limit(self, limit: usize) -> Self {
        Self { limit, ..self }
    }

    /// Returns the running commands and the most recently finished ones, in start order.
    pub fn list(&self) -> Vec<BackgroundCommand> {
        let jobs = self.store.jobs();
        jobs.list.iter().map(|job| job.state()).collect()
    }

    /// Returns the retained output of a command, with both streams combined, or `None` if `id` is
    /// unknown.
    pub fn output(&self, id: &str) -> Option<String> {
        let job = self.find(id)?;
        Some(job.tail.read(0, job.is_finished()).text)
    }

    /// Kills a command with its child processes and waits for them to exit. Returns `None` if `id`
    /// is unknown.
    pub async fn stop(&self, id: &str) -> Option<BackgroundCommand> {
        let job = self.find(id)?;
        job.stop();
        job.finished().await;
        Some(job.state())
    }

    /// Returns the maximum number of running commands.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Returns the programs whose end the drop of the last owner awaits.
    pub(crate) fn exit_barrier(&self) -> &ExitBarrier {
        &self.store.exit_barrier
    }

    /// Returns an error if the maximum number of commands is running.
    pub(crate) fn check(&self) -> Result<(), ToolError> {
        self.store.jobs().check(self.limit)
    }

    /// Adds `run` to the store and returns its id.
    pub(crate) fn add(&self, mut run: Run, command: String) -> Result<String, ToolError> {
        let mut jobs = self.store.jobs();
        // Check again under the lock: another call may have used the last slot while this program was starting.
        jobs.check(self.limit)?;
        let job = jobs.add(command);
        // Replaces the barrier of the launcher: the command outlives its tool and is killed with the store.
        run.tree.keep(self.store.exit_barrier.running());
        tokio::spawn(watch(Arc::clone(&job), run));
        Ok(job.id.clone())
    }

    /// Returns the error for an unknown id.
    pub(super) fn unknown(&self) -> ToolError {
        let ids: Vec<String> = self.list().into_iter().map(|known| known.id).collect();
        let error = ToolError::invalid_arguments("id", "is not the id of a background command");
        if ids.is_empty() {
            error.suggest("Start a background command first.")
        } else {
            error.suggest(format!("Use one of these: {}.", ids.join(", ")))
        }
    }

    pub(super) fn find(&self, id: &str) -> Option<Arc<Job>> {
        let jobs = self.store.jobs();
        jobs.list.iter().find(|job| job.id == id).cloned()
    }
}

tool_core::debug_fields!(BackgroundCommands, this => commands: this.list());

#[derive(Default)]
struct Store {
    jobs: Mutex<Jobs>,
    /// Dropped last, when all commands have been killed.
    exit_barrier: ExitBarrier,
}

#[derive(Default)]
struct Jobs {
    list: Vec<Arc<Job>>,
    started: u64,
}

impl Store {
    fn jobs(&self) -> MutexGuard<'_, Jobs> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        for job in &self.jobs().list {
            job.kill();
        }
    }
}

impl Jobs {
    fn check(&self, limit: usize) -> Result<(), ToolError> {
        let running = self.list.iter().filter(|job| !job.is_finished());
        let running: Vec<&str> = running.map(|job| job.id.as_str()).collect();
        if running.len() < limit {
            return Ok(());
        }
        let sentence = format!(
            "cannot be set now: {} commands are running in the background, which is the limit ({})",
            running.len(),
            running.join(", ")
        );
        Err(
            ToolError::about(ErrorCode::CallLimitReached, "background", sentence)
                .suggest("Stop one of them first, or omit the parameter."),
        )
    }

    fn add(&mut self, command: String) -> Arc<Job> {
        let mut ended = self.list.iter().filter(|job| job.is_finished()).count();
        self.list.retain(|job| {
            let is_removed = job.is_finished() && ended > MAX_ENDED - 1;
            ended -= usize::from(is_removed);
            !is_removed
        });
        // Numbers aren't reused after a removal: an old id must not name another command.
        self.started += 1;
        let job = Arc::new(Job::new(format!("command-{}", self.started), command));
        self.list.push(Arc::clone(&job));
        job
    }
}
