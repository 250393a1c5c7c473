//! Unified diffs, as `diff -u` and Git write them, with wrong counts as models write them.

use tool_core::ToolError;

use super::{FileChange, FilePatch, HunkLines, at_line, cut_off};

const NONE: &str = "/dev/null";

/// Headers of changes that a text cannot express here, with what they change.
const UNSUPPORTED: [(&str, &str); 5] = [
    ("old mode ", "the mode of a file"),
    ("GIT binary patch", "a binary file"),
    ("Binary files ", "a binary file"),
    ("copy from ", "a copy of a file"),
    ("Subproject commit ", "a submodule"),
];

/// Returns whether a string has a header of this format.
pub(super) fn is_unified(lines: &[&str]) -> bool {
    lines
        .iter()
        .enumerate()
        .any(|(index, line)| line.starts_with("diff --git ") || is_header(lines, index))
}

/// Returns whether the two lines with the names of a file begin here.
fn is_header(lines: &[&str], index: usize) -> bool {
    let begins = |offset: usize, start| {
        lines
            .get(index + offset)
            .is_some_and(|line| line.starts_with(start))
    };
    begins(0, "--- ")
        && begins(1, "+++ ")
        && (begins(2, "@@") || lines.get(index + 2).is_none_or(|line| line.is_empty()))
}

/// Reads a diff.
pub(super) fn parse(lines: &[&str]) -> Result<Vec<FilePatch>, ToolError> {
    let mut files = Vec::new();
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        if line.starts_with("diff --git ") || is_header(lines, at) {
            let mut section = Section::new(lines, at);
            section.read()?;
            at = section.at;
            files.push(section.file()?);
        } else {
            // Text before a header, such as a commit message.
            at += 1;
        }
    }
    Ok(files)
}

/// Header and hunks of one file.
struct Section<'p> {
    lines: &'p [&'p str],
    start: usize,
    at: usize,
    old: Option<String>,
    new: Option<String>,
    renamed: Option<(String, String)>,
    is_new: bool,
    is_deleted: bool,
    hunks: Vec<HunkLines>,
}

