//! Variables whose value an assignment does not settle.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::super::limits::MOST_VARIABLES;
use super::super::value::UNKNOWN;
use super::State;

/// Why an assignment does not settle a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in super::super) enum Fixed {
    /// A trap assigns it, too.
    Trapped,
    /// It is only read until the function ends.
    Local,
    /// It is only read.
    ReadOnly,
}

impl State {
    /// From here on, `name` may hold what it held before or what is assigned to it.
    pub(in super::super) fn fix(&mut self, name: &str, why: Fixed) {
        let before = self.fixed.get(name).copied();
        let why = before.map_or(why, |before| before.max(why));
        // Of too many, all count as fixed.
        if before != Some(why) && (before.is_some() || self.fixed.len() < MOST_VARIABLES) {
            Rc::make_mut(&mut self.fixed).insert(Rc::from(name), why);
        }
    }

    pub(super) fn is_fixed(&self, name: &str) -> bool {
        self.fixed.contains_key(name) || self.fixed.len() >= MOST_VARIABLES
    }

    /// Whether an assignment to `name` fails.
    pub(in super::super) fn is_read_only(&self, name: &str) -> bool {
        self.fixed
            .get(name)
            .is_some_and(|why| *why != Fixed::Trapped)
    }

    /// Of what was fixed for a function alone, only what `before` had stays so.
    pub(in super::super) fn leave_function(&mut self, before: &Self) {
        if !Rc::ptr_eq(&self.fixed, &before.fixed) {
            let stays =
                |name: &Rc<str>, why: &mut Fixed| *why != Fixed::Local || before.is_fixed(name);
            Rc::make_mut(&mut self.fixed).retain(stays);
        }
    }

    /// The same, with notes of what is assigned from here on.
    pub(in super::super) fn watched(&self) -> Self {
        let mut state = self.clone();
        state.assigned = Some(Rc::default());
        state
    }

    /// What has been assigned since that was noted, and what traps assign that were set since `before`.
    pub(in super::super) fn unsettled(&self, before: &Self) -> Vec<(Rc<str>, Rc<str>)> {
        let assigned = self.assigned.iter().flat_map(|names| names.iter());
        let is_same = Rc::ptr_eq(&self.fixed, &before.fixed);
        let fixed = self.fixed.keys().take_while(|_| !is_same);
        let fixed = fixed.filter(|name| !before.fixed.contains_key(*name));
        let names: BTreeSet<_> = assigned.chain(fixed).cloned().collect();
        let with_value = |name: Rc<str>| {
            let value = self.value(&name).unwrap_or_default();
            (name, value)
        };
        names.into_iter().map(with_value).collect()
    }

    /// Either of both values may count; as a guess, a path from the root tells more.
    pub(super) fn refuse(&mut self, name: &str, value: String) {
        let before = self.value(name).or_else(|| self.guess(name));
        let is_stronger = |before: &Rc<str>| before.starts_with('/') || !value.starts_with('/');
        let guess = before
            .filter(is_stronger)
            .unwrap_or_else(|| Rc::from(value));
        Rc::make_mut(&mut self.lists).remove(name);
        Rc::make_mut(&mut self.variables).insert(Rc::from(name), Rc::from(UNKNOWN.to_string()));
        self.assume(name, &guess);
    }

    pub(super) fn join_fixed(&mut self, other: &Self) {
        if !Rc::ptr_eq(&self.fixed, &other.fixed) {
            for (name, why) in other.fixed.iter() {
                self.fix(name, *why);
            }
        }
        if let (Some(assigned), Some(others)) = (&mut self.assigned, &other.assigned) {
            Rc::make_mut(assigned).extend(others.iter().cloned());
        }
    }
}
