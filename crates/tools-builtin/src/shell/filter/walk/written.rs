//! What the text itself writes, for what is only harmless while the project stays as it was.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::super::value;
use super::super::verdict::Rule;
use super::{Walk, file_name};

/// Ends of names of files that hold what is read and not run.
const REPORTS: [&str; 11] = [
    ".log", ".txt", ".json", ".xml", ".csv", ".md", ".html", ".out", ".err", ".tap", ".svg",
];

/// What is written, and what must not be. Which of both comes first does not count, because of loops and functions.
#[derive(Debug, Default)]
pub(in super::super) struct Written {
    /// Names of files and folders.
    names: BTreeSet<String>,
    /// Files of any names, as they stand in an archive or below a folder.
    anything: bool,
    /// Tools of the project that are run.
    tools: BTreeMap<String, Range<usize>>,
    /// Folders of the project where Python looks for modules.
    modules: BTreeMap<String, Range<usize>>,
}

impl Walk<'_> {
    /// Something is written at `path`, or moved there from elsewhere under its name.
    pub(in super::super) fn note_written(&mut self, path: &str) {
        if path.starts_with("/dev/") {
            return;
        }
        match file_name(path) {
            "" | "." | ".." => {}
            name => {
                self.written.names.insert(name.to_owned());
            }
        }
    }

    /// What `path` means is put somewhere, with everything below it.
    pub(in super::super) fn note_arriving(&mut self, path: &str) {
        self.written.anything |= matches!(file_name(path), "" | "." | "..");
        self.note_written(path);
    }

    /// Files are written whose names are not told.
    pub(in super::super) fn note_unpacked(&mut self) {
        self.written.anything = true;
    }

    /// The tool at `path` is the one that the project keeps unless the text puts another one there.
    pub(in super::super) fn relies_on_tool(&mut self, path: &str) {
        if let Some(span) = self.place_of_doubt() {
            self.written.tools.entry(path.to_owned()).or_insert(span);
        }
    }

    /// The modules below the folders of `variable` are those of the project unless the text puts others there.
    pub(super) fn relies_on_modules(&mut self, variable: &str) {
        if let Some(span) = self.place_of_doubt() {
            self.written
                .modules
                .entry(variable.to_owned())
                .or_insert(span);
        }
    }

    /// Where a doubt would be reported, if it would be.
    fn place_of_doubt(&self) -> Option<Range<usize>> {
        let counts = !self.counts_harm_only && !self.trusts_program && !self.is_elsewhere;
        counts.then(|| self.frame.clone().unwrap_or(self.span.clone()))
    }

    /// Asks about what is not the project's own any more.
    pub(super) fn doubt_what_was_written(&mut self) {
        let written = std::mem::take(&mut self.written);
        for (tool, span) in &written.tools {
            if written.anything || written.may_hold(tool) {
                self.report_at(Rule::UnknownProgram, tool, span.clone());
            }
        }
        let has_code = written.anything || !written.names.iter().all(|name| is_report(name));
        for (variable, span) in written.modules.iter().filter(|_| has_code) {
            self.report_at(Rule::Environment, variable, span.clone());
        }
    }
}

impl Written {
    /// Whether a part of `path` may have been written, or was packed under a longer name.
    fn may_hold(&self, path: &str) -> bool {
        let is_part = |name: &str| {
            let mut parts = path.split('/').filter(|part| !matches!(*part, "" | "."));
            parts.any(|part| {
                let packed = name.strip_prefix(part);
                value::may_match(name, part) || packed.is_some_and(|rest| rest.starts_with('.'))
            })
        };
        self.names.iter().any(|name| is_part(name))
    }
}

/// Whether a file of this name is no code, wherever it lies.
fn is_report(name: &str) -> bool {
    REPORTS.iter().any(|end| name.ends_with(end))
}
