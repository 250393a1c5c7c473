//! Arrays and positional parameters.

use std::rc::Rc;

use super::super::state::State;
use super::super::syntax::{Operation, Variable, Word};
use super::super::value::{self, FIELDS, NETWORK};
use super::Walk;
use super::assembly::Piece;
use super::expansion::expanded;

impl Walk<'_> {
    pub(super) fn items(
        &mut self,
        state: &State,
        variable: &Variable,
        operand: &str,
    ) -> Option<Piece> {
        let items = self.list_or_guess(state, &variable.name)?;
        let from = match variable.operation {
            Operation::Value => 0,
            Operation::Slice if is_list(variable) => operand.trim().parse().ok()?,
            _ => return None,
        };
        if !is_list(variable) {
            let item = items.get(place_in(&items, variable)?);
            return Some(expanded(item.cloned().unwrap_or_default(), variable.quoted));
        }
        let items = items.get(from..).unwrap_or_default();
        let whole = variable.subscript.as_ref().and_then(Word::plain);
        let is_split = whole == Some("@") || variable.name == "@";
        Some(if variable.quoted && is_split {
            Piece::List(Rc::from(items))
        } else {
            expanded(items.join(" "), variable.quoted)
        })
    }

    /// Returns the items, or the possible items under assumptions.
    pub(super) fn list_or_guess(&mut self, state: &State, name: &str) -> Option<Rc<[String]>> {
        let is_positional = matches!(name, "@" | "*");
        let (known, guess) = if is_positional {
            (
                None,
                state
                    .guessed_positional()
                    .filter(|_| state.positional.is_none()),
            )
        } else {
            (state.list(name), state.guessed_list(name))
        };
        self.could_assume |= known.is_none() && guess.is_some();
        known.or_else(|| guess.filter(|_| self.assumes))
    }

    pub(super) fn list_value(state: &State, variable: &Variable) -> Piece {
        match (&state.positional, variable.name.as_str()) {
            (Some(words), "@") if variable.quoted => Piece::List(Rc::clone(words)),
            (Some(words), "@" | "*") => expanded(words.join(" "), variable.quoted),
            _ => {
                let network = state
                    .value(&variable.name)
                    .is_some_and(|value| value::from_network(&value));
                Piece::Quoted(if network { NETWORK } else { FIELDS }.to_string())
            }
        }
    }
}

fn place_in(items: &[String], variable: &Variable) -> Option<usize> {
    let index = match &variable.subscript {
        None => 0,
        Some(word) => word.plain()?.parse::<isize>().ok()?,
    };
    if index < 0 {
        items.len().checked_sub(index.unsigned_abs())
    } else {
        Some(index.unsigned_abs())
    }
}

pub(super) fn is_list(variable: &Variable) -> bool {
    matches!(variable.name.as_str(), "@" | "*")
        || variable
            .subscript
            .as_ref()
            .and_then(Word::plain)
            .is_some_and(|all| matches!(all, "@" | "*"))
}
