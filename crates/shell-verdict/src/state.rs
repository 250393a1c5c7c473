//! Known state of the shell during a walk.

mod fixing;
mod joining;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

pub(super) use fixing::Fixed;

use super::limits::{
    MOST_ALTERNATIVES, MOST_DIRECTORIES, MOST_FUNCTIONS, MOST_VALUE_BYTES, MOST_VARIABLES,
};
use super::value::{self, FIELDS, Stream, UNKNOWN};

/// Possible working directories; `None` is an unknown one.
pub(super) type Directories = BTreeSet<Option<Rc<str>>>;

#[derive(Debug, Clone, PartialEq)]
struct Items {
    items: Rc<[String]>,
    certain: bool,
}

/// Variables, directories and functions at the current command.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "the flags are independent")]
pub(super) struct State {
    variables: Rc<BTreeMap<Rc<str>, Rc<str>>>,
    /// Possible values of variables with an unknown value.
    guesses: Rc<BTreeMap<Rc<str>, Rc<str>>>,
    /// Arrays with known items.
    lists: Rc<BTreeMap<Rc<str>, Items>>,
    /// Name references.
    references: Rc<BTreeSet<Rc<str>>>,
    /// Variables whose value is not determined by assignments.
    fixed: Rc<BTreeMap<Rc<str>, Fixed>>,
    /// Assigned variables, if recorded.
    assigned: Option<Rc<BTreeSet<Rc<str>>>>,
    /// Positional parameters, if known.
    pub(super) positional: Option<Rc<[String]>>,
    /// Possible positional parameters if unknown.
    positional_guess: Option<Rc<[String]>>,
    pub(super) directories: Directories,
    /// Whether the working directory may depend on an unknown value.
    pub(super) is_anywhere: bool,
    /// Working directories if the last command failed, if different.
    pub(super) failed: Option<Directories>,
    /// Functions that are certainly defined.
    functions: Rc<BTreeSet<Rc<str>>>,
    /// Whether all variables are exported.
    pub(super) exports_all: bool,
    /// Whether the shell may exit on any failed command.
    pub(super) stops_early: bool,
    /// Whether `IFS` may differ from whitespace.
    pub(super) splits_unknown: bool,
    /// Input set by `exec`.
    pub(super) input: Option<Stream>,
    /// Possible input if unknown.
    input_guess: Option<Stream>,
}

