//! Recorded changes of a call.

use std::io;
use std::sync::{Arc, Mutex};

use tool_core::ToolContext;

use super::Workspace;
use super::destination::Destination;
use super::file::{Digests, digest_of};
use super::history::{Mutation, PreviousState, Recorder};
use crate::files::diff::difference;

/// Change to a file or directory by one call.
///
/// # Examples
/// ```
/// use tool_core::{CancellationToken, ToolContext};
/// use tool_test::Scratch;
/// use tools_builtin::workspace::{ChangeKind, Workspace, WriteMode};
///
/// let scratch = Scratch::new().file("a.txt", "one\n");
/// let workspace = Workspace::open(scratch.path())?;
/// let call = workspace.for_call(&ToolContext::new("call_1", "write_file"));
/// call.write("path", "a.txt", b"two\n", WriteMode::Overwrite, true, &CancellationToken::new())?;
///
/// let changes = workspace.changes("call_1");
/// let change = changes.first().ok_or("nothing changed")?;
/// assert_eq!((change.path.as_str(), change.kind), ("a.txt", ChangeKind::Changed));
/// assert_eq!(change.diff.as_deref(), Some("--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n"));
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileChange {
    /// Path as displayed by the tools.
    pub path: String,
    /// Kind of the change.
    pub kind: ChangeKind,
    /// Digest of the content before the call; `None` if the file did not exist or its content was
    /// not kept.
    pub before: Option<String>,
    /// Digest of the content after the call.
    pub after: Option<String>,
    /// Unified diff; `None` for a directory, or if either content is no longer known.
    pub diff: Option<String>,
    /// Whether the previous state is kept, so that it can be restored.
    pub kept: bool,
}

/// Kind of a change to a file or directory.
///
/// # Examples
/// See [`FileChange`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ChangeKind {
    /// The file was created.
    Created,
    /// The content of the file changed.
    Changed,
    /// The directory was created.
    CreatedDirectory,
    /// The file was removed.
    Removed,
    /// The directory was removed.
    RemovedDirectory,
}

