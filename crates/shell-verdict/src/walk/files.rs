//! Files that commands read, write and delete.

use std::rc::Rc;

use super::super::grant::Grant;
use super::super::limits::PATH_WORK;
use super::super::paths::Path;
use super::super::table::Row;
use super::{Rule, Value, Walk};

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
        let directories = directories.iter();
        directories
            .map(|directory| Path::of(value, directory.as_deref()))
            .collect()
    }

    /// Returns the directories in which `value` names different paths, or none after a limit is
    /// exceeded.
    pub(super) fn directories_for(&mut self, value: &Value) -> Vec<Option<Rc<str>>> {
        let mut directories = self.state.directories.clone();
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
        if value.stream.is_some() || value.fixed() == Some("-") {
            return;
        }
        for path in self.paths(value) {
            let rule = self.settings.paths.read_rule(&path);
            let is_shared = |path: String| self.settings.is_read_only(&path);
            match rule {
                Some(Rule::ReadOutside) if value.origin().is_some() => {}
                Some(Rule::ReadOutside) if path.literal().is_some_and(is_shared) => {}
                Some(rule) => self.add(rule, value.shown(), None, None),
                None => {}
            }
        }
    }

    pub(super) fn read_all(&mut self, values: &[Value]) {
        for value in values {
            self.read(value);
        }
    }

    /// Checks that an entry may be created or replaced, or files below it be written if `tree`.
    pub(super) fn write(&mut self, value: &Value, tree: bool) {
        let reach = if tree { Reach::Below } else { Reach::Parent };
        self.write_to(value, tree, reach);
    }

    /// Checks that the content of a file may be written in place.
    pub(super) fn write_in_place(&mut self, value: &Value) {
        self.write_to(value, false, Reach::File);
    }

    /// Checks that a file may be written, or files below it if `tree`.
    pub(super) fn write_to(&mut self, value: &Value, tree: bool, reach: Reach) {
        if value.stream.is_some() {
            return;
        }
        for path in self.paths(value) {
            let rule = self.settings.paths.write_rule(&path, tree);
            self.report_path(rule, value, &path, reach);
        }
        if value.may_be_several || !value.is_written && value.literal().is_none() {
            self.add(Rule::WriteUnknown, value.shown(), None, None);
        }
    }

    pub(super) fn delete(&mut self, value: &Value, recursive: bool) {
        for path in self.paths(value) {
            let shown = path.clone();
            let rule = match self.settings.paths.delete_rule(path, recursive) {
                // The shell may expand the word to something else.
                Some(Rule::Write) if !value.is_written && !value.is_glob => Some(Rule::Delete),
                rule => rule,
            };
            self.report_path(rule, value, &shown, Reach::Parent);
        }
    }

    pub(super) fn permit(&mut self, value: &Value) {
        for path in self.paths(value) {
            let rule = self.settings.paths.permitting(&path);
            self.report_path(rule, value, &path, Reach::File);
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
        self.add(rule, value.shown(), None, grant);
    }

    /// Reports programs that read where they run, if that may be outside the workspace.
    pub(super) fn check_reading_directory(&mut self) {
        let mut directories = self.state.directories.iter().flatten();
        if directories.any(|directory| !self.settings.may_start_in(directory)) {
            self.report(Rule::ReadOutside);
        }
    }

    /// Reports a command that writes where it runs, outside the workspace.
    pub(super) fn check_directory(&mut self) {
        let directories: Vec<Rc<str>> = self.state.directories.iter().flatten().cloned().collect();
        for directory in directories {
            if !self.settings.paths.is_in_root(&directory) {
                let grant = Some(Reach::Below.grant(&directory));
                self.add(Rule::WriteOutside, self.part.clone(), None, grant);
            }
        }
    }
}
