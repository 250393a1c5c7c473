//! Files that commands read, write and delete.

use std::rc::Rc;

use super::super::grant::Grant;
use super::super::limits::PATH_WORK;
use super::super::paths::Path;
use super::{Rule, Value, Walk};

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

    /// Checks that a file may be written, or files below it if `tree`.
    pub(super) fn write(&mut self, value: &Value, tree: bool) {
        if value.stream.is_some() {
            return;
        }
        for path in self.paths(value) {
            let rule = self.settings.paths.write_rule(&path, tree);
            self.report_path(rule, value, &path);
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
            self.report_path(rule, value, &shown);
        }
    }

    pub(super) fn permit(&mut self, value: &Value) {
        for path in self.paths(value) {
            let rule = self.settings.paths.permitting(&path);
            self.report_path(rule, value, &path);
        }
    }

    pub(super) fn report_path(&mut self, rule: Option<Rule>, value: &Value, path: &Path) {
        let Some(rule) = rule else { return };
        let grant = path
            .literal()
            .filter(|_| rule == Rule::WriteOutside)
            .map(Grant::Write);
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
                let grant = Some(Grant::Write(directory.to_string()));
                self.add(Rule::WriteOutside, self.part.clone(), None, grant);
            }
        }
    }
}
