//! Sections of a patch, one for each file.

use std::collections::HashMap;

use tool_core::ToolError;

use crate::files::patch::{FileChange, FilePatch};
use crate::workspace::{Workspace, on_one_line};

/// All changes of one file.
#[derive(Debug)]
pub(super) struct Section {
    pub(super) path: String,
    pub(super) change: FileChange,
    /// Whether an added file replaces one that the patch deletes.
    pub(super) replaces: bool,
}

impl Section {
    /// Returns the paths that it changes.
    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.path.as_str()).chain(self.to())
    }

    /// Returns the new path.
    pub(super) fn to(&self) -> Option<&str> {
        match &self.change {
            FileChange::Update { to, .. } => to.as_deref(),
            FileChange::Add(_) | FileChange::Delete => None,
        }
    }
}

/// Joins the sections of each file: several updates, or a deletion before an addition.
///
/// # Errors
/// Rejects other sections of one file, because their order would matter.
pub(super) fn sections(
    files: Vec<FilePatch>,
    workspace: &Workspace,
) -> Result<Vec<Section>, ToolError> {
    let mut sections: Vec<Section> = Vec::with_capacity(files.len());
    let mut known: HashMap<String, usize> = HashMap::new();
    for mut file in files {
        if let FileChange::Update { to, .. } = &mut file.change {
            let key = workspace.key_of(&file.path);
            // A move to the same path is none.
            *to = to.take().filter(|to| workspace.key_of(to) != key);
        }
        let section = Section {
            path: file.path,
            change: file.change,
            replaces: false,
        };
        let key = workspace.key_of(&section.path);
        if let Some(earlier) = known.get(&key).and_then(|index| sections.get_mut(*index)) {
            join(earlier, section)?;
        } else {
            known.insert(key, sections.len());
            sections.push(section);
        }
    }
    for section in &sections {
        let to = section
            .to()
            .filter(|to| known.contains_key(&workspace.key_of(to)));
        if let Some(to) = to {
            return Err(repeated(to));
        }
    }
    let targets = sections.iter().filter_map(Section::to);
    let mut targets: Vec<String> = targets.map(|to| workspace.key_of(to)).collect();
    targets.sort();
    match targets.windows(2).find(|pair| pair.first() == pair.last()) {
        Some(pair) => Err(repeated(pair.first().map_or("", String::as_str))),
        None => Ok(sections),
    }
}

fn join(earlier: &mut Section, later: Section) -> Result<(), ToolError> {
    match (&mut earlier.change, later.change) {
        (
            FileChange::Update { to, hunks },
            FileChange::Update {
                to: last,
                hunks: mut more,
            },
        ) if to.is_none() => {
            *to = last;
            if let Some(first) = more.first_mut() {
                first.region.starts_over = true;
            }
            hunks.append(&mut more);
            Ok(())
        }
        (FileChange::Delete, FileChange::Add(text)) => {
            earlier.change = FileChange::Add(text);
            earlier.replaces = true;
            Ok(())
        }
        _ => Err(repeated(&later.path)),
    }
}

fn repeated(path: &str) -> ToolError {
    let sentence = format!("has several sections about `{}`", on_one_line(path));
    ToolError::invalid_arguments("patch", sentence)
        .suggest("Put all changes of a file into one section.")
}
