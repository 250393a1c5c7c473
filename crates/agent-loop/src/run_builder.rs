//! Settings of one run.

use std::collections::HashSet;
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use provider_adapters::{Content, Message, Transcript};
use tool_core::approval::{Approver, Decision};
use tool_core::{CancellationToken, Extensions};

use crate::budget::SharedBudget;
use crate::open_calls::{Standing, standing};
use crate::run_file::Replay;
use crate::{AgentLoop, RunHandle, Suspended};

/// Run that starts when it is awaited.
///
/// Dropping the future stops the model and the tools and loses the transcript. Cancel the token to
/// keep it.
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

    /// Sets the token that cancels this run. The default is the token of the loop.
    pub fn cancellation(mut self, token: CancellationToken) -> Self {
        self.cancellation = token;
        self
    }

    /// Adds a value for the tools of this run. Replaces a value of the same type. If any
    /// value is added, the registry's extensions are not used.
    pub fn extension<T: Send + Sync + 'static>(mut self, value: T) -> Self {
        self.extensions = Some(self.extensions.unwrap_or_default().with(value));
        self
    }
}

impl fmt::Debug for RunBuilder<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunBuilder")
            .field("id", &self.id)
            .field("messages", &self.transcript.messages().len())
            .finish_non_exhaustive()
    }
}

/// Returns an ID that differs from the IDs of other runs, also of other processes.
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