impl<'p> Section<'p> {
    fn new(lines: &'p [&'p str], start: usize) -> Self {
        Self {
            lines,
            start,
            at: start,
            old: None,
            new: None,
            renamed: None,
            is_new: false,
            is_deleted: false,
            hunks: Vec::new(),
        }
    }

    fn line(&self) -> Option<&'p str> {
        self.lines.get(self.at).copied()
    }

    fn read(&mut self) -> Result<(), ToolError> {
        if self
            .line()
            .is_some_and(|line| line.starts_with("diff --git "))
        {
            self.at += 1;
            self.read_extended_header()?;
        }
        if is_header(self.lines, self.at) {
            let name = |offset: usize| {
                self.lines
                    .get(self.at + offset)
                    .and_then(|line| line.get(4..))
            };
            self.old = name(0).map(file_name);
            self.new = name(1).map(file_name);
            self.at += 2;
        }
        while let Some(line) = self.line() {
            let Some(header) = line.strip_prefix("@@") else {
                return Ok(());
            };
            let hunk = self.hunk(header)?;
            self.hunks.push(hunk);
        }
        Ok(())
    }

    fn read_extended_header(&mut self) -> Result<(), ToolError> {
        let mut from = None;
        while let Some(line) = self.line() {
            if line.starts_with("diff --git ")
                || line.starts_with("@@")
                || is_header(self.lines, self.at)
            {
                break;
            }
            if let Some((_, what)) = UNSUPPORTED
                .iter()
                .find(|(start, _)| line.starts_with(start))
            {
                return Err(at_line(self.at, &format!("it changes {what}"))
                    .suggest("Omit this file, or change it with a command."));
            }
            self.is_new |= line.starts_with("new file mode");
            self.is_deleted |= line.starts_with("deleted file mode");
            if let Some(name) = line.strip_prefix("rename from ") {
                from = Some(name.to_owned());
            }
            if let (Some(name), Some(from)) = (line.strip_prefix("rename to "), &from) {
                self.renamed = Some((from.clone(), name.to_owned()));
            }
            self.at += 1;
        }
        Ok(())
    }

    fn hunk(&mut self, header: &str) -> Result<HunkLines, ToolError> {
        let counts = Counts::of(header);
        let mut lines = HunkLines::default();
        lines.hunk.line = self.at + 1;
        lines.hunk.region.first_line = counts.as_ref().map(|counts| counts.first_line);
        if counts.is_none() && !header.trim_matches(['@', ' ', '.', '…']).is_empty() {
            let context = header.trim_end().trim_end_matches("@@").trim();
            lines.hunk.region.contexts.push(context.to_owned());
        }
        self.at += 1;
        while let Some(line) = self.line() {
            let is_full = counts
                .as_ref()
                .is_some_and(|counts| counts.are_reached(&lines));
            // The signature of a mail begins like a removed line.
            let is_end = line.starts_with("@@")
                || line.starts_with("diff --git ")
                || is_header(self.lines, self.at);
            if is_end || is_full && line.trim_end() == "--" {
                break;
            }
            if !lines.push(line) {
                if is_full || counts.is_none() {
                    break;
                }
                return Err(at_line(
                    self.at,
                    "a line of a hunk begins with none of space, `-` and `+`",
                )
                .suggest("Begin unchanged lines with a space."));
            }
            self.at += 1;
        }
        let is_short = counts.is_some_and(|counts| counts.exceed(&lines));
        if lines.is_empty() || is_short && self.at >= self.lines.len() {
            return Err(cut_off());
        }
        Ok(lines)
    }

    fn file(self) -> Result<FilePatch, ToolError> {
        let (old, new) = self.names()?;
        let mut hunks: Vec<_> = self.hunks.into_iter().map(|lines| lines.hunk).collect();
        let is_new = self.is_new || old == NONE;
        let is_deleted = self.is_deleted || new == NONE;
        if !is_new && !is_deleted {
            if hunks.is_empty() && old == new {
                return Err(at_line(self.start, "this file has no changes").suggest("Omit it."));
            }
            let to = (old != new).then_some(new);
            let change = FileChange::Update { to, hunks };
            return Ok(FilePatch { path: old, change });
        }
        if hunks.len() > 1 {
            return Err(at_line(self.start, "a whole file is one hunk").suggest("Join its hunks."));
        }
        let hunk = hunks.pop().unwrap_or_default();
        if is_deleted {
            let change = FileChange::Delete;
            return Ok(FilePatch { path: old, change });
        }
        let mut text = hunk.new;
        if hunk.region.ends_with_newline == Some(false) {
            text.truncate(text.trim_end_matches('\n').len());
        }
        let change = FileChange::Add(text);
        Ok(FilePatch { path: new, change })
    }

    /// Returns the paths before and after, without the prefixes of Git.
    fn names(&self) -> Result<(String, String), ToolError> {
        if let Some(renamed) = &self.renamed {
            return Ok(renamed.clone());
        }
        let (old, new) = match (&self.old, &self.new) {
            (Some(old), Some(new)) => (old.clone(), new.clone()),
            _ => self.names_of_git()?,
        };
        let (a, b) = (old.strip_prefix("a/"), new.strip_prefix("b/"));
        match (a, b) {
            (Some(a), Some(b)) => Ok((a.to_owned(), b.to_owned())),
            (Some(a), None) if new == NONE => Ok((a.to_owned(), new)),
            (None, Some(b)) if old == NONE => Ok((old, b.to_owned())),
            _ => Ok((old, new)),
        }
    }

    /// Returns the paths of `diff --git a/path b/path`, which are all that an empty file has.
    fn names_of_git(&self) -> Result<(String, String), ToolError> {
        let line = self.lines.get(self.start).copied().unwrap_or_default();
        let names = line.strip_prefix("diff --git ").unwrap_or_default();
        // Names may contain spaces, but both are of one length.
        let middle = names.len() / 2;
        match (names.get(..middle), names.get(middle..)) {
            (Some(old), Some(new)) if new.starts_with(' ') && old.len() + 1 == new.len() => {
                Ok((old.to_owned(), new.trim_start().to_owned()))
            }
            _ => Err(at_line(self.start, "the names of the file are missing")
                .suggest("Add lines such as `--- a/path` and `+++ b/path`.")),
        }
    }
}

/// Numbers in the header of a hunk.
struct Counts {
    first_line: usize,
    old: usize,
    new: usize,
}

impl Counts {
    /// Reads ` -1,2 +3,4 @@`.
    fn of(header: &str) -> Option<Self> {
        let mut words = header.split_whitespace();
        let mut side = |sign| {
            let numbers = words.next()?.strip_prefix(sign)?;
            let (first, count) = numbers.split_once(',').unwrap_or((numbers, "1"));
            Some((first.parse().ok()?, count.parse().ok()?))
        };
        let ((first_line, old), (_, new)): ((usize, usize), (usize, usize)) =
            (side('-')?, side('+')?);
        Some(Self {
            first_line,
            old,
            new,
        })
    }

    fn are_reached(&self, lines: &HunkLines) -> bool {
        lines.old_lines >= self.old && lines.new_lines >= self.new
    }

    fn exceed(&self, lines: &HunkLines) -> bool {
        lines.old_lines + lines.gap < self.old || lines.new_lines + lines.gap < self.new
    }
}

/// Returns the name in a header line, without the time after it.
fn file_name(text: &str) -> String {
    let name = text.split('\t').next().unwrap_or_default();
    name.trim_end().to_owned()
}
