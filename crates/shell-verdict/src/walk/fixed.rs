//! Read-only variables, and variables assigned by traps.

use super::super::state::{Fixed, State};
use super::super::verdict::CommandRule;
use super::Walk;

const OF_SHELL: [&str; 6] = [
    "UID",
    "EUID",
    "PPID",
    "BASHOPTS",
    "SHELLOPTS",
    "BASH_VERSINFO",
];

impl Walk<'_> {
    pub(super) fn fix_declared(&self, state: &mut State, arguments: &[String]) {
        let Some((program, words)) = arguments.split_first() else {
            return;
        };
        let (options, names): (Vec<_>, Vec<_>) =
            words.iter().partition(|word| word.starts_with('-'));
        let has = |letter: char| options.iter().any(|option| option.contains(letter));
        if program != "readonly" && !has('r') {
            return;
        }
        let is_local = program != "readonly" && !has('g') && !self.active.is_empty();
        let why = if is_local {
            Fixed::Local
        } else {
            Fixed::ReadOnly
        };
        for name in names {
            let name = name.split(['=', '+', '[']).next().unwrap_or_default();
            state.fix(name, why);
        }
    }

    /// An assignment to a read-only variable ends the line.
    pub(super) fn doubt_fixed(&mut self, state: &State, name: &str) {
        if OF_SHELL.contains(&name) || state.is_read_only(name) {
            self.report(CommandRule::Opaque, name);
            self.may_fail(state);
        }
    }

    /// A trap may run between any two commands, so its assignments may or may not apply.
    pub(in super::super) fn trap(&mut self, state: &mut State, operands: &[String]) {
        let [action, signals @ ..] = operands else {
            return;
        };
        if action == "-" || signals.is_empty() {
            return;
        }
        let mut inner = state.watched();
        self.out_of_order(|walk| walk.again(&mut inner, action));
        if signals
            .iter()
            .all(|signal| signal == "EXIT" || signal == "0")
        {
            return;
        }
        if inner.directories != state.directories || inner.positional != state.positional {
            self.report(CommandRule::Opaque, action);
        }
        let unsettled = inner.unsettled(state);
        // Drop it first, because shared data would be copied.
        drop(inner);
        for (name, value) in unsettled {
            state.fix(&name, Fixed::Trapped);
            state.assign(&name, value.to_string());
        }
    }
}
