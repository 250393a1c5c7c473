//! Files of a patch as they will be, in memory.

use std::fmt::Write as _;
use std::sync::Arc;

use tool_core::{ErrorCode, ToolError};

use super::sections::Section;
use super::{PatchKind, PatchedFile};
use crate::files::diff::difference;
use crate::files::edit::{Edit, Refusal};
use crate::files::edit_file::{Change, MAX_BYTES, NotChanged, code_of, counted_lines};
use crate::files::foreign::ForeignChange;
use crate::files::patch::{FileChange, Hunk};
use crate::files::seen::SeenFiles;
use crate::files::write_text::in_format_of;
use crate::workspace::{FileWrite, Workspace, digest_of, on_one_line};

/// Maximum size in bytes of all files, so that the history of changes can keep the old ones.
const MAX_TOTAL: usize = 24 * 1024 * 1024;
/// Maximum number of failures to explain.
const MAX_EXPLAINED: usize = 10;

/// A file as the patch leaves it.
pub(super) struct Placed {
    section: Section,
    before: Option<Arc<Vec<u8>>>,
    after: Option<Vec<u8>>,
    /// Change of an updated file.
    change: Option<Change>,
    /// What the model knows of the file then; `None` if that is not certain.
    seen: Option<Vec<u8>>,
}

/// Why a part of a patch does not fit.
struct Failure {
    code: ErrorCode,
    text: String,
}

/// Places all sections.
///
/// # Errors
/// Names every file and hunk that does not fit.
pub(super) fn place(
    sections: Vec<Section>,
    workspace: &Workspace,
    seen: &SeenFiles,
) -> Result<Vec<Placed>, ToolError> {
    let (mut placed, mut failures) = (Vec::new(), Vec::new());
    let mut total = 0;
    for section in sections {
        match Placed::of(section, workspace, seen) {
            Ok(file) => {
                total += file
                    .contents()
                    .iter()
                    .map(|content| content.len())
                    .sum::<usize>();
                placed.push(file);
            }
            Err(failed) => failures.extend(failed),
        }
        if total > MAX_TOTAL {
            let sentence = format!("changes files of more than {MAX_TOTAL} bytes");
            return Err(ToolError::about(ErrorCode::FileTooLarge, "patch", sentence)
                .suggest("Split it into several calls."));
        }
    }
    if failures.is_empty() {
        return Ok(placed);
    }
    Err(error(&failures))
}

fn error(failures: &[Failure]) -> ToolError {
    let code = failures
        .first()
        .map_or(ErrorCode::Failed, |failure| failure.code.clone());
    let mut text = "does not fit, so nothing was written:".to_owned();
    for failure in failures.iter().take(MAX_EXPLAINED) {
        let _ = write!(text, "\n{}", failure.text);
    }
    if failures.len() > MAX_EXPLAINED {
        let _ = write!(text, "\n[… {} more]", failures.len() - MAX_EXPLAINED);
    }
    ToolError::about(code, "patch", text)
}

/// Returns an error about a file as one about the patch.
pub(super) fn about_patch(error: ToolError) -> ToolError {
    let (code, message) = (error.code().clone(), error.message().to_owned());
    error.reworded(code, message).with_parameter(Some("patch"))
}

impl Placed {
    fn of(section: Section, workspace: &Workspace, seen: &SeenFiles) -> Result<Self, Vec<Failure>> {
        let failed = |error: ToolError| {
            let (code, text) = (error.code().clone(), error.to_string());
            vec![Failure { code, text }]
        };
        let name = on_one_line(&section.path).into_owned();
        let before = match workspace.existing_file(&name, &section.path) {
            Ok(mut file) => Some(file.read(MAX_BYTES as u64).map_err(failed)?),
            Err(error) if *error.code() == ErrorCode::FileNotFound && is_new(&section) => None,
            Err(error) => return Err(failed(error)),
        };
        if before.is_some() && is_new(&section) {
            return Err(failed(exists(&name)));
        }
        if let Some(to) = section.to()
            && workspace.existing_file(to, to).is_ok()
        {
            return Err(failed(exists(&on_one_line(to))));
        }
        let mut placed = Self {
            section,
            before: before.map(Arc::new),
            after: None,
            change: None,
            seen: None,
        };
        placed.fill(workspace, seen)?;
        Ok(placed)
    }

    /// Determines the new content.
    fn fill(&mut self, workspace: &Workspace, seen: &SeenFiles) -> Result<(), Vec<Failure>> {
        let before = self.before.clone().unwrap_or_default();
        if matches!(self.section.change, FileChange::Delete) || self.section.replaces {
            let path = &self.section.path;
            ForeignChange::check(seen, &workspace.key_of(path), &before)
                .map_err(|error| failures(path, &[], error.into()))?;
        }
        match &self.section.change {
            FileChange::Delete => {}
            FileChange::Add(text) => {
                let new = self.section.replaces.then(|| in_format_of(&before, text));
                self.after = Some(new.unwrap_or_else(|| text.clone().into_bytes()));
                self.seen.clone_from(&self.after);
            }
            FileChange::Update { hunks, .. } if hunks.is_empty() => {
                self.after = Some(before.to_vec());
            }
            FileChange::Update { hunks, .. } => {
                let edits: Vec<Edit<'_>> = hunks.iter().map(edit_of).collect();
                let path = &self.section.path;
                let known = (seen, workspace.key_of(path));
                let change = Change::of(path, &before, &edits, (known.0, &known.1))
                    .map_err(|error| failures(path, hunks, error))?;
                let content = change.content(&edits);
                let content = content.map_err(|error| failures(path, hunks, error.into()))?;
                self.seen = change.seen(content.clone(), &edits);
                (self.after, self.change) = (Some(content), Some(change));
            }
        }
        Ok(())
    }

