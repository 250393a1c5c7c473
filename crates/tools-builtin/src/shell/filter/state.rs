//! What is known about the shell while its commands are walked.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

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
pub(super) struct State {
    variables: Rc<BTreeMap<Rc<str>, Rc<str>>>,
    /// What variables were seen to hold whose value is not known.
    guesses: Rc<BTreeMap<Rc<str>, Rc<str>>>,
    /// Items of the arrays that are known as a whole.
    lists: Rc<BTreeMap<Rc<str>, Items>>,
    /// Variables that stand for others.
    references: Rc<BTreeSet<Rc<str>>>,
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
    /// Whether words may be split at something else than blanks.
    pub(super) splits_unknown: bool,
    /// What the shell reads since an `exec` said so.
    pub(super) input: Option<Stream>,
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
        if self.references.contains(name) {
            self.forget_variables();
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
        Rc::make_mut(&mut self.variables).insert(Rc::from(name), Rc::from(value::bounded(value)));
    }

    /// From here on, what is assigned to `name` may go to any other variable.
    pub(super) fn refer(&mut self, name: &str) {
        Rc::make_mut(&mut self.references).insert(Rc::from(name));
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
        if self.variables.contains_key(name) {
            let items = Rc::from(items);
            let list = Items {
                items,
                certain: true,
            };
            Rc::make_mut(&mut self.lists).insert(Rc::from(name), list);
        }
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

    /// From here on the shell reads something else. What that holds is not followed, because a part may be read already.
    pub(super) fn read_from(&mut self, input: &Stream) {
        self.input = Some(match input {
            Stream::Network => Stream::Network,
            Stream::Decoded => Stream::Decoded,
            _ => Stream::Unknown,
        });
    }

    /// Continues where two ways meet.
    pub(super) fn join(&mut self, other: &Self) {
        self.join_variables(other);
        if self.positional != other.positional {
            self.positional_guess = other.guessed_positional().or(self.guessed_positional());
            self.positional = None;
        }
        if !Rc::ptr_eq(&self.functions, &other.functions) {
            Rc::make_mut(&mut self.functions).retain(|name| other.functions.contains(name));
        }
        if !Rc::ptr_eq(&self.references, &other.references) {
            let others = other.references.iter().cloned();
            Rc::make_mut(&mut self.references).extend(others);
        }
        self.splits_unknown |= other.splits_unknown;
        self.is_anywhere |= other.is_anywhere;
        self.exports_all |= other.exports_all;
        self.join_input(other);
        self.add_directories(&other.directories);
        if let Some(failed) = &other.failed {
            self.add_directories(failed);
        }
        self.settle();
    }

    /// Of two inputs, the one counts that would do more harm.
    fn join_input(&mut self, other: &Self) {
        let harm = |input: &Option<Stream>| match input {
            None => 0,
            Some(Stream::Decoded) => 2,
            Some(Stream::Network) => 3,
            Some(_) => 1,
        };
        if harm(&other.input) > harm(&self.input) {
            self.input.clone_from(&other.input);
        }
    }

    fn join_variables(&mut self, other: &Self) {
        if Rc::ptr_eq(&self.variables, &other.variables) {
            return;
        }
        let unknown: Rc<str> = Rc::from(UNKNOWN.to_string());
        let variables = Rc::make_mut(&mut self.variables);
        let guesses = Rc::make_mut(&mut self.guesses);
        // Of several, a path from the root tells more.
        let mut note = |name: &Rc<str>, value: &Rc<str>| {
            let is_stronger = |guess: &Rc<str>| guess.starts_with('/') && !value.starts_with('/');
            if !value::is_open(value) && !guesses.get(name).is_some_and(is_stronger) {
                guesses.insert(Rc::clone(name), Rc::clone(value));
            }
        };
        for (name, value) in variables.iter_mut() {
            let others = other.variables.get(name);
            if others != Some(value) {
                note(name, value);
                others.inspect(|value| note(name, value));
                let fetched = |value: &Rc<str>| value::from_network(value);
                if !fetched(value) {
                    *value = others
                        .filter(|value| fetched(value))
                        .unwrap_or(&unknown)
                        .clone();
                }
            }
        }
        for (name, value) in other.variables.iter() {
            if !variables.contains_key(name) {
                note(name, value);
                let fetched = value::from_network(value);
                let value = if fetched { value } else { &unknown };
                variables.insert(Rc::clone(name), Rc::clone(value));
            }
        }
        self.join_guesses(other);
        self.join_lists(other);
    }

    fn join_guesses(&mut self, other: &Self) {
        if Rc::ptr_eq(&self.guesses, &other.guesses) {
            return;
        }
        let guesses = Rc::make_mut(&mut self.guesses);
        for (name, guess) in other.guesses.iter() {
            guesses.entry(Rc::clone(name)).or_insert(Rc::clone(guess));
        }
    }

    fn join_lists(&mut self, other: &Self) {
        if Rc::ptr_eq(&self.lists, &other.lists) {
            return;
        }
        let lists = Rc::make_mut(&mut self.lists);
        for (name, list) in lists.iter_mut() {
            list.certain &= other.lists.get(name) == Some(list);
        }
        for (name, list) in other.lists.iter() {
            let mut list = list.clone();
            list.certain = false;
            lists.entry(Rc::clone(name)).or_insert(list);
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
