//! Start, settings and control of one run.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use provider_adapters::{Content, Message, Transcript};
use tool_core::approval::{Approver, Decision};
use tool_core::{CancellationToken, Extensions};

use crate::budget::SharedBudget;
use crate::locked::locked;
use crate::open_calls::{Standing, standing};
use crate::run_file::Replay;
use crate::{AgentLoop, SavedRun, Suspended};

/// Run that starts when it is awaited.
///
/// Dropping the future stops the model and the tools, and the transcript is lost. To stop a run and keep its transcript,
/// cancel its token instead.
///
/// # Examples
/// ```
/// use agent_loop::{AgentLoop, ModelReply, ScriptedModel, Status};
/// use tool_core::{CancellationToken, Registry};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let agent = AgentLoop::new(Registry::new(), ScriptedModel::new([ModelReply::text("Hello.")]));
/// let stop = CancellationToken::new();
/// let outcome = agent.run("Greet me.").with_id("run-7").cancellation(stop).extension(42_u32).await;
/// assert_eq!((outcome.run.as_str(), outcome.status), ("run-7", Status::Completed));
/// # }
/// ```
#[must_use = "a run starts when it is awaited"]
pub struct RunBuilder<'a> {
    pub(crate) agent: &'a AgentLoop,
    pub(crate) transcript: Transcript,
    pub(crate) id: Option<String>,
    pub(crate) cancellation: CancellationToken,
    pub(crate) extensions: Option<Extensions>,
    pub(crate) handle: RunHandle,
    /// User messages after the results of open calls.
    pub(crate) later: Vec<Content>,
    /// Approver of the run that starts this one.
    pub(crate) approver: Option<Arc<dyn Approver>>,
    /// Budget of the run that starts this one.
    pub(crate) parent_budget: Option<Arc<SharedBudget>>,
    /// ID of the call that starts the run.
    pub(crate) parent_call: Option<Arc<str>>,
    pub(crate) suspended: Option<(Suspended, Vec<Decision>)>,
    /// Whether the run that starts this one suspends.
    pub(crate) parent_suspends: bool,
    /// IDs of open calls that started; `None` if unknown.
    pub(crate) started: Option<HashSet<String>>,
    /// Number of messages that the checkpoint sink already has.
    pub(crate) recorded: usize,
    /// Source of the replies and results.
    pub(crate) replay: Option<Arc<Replay>>,
}

impl RunBuilder<'_> {
    /// Sets the ID of the run. The default is a random ID.
    ///
    /// The ID is the scope of the calls in the ledger of the registry. A run that resumes with the ID of an earlier run
    /// receives the stored results of its calls.
    pub fn with_id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// Sets the handle that controls the run.
    pub fn handle(mut self, handle: &RunHandle) -> Self {
        self.handle = handle.clone();
        self
    }

    /// Appends a user message to a resumed conversation, after the results of its open calls.
    pub fn with_message(mut self, message: impl Into<Content>) -> Self {
        let has_open_calls =
            matches!(standing(&self.transcript), Standing::Open(calls) if !calls.is_empty());
        if has_open_calls {
            // Providers reject a message between calls and their results.
            self.later.push(message.into());
        } else {
            self.transcript.push(Message::user(message));
        }
        self
    }

    /// Sets the token that cancels this run. The outcome keeps the transcript, in which every call has a result.
    pub fn cancellation(mut self, token: CancellationToken) -> Self {
        self.cancellation = token;
        self
    }

    /// Adds a value for the tools of this run, such as the user it acts for. Replaces a value of the same type. As soon as
    /// a run has its own value, the registry's extensions are not used.
    pub fn extension<T: Send + Sync + 'static>(mut self, value: T) -> Self {
        // A run with its own values must not see those of another user in the registry.
        self.extensions = Some(self.extensions.unwrap_or_default().with(value));
        self
    }
}