    /// Returns the contents before and after.
    pub(super) fn contents(&self) -> [&[u8]; 2] {
        let before = self.before.as_deref().map(Vec::as_slice);
        let before = before.unwrap_or_default();
        [before, self.after.as_deref().unwrap_or_default()]
    }

    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        self.section.paths()
    }

    fn path(&self) -> &str {
        self.section.to().unwrap_or(&self.section.path)
    }

    pub(super) fn output(&self) -> PatchedFile {
        let [before, after] = self.contents();
        let kind = match (&self.before, &self.after) {
            (None, _) => PatchKind::Added,
            (_, None) => PatchKind::Deleted,
            _ => PatchKind::Updated,
        };
        let change = self.change.as_ref();
        let is_unchanged = change.is_none() && before == after;
        PatchedFile {
            path: self.path().to_owned(),
            kind,
            moved_from: self.section.to().map(|_| self.section.path.clone()),
            hunks: change.map(Change::hunks).unwrap_or_default(),
            diff: match change {
                Some(change) => change.diff(),
                None if is_unchanged && kind == PatchKind::Updated => String::new(),
                None => difference(self.path(), before, after),
            },
            before: self.before.as_ref().map(|_| digest_of(before)),
            after: self.after.as_ref().map(|_| digest_of(after)),
        }
    }

    /// Returns the text for the model, with at most so many lines of the file.
    pub(super) fn reply(&self, max_lines: usize) -> String {
        let path = on_one_line(self.path());
        let from = on_one_line(&self.section.path);
        match (&self.before, &self.after, &self.change) {
            (_, None, _) => format!("Deleted {path}"),
            (_, Some(_), Some(change)) => {
                let reply = change.reply(max_lines);
                match self.section.to() {
                    Some(to) => format!("Moved {from} to {}\n{reply}", on_one_line(to)),
                    None => reply,
                }
            }
            (Some(_), Some(_), None) if !self.section.replaces => format!("Moved {from} to {path}"),
            (_, Some(after), None) => {
                let lines = counted_lines(&String::from_utf8_lossy(after));
                let verb = if self.section.replaces {
                    "Replaced"
                } else {
                    "Added"
                };
                format!("{verb} {path} ({lines})")
            }
        }
    }

    pub(super) fn notes(&self) -> Vec<String> {
        let notes = self.change.as_ref().map(Change::notes).unwrap_or_default();
        let path = on_one_line(self.path());
        let notes = notes.into_iter();
        notes.map(|note| format!("{path}: {note}")).collect()
    }

    /// Remembers what the model knows of the file.
    pub(super) fn remember(&self, seen: &SeenFiles, workspace: &Workspace) {
        if let Some(content) = &self.seen {
            seen.remember(&workspace.key_of(self.path()), content);
        }
    }
}

fn is_new(section: &Section) -> bool {
    matches!(section.change, FileChange::Add(_)) && !section.replaces
}

fn exists(path: &str) -> ToolError {
    ToolError::about(ErrorCode::AlreadyExists, path, "already exists")
        .suggest("Use `*** Update File`, or another path.")
}

fn edit_of(hunk: &Hunk) -> Edit<'_> {
    Edit {
        old: &hunk.old,
        new: &hunk.new,
        all: false,
        near_line: None,
        region: Some(hunk.region.clone()),
    }
}

fn failures(path: &str, hunks: &[Hunk], error: NotChanged) -> Vec<Failure> {
    let path = on_one_line(path);
    match error {
        NotChanged::Failed(error) => {
            let named = error.with_parameter(Some(&path));
            let (code, text) = (named.code().clone(), named.to_string());
            vec![Failure { code, text }]
        }
        NotChanged::Refused(refusals, foreign) => {
            let name = |refusal: &Refusal| match refusal
                .edit
                .and_then(|edit| Some((edit, hunks.get(edit)?)))
            {
                Some((edit, hunk)) => format!(
                    "{path}, hunk {} (line {} of the patch)",
                    edit + 1,
                    hunk.line
                ),
                None => path.to_string(),
            };
            let refused = refusals.into_iter().map(|refusal| Failure {
                code: code_of(Some(refusal.kind)),
                text: format!("{}: {}", name(&refusal), refusal.text),
            });
            let mut failures: Vec<Failure> = refused.collect();
            if let (Some(foreign), Some(last)) = (foreign, failures.last_mut()) {
                let places = foreign.places();
                let _ = write!(
                    last.text,
                    "\n{path} was changed by others since you read it ({places})."
                );
            }
            failures
        }
    }
}

/// Returns the writes of all files: first what is written, then what is removed.
pub(super) fn writes(placed: &[Placed]) -> Vec<FileWrite> {
    let (mut written, mut removed) = (Vec::new(), Vec::new());
    for file in placed {
        let write = |path: &str, before, after: Option<Vec<u8>>| FileWrite {
            parameter: on_one_line(path).into_owned(),
            path: path.to_owned(),
            before,
            after: after.map(Arc::new),
            like: None,
        };
        let path = &file.section.path;
        match (file.section.to(), &file.after) {
            (Some(to), after) => {
                written.push((write(to, None, after.clone()), Some(removed.len())));
                removed.push(write(path, file.before.clone(), None));
            }
            (None, None) => removed.push(write(path, file.before.clone(), None)),
            (None, after) => written.push((write(path, file.before.clone(), after.clone()), None)),
        }
    }
    let first = written.len();
    let written = written.into_iter().map(|(write, source)| FileWrite {
        like: source.map(|source| first + source),
        ..write
    });
    written.chain(removed).collect()
}
