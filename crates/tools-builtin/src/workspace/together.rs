//! Changes of several files, all or none.

mod journal;
#[cfg(test)]
mod tests;

use std::sync::{Arc, PoisonError};

use cap_std::fs::Metadata;
use tool_core::{CancellationToken, ToolError};

pub(super) use self::journal::recover;
use self::journal::{Journal, Saved};
use super::destination::{Destination, Lock};
use super::error::{check_is_file, disk_error};
use super::file::{Digests, FileStamp};
use super::write::{already_exists, changed_concurrently, old_file, unchanged};
use super::{Workspace, platform};

/// New state of a file.
#[derive(Debug, Clone)]
pub(crate) struct FileWrite {
    /// Name of the parameter with the path, for errors.
    pub(crate) parameter: String,
    pub(crate) path: String,
    /// Content that the file must have; `None` if it must not exist.
    pub(crate) before: Option<Arc<Vec<u8>>>,
    /// Content that it gets; `None` if it is removed.
    pub(crate) after: Option<Arc<Vec<u8>>>,
    /// Index of the write of an existing file whose mode a new one gets.
    pub(crate) like: Option<usize>,
}

impl Workspace {
    /// Writes, creates and removes files: all of them, or none. Returns their displayed paths.
    ///
    /// If this process ends in the middle, the next one that opens the workspace takes back what was done (Linux, with a
    /// directory for [checkpoints](crate::workspace::WorkspaceBuilder::checkpoints_in)).
    ///
    /// # Errors
    /// Returns [`ErrorCode::Conflict`](tool_core::ErrorCode::Conflict) if a file has not the content that it must have, [`ErrorCode::AlreadyExists`](tool_core::ErrorCode::AlreadyExists) if it
    /// must not exist but does, and the errors of [`write`](Self::write).
    pub(crate) fn write_together(
        &self,
        writes: &[FileWrite],
        cancellation: &CancellationToken,
    ) -> Result<Vec<String>, ToolError> {
        let mut steps = Vec::with_capacity(writes.len());
        let outcome = self.in_turn(cancellation, || {
            for write in writes {
                steps.push(self.step(write.clone())?);
            }
            self.change_all(&mut steps, cancellation)
        });
        if let Err(error) = outcome {
            for step in steps.iter().rev() {
                // Only the empty ones.
                step.destination.remove_created_directories(self);
            }
            return Err(error);
        }
        for step in &steps {
            self.record_step(step);
        }
        Ok(steps.into_iter().map(|step| step.shown).collect())
    }

    /// Takes these steps, all or none.
    pub(super) fn take_together(&self, mut steps: Vec<Step>) -> Result<(), ToolError> {
        // Not cancelled: a half of it would stay.
        let none = CancellationToken::new();
        self.in_turn(&none, || self.change_all(&mut steps, &none))
    }

    /// Does `work` while nothing else changes several files, because there is one journal.
    fn in_turn<T>(
        &self,
        cancellation: &CancellationToken,
        work: impl FnOnce() -> Result<T, ToolError>,
    ) -> Result<T, ToolError> {
        let turn = &self.shared.locks.together;
        let _turn = turn.lock().unwrap_or_else(PoisonError::into_inner);
        let _journal = self.lock_journal(cancellation)?;
        work()
    }

    fn step(&self, write: FileWrite) -> Result<Step, ToolError> {
        let (parameter, path) = (write.parameter.as_str(), write.path.as_str());
        let destination = match (&write.before, &write.after) {
            // Through a symlink, as every other edit.
            (Some(_), Some(_)) => self.resolved_destination(parameter, path, false)?,
            (before, _) => self.destination(parameter, path, before.is_none())?,
        };
        let shown = destination.shown(&self.locate(parameter, path)?);
        Ok(Step {
            write,
            shown,
            destination,
            mode: None,
            old: None,
        })
    }

    fn change_all(
        &self,
        steps: &mut [Step],
        cancellation: &CancellationToken,
    ) -> Result<(), ToolError> {
        let _locks = self.lock_steps(steps, cancellation)?;
        for step in &mut *steps {
            step.check(self)?;
        }
        let saved = steps.iter().map(Step::saved).collect();
        let journal = Journal::write(self, saved).map_err(|error| disk_error("path", error))?;
        let modes: Vec<Option<u32>> = steps.iter().map(Step::old_mode).collect();
        for step in &*steps {
            if is_interrupted() {
                return Err(ToolError::cancelled());
            }
            let like = step.write.like.and_then(|like| *modes.get(like)?);
            if let Err(error) = step.change(like.or(step.mode), cancellation) {
                return Err(self.take_back(journal, error));
            }
        }
        if is_interrupted() {
            return Err(ToolError::cancelled());
        }
        match journal.remove() {
            Ok(()) => Ok(()),
            // Otherwise a later start would do it, unexpectedly.
            Err(error) => Err(self.take_back(journal, not_complete().caused_by(error))),
        }
    }

