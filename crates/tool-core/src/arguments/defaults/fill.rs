//! Insertion of missing defaults into calls and into other defaults.

use std::collections::HashMap;

use serde_json::Value;
use tool_json::{Added, Addition, JsonView, ParseError, ParseErrorKind, Tape};

use super::collect::Draft;
use super::tree::{Defaults, Place};
use crate::{JsonRef, ToolError};

/// Maximum number of values added to one call, equal to the maximum in JSON text.
const MAX_ADDED: usize = 1 << 20;
/// Maximum number of bytes of JSON, including keys, added to the defaults of one schema.
const MAX_BYTES: usize = 1 << 16;
/// Maximum nesting of defaults inside defaults.
const MAX_NESTED: usize = 8;
/// Maximum number of members for linear search.
const MOST_SEARCHED: usize = 16;

impl Defaults {
    /// Returns the missing members of `tape`. Allocates only if members are missing.
    ///
    /// # Errors
    /// Returns an error if the call would exceed the maximum number of values.
    pub(crate) fn lacking<'d>(&'d self, tape: &Tape<'_>) -> Result<Vec<Addition<'d>>, ToolError> {
        let mut filling = Filling {
            tape,
            defaults: self,
            additions: Vec::new(),
            added: 0,
        };
        filling.at(tape.root(), 0).map_err(ParseError::from)?;
        Ok(filling.additions)
    }
}

struct Filling<'f, 'd> {
    tape: &'f Tape<'f>,
    defaults: &'d Defaults,
    additions: Vec<Addition<'d>>,
    added: usize,
}

impl<'d> Filling<'_, 'd> {
    /// The depth of the tape limits the recursion.
    fn at(&mut self, node: JsonRef<'_>, place: usize) -> Result<(), ParseErrorKind> {
        let Some(place) = self.defaults.places.get(place) else {
            return Ok(());
        };
        if node.is_object() {
            self.members(node, place)
        } else {
            self.items(node, place)
        }
    }

    fn members(&mut self, node: JsonRef<'_>, place: &'d Place) -> Result<(), ParseErrorKind> {
        let lookup = Lookup::of(node);
        for member in &place.members {
            match (lookup.get(&member.name), member.inside, &member.default) {
                (Some(value), Some(inside), _) => self.at(value, inside)?,
                (None, _, Some(default)) => self.add(node, &member.name, default)?,
                _ => {}
            }
        }
        let Some(others) = &place.others else {
            return Ok(());
        };
        node.members()
            .filter(|(name, _)| !others.properties.contains(*name))
            .try_for_each(|(_, value)| self.at(value, others.inside))
    }

    fn items(&mut self, node: JsonRef<'_>, place: &Place) -> Result<(), ParseErrorKind> {
        if place.items.is_none() && place.leading.is_empty() {
            return Ok(());
        }
        for (index, item) in node.items().enumerate() {
            let own = place.leading.get(index);
            if let Some(inside) = own.copied().unwrap_or(place.items) {
                self.at(item, inside)?;
            }
        }
        Ok(())
    }

    fn add(
        &mut self,
        node: JsonRef<'_>,
        key: &'d str,
        default: &'d Tape<'static>,
    ) -> Result<(), ParseErrorKind> {
        self.added += default.size();
        if self.added > MAX_ADDED {
            return Err(ParseErrorKind::TooManyValues(MAX_ADDED));
        }
        self.additions.push(Addition {
            object: self.tape.position(node),
            key,
            value: Added::Tape(default.root()),
        });
        Ok(())
    }
}

/// Index of an object's members, with a table for large objects.
enum Lookup<'n> {
    Few(JsonRef<'n>),
    Many(HashMap<&'n str, JsonRef<'n>>),
}

impl<'n> Lookup<'n> {
    fn of(node: JsonRef<'n>) -> Self {
        match node.view() {
            JsonView::Object(length) if length > MOST_SEARCHED => {
                Self::Many(node.members().collect())
            }
            _ => Self::Few(node),
        }
    }

    fn get(&self, name: &str) -> Option<JsonRef<'n>> {
        match self {
            Self::Few(node) => node.get(name),
            Self::Many(members) => members.get(name).copied(),
        }
    }
}

/// Completes the defaults of a schema with defaults of their missing members.
pub(super) struct Filler<'f, 's> {
    drafts: &'f [Draft<'s>],
    /// Defaults that are being completed; a default must not contain itself.
    enclosing: Vec<(usize, usize)>,
    bytes_left: usize,
}

impl<'f, 's> Filler<'f, 's> {
    pub(super) fn new(drafts: &'f [Draft<'s>]) -> Self {
        Self {
            drafts,
            enclosing: Vec::new(),
            bytes_left: MAX_BYTES,
        }
    }

    /// Returns the default of member `index` of place `at`, including nested defaults.
    pub(super) fn filled(&mut self, at: usize, index: usize) -> Option<Value> {
        let member = self.drafts.get(at)?.members.get(index)?;
        let mut value = member.default?.clone();
        if let Some(inside) = member.inside {
            self.enclosing.push((at, index));
            self.fill(&mut value, inside.place);
            self.enclosing.pop();
        }
        Some(value)
    }

    fn fill(&mut self, value: &mut Value, at: usize) {
        let drafts = self.drafts;
        let Some(draft) = drafts.get(at) else { return };
        match value {
            Value::Object(members) => {
                for (index, property) in draft.members.iter().enumerate() {
                    match (members.get_mut(property.name), property.inside) {
                        (Some(member), Some(inside)) => self.fill(member, inside.place),
                        (None, _) => {
                            if let Some(default) = self.inner(at, index) {
                                members.insert(property.name.to_owned(), default);
                            }
                        }
                        _ => {}
                    }
                }
                if let Some(others) = draft.others {
                    for (name, member) in members {
                        if !draft.knows(name) {
                            self.fill(member, others.place);
                        }
                    }
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter_mut().enumerate() {
                    let own = draft.leading.get(index).copied();
                    if let Some(inside) = own.unwrap_or(draft.items) {
                        self.fill(item, inside.place);
                    }
                }
            }
            _ => {}
        }
    }

    /// Returns the default of a missing member inside a default.
    fn inner(&mut self, at: usize, index: usize) -> Option<Value> {
        let member = self.drafts.get(at)?.members.get(index)?;
        let bytes = member.name.len() + member.default?.to_string().len();
        if self.enclosing.len() == MAX_NESTED
            || self.enclosing.contains(&(at, index))
            || bytes > self.bytes_left
        {
            return None;
        }
        self.bytes_left -= bytes;
        self.filled(at, index)
    }
}
