//! Merging of two possible states.

use std::rc::Rc;

use super::super::value::{self, Stream, UNKNOWN};
use super::State;

impl State {
    pub(in super::super) fn join(&mut self, other: &Self) {
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
        self.join_fixed(other);
        self.splits_unknown |= other.splits_unknown;
        self.is_anywhere |= other.is_anywhere;
        self.exports_all |= other.exports_all;
        self.stops_early |= other.stops_early;
        self.join_input(other);
        self.add_directories(&other.directories);
        if let Some(failed) = &other.failed {
            self.add_directories(failed);
        }
        self.settle();
    }

    /// Keeps the more dangerous of both inputs.
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
        if self.guessed_input().is_none() {
            self.input_guess.clone_from(&other.input_guess);
        }
    }

    fn join_variables(&mut self, other: &Self) {
        if Rc::ptr_eq(&self.variables, &other.variables) {
            return;
        }
        let unknown: Rc<str> = Rc::from(UNKNOWN.to_string());
        let variables = Rc::make_mut(&mut self.variables);
        let guesses = Rc::make_mut(&mut self.guesses);
        // Prefer absolute paths.
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
}