    /// Restores what was written, and returns the error of the call.
    fn take_back(&self, journal: Journal, error: ToolError) -> ToolError {
        match journal.take_back(self) {
            Ok(()) => error,
            Err(left) => taken_back_in_part(&left).caused_by(error),
        }
    }

    /// Locks the files, and rejects two names of one file.
    fn lock_steps(
        &self,
        steps: &[Step],
        cancellation: &CancellationToken,
    ) -> Result<Vec<Lock>, ToolError> {
        let mut keys = Vec::with_capacity(steps.len());
        for step in steps {
            let parameter = &step.write.parameter;
            let key = step
                .destination
                .key()
                .map_err(|error| disk_error(parameter, error))?;
            if keys.contains(&key) {
                let sentence = "is the same file as another one of this call";
                return Err(ToolError::invalid_arguments(parameter, sentence)
                    .suggest("Use one path for each file."));
            }
            keys.push(key);
        }
        self.lock_all(keys, cancellation)
    }

    fn record_step(&self, step: &Step) {
        if self.keeps().is_none() {
            return;
        }
        let FileWrite { before, after, .. } = &step.write;
        let state = self.previous_state(before.as_ref());
        let mode = step.old_mode().filter(|_| after.is_none());
        let [before, after] = [before, after].map(|content| content.as_deref().map(Vec::as_slice));
        let digests = Digests::of(before, after);
        self.record(&step.shown, &step.destination, state, digests, mode);
    }
}

fn not_complete() -> ToolError {
    ToolError::failed("The journal of the change could not be removed, so nothing was changed")
        .suggest("Tell the user that the directory for checkpoints is not writable.")
}

fn taken_back_in_part(left: &[String]) -> ToolError {
    let files = left.join("`, `");
    ToolError::failed(format!(
        "Writing failed, and `{files}` could not be restored; the other files are unchanged"
    ))
    .suggest("Read these files before you change them.")
}

/// Change of one file.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) write: FileWrite,
    pub(super) shown: String,
    pub(super) destination: Destination,
    /// Mode of a new file; `None` for the usual one.
    pub(super) mode: Option<u32>,
    /// The existing file, once it was checked.
    pub(super) old: Option<Metadata>,
}

impl Step {
    /// Checks that the file is as expected.
    fn check(&mut self, workspace: &Workspace) -> Result<(), ToolError> {
        let (parameter, destination) = (&self.write.parameter, &self.destination);
        let Some(before) = &self.write.before else {
            return match destination.metadata() {
                Ok(there) => Err(already_exists(parameter, Some(&there))),
                Err(_) => Ok(()),
            };
        };
        let there = destination
            .metadata()
            .map_err(|_| changed_concurrently(parameter))?;
        check_is_file(parameter, &there, "Use a command for other entries.")?;
        let mut file = destination.open(parameter, &self.shown)?;
        workspace.check_names(parameter, file.metadata())?;
        if file.metadata().permissions().readonly() {
            return Err(super::edit::read_only(parameter));
        }
        old_file(parameter, destination)?;
        let content = file.read(before.len() as u64 + 1);
        if !content.is_ok_and(|content| content == **before) {
            return Err(changed_concurrently(parameter));
        }
        self.old = Some(file.metadata().clone());
        Ok(())
    }

    fn old_mode(&self) -> Option<u32> {
        self.old.as_ref().and_then(platform::mode)
    }

    fn saved(&self) -> Saved {
        Saved {
            root: self.destination.root,
            real: self.destination.real.clone(),
            shown: self.shown.clone(),
            before: self.write.before.clone(),
            mode: self.old_mode(),
            after: self
                .write
                .after
                .as_deref()
                .map(|after| super::digest_of(after)),
        }
    }

    fn change(&self, mode: Option<u32>, cancellation: &CancellationToken) -> Result<(), ToolError> {
        let (parameter, destination) = (&self.write.parameter, &self.destination);
        if let Some(content) = &self.write.after {
            return destination.write(parameter, content, self.old.as_ref(), mode, cancellation);
        }
        if let Some(old) = &self.old {
            unchanged(parameter, destination, FileStamp::of(old))?;
        }
        if cancellation.is_cancelled() {
            return Err(ToolError::cancelled());
        }
        let directory = &destination.directory;
        directory
            .remove_file(&destination.name)
            .map_err(|error| disk_error(parameter, error))?;
        platform::sync_directory(directory);
        Ok(())
    }
}

#[cfg(test)]
thread_local! {
    /// Steps until a change stops as if the process ended.
    static STEPS_LEFT: std::cell::Cell<Option<usize>> = const { std::cell::Cell::new(None) };
}

/// Returns whether a test stops the change here.
#[cfg(test)]
fn is_interrupted() -> bool {
    let left = STEPS_LEFT.get();
    STEPS_LEFT.set(left.map(|left| left.saturating_sub(1)));
    left == Some(0)
}

#[cfg(not(test))]
fn is_interrupted() -> bool {
    false
}
