//! Recording of the changes of a call.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Map, Value};
use tool_core::ToolContext;

use super::digests::Digests;
use super::history::PreviousState;

/// Call that uses a workspace.
#[derive(Debug)]
pub(super) struct Recorder {
    pub(super) cx: ToolContext,
    pub(super) call_id: Arc<str>,
    /// Value of the note `file_digests` so far.
    pub(super) digests: Mutex<Map<String, Value>>,
}

impl Recorder {
    pub(super) fn report(&self, path: &str, before: &PreviousState, change: &Digests) {
        match before {
            PreviousState::NoDirectory => return,
            PreviousState::NotRetained => self.cx.warn(format!(
                "The change to `{path}` cannot be undone: the old content is too large or not readable."
            )),
            PreviousState::Nothing | PreviousState::Content(_) => {}
        }
        let mut digests = self.digests.lock().unwrap_or_else(PoisonError::into_inner);
        let old = match digests.get(path) {
            // For a second change of a file, keep the digest from before the first.
            Some(earlier) => earlier.get("before").cloned(),
            None => change.before.as_deref().map(Value::from),
        };
        let new = change.after.as_deref().map(Value::from);
        let mut entry = Map::new();
        entry.extend(old.map(|old| ("before".to_owned(), old)));
        entry.extend(new.map(|new| ("after".to_owned(), new)));
        digests.insert(path.to_owned(), Value::Object(entry));
        self.cx.note("file_digests", digests.clone());
    }
}
