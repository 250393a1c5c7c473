//! Patches with markers such as `*** Update File: path`.

use tool_core::ToolError;

use super::{FileChange, FilePatch, HunkLines, at_line, cut_off};

const ADD: &str = "*** Add File:";
const DELETE: &str = "*** Delete File:";
const UPDATE: &str = "*** Update File:";
const MOVE: &str = "*** Move to:";
const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";
const END_OF_FILE: &str = "*** End of File";

/// Returns whether a patch has this format. A missing first marker is accepted.
pub(super) fn is_marked(lines: &[&str]) -> bool {
    let first = lines.iter().find(|line| !line.trim().is_empty());
    first.is_some_and(|first| is_padded(first, BEGIN) || header(first).is_some())
}

/// Reads a patch.
pub(super) fn parse(lines: &[&str]) -> Result<Vec<FilePatch>, ToolError> {
    let first = lines.iter().position(|line| is_padded(line, BEGIN));
    let first = first.map_or(0, |first| first + 1);
    let last = lines.iter().rposition(|line| !line.trim().is_empty());
    let last = last.filter(|last| lines.get(*last).is_some_and(|line| is_padded(line, END)));
    // Everything that a cut could remove is before this marker.
    let last = last.ok_or_else(cut_off)?;
    let mut reader = Reader {
        lines: lines.get(..last).unwrap_or_default(),
        at: first,
    };
    let mut files = Vec::new();
    while let Some(line) = reader.peek() {
        if line.trim().is_empty() {
            reader.at += 1;
            continue;
        }
        files.push(reader.file(line)?);
    }
    Ok(files)
}

/// Returns whether a line is this marker, perhaps with spaces or stars around it.
fn is_padded(line: &str, marker: &str) -> bool {
    line.trim().trim_end_matches('*').trim_end() == marker
}

/// Returns the marker of a section, and its path.
fn header(line: &str) -> Option<(&'static str, &str)> {
    let line = line.trim_end();
    [ADD, DELETE, UPDATE].into_iter().find_map(|marker| {
        let path = line.strip_prefix(marker)?.trim();
        let path = path.strip_suffix(" ***").unwrap_or(path);
        Some((marker, path))
    })
}

struct Reader<'p> {
    lines: &'p [&'p str],
    at: usize,
}

impl<'p> Reader<'p> {
    fn peek(&self) -> Option<&'p str> {
        self.lines.get(self.at).copied()
    }

    fn file(&mut self, line: &'p str) -> Result<FilePatch, ToolError> {
        // Between two sections, nothing else can be meant.
        let Some((marker, path)) = header(line.trim_start()) else {
            return Err(at_line(self.at, "no section of a file begins here").suggest(
                "Begin each file with `*** Add File: path`, `*** Update File: path` or `*** Delete File: path`.",
            ));
        };
        if path.is_empty() {
            return Err(at_line(self.at, "the path is missing").suggest("Add it after the colon."));
        }
        self.at += 1;
        let change = match marker {
            ADD => FileChange::Add(self.added()?),
            DELETE => FileChange::Delete,
            _ => self.updated()?,
        };
        Ok(FilePatch {
            path: path.to_owned(),
            change,
        })
    }

    fn added(&mut self) -> Result<String, ToolError> {
        let (mut text, mut gap) = (String::new(), 0);
        while let Some(line) = self.peek().filter(|line| header(line).is_none()) {
            match line.strip_prefix('+') {
                Some(line) => {
                    // An empty line without its `+`, unless it only separates sections.
                    text.push_str(&"\n".repeat(std::mem::take(&mut gap)));
                    text.push_str(line);
                    text.push('\n');
                }
                None if line.trim().is_empty() => gap += 1,
                None => {
                    return Err(
                        at_line(self.at, "a line of a new file does not begin with `+`")
                            .suggest("Begin every line of the file with `+`."),
                    );
                }
            }
            self.at += 1;
        }
        Ok(text)
    }

    fn updated(&mut self) -> Result<FileChange, ToolError> {
        let to = self.peek().and_then(|line| line.strip_prefix(MOVE));
        let to = to.map(|to| to.trim().to_owned());
        if to.is_some() {
            self.at += 1;
        }
        let mut hunks = Vec::new();
        while let Some(line) = self.peek().filter(|line| header(line).is_none()) {
            if line.trim().is_empty() {
                self.at += 1;
                continue;
            }
            hunks.push(self.hunk()?.hunk);
        }
        if hunks.is_empty() && to.is_none() {
            return Err(
                at_line(self.at.saturating_sub(1), "this file has no changes")
                    .suggest("Add lines that begin with `-` or `+`, or omit the file."),
            );
        }
        Ok(FileChange::Update { to, hunks })
    }

    fn hunk(&mut self) -> Result<HunkLines, ToolError> {
        let mut lines = HunkLines::default();
        lines.hunk.line = self.at + 1;
        while let Some(context) = self.peek().and_then(|line| line.strip_prefix("@@")) {
            let context = context.strip_prefix(' ').unwrap_or(context).trim_end();
            let context = context.strip_suffix(" @@").unwrap_or(context);
            if !context.trim().is_empty() {
                lines.hunk.region.contexts.push(context.to_owned());
            }
            self.at += 1;
        }
        while let Some(line) = self.peek() {
            if line.starts_with("@@") || header(line).is_some() {
                break;
            }
            if line.trim_end() == END_OF_FILE {
                lines.hunk.region.is_at_end = true;
                self.at += 1;
                break;
            }
            if !lines.push(line) {
                return Err(at_line(
                    self.at,
                    "a line of a hunk begins with none of space, `-` and `+`",
                )
                .suggest("Begin unchanged lines with a space."));
            }
            self.at += 1;
        }
        if lines.is_empty() {
            return Err(at_line(lines.hunk.line - 1, "this hunk has no lines")
                .suggest("Add lines that begin with `-` or `+`."));
        }
        Ok(lines)
    }
}