tool_core::debug_fields!(RunBuilder<'_>, this => id: this.id, messages: this.transcript.messages().len());

impl AgentLoop {
    /// Starts a conversation with `task` and runs it to the end.
    pub fn run(&self, task: impl Into<Content>) -> RunBuilder<'_> {
        let mut transcript = Transcript::new();
        if let Some(system) = &self.system {
            transcript.push(Message::system(system.as_str()));
        }
        transcript.push(Message::user(task));
        self.resume(transcript)
    }

    /// Resumes a conversation. Open calls of read-only and idempotent tools run before the next
    /// turn; other open calls receive the error `outcome_unknown`, because they may have run. If the registry has a
    /// ledger, and [`with_id`](RunBuilder::with_id) sets the ID of the earlier run, they receive their stored results.
    ///
    /// Turns and tokens are counted from zero. A transcript that ends with a final answer completes
    /// without a turn; append a user message to continue it.
    ///
    /// # Examples
    /// ```
    /// use agent_loop::{AgentLoop, ModelReply, ScriptedModel};
    /// use provider_adapters::{Content, Message, Transcript};
    /// use tool_core::Registry;
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), serde_json::Error> {
    /// let stored = r#"[{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello."}]"#;
    /// let mut transcript: Transcript = serde_json::from_str(stored)?;
    /// transcript.push(Message::user("How are you?"));
    /// let agent = AgentLoop::new(Registry::new(), ScriptedModel::new([ModelReply::text("Fine.")]));
    /// assert_eq!(agent.resume(transcript).await.reply.as_deref(), Some("Fine."));
    /// # Ok(()) }
    /// ```
    pub fn resume(&self, transcript: Transcript) -> RunBuilder<'_> {
        RunBuilder {
            agent: self,
            transcript,
            id: None,
            cancellation: CancellationToken::new(),
            extensions: None,
            approver: None,
            handle: RunHandle::default(),
            later: Vec::new(),
            parent_budget: None,
            parent_call: None,
            suspended: None,
            parent_suspends: false,
            started: None,
            recorded: 0,
            replay: None,
        }
    }

    /// Resumes a recorded run. Recorded replies are not requested again.
    ///
    /// Like [`resume`](Self::resume), but open calls that did not start run normally.
    pub fn resume_saved(&self, saved: SavedRun) -> RunBuilder<'_> {
        RunBuilder {
            recorded: saved.transcript.messages().len(),
            started: Some(saved.started),
            ..self.resume(saved.transcript)
        }
    }

    /// Resumes a suspended run with decisions. Approved calls run, and the run is suspended again if
    /// a request has no decision.
    ///
    /// A call is rejected with `approval_denied` if the definition, the risk or the arguments differ
    /// from its request. The used turns and tokens continue to count. Agents that are tools of the run continue with
    /// the decisions about their calls; their other calls do not run again.
    pub fn resume_with(&self, suspended: Suspended, decisions: Vec<Decision>) -> RunBuilder<'_> {
        RunBuilder {
            id: Some(suspended.run.clone()),
            recorded: suspended.transcript.messages().len(),
            suspended: Some((suspended, decisions)),
            ..self.resume(Transcript::new())
        }
    }
}

/// Handle that sends messages to a run and stops it between two turns. Clones share their state.
///
/// # Examples
/// ```
/// use agent_loop::{AgentLoop, ModelReply, RunHandle, ScriptedModel};
/// use tool_core::Registry;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let handle = RunHandle::new();
/// handle.say("In German, please.");
/// let agent = AgentLoop::new(Registry::new(), ScriptedModel::new([ModelReply::text("Hallo.")]));
/// let outcome = agent.run("Greet me.").handle(&handle).await;
/// assert_eq!(outcome.transcript.messages().len(), 3);
/// # }
/// ```
#[derive(Debug, Clone, Default)]
pub struct RunHandle(Arc<Inbox>);

#[derive(Debug, Default)]
struct Inbox {
    messages: Mutex<Vec<Message>>,
    stops: AtomicBool,
}

impl RunHandle {
    /// Creates a handle.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a user message before the next turn. A message that arrives during the final answer
    /// starts another turn.
    pub fn say(&self, message: impl Into<Content>) {
        locked(&self.0.messages).push(Message::user(message));
    }

    /// Stops the run after the results of the current turn. The status is
    /// [`Status::Stopped`](crate::Status::Stopped).
    pub fn stop_after_turn(&self) {
        self.0.stops.store(true, Ordering::Relaxed);
    }

    pub(crate) fn take(&self) -> Vec<Message> {
        std::mem::take(&mut locked(&self.0.messages))
    }

    pub(crate) fn stops(&self) -> bool {
        self.0.stops.load(Ordering::Relaxed)
    }
}

/// Returns an ID that differs from the IDs of other runs, even of other processes.
pub(crate) fn random_id() -> Arc<str> {
    format!("run_{:016x}", random_number()).into()
}

/// Returns a random number.
pub(crate) fn random_number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let time = tool_core::Timestamp::now().as_milliseconds();
    // The keys of the hasher are random.
    RandomState::new().hash_one((number, time))
}
