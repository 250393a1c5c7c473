//! What is known about the shell while its commands are walked.

mod fixing;
mod joining;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

pub(super) use fixing::Fixed;

use super::limits::{
    MOST_ALTERNATIVES, MOST_DIRECTORIES, MOST_FUNCTIONS, MOST_VALUE_BYTES, MOST_VARIABLES,
};
use super::value::{self, FIELDS, Stream, UNKNOWN};

/// Where the shell may stand; `None` is a place that is not known.
pub(super) type Directories = BTreeSet<Option<Rc<str>>>;

/// The items of an array, and whether it certainly has them.
#[derive(Debug, Clone, PartialEq)]
struct Items {
    items: Rc<[String]>,
    certain: bool,
}

/// Variables, directories and functions at one point of the text.
#[derive(Debug, Clone, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each says something else about the shell"
)]
pub(super) struct State {
    variables: Rc<BTreeMap<Rc<str>, Rc<str>>>,
    /// What variables were seen to hold whose value is not known.
    guesses: Rc<BTreeMap<Rc<str>, Rc<str>>>,
    /// Items of the arrays that are known as a whole.
    lists: Rc<BTreeMap<Rc<str>, Items>>,
    /// Variables that stand for others.
    references: Rc<BTreeSet<Rc<str>>>,
    /// Variables whose value an assignment does not settle.
    fixed: Rc<BTreeMap<Rc<str>, Fixed>>,
    /// What has been assigned, where somebody wants to know.
    assigned: Option<Rc<BTreeSet<Rc<str>>>>,
    /// Words of `$@`, if known.
    pub(super) positional: Option<Rc<[String]>>,
    /// What they may be if they are not known.
    positional_guess: Option<Rc<[String]>>,
    pub(super) directories: Directories,
    /// Where the shell stands may have been chosen by a value that is not known.
    pub(super) is_anywhere: bool,
    /// Where the shell stands if the last command failed, when that differs.
    pub(super) failed: Option<Directories>,
    /// Functions that are certainly defined.
    functions: Rc<BTreeSet<Rc<str>>>,
    /// Whether programs get every variable from here on.
    pub(super) exports_all: bool,
    /// Whether the shell may end at any command that fails.
    pub(super) stops_early: bool,
    /// Whether words may be split at something else than blanks.
    pub(super) splits_unknown: bool,
    /// What the shell reads since an `exec` said so.
    pub(super) input: Option<Stream>,
    /// What that may be if it is not known.
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

    /// From here on, what is assigned to `name` may go to any other variable.
    pub(super) fn refer(&mut self, name: &str) {
        Rc::make_mut(&mut self.references).insert(Rc::from(name));
    }

    /// Whether `name` may stand for any other variable.
    pub(super) fn is_reference(&self, name: &str) -> bool {
        self.references.contains(name)
    }

    /// The items of an array, if all are known.
    pub(super) fn list(&self, name: &str) -> Option<Rc<[String]>> {
        let list = self.lists.get(name).filter(|list| list.certain)?;
        Some(Rc::clone(&list.items))
    }

    /// What an array may hold.
    pub(super) fn guessed_list(&self, name: &str) -> Option<Rc<[String]>> {
        self.lists.get(name).map(|list| Rc::clone(&list.items))
    }

    /// What the words of `$@` may be.
    pub(super) fn guessed_positional(&self) -> Option<Rc<[String]>> {
        self.positional.clone().or(self.positional_guess.clone())
    }

    /// Assigns an array; it counts as unknown if there are too many items, or one may be several.
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

    /// The value that is known may be missing.
    pub(super) fn assume_nothing(&mut self, name: &str) {
        self.assume(name, "");
    }

    /// What was assigned to `name` is there.
    pub(super) fn is_something(&mut self, name: &str) {
        if self.may_be_nothing(name) {
            Rc::make_mut(&mut self.guesses).remove(name);
        }
    }

    /// Whether that is so.
    pub(super) fn may_be_nothing(&self, name: &str) -> bool {
        self.guesses.get(name).is_some_and(|guess| guess.is_empty())
    }

    /// What a variable of unknown value may hold, because some command assigned it.
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

    /// Notes what a variable of unknown value may hold.
    pub(super) fn assume(&mut self, name: &str, value: &str) {
        if self.variables.contains_key(name) && !value::is_open(value) {
            Rc::make_mut(&mut self.guesses).insert(Rc::from(name), Rc::from(value));
        }
    }

    /// Every variable may have any value from here on.
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

    /// Every variable and the words of `$@` may be anything from here on.
    pub(super) fn forget_all(&mut self) {
        self.forget_variables();
        self.forget_positional();
    }

    /// The words of `$@` may be anything from here on.
    pub(super) fn forget_positional(&mut self) {
        self.positional_guess = self.guessed_positional();
        self.positional = None;
    }

    /// From here on the shell reads something else. What that holds is only a guess, because a part may be read already.
    pub(super) fn read_from(&mut self, input: &Stream, guess: Option<Stream>) {
        self.input = Some(match input {
            Stream::Network => Stream::Network,
            Stream::Decoded => Stream::Decoded,
            _ => Stream::Unknown,
        });
        self.input_guess = guess.or_else(|| Some(input.clone()));
    }

    /// What the shell may read since an `exec` said so.
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
