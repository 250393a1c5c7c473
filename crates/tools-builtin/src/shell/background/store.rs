//! The commands in the background of one session.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tool_core::{ErrorCode, ToolError};

use super::command::{BackgroundCommand, Job, watch};
use crate::shell::process::Run;

/// How many commands may run at once.
const MAX_RUNNING: usize = 8;

/// How many commands that have ended are kept for their output.
const MAX_ENDED: usize = 8;

/// The commands that a session has left running, and the last ones that ended. Clones are one store.
///
/// At most 8 run at once unless [`with_limit`](Self::with_limit) says otherwise; of each the last 64 KB of output are
/// kept, and the last 8 that ended are still there to be read. When the last clone is dropped, or the tokio runtime that
/// they were started on, everything that still runs is ended with all it started. Commands run on as long as that runtime
/// does; one that nobody drives leaves them waiting to write.
///
/// # Examples
/// ```
/// use tool_core::{Engine, Limits, ToolContext};
/// use tool_test::Scratch;
/// use tools_builtin::Workspace;
/// use tools_builtin::shell::{BackgroundCommands, Bash};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let (scratch, commands) = (Scratch::new(), BackgroundCommands::default());
/// let bash = Bash::new(Workspace::open(scratch.path())?).with_background(commands.clone());
/// let input = serde_json::from_str(r#"{"command": "sleep 60", "background": true}"#)?;
/// let started = bash.run(&ToolContext::test(), input, &Limits::default()).await?;
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
    longest: Duration,
}

impl Default for BackgroundCommands {
    fn default() -> Self {
        Self {
            store: Arc::default(),
            limit: MAX_RUNNING,
            longest: Duration::MAX,
        }
    }
}

impl BackgroundCommands {
    /// Lets so many commands run at once.
    #[must_use]
    pub fn with_limit(self, limit: usize) -> Self {
        Self { limit, ..self }
    }

    /// Ends commands that run longer than this. Without it they may run for as long as the session.
    #[must_use]
    pub fn with_longest(self, longest: Duration) -> Self {
        Self { longest, ..self }
    }

    /// The commands that run and the last ones that ended, in the order of their start.
    #[must_use]
    pub fn list(&self) -> Vec<BackgroundCommand> {
        let jobs = self.store.jobs();
        jobs.list.iter().map(|job| job.shown()).collect()
    }

    /// What is kept of the output of a command, both streams as one; none where the id is not known.
    #[must_use]
    pub fn output(&self, id: &str) -> Option<String> {
        let job = self.find(id)?;
        Some(job.tail.read(0, usize::MAX, job.is_over()).text)
    }

    /// Ends a command with everything it started, and returns when it is gone; none where the id is not known.
    pub async fn stop(&self, id: &str) -> Option<BackgroundCommand> {
        let job = self.find(id)?;
        job.stop();
        job.ended().await;
        Some(job.shown())
    }

    /// Ends all commands, without waiting for it.
    pub fn stop_all(&self) {
        self.store.stop_all();
    }

    /// How many commands may run at once.
    #[must_use]
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Refuses one more command where as many run as may.
    pub(crate) fn check(&self) -> Result<(), ToolError> {
        self.store.jobs().check(self.limit)
    }

    /// Leaves `run` to go on, and gives the id that it is known by.
    pub(crate) fn leave(&self, run: Run, command: String) -> Result<String, ToolError> {
        let mut jobs = self.store.jobs();
        jobs.check(self.limit)?;
        let job = jobs.add(command);
        tokio::spawn(watch(Arc::clone(&job), run, self.longest));
        Ok(job.id.clone())
    }

    /// What to tell whoever asks for a command that is not there.
    pub(super) fn unknown(&self) -> ToolError {
        let ids: Vec<String> = self.list().into_iter().map(|known| known.id).collect();
        let error = ToolError::invalid_arguments("id", "names no command in the background");
        if ids.is_empty() {
            error.suggest("Start one first; none was started in this session.")
        } else {
            error.suggest(format!("Use one of these: {}.", ids.join(", ")))
        }
    }

    pub(super) fn find(&self, id: &str) -> Option<Arc<Job>> {
        let jobs = self.store.jobs();
        jobs.list.iter().find(|job| job.id == id).cloned()
    }
}

impl fmt::Debug for BackgroundCommands {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.list()).finish()
    }
}

#[derive(Default)]
struct Store(Mutex<Jobs>);

#[derive(Default)]
struct Jobs {
    list: Vec<Arc<Job>>,
    started: u64,
}

impl Store {
    fn jobs(&self) -> MutexGuard<'_, Jobs> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stop_all(&self) {
        for job in &self.jobs().list {
            job.stop();
        }
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        self.stop_all();
    }
}

impl Jobs {
    fn check(&self, limit: usize) -> Result<(), ToolError> {
        let running: Vec<&str> = self
            .list
            .iter()
            .filter(|job| !job.is_over())
            .map(|job| job.id.as_str())
            .collect();
        if running.len() < limit {
            return Ok(());
        }
        let sentence = format!(
            "cannot be used now: {} commands run in the background, which is as many as may ({})",
            running.len(),
            running.join(", ")
        );
        Err(
            ToolError::about(ErrorCode::CallLimitReached, "background", sentence)
                .suggest("Stop one of them first, or run this without it."),
        )
    }

    fn add(&mut self, command: String) -> Arc<Job> {
        let mut ended = self.list.iter().filter(|job| job.is_over()).count();
        self.list.retain(|job| {
            let forgotten = job.is_over() && ended > MAX_ENDED - 1;
            ended -= usize::from(forgotten);
            !forgotten
        });
        self.started += 1;
        let job = Arc::new(Job::new(format!("command-{}", self.started), command));
        self.list.push(Arc::clone(&job));
        job
    }
}
