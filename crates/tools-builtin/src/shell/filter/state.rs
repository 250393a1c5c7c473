//! What is known about the shell while its commands are walked.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::limits::{MOST_DIRECTORIES, MOST_VARIABLES};
use super::value::{self, UNKNOWN};

/// Where the shell may stand; `None` is a place that is not known.
pub(super) type Directories = BTreeSet<Option<Rc<str>>>;

/// Variables, directories and functions at one point of the text.
#[derive(Debug, Clone, Default)]
pub(super) struct State {
    variables: BTreeMap<Rc<str>, Rc<str>>,
    /// Words of `$@`, if known.
    pub(super) positional: Option<Rc<[String]>>,
    pub(super) directories: Directories,
    /// Where the shell stands if the last command failed, when that differs.
    pub(super) failed: Option<Directories>,
    /// Functions that are certainly defined.
    pub(super) functions: BTreeSet<Rc<str>>,
    /// Whether words may be split at something else than blanks.
    pub(super) splits_unknown: bool,
}

impl State {
    pub(super) fn in_directory(directory: Option<&str>) -> Self {
        Self {
            directories: BTreeSet::from([directory.map(Rc::from)]),
            ..Self::default()
        }
    }

    pub(super) fn value(&self, name: &str) -> Option<Rc<str>> {
        self.variables.get(name).cloned()
    }

    pub(super) fn assign(&mut self, name: &str, value: String) {
        if name == "IFS" {
            self.splits_unknown = true;
        }
        if self.variables.len() >= MOST_VARIABLES && !self.variables.contains_key(name) {
            self.forget_all();
            return;
        }
        self.variables
            .insert(Rc::from(name), Rc::from(value::bounded(value)));
    }

    pub(super) fn forget(&mut self, name: &str) {
        self.assign(name, UNKNOWN.to_string());
    }

    /// Every variable may have any value from here on.
    pub(super) fn forget_all(&mut self) {
        let unknown: Rc<str> = Rc::from(UNKNOWN.to_string());
        for value in self.variables.values_mut() {
            *value = Rc::clone(&unknown);
        }
        self.positional = None;
    }

    /// Continues where two ways meet.
    pub(super) fn join(&mut self, other: &Self) {
        for (name, value) in &mut self.variables {
            if other.variables.get(name) != Some(value) {
                *value = Rc::from(UNKNOWN.to_string());
            }
        }
        for name in other.variables.keys() {
            if !self.variables.contains_key(name) {
                self.variables
                    .insert(Rc::clone(name), Rc::from(UNKNOWN.to_string()));
            }
        }
        if self.positional != other.positional {
            self.positional = None;
        }
        self.functions.retain(|name| other.functions.contains(name));
        self.splits_unknown |= other.splits_unknown;
        self.add_directories(&other.directories);
        if let Some(failed) = &other.failed {
            self.add_directories(failed);
        }
        self.settle();
    }

    /// How things stand if the last command failed.
    pub(super) fn after_failure(&self) -> Self {
        let mut state = self.clone();
        if let Some(failed) = state.failed.take() {
            state.directories = failed;
        }
        state
    }

    /// It is not known any more whether the last command failed.
    pub(super) fn settle(&mut self) {
        if let Some(failed) = self.failed.take() {
            self.add_directories(&failed);
        }
    }

    fn add_directories(&mut self, more: &Directories) {
        self.directories.extend(more.iter().cloned());
        if self.directories.len() > MOST_DIRECTORIES {
            self.directories = BTreeSet::from([None]);
        }
    }
}
