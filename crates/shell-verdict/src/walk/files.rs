//! Files that commands read, write and delete.

use super::{Directories, Rule, Value, Walk};
use crate::grant::Grant;
use crate::limits::PATH_WORK;
use crate::paths::Path;
use crate::table::Row;
use crate::value::Source;

/// Write access that a command needs for an operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// The file alone, because its content is written in place.
    File,
    /// The directory of the entry, because the entry is created, replaced or removed.
    Parent,
    /// The directory and everything below it.
    Below,
}

impl Reach {
    /// Returns the access that programs of `row` need for the files that they write.
    pub(super) fn of(row: &Row) -> Self {
        if row.in_place {
            Self::File
        } else {
            Self::Parent
        }
    }

    /// Returns the access for the target of a copy, move or link: `alone` unless the command names it
    /// as a directory, in which the entries are created.
    pub(super) fn of_target(target: &Value, sources: usize, alone: Self) -> Self {
        let ends_as_directory = target.literal().is_some_and(|text| text.ends_with('/'));
        if sources > 1 || ends_as_directory {
            Self::Below
        } else {
            alone
        }
    }

    pub(super) fn grant(self, path: &str) -> Grant {
        Grant::Write(match self {
            Self::File => path.to_owned(),
            Self::Parent => {
                let directory = path.rsplit_once('/').map_or("", |(directory, _)| directory);
                format!("{directory}/")
            }
            Self::Below => format!("{}/", path.trim_end_matches('/')),
        })
    }
}

impl Walk<'_> {
    /// Returns the paths that `value` may name, or none after a limit is exceeded.
    pub(super) fn paths(&mut self, value: &Value) -> Vec<Path> {
        let directories = self.directories_for(value);
        let paths = directories
            .iter()
            .map(|directory| Path::of(value, directory.as_deref()));
        paths.collect()
    }

    /// Returns the directories in which `value` names different paths, or none after a limit is
    /// exceeded.
    pub(super) fn directories_for(&mut self, value: &Value) -> Directories {
        let mut directories = self.directories.clone();
        if value.prefix().starts_with('/') {
            directories.truncate(1);
        }
        let length: usize = directories.iter().flatten().map(|name| name.len()).sum();
        self.charge(length + directories.len() * PATH_WORK);
        if self.is_over {
            Vec::new()
        } else {
            directories
        }
    }

    /// Checks that a file may be read.
    pub(super) fn read(&mut self, value: &Value) {
        let is_pipe = value.source() == Some(Source::Temporary) && value.shown() == "/dev/fd/?";
        if is_pipe || value.literal() == Some("-") {
            return;
        }
        for path in self.paths(value) {
            let is_shared = || {
                path.literal()
                    .is_some_and(|path| self.settings.is_read_only(&path))
            };
            match self.settings.paths.read_rule(&path) {
                Some(Rule::ReadOutside) if is_shared() => {}
                Some(rule) => self.add(rule, value.shown().to_owned(), None, None, false),
                None => {}
            }
        }
    }

    pub(super) fn read_all(&mut self, values: &[Value]) {
        for value in values {
            if self.is_over {
                return;
            }
            self.read(value);
        }
    }

    /// Checks that an entry may be created or replaced, or files below it be written if `tree`.
    pub(super) fn write(&mut self, value: &Value, tree: bool) {
        let reach = if tree { Reach::Below } else { Reach::Parent };
        self.write_to(value, tree, reach);
    }

    /// Checks that a file may be written, or files below it if `tree`.
    pub(super) fn write_to(&mut self, value: &Value, tree: bool, reach: Reach) {
        if value.shown() == "/dev/fd/?" {
            return;
        }
        for path in self.paths(value) {
            let rule = self.settings.paths.write_rule(&path, tree);
            self.report_path(rule, value, &path, reach);
        }
    }

    pub(super) fn delete(&mut self, value: &Value, recursive: bool) {
        for path in self.paths(value) {
            let rule = match self.settings.paths.delete_rule(value, &path, recursive) {
                Some(Rule::Write) if recursive && self.holds_work => Some(Rule::Delete),
                rule => rule,
            };
            self.report_path(rule, value, &path, Reach::Parent);
        }
    }

    pub(super) fn permit(&mut self, value: &Value) {
        for path in self.paths(value) {
            let rule = self.settings.paths.permitting(&path);
            self.report_path(rule, value, &path, Reach::File);
        }
    }

    /// Checks the source of a move, which keeps the content.
    pub(super) fn moved(&mut self, source: &Value) {
        self.read(source);
        self.holds_work = true;
        for path in self.paths(source) {
            let is_root = self.settings.paths.is_root(&path);
            match self.settings.paths.delete_rule(source, &path, true) {
                Some(Rule::Delete) if source.source() == Some(Source::Expansion) => {
                    self.report_path(Some(Rule::WriteUnknown), source, &path, Reach::Parent);
                }
                Some(Rule::Delete | Rule::Write) | None if !is_root => {}
                other => self.report_path(other, source, &path, Reach::Parent),
            }
        }
    }

    pub(super) fn report_path(
        &mut self,
        rule: Option<Rule>,
        value: &Value,
        path: &Path,
        reach: Reach,
    ) {
        let Some(rule) = rule else { return };
        let outside = path.literal().filter(|_| rule == Rule::WriteOutside);
        let grant = outside.map(|path| reach.grant(&path));
        let is_loss = matches!(rule, Rule::Delete | Rule::WriteUnknown);
        let covered = is_loss && self.settings.paths.is_covered(path);
        let explanation = match rule {
            Rule::Construct => Some("writes to a terminal"),
            _ => None,
        };
        self.add(rule, value.shown().to_owned(), explanation, grant, covered);
    }

    /// Reports programs that read where they run, if that may be outside the workspace.
    pub(super) fn check_reading_directory(&mut self) {
        let is_outside = |directory: &str| !self.settings.may_start_in(directory);
        if self
            .directories
            .iter()
            .flatten()
            .any(|directory| is_outside(directory))
        {
            self.report(Rule::ReadOutside);
        }
        if self.directories.contains(&None) && self.directories.len() > 1 {
            self.report(Rule::Dynamic);
        }
    }

    /// Reports a command that writes where it runs, outside the workspace.
    pub(super) fn check_directory(&mut self) {
        for directory in self.directories.clone().iter().flatten() {
            if !self.settings.paths.is_in_root(directory) {
                let grant = Some(Reach::Below.grant(directory));
                self.add(Rule::WriteOutside, self.part.clone(), None, grant, false);
            }
        }
    }
}
