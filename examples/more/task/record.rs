//! Record of a run in a file.

use agent_loop::{AgentLoop, RunBuilder, SavedRun, TranscriptFile};
use provider_adapters::Message;

use crate::options::Options;

/// Starts a recorded run, or a new one. `task` is added to a finished run if it is set explicitly.
pub fn start<'a>(
    agent: &'a AgentLoop,
    task: &str,
    saved: Option<SavedRun>,
    options: &Options,
) -> RunBuilder<'a> {
    let has_messages = |saved: &SavedRun| !saved.transcript.messages().is_empty();
    let Some(saved) = saved.filter(has_messages) else {
        return agent.run(task);
    };
    let messages = saved.transcript.messages();
    let is_asked = messages
        .iter()
        .any(|message| matches!(message, Message::User { .. }));
    let is_done =
        matches!(messages.last(), Some(Message::Assistant { calls, .. }) if calls.is_empty());
    let run = agent.resume_saved(saved);
    if !is_asked || is_done && options.task.is_some() {
        run.with_message(task)
    } else {
        run
    }
}

/// Sets the file of `--transcript` as the record of the run, and returns its content.
///
/// # Errors
/// Returns a one-line message if the file cannot be used.
pub fn recorded(
    agent: AgentLoop,
    options: &Options,
) -> Result<(AgentLoop, Option<SavedRun>), String> {
    let Some(path) = &options.transcript else {
        return Ok((agent, None));
    };
    let shown = path.display();
    match (path.exists(), options.resume) {
        (true, false) => {
            return Err(format!(
                "`{shown}` exists; add --resume to continue it, or set --transcript to another file"
            ));
        }
        (false, true) => {
            return Err(format!(
                "`{shown}` does not exist; omit --resume to start a run"
            ));
        }
        _ => {}
    }
    let (file, saved) = TranscriptFile::open(path)
        .map_err(|error| format!("`{shown}` cannot be used as a transcript: {error}"))?;
    Ok((agent.checkpoint(file), Some(saved)))
}
