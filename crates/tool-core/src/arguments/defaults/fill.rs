//! Filling in what lacks: into calls, and into defaults that have members of their own.

use std::collections::HashMap;

use serde_json::Value;

use super::collect::Draft;
use super::tree::{Defaults, Place};
use crate::Node;
use crate::json::parse::ParseErrorKind;
use crate::json::tape::{Added, Addition, Tape};

/// Values added to one call: as many as a text may have.
const MAX_ADDED: usize = 1 << 20;
/// Bytes of JSON, keys included, that are added to the defaults of one schema.
const MAX_BYTES: usize = 1 << 16;
/// Defaults that are filled into each other.
const MAX_NESTED: usize = 8;
/// Objects up to this many members are searched for each property.
const MOST_SEARCHED: usize = 16;

impl Defaults {
    /// What `tape` lacks; nothing is allocated where it lacks nothing.
    ///
    /// # Errors
    /// The call would get more values than a text may have.
    pub(crate) fn lacking<'d>(
        &'d self,
        tape: &Tape<'_>,
    ) -> Result<Vec<Addition<'d>>, ParseErrorKind> {
        let mut filling = Filling {
            tape,
            defaults: self,
            additions: Vec::new(),
            added: 0,
        };
        filling.at(tape.root(), 0)?;
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
    /// Looks into `node`, no deeper than the tape is.
    fn at(&mut self, node: Node<'_>, place: usize) -> Result<(), ParseErrorKind> {
        let Some(place) = self.defaults.places.get(place) else {
            return Ok(());
        };
        if node.is_object() {
            self.members(node, place)
        } else {
            self.items(node, place)
        }
    }

    fn members(&mut self, node: Node<'_>, place: &'d Place) -> Result<(), ParseErrorKind> {
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

    fn items(&mut self, node: Node<'_>, place: &Place) -> Result<(), ParseErrorKind> {
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
        node: Node<'_>,
        key: &'d str,
        default: &'d Tape<'static>,
    ) -> Result<(), ParseErrorKind> {
        self.added += default.values();
        if self.added > MAX_ADDED {
            return Err(ParseErrorKind::TooManyValues(MAX_ADDED));
        }
        self.additions.push(Addition {
            object: self.tape.place_of(node),
            key,
            value: Added::Kept(default.root()),
        });
        Ok(())
    }
}

/// The members of an object by name; in a table where there are too many to search.
enum Lookup<'n> {
    Few(Node<'n>),
    Many(HashMap<&'n str, Node<'n>>),
}

impl<'n> Lookup<'n> {
    fn of(node: Node<'n>) -> Self {
        if node.length() > MOST_SEARCHED {
            Self::Many(node.members().collect())
        } else {
            Self::Few(node)
        }
    }

    fn get(&self, name: &str) -> Option<Node<'n>> {
        match self {
            Self::Few(node) => node.get(name),
            Self::Many(members) => members.get(name).copied(),
        }
    }
}

/// Fills the defaults of a schema with those of the members that they lack.
pub(super) struct Filler<'f, 's> {
    drafts: &'f [Draft<'s>],
    /// The defaults that are being filled; none is filled into itself.
    around: Vec<(usize, usize)>,
    bytes_left: usize,
}

impl<'f, 's> Filler<'f, 's> {
    pub(super) fn new(drafts: &'f [Draft<'s>]) -> Self {
        Self {
            drafts,
            around: Vec::new(),
            bytes_left: MAX_BYTES,
        }
    }

    /// The default of the member `index` of the place `at`, with the defaults inside it.
    pub(super) fn filled(&mut self, at: usize, index: usize) -> Option<Value> {
        let member = self.drafts.get(at)?.members.get(index)?;
        let mut value = member.default?.clone();
        if let Some(inside) = member.inside {
            self.around.push((at, index));
            self.fill(&mut value, inside.place);
            self.around.pop();
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

    /// The default of a member that lacks inside a default.
    fn inner(&mut self, at: usize, index: usize) -> Option<Value> {
        let member = self.drafts.get(at)?.members.get(index)?;
        let bytes = member.name.len() + member.default?.to_string().len();
        if self.around.len() == MAX_NESTED
            || self.around.contains(&(at, index))
            || bytes > self.bytes_left
        {
            return None;
        }
        self.bytes_left -= bytes;
        self.filled(at, index)
    }
}
