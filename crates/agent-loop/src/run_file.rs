//! Files that record runs, for replays and reports.

mod difference;
mod error;
mod journal;
mod recorded;
mod recorder;
mod replay;
mod report;
mod request;
#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::Arc;

pub use difference::ReplayDifference;
pub use error::RunFileError;
pub(crate) use journal::{Entry, Journal};
pub use recorded::RecordedRun;
pub(crate) use recorder::Recorder;
pub(crate) use replay::Replay;
pub use replay::Replayed;
pub use report::RunReport;

use crate::{AgentLoop, RunBuilder};

/// First line of a file.
pub(crate) const HEADER: &str = r#"{"format":"toolwright-run","version":1}"#;

impl AgentLoop {
    /// Records all runs of this loop in a new file with one JSON object per line: requests as
    /// digests, replies, calls, results, decisions, usage and times.
    ///
    /// Secrets known to the [`Redactor`](tool_core::Redactor) of the registry are removed. Other
    /// content is written verbatim, so protect the file like the conversation. Lines are written by
    /// a separate thread, of which at most 64 MiB may wait. If writing fails, the runs continue and
    /// set [`RunOutcome::recording_error`](crate::RunOutcome::recording_error).
    ///
    /// # Errors
    /// Returns [`RunFileError::NotCreated`] if the file exists or cannot be created.
    ///
    /// # Examples
    /// ```
    /// use agent_loop::{AgentLoop, ModelReply, RecordedRun, ScriptedModel};
    /// use tool_core::Registry;
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), agent_loop::RunFileError> {
    /// # let dir = tempfile::tempdir().unwrap();
    /// # let path = dir.path().join("run.jsonl");
    /// let model = ScriptedModel::new([ModelReply::text("Hello.")]);
    /// AgentLoop::new(Registry::new(), model).record_to(&path)?.run("Greet me.").await;
    ///
    /// let recorded = RecordedRun::read(&path)?;
    /// let same = AgentLoop::new(Registry::new(), ScriptedModel::new([]));
    /// let replayed = same.replay(&recorded).await?;
    /// assert_eq!(replayed.difference, None);
    /// assert_eq!(replayed.outcome.reply.as_deref(), Some("Hello."));
    /// # Ok(()) }
    /// ```
    pub fn record_to(mut self, path: impl AsRef<Path>) -> Result<Self, RunFileError> {
        self.recorder = Some(Arc::new(Recorder::create(path.as_ref())?));
        Ok(self)
    }

    /// Runs a recorded run again with the settings of this loop, but with the recorded replies and
    /// results: neither the model nor a tool is called. Compaction strategies are not called either.
    ///
    /// Returns the first difference between both runs, such as a changed definition of a tool.
    ///
    /// # Errors
    /// Returns [`RunFileError::NotReplayable`] if the run is incomplete or continued a suspended
    /// run, and [`RunFileError::Invalid`] if an entry cannot be read.
    pub async fn replay(&self, recorded: &RecordedRun) -> Result<Replayed, RunFileError> {
        let replay = Arc::new(Replay::new(recorded)?);
        let (transcript, started) = recorded.start()?;
        let builder = RunBuilder {
            id: Some(recorded.id().to_owned()),
            started,
            replay: Some(Arc::clone(&replay)),
            ..self.resume(transcript)
        };
        let outcome = builder.await;
        Ok(Replayed {
            outcome,
            difference: replay.difference(),
        })
    }
}
