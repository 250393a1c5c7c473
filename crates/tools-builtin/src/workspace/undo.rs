//! Undoing the changes of a call.

use std::sync::Arc;

use tool_core::{ErrorCode, ToolError};

use super::file::digest_of;
use super::history::{Mutation, PreviousState};
use super::together::Step;
use super::{FileWrite, Workspace};

/// Code of a call whose changes are not recorded.
const NOT_RECORDED: &str = "not_recorded";

/// Result of an undo.
///
/// # Examples
/// ```
/// use tool_core::{CancellationToken, ToolContext};
/// use tool_test::Scratch;
/// use tools_builtin::workspace::{Workspace, WriteMode};
///
/// let scratch = Scratch::new();
/// let workspace = Workspace::open(scratch.path())?;
/// let call = workspace.for_call(&ToolContext::new("call_1", "create_file"));
/// call.write("path", "new/a.txt", b"", WriteMode::CreateNew, true, &CancellationToken::new())?;
///
/// let undone = workspace.undo("call_1")?;
/// assert_eq!(undone.removed, ["new/a.txt", "new"]);
/// assert!(!scratch.has("new"));
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Undone {
    /// Files whose content before the call was restored, in reverse order of their changes.
    pub restored: Vec<String>,
    /// Files and directories that were removed.
    pub removed: Vec<String>,
    /// Paths that a command changed and that are left unchanged, because they have changed since or
    /// the old content is not kept. Their changes stay recorded. Always empty for file tools.
    pub conflicts: Vec<String>,
}

impl Workspace {
    /// Undoes the changes of a call in reverse order: restores old contents, removes files that it
    /// created, and removes directories that it created if they are empty. Undoes all changes or
    /// none.
    ///
    /// The call is then removed from the history. An undo is not recorded itself.
    ///
    /// The changes of a command, recorded by a [`Checkpoint`](super::Checkpoint), are undone one by
    /// one: a path that is no longer what the command left is a [conflict](Undone::conflicts).
    ///
    /// # Errors
    /// Returns the code `not_recorded` if the changes of the call are not recorded or no longer
    /// complete. Returns [`ErrorCode::Conflict`] if a file does not have the content that the call
    /// left, or for a command, if nothing it changed could be undone. I/O errors name the parameter `call_id`.
    pub fn undo(&self, call_id: &str) -> Result<Undone, ToolError> {
        let (mutations, complete) = self.shared.history.of_call(call_id);
        #[cfg(target_os = "linux")]
        if mutations.is_empty()
            && let Some(outcome) = self.undo_command(call_id)
        {
            return outcome;
        }
        if mutations.is_empty() {
            return Err(not_recorded("No changes are recorded for this call"));
        }
        if !complete {
            return Err(not_recorded(
                "Some changes of this call are no longer recorded, so nothing was undone",
            ));
        }
        let steps = self.steps(&mutations)?;
        let (restored, removed): (Vec<&Step>, Vec<&Step>) =
            steps.iter().partition(|step| step.write.after.is_some());
        let [restored, removed] =
            [restored, removed].map(|steps| steps.iter().map(|step| step.shown.clone()).collect());
        let mut undone = Undone {
            restored,
            removed,
            ..Undone::default()
        };
        self.take_together(steps)?;
        self.remove_directories(&mutations, &mut undone);
        self.shared.history.forget(call_id);
        Ok(undone)
    }

    /// Returns the files to restore, the last one changed first.
    fn steps(&self, mutations: &[Mutation]) -> Result<Vec<Step>, ToolError> {
        let mut steps: Vec<Step> = Vec::new();
        let files = mutations.iter().rev();
        for mutation in
            files.filter(|mutation| !matches!(mutation.before, PreviousState::NoDirectory))
        {
            let path = &mutation.path;
            if matches!(mutation.before, PreviousState::NotRetained) {
                let sentence =
                    format!("The old content of `{path}` was not kept, so nothing was undone");
                return Err(not_recorded(&sentence));
            }
            let later = steps.iter_mut().find(|step| {
                (step.destination.root, &step.destination.real) == (mutation.root, &mutation.real)
            });
            let step = match later {
                Some(later) => later,
                None => steps.push_mut(self.step_of(mutation)?),
            };
            let left = step
                .write
                .after
                .as_deref()
                .map(|content| digest_of(content));
            if left != mutation.digests.after {
                return Err(conflict(path));
            }
            step.write.after = mutation.before.content().cloned();
            step.mode = mutation.mode.or(step.mode);
        }
        // A file that the call created and removed again.
        steps.retain(|step| step.write.before.is_some() || step.write.after.is_some());
        Ok(steps)
    }

    /// Returns a step that leaves the file of a change as it is now.
    fn step_of(&self, mutation: &Mutation) -> Result<Step, ToolError> {
        let path = &mutation.path;
        let now = self.content_at(mutation).ok().map(Arc::new);
        // The file must still be at its old path.
        let destination = self.real_destination(mutation.root, &mutation.real);
        Ok(Step {
            write: FileWrite {
                parameter: "call_id".to_owned(),
                path: path.clone(),
                before: now.clone(),
                after: now,
                like: None,
            },
            shown: path.clone(),
            destination: destination.map_err(|_| conflict(path))?,
            mode: None,
            old: None,
        })
    }
    fn remove_directories(&self, mutations: &[Mutation], undone: &mut Undone) {
        for mutation in mutations.iter().rev() {
            let Some(root) = self.root(mutation.root) else {
                continue;
            };
            for directory in mutation.created.iter().rev() {
                if root.dir.remove_dir(directory).is_ok() {
                    let shown = root.shown(&directory.to_string_lossy());
                    undone.removed.push(shown);
                }
            }
        }
    }
}

fn not_recorded(sentence: &str) -> ToolError {
    ToolError::new(ErrorCode::from(NOT_RECORDED), sentence)
        .suggest("Read the files and change them by hand.")
}

fn conflict(path: &str) -> ToolError {
    let sentence = format!("`{path}` has changed since, so nothing was undone");
    ToolError::new(ErrorCode::Conflict, sentence)
        .suggest("Undo the later calls first, or read the file and change it by hand.")
}
