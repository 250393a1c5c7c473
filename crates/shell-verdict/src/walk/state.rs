//! Variables, functions, directories and input at one point of a script.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::limits::{MAX_DIRECTORIES, MAX_VARIABLES};
use crate::syntax::Command;
use crate::value::{Origin, Segment, Stream, Value};

/// Words of a variable: one, or those of an array.
pub(super) type Words = Vec<Vec<Segment>>;

#[derive(Debug, Clone)]
pub(super) struct State {
    /// Possible working directories; `None` is an unknown one.
    pub(super) directories: Vec<Option<Rc<str>>>,
    /// Variables with a known value.
    variables: Rc<BTreeMap<Rc<str>, Rc<Words>>>,
    functions: Functions,
    pub(super) positional: Option<Rc<Vec<Value>>>,
    pub(super) stdin: Rc<Stream>,
    /// Files with content from the network.
    pub(super) downloads: Rc<BTreeSet<String>>,
    /// Whether `IFS` changed.
    pub(super) splits_oddly: bool,
    /// Whether a limit left out a variable, function or directory.
    pub(super) is_cut: bool,
}

/// The order of the directories has no meaning.
impl PartialEq for State {
    fn eq(&self, other: &Self) -> bool {
        self.directories.len() == other.directories.len()
            && self
                .directories
                .iter()
                .all(|directory| other.directories.contains(directory))
            && self.variables == other.variables
            && self.functions == other.functions
            && self.positional == other.positional
            && self.stdin == other.stdin
            && self.downloads == other.downloads
            && self.splits_oddly == other.splits_oddly
    }
}

#[derive(Debug, Clone, Default)]
struct Functions(Rc<BTreeMap<String, Rc<Command>>>);

impl PartialEq for Functions {
    fn eq(&self, other: &Self) -> bool {
        let mut pairs = self.0.iter().zip(other.0.iter());
        Rc::ptr_eq(&self.0, &other.0)
            || self.0.len() == other.0.len()
                && pairs.all(|(one, other)| one.0 == other.0 && Rc::ptr_eq(one.1, other.1))
    }
}

impl State {
    pub(super) fn new(directory: Option<&str>) -> Self {
        Self {
            directories: vec![directory.map(Rc::from)],
            variables: Rc::default(),
            functions: Functions::default(),
            positional: None,
            stdin: Rc::new(Stream::Unknown(Origin::Unknown)),
            downloads: Rc::default(),
            splits_oddly: false,
            is_cut: false,
        }
    }

    pub(super) fn variable(&self, name: &str) -> Option<&Words> {
        self.variables.get(name).map(Rc::as_ref)
    }

    pub(super) fn set(&mut self, name: &str, words: Words) {
        if self.variables.contains_key(name) || self.variables.len() < MAX_VARIABLES {
            Rc::make_mut(&mut self.variables).insert(Rc::from(name), Rc::new(words));
        } else {
            self.is_cut = true;
        }
    }

    pub(super) fn forget(&mut self, name: &str) {
        if self.variables.contains_key(name) {
            Rc::make_mut(&mut self.variables).remove(name);
        }
    }

    /// Forgets everything that unknown code in this shell may change.
    pub(super) fn forget_all(&mut self) {
        self.variables = Rc::default();
        self.positional = None;
        self.splits_oddly = true;
        self.directories = vec![None];
    }

    pub(super) fn forget_all_variables(&mut self) {
        self.variables = Rc::default();
    }

    pub(super) fn function(&self, name: &str) -> Option<Rc<Command>> {
        self.functions.0.get(name).cloned()
    }

    pub(super) fn define(&mut self, name: &str, body: &Rc<Command>) {
        let functions = &mut self.functions.0;
        if functions.contains_key(name) || functions.len() < MAX_VARIABLES {
            Rc::make_mut(functions).insert(name.to_owned(), Rc::clone(body));
        } else {
            self.is_cut = true;
        }
    }

    pub(super) fn functions(&self) -> Vec<(String, Rc<Command>)> {
        let all = self.functions.0.iter();
        all.map(|(name, body)| (name.clone(), Rc::clone(body)))
            .collect()
    }

    /// Returns the working directory if only one is possible.
    pub(super) fn directory(&self) -> Option<Rc<str>> {
        match self.directories.as_slice() {
            [one] => one.clone(),
            _ => None,
        }
    }

    pub(super) fn add_directories(&mut self, others: &[Option<Rc<str>>]) {
        for other in others {
            if !self.directories.contains(other) {
                self.directories.push(other.clone());
            }
        }
        if self.directories.len() > MAX_DIRECTORIES {
            self.directories.truncate(MAX_DIRECTORIES);
            self.directories.push(None);
            self.is_cut = true;
        }
    }

    /// Keeps only what also holds in `other`, and the directories of both.
    pub(super) fn join(&mut self, other: &Self) {
        self.add_directories(&other.directories);
        if !Rc::ptr_eq(&self.variables, &other.variables) {
            let same = |name: &Rc<str>, words: &mut Rc<Words>| {
                other
                    .variables
                    .get(name)
                    .is_some_and(|other| other == words)
            };
            Rc::make_mut(&mut self.variables).retain(same);
        }
        if !Rc::ptr_eq(&self.functions.0, &other.functions.0) {
            let functions = Rc::make_mut(&mut self.functions.0);
            for (name, body) in other.functions.0.iter() {
                functions
                    .entry(name.clone())
                    .or_insert_with(|| Rc::clone(body));
            }
        }
        if self.positional != other.positional {
            self.positional = None;
        }
        if self.stdin != other.stdin {
            self.stdin = Rc::new(Stream::Unknown(
                self.stdin.origin().max(other.stdin.origin()),
            ));
        }
        if self.downloads != other.downloads {
            Rc::make_mut(&mut self.downloads).extend(other.downloads.iter().cloned());
        }
        self.splits_oddly |= other.splits_oddly;
        self.is_cut |= other.is_cut;
    }
}
