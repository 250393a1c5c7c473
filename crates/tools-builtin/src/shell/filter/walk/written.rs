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

/// Files that say what a wrapper of the project runs, beside itself.
const OF_WRAPPERS: [(&str, [&str; 2]); 2] = [
    (
        "gradlew",
        ["gradle-wrapper.properties", "gradle-wrapper.jar"],
    ),
    ("mvnw", ["maven-wrapper.properties", "maven-wrapper.jar"]),
];

/// What the text relies on: where that is told, and the command that is the last to do so.
#[derive(Debug)]
struct Reliance {
    span: Range<usize>,
    last: usize,
}

/// What is written, and what must not be. Which of both comes first does not count, because of loops and functions,
/// but for git, which is often the last.
#[derive(Debug, Default)]
pub(in super::super) struct Written {
    /// Names of files and folders.
    names: BTreeSet<String>,
    /// Files of any names, as they stand in an archive or below a folder.
    anything: bool,
    /// The first command that put other files of the repository into the work tree.
    first_of_git: Option<usize>,
    /// Tools of the project that are run.
    tools: BTreeMap<String, Reliance>,
    /// Folders of the project where Python looks for modules.
    modules: BTreeMap<String, Reliance>,
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

    /// Git puts other files into the work tree.
    pub(in super::super) fn note_checked_out(&mut self) {
        self.written.first_of_git.get_or_insert(self.steps);
    }

    /// The tool at `path` is the one that the project keeps unless the text puts another one there.
    pub(in super::super) fn relies_on_tool(&mut self, path: &str) {
        if let Some(reliance) = self.reliance() {
            relies(&mut self.written.tools, path, reliance);
        }
    }

    /// The modules below the folders of `variable` are those of the project unless the text puts others there.
    pub(super) fn relies_on_modules(&mut self, variable: &str) {
        if let Some(reliance) = self.reliance() {
            relies(&mut self.written.modules, variable, reliance);
        }
    }

    /// Walks what may run at any time, or again.
    pub(super) fn out_of_order<T>(&mut self, inner: impl FnOnce(&mut Self) -> T) -> T {
        self.out_of_order += 1;
        let result = inner(self);
        self.out_of_order -= 1;
        result
    }

    fn reliance(&self) -> Option<Reliance> {
        let in_order = self.out_of_order == 0;
        let last = if in_order { self.steps } else { usize::MAX };
        let span = self.place_of_doubt()?;
        Some(Reliance { span, last })
    }

    /// Where a doubt would be reported, if it would be.
    fn place_of_doubt(&self) -> Option<Range<usize>> {
        let counts = !self.counts_harm_only && !self.trusts_program && !self.is_elsewhere;
        counts.then(|| self.frame.clone().unwrap_or(self.span.clone()))
    }

    /// Asks about what is not the project's own any more.
    pub(super) fn doubt_what_was_written(&mut self) {
        let written = std::mem::take(&mut self.written);
        for (tool, reliance) in &written.tools {
            if written.changed_before(reliance) || written.may_hold(tool) {
                self.report_at(Rule::UnknownProgram, tool, reliance.span.clone());
            }
        }
        let has_code = !written.names.iter().all(|name| is_report(name));
        for (variable, reliance) in &written.modules {
            if has_code || written.changed_before(reliance) {
                self.report_at(Rule::Environment, variable, reliance.span.clone());
            }
        }
    }
}

fn relies(all: &mut BTreeMap<String, Reliance>, on: &str, reliance: Reliance) {
    match all.get_mut(on) {
        Some(before) => before.last = before.last.max(reliance.last),
        None => {
            all.insert(on.to_owned(), reliance);
        }
    }
}

impl Written {
    /// Whether files were changed that nobody named.
    fn changed_before(&self, reliance: &Reliance) -> bool {
        let by_git = self.first_of_git;
        self.anything || by_git.is_some_and(|first| first < reliance.last)
    }

    /// Whether a part of `path` may have been written, or was packed under a longer name.
    fn may_hold(&self, path: &str) -> bool {
        let is_part = |name: &str| {
            let mut parts = path.split('/').filter(|part| !matches!(*part, "" | "."));
            parts.any(|part| {
                let packed = name.strip_prefix(part);
                value::may_match(name, part) || packed.is_some_and(|rest| rest.starts_with('.'))
            })
        };
        let of_wrapper = |name: &str| {
            let mut wrappers = OF_WRAPPERS.iter();
            wrappers.any(|(wrapper, files)| {
                file_name(path) == *wrapper && files.iter().any(|file| value::may_match(name, file))
            })
        };
        let mut names = self.names.iter();
        names.any(|name| is_part(name) || of_wrapper(name))
    }
}

/// Whether a file of this name is no code, wherever it lies.
fn is_report(name: &str) -> bool {
    REPORTS.iter().any(|end| name.ends_with(end))
}