impl Workspace {
    /// Returns the same workspace with a recorder for the changes of this call.
    ///
    /// [`changes`](Self::changes) returns the changes, and [`undo`](Self::undo) reverts them. The
    /// metadata of the call's result contains `file_digests`, the digests of each file before and
    /// after the call, which the audit log includes. The result has a warning for each change that
    /// cannot be undone. A workspace without a call records nothing, because there is no id to undo
    /// it by.
    ///
    /// # Examples
    /// ```
    /// use tool_core::{CancellationToken, ToolContext};
    /// use tool_test::Scratch;
    /// use tools_builtin::workspace::{Workspace, WriteMode};
    ///
    /// let scratch = Scratch::new().file("a.txt", "old");
    /// let workspace = Workspace::open(scratch.path())?;
    /// let cx = ToolContext::new("call_1", "write_file");
    /// let none = CancellationToken::new();
    /// workspace.for_call(&cx).write("path", "a.txt", b"new", WriteMode::Overwrite, true, &none)?;
    ///
    /// workspace.undo("call_1")?;
    /// assert_eq!(scratch.read("a.txt"), "old");
    /// # Ok::<_, Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn for_call(&self, cx: &ToolContext) -> Self {
        let recorder = Recorder {
            call_id: cx.call_id().into(),
            cx: cx.clone(),
            digests: Mutex::default(),
        };
        let mut workspace = self.clone();
        workspace.recorder = Some(Arc::new(recorder));
        workspace
    }

    /// Returns the maximum size in bytes of content to keep before a change; `None` if changes are
    /// not recorded.
    pub(super) fn keeps(&self) -> Option<u64> {
        let recorder = self.recorder.as_ref();
        recorder.map(|_| self.shared.history.max_content())
    }

    /// Returns the state to record for a file with this content; `None` is a missing file.
    pub(super) fn previous_state(&self, content: Option<&Arc<Vec<u8>>>) -> PreviousState {
        match (content, self.keeps()) {
            (None, _) => PreviousState::Nothing,
            (Some(content), Some(limit)) if content.len() as u64 <= limit => {
                PreviousState::Content(Arc::clone(content))
            }
            (Some(_), _) => PreviousState::NotRetained,
        }
    }

    /// Records that a file was written, if changes are recorded.
    pub(super) fn record_write(
        &self,
        path: &str,
        destination: &Destination,
        before: PreviousState,
        after: &[u8],
    ) {
        if self.recorder.is_some() {
            let old = before.content().map(|content| content.as_slice());
            let digests = Digests::of(old, Some(after));
            self.record(path, destination, before, digests, None);
        }
    }

    /// Records a change to a file or directory, with the mode of a removed file.
    pub(super) fn record(
        &self,
        path: &str,
        destination: &Destination,
        before: PreviousState,
        digests: Digests,
        mode: Option<u32>,
    ) {
        let Some(recorder) = &self.recorder else {
            return;
        };
        recorder.report(path, &before, &digests);
        self.shared.history.push(Mutation {
            call_id: Arc::clone(&recorder.call_id),
            path: path.to_owned(),
            root: destination.root,
            real: destination.real.clone(),
            created: destination.created.clone(),
            before,
            digests,
            mode,
        });
    }

    /// Returns the changes of a call, one per file, in the order of their first changes. Empty if
    /// no changes are recorded. The changes of a command, recorded by a
    /// [`Checkpoint`](super::Checkpoint), are sorted by path.
    ///
    /// If the oldest changes of a call were evicted, only later ones are returned. A diff has at
    /// most 64 KB.
    pub fn changes(&self, call_id: &str) -> Vec<FileChange> {
        let (mutations, _) = self.shared.history.of_call(call_id);
        #[cfg(target_os = "linux")]
        if mutations.is_empty() {
            return self.changes_of_command(call_id);
        }
        let mut changes: Vec<FileChange> = Vec::new();
        for mutation in &mutations {
            if changes.iter().any(|change| change.path == mutation.path) {
                continue;
            }
            // By real path: two spellings, or a symlink and its target, are one file.
            let of_file = |other: &&Mutation| other.is_of_same_file(mutation);
            let last = mutations.iter().rfind(of_file).unwrap_or(mutation);
            let is_gone =
                matches!(mutation.before, PreviousState::Nothing) && last.digests.after.is_none();
            if !is_gone {
                changes.push(self.change(mutation, last));
            }
        }
        changes
    }

    fn change(&self, first: &Mutation, last: &Mutation) -> FileChange {
        let is_removed = last.digests.after.is_none();
        let (kind, old) = match &first.before {
            PreviousState::Content(content) if is_removed => {
                (ChangeKind::Removed, Some(Arc::clone(content)))
            }
            PreviousState::NotRetained if is_removed => (ChangeKind::Removed, None),
            PreviousState::Nothing => (ChangeKind::Created, Some(Arc::default())),
            PreviousState::Content(content) => (ChangeKind::Changed, Some(Arc::clone(content))),
            PreviousState::NotRetained => (ChangeKind::Changed, None),
            PreviousState::NoDirectory => (ChangeKind::CreatedDirectory, None),
        };
        let diff = old.and_then(|old| {
            let new = self.content_after(last)?;
            Some(difference(&first.path, &old, &new))
        });
        FileChange {
            path: first.path.clone(),
            kind,
            before: first.digests.before.clone(),
            after: last.digests.after.clone(),
            diff,
            kept: !matches!(first.before, PreviousState::NotRetained),
        }
    }

    /// Returns the content of a file after a change, if it is still known.
    fn content_after(&self, mutation: &Mutation) -> Option<Arc<Vec<u8>>> {
        if mutation.digests.after.is_none() {
            return Some(Arc::default());
        }
        self.shared.history.after(mutation).or_else(|| {
            let content = self.content_at(mutation).ok()?;
            // Another program may have changed the file since, and the diff must only show what the call did.
            (Some(digest_of(&content)) == mutation.digests.after).then(|| content.into())
        })
    }

    /// Returns the current content of a file.
    pub(super) fn content_at(&self, mutation: &Mutation) -> io::Result<Vec<u8>> {
        let destination = self.real_destination(mutation.root, &mutation.real)?;
        destination
            .open("path", &mutation.path)
            .and_then(|mut file| file.read(self.shared.history.max_content()))
            .map_err(io::Error::other)
    }
}
