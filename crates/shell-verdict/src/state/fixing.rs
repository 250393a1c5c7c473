//! Variables whose value is not determined by assignments.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::super::limits::MOST_VARIABLES;
use super::super::value::UNKNOWN;
use super::State;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in super::super) enum Fixed {
    /// Also assigned by a trap.
    Trapped,
    /// Read-only until the function returns.
    Local,
    /// Read-only.
    ReadOnly,
}

impl State {
    /// After this, `name` may have its old value or any assigned value.
    pub(in super::super) fn fix(&mut self, name: &str, why: Fixed) {
        let before = self.fixed.get(name).copied();
        let why = before.map_or(why, |before| before.max(why));
        // Beyond the limit, all variables count as fixed.
        if before != Some(why) && (before.is_some() || self.fixed.len() < MOST_VARIABLES) {
            Rc::make_mut(&mut self.fixed).insert(Rc::from(name), why);
        }
    }

    pub(super) fn is_fixed(&self, name: &str) -> bool {
        self.fixed.contains_key(name) || self.fixed.len() >= MOST_VARIABLES
    }

    pub(in super::super) fn is_read_only(&self, name: &str) -> bool {
        self.fixed
            .get(name)
            .is_some_and(|why| *why != Fixed::Trapped)
    }

    /// Keeps function-local entries only if `before` contains them.
    pub(in super::super) fn leave_function(&mut self, before: &Self) {
        if !Rc::ptr_eq(&self.fixed, &before.fixed) {
            let stays =
                |name: &Rc<str>, why: &mut Fixed| *why != Fixed::Local || before.is_fixed(name);
            Rc::make_mut(&mut self.fixed).retain(stays);
        }
    }

    /// Returns a copy that records assignments.
    pub(in super::super) fn watched(&self) -> Self {
        let mut state = self.clone();
        state.assigned = Some(Rc::default());
        state
    }

    /// Returns recorded assignments, and the ones of traps set since `before`.
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

    /// Either value may apply; prefer an absolute path as the guess.
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
