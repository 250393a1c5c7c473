//! Patches of several files as text: the format of `apply_patch` (V4A), and unified diffs.
//!
//! Models wrap and damage patches in known ways, which are accepted where they can mean only one thing. A patch that may be
//! cut off is rejected: half of a change is worse than none.

mod marked;
mod unified;
mod wrapper;

#[cfg(test)]
mod tests;

use tool_core::ToolError;

use super::edit::Region;

/// Maximum number of files in a patch. All of them must fit into the history of changes, or `undo` would not cover them.
const MAX_FILES: usize = 50;
/// Maximum number of hunks in a patch.
const MAX_HUNKS: usize = 20_000;

/// Changes of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FilePatch {
    pub(super) path: String,
    pub(super) change: FileChange,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FileChange {
    Add(String),
    Delete,
    Update {
        /// New path of the file.
        to: Option<String>,
        hunks: Vec<Hunk>,
    },
}

/// Lines to replace.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Hunk {
    /// Line of the patch at which it begins.
    pub(super) line: usize,
    pub(super) old: String,
    pub(super) new: String,
    pub(super) region: Region,
}

/// Reads a patch.
///
/// # Errors
/// Names the line of the patch and what it should be.
pub(super) fn parse(patch: &str) -> Result<Vec<FilePatch>, ToolError> {
    let text = wrapper::without_wrappers(patch)?;
    let lines: Vec<&str> = text.lines().collect();
    let files = if marked::is_marked(&lines) {
        marked::parse(&lines)?
    } else if unified::is_unified(&lines) {
        unified::parse(&lines)?
    } else {
        return Err(unknown());
    };
    if files.is_empty() {
        return Err(ToolError::invalid_arguments("patch", "changes no file")
            .suggest("Add a section such as `*** Update File: path`."));
    }
    let hunks: usize = files.iter().map(|file| hunks_of(file).len()).sum();
    for (count, limit, noun) in [
        (files.len(), MAX_FILES, "files"),
        (hunks, MAX_HUNKS, "hunks"),
    ] {
        if count > limit {
            let sentence = format!("has {count} {noun}; at most {limit} are allowed");
            return Err(ToolError::invalid_arguments("patch", sentence)
                .suggest("Split it into several calls."));
        }
    }
    Ok(files)
}

fn hunks_of(file: &FilePatch) -> &[Hunk] {
    match &file.change {
        FileChange::Update { hunks, .. } => hunks,
        FileChange::Add(_) | FileChange::Delete => &[],
    }
}

fn unknown() -> ToolError {
    ToolError::invalid_arguments("patch", "is no patch").suggest(
        "Begin it with `*** Begin Patch` and a section such as `*** Update File: path`, or send a unified diff.",
    )
}

/// Returns the error of a line, counted from 0.
fn at_line(index: usize, sentence: &str) -> ToolError {
    let sentence = format!("is wrong at its line {}: {sentence}", index + 1);
    ToolError::invalid_arguments("patch", sentence)
}

fn cut_off() -> ToolError {
    ToolError::invalid_arguments("patch", "ends too early, so it may be cut off")
        .suggest("Send it again completely, or split it into several calls.")
}

/// Lines of a hunk while they are read.
#[derive(Debug, Default)]
struct HunkLines {
    hunk: Hunk,
    /// Empty lines without the space of a context line, which may also be only a gap in the patch.
    gap: usize,
    old_lines: usize,
    new_lines: usize,
    last: Option<char>,
}

impl HunkLines {
    fn is_empty(&self) -> bool {
        self.last.is_none()
    }

    /// Adds a line. Returns `false` if it is none of a hunk.
    fn push(&mut self, line: &str) -> bool {
        let mut letters = line.chars();
        let kind = match letters.next() {
            None => {
                self.gap += 1;
                return true;
            }
            Some('\\') => return self.push_note(),
            Some(kind @ (' ' | '+' | '-')) => kind,
            Some(_) => return false,
        };
        for _ in 0..std::mem::take(&mut self.gap) {
            self.add(' ', "");
        }
        self.add(kind, letters.as_str());
        true
    }

    fn add(&mut self, kind: char, text: &str) {
        let hunk = &mut self.hunk;
        for (side, count, is_of) in [
            (&mut hunk.old, &mut self.old_lines, kind != '+'),
            (&mut hunk.new, &mut self.new_lines, kind != '-'),
        ] {
            if is_of {
                side.push_str(text);
                side.push('\n');
                *count += 1;
            }
        }
        self.last = Some(kind);
    }

    /// Applies `\ No newline at end of file` to the line before it.
    fn push_note(&mut self) -> bool {
        let region = &mut self.hunk.region;
        match self.last {
            None => return false,
            // Without a note for the new side, it ends with a newline.
            Some('-') => region.ends_with_newline = Some(true),
            Some(_) => region.ends_with_newline = Some(false),
        }
        region.is_at_end = true;
        true
    }
}
