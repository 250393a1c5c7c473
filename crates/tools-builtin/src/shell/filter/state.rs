//! What is known about the shell while its commands are walked.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::limits::{MOST_DIRECTORIES, MOST_FUNCTIONS, MOST_VARIABLES};
use super::value::{self, UNKNOWN};

/// Where the shell may stand; `None` is a place that is not known.
pub(super) type Directories = BTreeSet<Option<Rc<str>>>;

/// Variables, directories and functions at one point of the text.
#[derive(Debug, Clone, Default)]
pub(super) struct State {
    variables: Rc<BTreeMap<Rc<str>, Rc<str>>>,
    /// Words of `$@`, if known.
    pub(super) positional: Option<Rc<[String]>>,
    pub(super) directories: Directories,
    /// Where the shell stands if the last command failed, when that differs.
    pub(super) failed: Option<Directories>,
    /// Functions that are certainly defined.
    functions: Rc<BTreeSet<Rc<str>>>,
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
        Rc::make_mut(&mut self.variables).insert(Rc::from(name), Rc::from(value::bounded(value)));
    }

    pub(super) fn forget(&mut self, name: &str) {
        self.assign(name, UNKNOWN.to_string());
    }

    /// Every variable may have any value from here on.
    pub(super) fn forget_all(&mut self) {
        let unknown: Rc<str> = Rc::from(UNKNOWN.to_string());
        for value in Rc::make_mut(&mut self.variables).values_mut() {
            *value = Rc::clone(&unknown);
        }
        self.positional = None;
    }

    /// Continues where two ways meet.
    pub(super) fn join(&mut self, other: &Self) {
        self.join_variables(other);
        if self.positional != other.positional {
            self.positional = None;
        }
        if !Rc::ptr_eq(&self.functions, &other.functions) {
            Rc::make_mut(&mut self.functions).retain(|name| other.functions.contains(name));
        }
        self.splits_unknown |= other.splits_unknown;
        self.add_directories(&other.directories);
        if let Some(failed) = &other.failed {
            self.add_directories(failed);
        }
        self.settle();
    }

    fn join_variables(&mut self, other: &Self) {
        if Rc::ptr_eq(&self.variables, &other.variables) {
            return;
        }
        let unknown: Rc<str> = Rc::from(UNKNOWN.to_string());
        let variables = Rc::make_mut(&mut self.variables);
        for (name, value) in variables.iter_mut() {
            if other.variables.get(name) != Some(value) {
                *value = Rc::clone(&unknown);
            }
        }
        for name in other.variables.keys() {
            if !variables.contains_key(name) {
                variables.insert(Rc::clone(name), Rc::clone(&unknown));
            }
        }
    }

    pub(super) fn define(&mut self, function: &str) {
        if self.functions.len() < MOST_FUNCTIONS && !self.is_defined(function) {
            Rc::make_mut(&mut self.functions).insert(Rc::from(function));
        }
    }

    pub(super) fn is_defined(&self, function: &str) -> bool {
        self.functions.contains(function)
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
