//! Files that commands read, write and delete.

use super::{Rule, Value, Walk};
use crate::grant::Grant;
use crate::limits::PATH_WORK;
use crate::paths::Path;
use crate::table::Row;

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
    /// Returns the path that `value` names.
    pub(super) fn path(&mut self, value: &Value) -> Path {
        let directory = self.context.directory.clone();
        self.charge(directory.as_ref().map_or(0, |name| name.len()) + PATH_WORK);
        Path::of(value, directory.as_deref())
    }

    /// Returns `true` if `path` is in a directory that the host lets commands read.
    pub(super) fn is_shared(&self, path: &Path) -> bool {
        let path = path.literal();
        path.is_some_and(|path| self.settings.is_read_only(&path))
    }

    /// Checks that a file may be read.
    pub(super) fn read(&mut self, value: &Value) {
        if value.shown() == "/dev/fd/?" || value.literal() == Some("-") {
            return;
        }
        let path = self.path(value);
        if let Some(rule) = self.settings.paths.read_rule(&path)
            && !(rule == Rule::ReadOutside && self.is_shared(&path))
        {
            self.add(rule, value.shown(), rule.reason(), None, false);
        }
    }

    pub(super) fn read_all(&mut self, values: &[Value]) {
        for value in values {
            self.read(value);
        }
    }

    /// Checks that a file may be written, or files below it if `tree`.
    pub(super) fn write(&mut self, value: &Value, tree: bool, reach: Reach) {
        let path = self.path(value);
        if value.shown() != "/dev/fd/?" {
            let rule = self.settings.paths.write_rule(&path, tree);
            self.report_path(rule, value, &path, reach);
        }
    }

    /// Checks a change that keeps the content, such as a new directory, a permission or a move.
    pub(super) fn create(&mut self, value: &Value) {
        let path = self.path(value);
        let rule = self.settings.paths.write_rule(&path, false);
        let rule = rule.filter(|rule| *rule != Rule::WriteUnknown);
        self.report_path(rule, value, &path, Reach::Parent);
    }

    pub(super) fn delete(&mut self, value: &Value, recursive: bool) {
        let path = self.path(value);
        let rule = self.settings.paths.delete_rule(value, &path, recursive);
        self.report_path(rule, value, &path, Reach::Parent);
    }

    fn report_path(&mut self, rule: Option<Rule>, value: &Value, path: &Path, reach: Reach) {
        let Some(rule) = rule else { return };
        let outside = path.literal().filter(|_| rule == Rule::WriteOutside);
        let grant = outside.map(|path| reach.grant(&path));
        let is_loss = matches!(rule, Rule::Delete | Rule::WriteUnknown);
        let covered = is_loss && self.settings.paths.is_covered(path);
        let explanation = match rule {
            Rule::Construct => "writes to a terminal",
            _ => rule.reason(),
        };
        self.add(rule, value.shown(), explanation, grant, covered);
    }

    /// Reports a command that writes where it runs, outside the workspace.
    pub(super) fn check_directory(&mut self) {
        let directory = self.context.directory.as_deref();
        let outside = directory.filter(|directory| !self.settings.paths.is_in_root(directory));
        if let Some(grant) = outside.map(|directory| Reach::Below.grant(directory)) {
            let part = self.context.part.clone();
            let rule = Rule::WriteOutside;
            self.add(rule, &part, rule.reason(), Some(grant), false);
        }
    }
}
