//! Edits of one file, in memory.

use tool_core::ToolError;

use super::{EditFileOutput, MAX_BYTES, reply};
use crate::files::diff::{Hunk, between, hunks};
use crate::files::edit::{Edit, Edited, Refusal, apply};
use crate::files::foreign::ForeignChange;
use crate::files::seen::SeenFiles;
use crate::files::text_format::FileText;
use crate::workspace::digest_of;

/// Edits of one file, in memory.
pub(in crate::files) struct Change {
    path: String,
    /// File before the edits.
    file: FileText,
    edited: Edited,
    hunks: Vec<Hunk>,
    foreign: Option<ForeignChange>,
}

/// Why edits were not made.
pub(in crate::files) enum NotChanged {
    /// Some edits do not fit. Others may have changed the file since it was seen.
    Refused(Vec<Refusal>, Option<ForeignChange>),
    Failed(ToolError),
}

impl From<ToolError> for NotChanged {
    fn from(error: ToolError) -> Self {
        Self::Failed(error)
    }
}

impl Change {
    /// Returns the change that the edits make to a file with this content, unless they touch what others changed since the
    /// model has seen it.
    pub(in crate::files) fn of(
        path: &str,
        content: &[u8],
        edits: &[Edit<'_>],
        (seen, key): (&SeenFiles, &str),
    ) -> Result<Self, NotChanged> {
        let file = FileText::of(content)?;
        let foreign = ForeignChange::of(seen, key, content, &file.text);
        let mut edits = edits.to_vec();
        if let Some(foreign) = &foreign {
            // The model counts the lines that it has seen. A line that has changed is none, so that it chooses nothing.
            let now = |line| foreign.line_now(line).unwrap_or(0);
            for edit in &mut edits {
                edit.near_line = edit.near_line.map(now);
                if let Some(region) = &mut edit.region {
                    region.first_line = region.first_line.map(now);
                }
            }
        }
        let edited = match apply(&file.text, &edits, MAX_BYTES) {
            Ok(edited) => edited,
            Err(refusals) => return Err(NotChanged::Refused(refusals, foreign)),
        };
        let hunks = hunks(&file.text, &edited.text);
        if let Some(foreign) = &foreign
            && foreign.touches(&hunks)
        {
            return Err(foreign.conflict(&file.text).into());
        }
        Ok(Self {
            path: path.to_owned(),
            file,
            edited,
            hunks,
            foreign,
        })
    }

    /// Returns the new content of the file.
    pub(in crate::files) fn content(&self, edits: &[Edit<'_>]) -> Result<Vec<u8>, ToolError> {
        for edit in edits {
            self.file.encode("edits", edit.new)?;
        }
        self.file.encode("edits", &self.edited.text)
    }

    pub(in crate::files) fn output(&self, before: &[u8], after: &[u8]) -> EditFileOutput {
        EditFileOutput {
            path: self.path.clone(),
            created: false,
            replaced: self.edited.places.len(),
            hunks: self.hunks.clone(),
            diff: self.diff(),
            before: Some(digest_of(before)),
            after: digest_of(after),
            reply: self.reply(reply::MAX_LINES),
        }
    }

    pub(in crate::files) fn diff(&self) -> String {
        let (old, new) = (&self.file.text, &self.edited.text);
        between(&self.path, old.as_bytes(), new.as_bytes())
    }

    /// Returns the text for the model, with at most so many lines of the file.
    pub(in crate::files) fn reply(&self, max_lines: usize) -> String {
        reply::reply(&self.path, &self.edited, &self.hunks, max_lines)
    }

    pub(in crate::files) fn hunks(&self) -> Vec<Hunk> {
        self.hunks.clone()
    }

    /// Returns what the model knows of the file after the edits; `None` if that is not certain.
    pub(in crate::files) fn seen(&self, content: Vec<u8>, edits: &[Edit<'_>]) -> Option<Vec<u8>> {
        let Some(foreign) = &self.foreign else {
            return Some(content);
        };
        // The foreign change stays unseen, so that no call overwrites it.
        let edited = apply(foreign.seen.as_deref()?, edits, MAX_BYTES).ok()?;
        self.file.encode("edits", &edited.text).ok()
    }

    pub(in crate::files) fn notes(&self) -> Vec<String> {
        let mut notes = reply::notes(&self.edited);
        notes.extend(self.foreign.as_ref().map(|foreign| {
            let places = foreign.places();
            format!("The file was also changed by others since you read it ({places}). The edits are elsewhere.")
        }));
        notes
    }
}
