//! Variables, functions, directories and input at one point of a script.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::limits::{MAX_DIRECTORIES, MAX_VALUE_BYTES, MAX_VARIABLES};
use crate::syntax::Command;
use crate::value::{Origin, Segment, Stream, Value};

/// Words of a variable: one, or those of an array.
pub(super) type Words = Vec<Vec<Segment>>;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct State {
    /// Possible working directories; `None` is an unknown one.
    pub(super) directories: Vec<Option<Rc<str>>>,
    /// Variables with a known value.
    variables: Rc<BTreeMap<String, Words>>,
    functions: Functions,
    pub(super) positional: Option<Rc<Vec<Value>>>,
    pub(super) stdin: Rc<Stream>,
    /// Files with content from the network.
    pub(super) downloads: Rc<Vec<String>>,
    /// Whether `IFS` changed.
    pub(super) splits_oddly: bool,
}

#[derive(Debug, Clone, Default)]
struct Functions(Rc<BTreeMap<String, Rc<Command>>>);

impl PartialEq for Functions {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
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
        }
    }

    pub(super) fn variable(&self, name: &str) -> Option<&Words> {
        self.variables.get(name)
    }

    pub(super) fn set(&mut self, name: &str, words: Words) {
        let length = |segment: &Segment| match segment {
            Segment::Text(text) => text.len(),
            _ => 1,
        };
        let size: usize = words.iter().flatten().map(length).sum();
        let is_known = self.variables.contains_key(name) || self.variables.len() < MAX_VARIABLES;
        if size > MAX_VALUE_BYTES || !is_known {
            self.forget(name);
        } else {
            Rc::make_mut(&mut self.variables).insert(name.to_owned(), words);
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

    /// Returns `false` if there are too many functions.
    pub(super) fn define(&mut self, name: &str, body: &Rc<Command>) -> bool {
        let functions = Rc::make_mut(&mut self.functions.0);
        functions.insert(name.to_owned(), Rc::clone(body));
        functions.len() <= MAX_VARIABLES
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
        }
    }

    /// Keeps only what also holds in `other`, and the directories of both.
    pub(super) fn join(&mut self, other: &Self) {
        self.add_directories(&other.directories);
        if !Rc::ptr_eq(&self.variables, &other.variables) {
            let same = |name: &String, words: &mut Words| other.variables.get(name) == Some(words);
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
    }
}
