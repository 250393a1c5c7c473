//! Checkpoints around commands, so that what they change is known and can be taken back.

use serde_json::{Map, json};
use tool_core::{CancellationToken, ErrorCode, ToolContext, ToolError};

use super::process::RunNotice;
use crate::workspace::{Checkpoint, CheckpointError, Workspace};

/// Maximum number of paths in `files_affected`. The metadata always has the number of all.
const MAX_AFFECTED: usize = 1000;

/// Entry of the metadata about the checkpoint of a command.
const NOTE: &str = "checkpoint";

/// Makes a checkpoint before a command that may write. Without a complete one, the command runs only if it needs none;
/// the metadata say what is missing. `needs_it` is whether more of the command requires approval than its plan has said.
///
/// # Errors
/// Returns an error if the call was cancelled, or if the command may lose what nobody has approved.
pub(super) fn checkpoint(
    workspace: &Workspace,
    cx: &ToolContext,
    cancellation: &CancellationToken,
    needs_it: impl FnOnce() -> Result<bool, ToolError>,
) -> Result<Option<Checkpoint>, ToolError> {
    let (checkpoint, missing) = match workspace.checkpoint(cancellation) {
        Ok(checkpoint) => {
            let notes = checkpoint.notes().join(" ");
            (Some(checkpoint), notes)
        }
        Err(CheckpointError::Cancelled) => return Err(ToolError::cancelled()),
        Err(CheckpointError::Disabled) => return Ok(None),
        Err(error) => {
            cx.note(NOTE, json!({"skipped": error.to_string()}));
            tracing::warn!(%error, "no checkpoint was made before a command");
            (None, format!("There is no checkpoint: {error}."))
        }
    };
    // The next plan asks, since the guard then knows of the gap. This one was made before.
    if !missing.is_empty() && needs_it()? {
        return Err(not_covered(&missing));
    }
    Ok(checkpoint)
}

fn not_covered(missing: &str) -> ToolError {
    let sentence =
        format!("may delete or discard files, and not all of them can be restored. {missing}");
    ToolError::about(ErrorCode::Conflict, "command", sentence)
        .suggest("Call it again, and it requires approval.")
}

/// Records what the call changed, after all its processes have exited.
pub(super) fn finish(checkpoint: Checkpoint, call_id: &str) -> Vec<RunNotice> {
    let before = checkpoint.notes().to_vec();
    // The call may be cancelled by now, but what it has changed must still be known.
    let changed = match checkpoint.finish(call_id, &CancellationToken::new()) {
        Ok(changed) => changed,
        Err(error) => {
            tracing::warn!(%error, "the changes of a command are not recorded");
            let skipped = json!({"skipped": error.to_string()});
            return vec![RunNotice::Note(NOTE, skipped)];
        }
    };
    let mut note = Map::new();
    let mut add = |key: &str, value| note.insert(key.to_owned(), value);
    if !changed.paths.is_empty() {
        add("changed", json!(changed.paths.len()));
    }
    if !changed.meanwhile.is_empty() {
        add("changed_meanwhile", json!(changed.meanwhile));
    }
    let mut notes = before;
    for note in changed.notes {
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    if !notes.is_empty() {
        add("notes", json!(notes));
    }
    let affected = changed.paths.into_iter().take(MAX_AFFECTED);
    let mut notices: Vec<RunNotice> = affected.map(RunNotice::Affected).collect();
    if !note.is_empty() {
        notices.push(RunNotice::Note(NOTE, note.into()));
    }
    notices
}

#[cfg(test)]
mod tests;
