//! Files written by the command itself, for checks that require an unchanged project.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::super::value;
use super::super::verdict::CommandRule;
use super::{Walk, file_name};

/// Suffixes of files that are read but not run.
const REPORTS: [&str; 11] = [
    ".log", ".txt", ".json", ".xml", ".csv", ".md", ".html", ".out", ".err", ".tap", ".svg",
];

/// Files that control the wrapper scripts of a project.
const OF_WRAPPERS: [(&str, [&str; 2]); 2] = [
    (
        "gradlew",
        ["gradle-wrapper.properties", "gradle-wrapper.jar"],
    ),
    ("mvnw", ["maven-wrapper.properties", "maven-wrapper.jar"]),
];

/// First use of a project file: its span, and the last command that uses it.
#[derive(Debug)]
struct Reliance {
    span: Range<usize>,
    last: usize,
}

/// Written files, and project files that must not be written.
///
/// The order matters only for git, because loops and functions may reorder other commands.
#[derive(Debug, Default)]
pub(in super::super) struct Written {
    names: BTreeSet<String>,
    /// Whether files with unknown names are written, as by an archive.
    anything: bool,
    /// First command that replaces files in the work tree.
    first_of_git: Option<usize>,
    tools: BTreeMap<String, Reliance>,
    /// Project directories in which Python searches for modules.
    modules: BTreeMap<String, Reliance>,
}

impl Walk<'_> {
    /// Records a write to `path`, or a move to it.
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

    /// Records that `path` and everything below it is created.
    pub(in super::super) fn note_arriving(&mut self, path: &str) {
        self.written.anything |= matches!(file_name(path), "" | "." | "..");
        self.note_written(path);
    }

    pub(in super::super) fn note_unpacked(&mut self) {
        self.written.anything = true;
    }

    pub(in super::super) fn note_checked_out(&mut self) {
        self.written.first_of_git.get_or_insert(self.steps);
    }

    pub(in super::super) fn relies_on_tool(&mut self, path: &str) {
        if let Some(reliance) = self.reliance() {
            relies(&mut self.written.tools, path, reliance);
        }
    }

    pub(super) fn relies_on_modules(&mut self, variable: &str) {
        if let Some(reliance) = self.reliance() {
            relies(&mut self.written.modules, variable, reliance);
        }
    }

    /// Walks commands that may run at any time or repeatedly.
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

    fn place_of_doubt(&self) -> Option<Range<usize>> {
        let counts = !self.counts_harm_only && !self.trusts_program && !self.is_elsewhere;
        counts.then(|| self.frame.clone().unwrap_or(self.span.clone()))
    }

    /// Reports uses of project files that may have changed.
    pub(super) fn doubt_what_was_written(&mut self) {
        let written = std::mem::take(&mut self.written);
        for (tool, reliance) in &written.tools {
            if written.changed_before(reliance) || written.may_hold(tool) {
                self.report_at(CommandRule::UnknownProgram, tool, reliance.span.clone());
            }
        }
        let has_code = !written.names.iter().all(|name| is_report(name));
        for (variable, reliance) in &written.modules {
            if has_code || written.changed_before(reliance) {
                self.report_at(CommandRule::Environment, variable, reliance.span.clone());
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
    fn changed_before(&self, reliance: &Reliance) -> bool {
        let by_git = self.first_of_git;
        self.anything || by_git.is_some_and(|first| first < reliance.last)
    }

    /// Returns `true` if a part of `path` may be written, or unpacked under a longer name.
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

fn is_report(name: &str) -> bool {
    REPORTS.iter().any(|end| name.ends_with(end))
}
