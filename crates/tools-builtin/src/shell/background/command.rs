//! One command in the background.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use tokio::sync::watch;
use tool_core::{CancellationToken, Timestamp, ToolContext};

use super::tail::Tail;
use crate::shell::process::{End, Outcome, Run};

/// How far a command in the background is.
///
/// # Examples
/// ```
/// use tools_builtin::shell::BackgroundStatus;
///
/// assert_eq!(serde_json::to_string(&BackgroundStatus::TimedOut)?, "\"timed_out\"");
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
#[schemars(inline, description = "")]
pub enum BackgroundStatus {
    /// It has not ended.
    Running,
    /// It ended by itself, or by a signal of somebody else.
    Exited,
    /// It was stopped.
    Stopped,
    /// It ran longer than the host allows.
    TimedOut,
}

/// A command in the background, as a host and a model see it.
///
/// # Examples
/// ```
/// use tool_core::Timestamp;
/// use tools_builtin::shell::{BackgroundCommand, BackgroundStatus};
///
/// let command = BackgroundCommand {
///     id: "command-1".to_owned(),
///     command: "npm run dev".to_owned(),
///     status: BackgroundStatus::Running,
///     exit_code: None,
///     signal: None,
///     started_at: Timestamp::parse("2025-11-10T10:05:00Z").ok_or("not a time")?,
///     output_bytes: 512,
/// };
/// assert!(command.is_running());
/// # Ok::<_, &str>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
#[schemars(description = "One command in the background.")]
pub struct BackgroundCommand {
    /// What it is called by.
    pub id: String,
    /// The command line.
    pub command: String,
    /// Whether it runs, and if not, why it ended.
    pub status: BackgroundStatus,
    /// Its exit code; null while it runs and when it did not end by itself.
    pub exit_code: Option<i32>,
    /// The number of the signal that ended it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// When it was started, as RFC 3339 in UTC.
    #[schemars(with = "String")]
    pub started_at: Timestamp,
    /// How much it has written so far.
    pub output_bytes: u64,
}

impl BackgroundCommand {
    /// Whether it has not ended.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.status == BackgroundStatus::Running
    }

    /// How it stands, in a few words.
    pub(super) fn standing(&self) -> String {
        match (self.status, self.exit_code, self.signal) {
            (BackgroundStatus::Running, ..) => "running".to_owned(),
            (BackgroundStatus::Stopped, ..) => "stopped".to_owned(),
            (BackgroundStatus::TimedOut, ..) => "ended, it ran too long".to_owned(),
            (BackgroundStatus::Exited, Some(code), _) => format!("ended with exit code {code}"),
            (BackgroundStatus::Exited, None, Some(signal)) => format!("ended by signal {signal}"),
            (BackgroundStatus::Exited, None, None) => "ended".to_owned(),
        }
    }
}

/// How a command ended.
#[derive(Debug, Clone, Copy)]
struct Ending {
    status: BackgroundStatus,
    exit_code: Option<i32>,
    signal: Option<i32>,
}

impl Ending {
    const STOPPED: Self = Self {
        status: BackgroundStatus::Stopped,
        exit_code: None,
        signal: None,
    };

    fn of(outcome: &Outcome) -> Self {
        Self {
            status: match outcome.end {
                End::Exited(_) => BackgroundStatus::Exited,
                End::TimedOut => BackgroundStatus::TimedOut,
                End::Cancelled => BackgroundStatus::Stopped,
            },
            exit_code: outcome.exit_code(),
            signal: outcome.signal(),
        }
    }
}

/// What the store and the task of a command share.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) id: String,
    pub(super) tail: Arc<Tail>,
    command: String,
    started_at: Timestamp,
    cancellation: CancellationToken,
    ending: watch::Sender<Option<Ending>>,
    /// Where the last reader ended.
    read_to: AtomicU64,
}

impl Job {
    pub(super) fn new(id: String, command: String) -> Self {
        Self {
            id,
            command,
            tail: Arc::default(),
            started_at: Timestamp::now(),
            cancellation: CancellationToken::new(),
            ending: watch::Sender::new(None),
            read_to: AtomicU64::new(0),
        }
    }

    pub(super) fn is_over(&self) -> bool {
        self.ending.borrow().is_some()
    }

    pub(super) fn stop(&self) {
        self.cancellation.cancel();
    }

    /// Returns when the command has ended.
    pub(super) async fn ended(&self) {
        // An error would mean that the job is gone, which it is not.
        let _ = self.ending.subscribe().wait_for(Option::is_some).await;
    }

    pub(super) fn read_to(&self) -> u64 {
        self.read_to.load(Ordering::Relaxed)
    }

    pub(super) fn set_read_to(&self, offset: u64) {
        self.read_to.store(offset, Ordering::Relaxed);
    }

    pub(super) fn shown(&self) -> BackgroundCommand {
        let ending = *self.ending.borrow();
        BackgroundCommand {
            id: self.id.clone(),
            command: self.command.clone(),
            status: ending.map_or(BackgroundStatus::Running, |ending| ending.status),
            exit_code: ending.and_then(|ending| ending.exit_code),
            signal: ending.and_then(|ending| ending.signal),
            started_at: self.started_at,
            output_bytes: self.tail.total(),
        }
    }
}

/// Sees a command to its end. When the future is dropped, even before it begins, the command is stopped.
pub(super) fn watch(
    job: Arc<Job>,
    mut run: Run,
    longest: Duration,
) -> impl Future<Output = ()> + Send {
    run.tell(Arc::clone(&job.tail));
    let cx = ToolContext::new(job.id.as_str(), "").with_cancellation(job.cancellation.clone());
    let mut told = ToldOnDrop {
        job,
        ending: Ending::STOPPED,
    };
    async move {
        if let Ok(outcome) = run.finish(longest, &cx).await {
            told.set(Ending::of(&outcome));
        }
    }
}

/// Tells how a command ended, whatever becomes of its task.
struct ToldOnDrop {
    job: Arc<Job>,
    ending: Ending,
}

impl ToldOnDrop {
    /// By a call, so that the task holds the whole of it and not a copy of one field.
    fn set(&mut self, ending: Ending) {
        self.ending = ending;
    }
}

impl Drop for ToldOnDrop {
    fn drop(&mut self) {
        self.job.ending.send_replace(Some(self.ending));
    }
}
