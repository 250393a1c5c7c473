//! Start of runs.

use std::future::IntoFuture;
use std::pin::Pin;

use provider_adapters::{Content, Message, Transcript};
use tool_core::approval::Decision;

use crate::run::Run;
use crate::{AgentLoop, RunBuilder, RunHandle, RunOutcome, SavedRun, Suspended};

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
            cancellation: self.cancellation.clone(),
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

impl<'a> IntoFuture for RunBuilder<'a> {
    type Output = RunOutcome;
    type IntoFuture = Pin<Box<dyn Future<Output = RunOutcome> + Send + 'a>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(Run::new(self).until_end())
    }
}
