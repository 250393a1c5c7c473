//! Undoing the changes of a call.

use std::io;

use tool_core::{CancellationToken, ErrorCode, ToolError};

use super::destination::{Destination, Lock};
use super::error::disk_error;
use super::file::digest_of;
use super::history::{Mutation, PreviousState};
use super::write::{Replacement, old_file};
use super::{Workspace, platform};

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

/// File to restore.
#[derive(Debug)]
struct Step {
    /// Last change of the file by the call.
    last: Mutation,
    /// State before the first change of the call.
    before: PreviousState,
    /// Mode of a removed file.
    mode: Option<u32>,
    destination: Destination,
}

impl Workspace {
    /// Undoes the changes of a call in reverse order: restores old contents, removes files that it
    /// created, and removes directories that it created if they are empty. Undoes all changes or
    /// none, except after an I/O error.
    ///
    /// The call is then removed from the history. An undo is not recorded itself.
    ///
    /// The changes of a command, recorded by a [`Checkpoint`](super::Checkpoint), are undone one by
    /// one: a path that is no longer what the command left is a [conflict](Undone::conflicts).
    ///
    /// # Errors
    /// Returns the code `not_recorded` if the changes of the call are not recorded or no longer
    /// complete. Returns [`ErrorCode::Conflict`] if a file does not have the content that the call
    /// left, or for a command, if nothing it changed could be undone. I/O errors name the parameter `call_id`; files that were restored before such an error
    /// stay restored.
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
        let _locks = self.lock_undone(&steps)?;
        for step in &steps {
            let now = self.content_at(&step.last).ok();
            if now.as_deref().map(digest_of) != step.last.digests.after {
                return Err(conflict(&step.last.path));
            }
        }
        let mut undone = Undone::default();
        for step in &steps {
            step.put_back(&mut undone)?;
        }
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
            if matches!(mutation.before, PreviousState::NotRetained) {
                let path = &mutation.path;
                let sentence =
                    format!("The old content of `{path}` was not kept, so nothing was undone");
                return Err(not_recorded(&sentence));
            }
            let later = steps
                .iter_mut()
                .find(|step| step.last.is_of_same_file(mutation));
            let Some(later) = later else {
                steps.push(Step {
                    last: mutation.clone(),
                    before: mutation.before.clone(),
                    mode: mutation.mode,
                    // The file must still be at its old path.
                    destination: self
                        .real_destination(mutation.root, &mutation.real)
                        .map_err(|_| conflict(&mutation.path))?,
                });
                continue;
            };
            let left = later.before.content();
            if left.map(|content| digest_of(content)) != mutation.digests.after {
                return Err(conflict(&mutation.path));
            }
            later.before = mutation.before.clone();
            later.mode = mutation.mode.or(later.mode);
        }
        Ok(steps)
    }

    /// Locks the files in a fixed order.
    fn lock_undone(&self, steps: &[Step]) -> Result<Vec<Lock>, ToolError> {
        let none = CancellationToken::new();
        let keys = steps.iter().map(|step| step.destination.key());
        let keys = keys
            .collect::<io::Result<Vec<_>>>()
            .map_err(|error| disk_error("call_id", error))?;
        self.lock_all(keys, &none)
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

impl Step {
    fn put_back(&self, undone: &mut Undone) -> Result<(), ToolError> {
        let (parameter, destination) = ("call_id", &self.destination);
        let path = self.last.path.clone();
        if let PreviousState::Content(content) = &self.before {
            let old = old_file(parameter, destination)?;
            let replacement = Replacement {
                parameter,
                destination,
                content,
                old: old.as_ref(),
                mode: self.mode,
                expected: None,
            };
            replacement.write(&CancellationToken::new())?;
            undone.restored.push(path);
        } else if self.last.digests.after.is_some() {
            let directory = &destination.directory;
            directory
                .remove_file(&destination.name)
                .map_err(|error| disk_error(parameter, error))?;
            platform::sync_directory(directory);
            undone.removed.push(path);
        }
        Ok(())
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