impl State {
    pub(super) fn in_directory(directory: Option<&str>) -> Self {
        Self {
            directories: BTreeSet::from([directory.map(Rc::from)]),
            is_anywhere: directory.is_none(),
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
        if self.is_reference(name) {
            self.forget_variables();
        }
        if let Some(assigned) = &mut self.assigned {
            Rc::make_mut(assigned).insert(Rc::from(name));
        }
        if self.lists.contains_key(name) {
            Rc::make_mut(&mut self.lists).remove(name);
        }
        if self.guesses.contains_key(name) {
            Rc::make_mut(&mut self.guesses).remove(name);
        }
        if self.variables.len() >= MOST_VARIABLES && !self.variables.contains_key(name) {
            self.forget_all();
            return;
        }
        if self.is_fixed(name) {
            self.refuse(name, value);
            return;
        }
        Rc::make_mut(&mut self.variables).insert(Rc::from(name), Rc::from(value::bounded(value)));
    }

    /// Marks `name` as a name reference: an assignment to it may change any other variable.
    pub(super) fn refer(&mut self, name: &str) {
        Rc::make_mut(&mut self.references).insert(Rc::from(name));
    }

    pub(super) fn is_reference(&self, name: &str) -> bool {
        self.references.contains(name)
    }

    pub(super) fn list(&self, name: &str) -> Option<Rc<[String]>> {
        let list = self.lists.get(name).filter(|list| list.certain)?;
        Some(Rc::clone(&list.items))
    }

    /// Returns the possible items of an array.
    pub(super) fn guessed_list(&self, name: &str) -> Option<Rc<[String]>> {
        self.lists.get(name).map(|list| Rc::clone(&list.items))
    }

    pub(super) fn guessed_positional(&self) -> Option<Rc<[String]>> {
        self.positional.clone().or(self.positional_guess.clone())
    }

    /// The array becomes unknown if there are too many items, or if one may expand to several
    /// words.
    pub(super) fn assign_list(&mut self, name: &str, items: Vec<String>) {
        self.assign(name, FIELDS.to_string());
        let bytes: usize = items.iter().map(String::len).sum();
        let certain = !items.iter().any(|item| item.contains(FIELDS));
        if certain && items.len() <= MOST_ALTERNATIVES && bytes <= MOST_VALUE_BYTES {
            self.keep_list(name, items);
        }
    }

    fn keep_list(&mut self, name: &str, items: Vec<String>) {
        if self.variables.contains_key(name) && !self.is_fixed(name) {
            let items = Rc::from(items);
            let list = Items {
                items,
                certain: true,
            };
            Rc::make_mut(&mut self.lists).insert(Rc::from(name), list);
        }
    }

    /// Marks a known value as possibly empty.
    pub(super) fn assume_nothing(&mut self, name: &str) {
        self.assume(name, "");
    }

    pub(super) fn is_something(&mut self, name: &str) {
        if self.may_be_nothing(name) {
            Rc::make_mut(&mut self.guesses).remove(name);
        }
    }

    pub(super) fn may_be_nothing(&self, name: &str) -> bool {
        self.guesses.get(name).is_some_and(|guess| guess.is_empty())
    }

    /// Returns the possible value of an unknown variable.
    pub(super) fn guess(&self, name: &str) -> Option<Rc<str>> {
        self.guesses.get(name).cloned()
    }

    pub(super) fn forget(&mut self, name: &str) {
        let guess = self.value(name).filter(|value| !value::is_open(value));
        let guess = guess.or_else(|| self.guess(name));
        self.assign(name, UNKNOWN.to_string());
        if let Some(guess) = guess {
            self.assume(name, &guess);
        }
    }

    /// Records a possible value of an unknown variable.
    pub(super) fn assume(&mut self, name: &str, value: &str) {
        if self.variables.contains_key(name) && !value::is_open(value) {
            Rc::make_mut(&mut self.guesses).insert(Rc::from(name), Rc::from(value));
        }
    }

    pub(super) fn forget_variables(&mut self) {
        let unknown: Rc<str> = Rc::from(UNKNOWN.to_string());
        let guesses = Rc::make_mut(&mut self.guesses);
        for (name, value) in Rc::make_mut(&mut self.variables) {
            let before = std::mem::replace(value, Rc::clone(&unknown));
            if !value::is_open(&before) {
                guesses.insert(Rc::clone(name), before);
            }
        }
        for list in Rc::make_mut(&mut self.lists).values_mut() {
            list.certain = false;
        }
    }

    pub(super) fn forget_all(&mut self) {
        self.forget_variables();
        self.forget_positional();
    }

    pub(super) fn forget_positional(&mut self) {
        self.positional_guess = self.guessed_positional();
        self.positional = None;
    }

    /// Replaces the shell's input. Its content is a guess, because a part may already be read.
    pub(super) fn read_from(&mut self, input: &Stream, guess: Option<Stream>) {
        self.input = Some(match input {
            Stream::Network => Stream::Network,
            Stream::Decoded => Stream::Decoded,
            _ => Stream::Unknown,
        });
        self.input_guess = guess.or_else(|| Some(input.clone()));
    }

    pub(super) fn guessed_input(&self) -> Option<Stream> {
        let guess = self.input.as_ref().and(self.input_guess.as_ref())?;
        matches!(guess, Stream::Text(_)).then(|| guess.clone())
    }

    pub(super) fn define(&mut self, function: &str) {
        if self.functions.len() < MOST_FUNCTIONS && !self.is_defined(function) {
            Rc::make_mut(&mut self.functions).insert(Rc::from(function));
        }
    }

    pub(super) fn is_defined(&self, function: &str) -> bool {
        self.functions.contains(function)
    }

    pub(super) fn after_failure(&self) -> Self {
        let mut state = self.clone();
        if let Some(failed) = state.failed.take() {
            state.directories = failed;
        }
        state
    }

    /// Forgets whether the last command failed.
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
