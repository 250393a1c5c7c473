//! What a call changed.

use std::io;
use std::sync::Arc;

use memchr::memchr;

use super::history::{Before, Mutation};
use super::stamp::digest_of;
use super::{File, Workspace, platform};
use crate::buffer::Buffer;
use crate::files::diff;

/// How far into a file one looks for what is no text.
const TEXT_PROBE: usize = 8 * 1024;

/// What became of one file, or folder, in a call.
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
    /// The path as it is shown.
    pub path: String,
    /// What became of it.
    pub kind: ChangeKind,
    /// Digest of what the file held before the call; `None` when it was not there, or this was not kept.
    pub before: Option<String>,
    /// Digest of what it held after the call.
    pub after: Option<String>,
    /// The unified diff; `None` for a folder, and when one of the two contents is not known any more.
    pub diff: Option<String>,
    /// Whether what was there before is kept, so that it can be put back.
    pub kept: bool,
}

/// What became of a file, or a folder.
///
/// # Examples
/// See [`FileChange`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ChangeKind {
    /// The file was not there before.
    Created,
    /// The file holds something else.
    Changed,
    /// The folder was not there before.
    CreatedDirectory,
}

impl Workspace {
    /// What a call changed, each file once, in the order of their first changes; empty when nothing is recorded of it.
    ///
    /// A call whose beginning had to make room is told from where it is kept. The diffs have at most 64 KB each.
    #[must_use]
    pub fn changes(&self, call_id: &str) -> Vec<FileChange> {
        let (mutations, _) = self.history().of_call(call_id);
        let mut changes: Vec<FileChange> = Vec::new();
        for mutation in &mutations {
            if changes.iter().any(|change| change.path == mutation.path) {
                continue;
            }
            let of_file = |other: &&Mutation| other.is_of_same_file(mutation);
            let last = mutations.iter().rfind(of_file).unwrap_or(mutation);
            changes.push(self.change(mutation, last));
        }
        changes
    }

    fn change(&self, first: &Mutation, last: &Mutation) -> FileChange {
        let (kind, old) = match &first.before {
            Before::Nothing => (ChangeKind::Created, Some(Arc::default())),
            Before::Content(content) => (ChangeKind::Changed, Some(Arc::clone(content))),
            Before::NotKept => (ChangeKind::Changed, None),
            Before::NoFolder => (ChangeKind::CreatedDirectory, None),
        };
        let diff = old.and_then(|old| {
            let new = self.content_after(last)?;
            Some(difference(&first.path, &old, &new))
        });
        FileChange {
            path: first.path.clone(),
            kind,
            before: first.before_digest.clone(),
            after: last.after_digest.clone(),
            diff,
            kept: !matches!(first.before, Before::NotKept),
        }
    }

    /// What a file held after a change, as long as that is known.
    fn content_after(&self, mutation: &Mutation) -> Option<Arc<Buffer>> {
        self.history().after(mutation).or_else(|| {
            let content = self.content_at(mutation).ok()?;
            (Some(digest_of(&content)) == mutation.after_digest).then(|| content.into())
        })
    }

    /// What a file holds now.
    pub(super) fn content_at(&self, mutation: &Mutation) -> io::Result<Buffer> {
        let place = self.real_place(mutation.root, &mutation.real)?;
        let handle = platform::open_entry(&place.folder, &place.name)?;
        File::of("path", handle, mutation.path.clone())
            .and_then(|mut file| file.read_whole(self.history().max_content()))
            .map_err(io::Error::other)
    }
}

fn difference(path: &str, old: &[u8], new: &[u8]) -> String {
    let is_text = |content: &[u8]| {
        let beginning = content.get(..TEXT_PROBE).unwrap_or(content);
        memchr(0, beginning).is_none()
    };
    if is_text(old) && is_text(new) {
        diff::between(path, old, new)
    } else {
        format!("Binary files a/{path} and b/{path} differ\n")
    }
}
