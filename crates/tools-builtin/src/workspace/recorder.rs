//! Which call changes the files, and what is said to it about that.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Map, Value, json};
use tool_core::ToolContext;

use super::Workspace;
use super::digests::Digests;
use super::history::{Before, Mutation};
use super::place::Place;

/// The call that a workspace is used for.
#[derive(Debug)]
pub(super) struct Recorder {
    cx: ToolContext,
    call_id: Arc<str>,
    /// The note `file_digests` so far.
    digests: Mutex<Map<String, Value>>,
}

impl Workspace {
    /// The same workspace, which records what this call changes.
    ///
    /// The changes can then be looked at with [`changes`](Self::changes) and taken back with [`undo`](Self::undo). The
    /// result of the call says in its metadata, as `file_digests`, what each file held before and after (the audit log
    /// takes it from there), and warns of what cannot be taken back. Without a call nothing is recorded.
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
        self.with_recorder(Arc::new(Recorder {
            call_id: cx.call_id().into(),
            cx: cx.clone(),
            digests: Mutex::default(),
        }))
    }

    /// How large a file may be whose content is to be kept before it changes; `None` when nothing is recorded.
    pub(super) fn keeps(&self) -> Option<u64> {
        self.recorder().map(|_| self.history().max_content())
    }

    /// Does `write` and makes the digests of what it changes meanwhile, where changes are recorded.
    pub(super) fn digests_meanwhile<R>(
        &self,
        before: Option<&[u8]>,
        after: &[&[u8]],
        write: impl FnOnce() -> R,
    ) -> (R, Digests) {
        match self.recorder() {
            Some(_) => Digests::meanwhile(before, after, write),
            None => (write(), Digests::default()),
        }
    }

    /// Records that a file, or a folder, was changed.
    pub(super) fn record(&self, path: &str, place: &Place, before: Before, digests: Digests) {
        let Some(recorder) = self.recorder() else {
            return;
        };
        recorder.say(path, &before, &digests);
        self.history().push(Mutation {
            call_id: Arc::clone(&recorder.call_id),
            path: path.to_owned(),
            root: place.root,
            real: place.real.clone(),
            made: place.made.clone(),
            before,
            before_digest: digests.before,
            after_digest: digests.after,
        });
    }
}

impl Recorder {
    fn say(&self, path: &str, before: &Before, made: &Digests) {
        match before {
            Before::NoFolder => return,
            Before::NotKept => self.cx.warn(format!(
                "This change of `{path}` cannot be undone: what the file held before is too large, or may not be read."
            )),
            Before::Nothing | Before::Content(_) => {}
        }
        let mut digests = self.digests.lock().unwrap_or_else(PoisonError::into_inner);
        let first = digests.get(path).and_then(|earlier| earlier.get("before"));
        // A second change of the same file: before the call it held what it held before the first.
        let old = match (digests.get(path), first) {
            (Some(_), first) => first.cloned(),
            (None, _) => made.before.as_deref().map(Value::from),
        };
        let mut entry = Map::new();
        entry.extend(old.map(|old| ("before".to_owned(), old)));
        entry.extend(
            made.after
                .as_ref()
                .map(|new| ("after".to_owned(), json!(new))),
        );
        digests.insert(path.to_owned(), Value::Object(entry));
        self.cx.note("file_digests", digests.clone());
    }
}
