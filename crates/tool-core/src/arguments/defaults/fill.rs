//! Insertion of missing defaults into calls.

use std::collections::HashMap;

use tool_json::{Added, Addition, JsonView, ParseError, ParseErrorKind, Tape};

use super::tree::{Defaults, SchemaNode};
use crate::{JsonRef, ToolError};

/// Maximum number of values added to one call, equal to the maximum in JSON text.
const MAX_ADDED: usize = 1 << 20;
/// Maximum number of members for linear search.
const MAX_LINEAR: usize = 16;

impl Defaults {
    /// Returns the missing members of `tape`. Allocates only if members are missing.
    ///
    /// # Errors
    /// Returns an error if the call would exceed the maximum number of values.
    pub(crate) fn missing_members<'d>(
        &'d self,
        tape: &Tape<'_>,
    ) -> Result<Vec<Addition<'d>>, ToolError> {
        let mut insertion = Insertion {
            tape,
            defaults: self,
            additions: Vec::new(),
            added: 0,
        };
        insertion.at(tape.root(), 0).map_err(ParseError::from)?;
        Ok(insertion.additions)
    }
}

struct Insertion<'f, 'd> {
    tape: &'f Tape<'f>,
    defaults: &'d Defaults,
    additions: Vec<Addition<'d>>,
    added: usize,
}

impl<'d> Insertion<'_, 'd> {
    /// The depth of the tape limits the recursion.
    fn at(&mut self, node: JsonRef<'_>, schema: usize) -> Result<(), ParseErrorKind> {
        let Some(schema) = self.defaults.nodes.get(schema) else {
            return Ok(());
        };
        if node.is_object() {
            self.members(node, schema)
        } else {
            self.items(node, schema)
        }
    }

    fn members(&mut self, node: JsonRef<'_>, schema: &'d SchemaNode) -> Result<(), ParseErrorKind> {
        let lookup = Lookup::of(node);
        for member in &schema.members {
            match (lookup.get(&member.name), member.inside, &member.default) {
                (Some(value), Some(inside), _) => self.at(value, inside)?,
                (None, _, Some(default)) => self.add(node, &member.name, default)?,
                _ => {}
            }
        }
        let Some(additional) = &schema.additional else {
            return Ok(());
        };
        node.members()
            .filter(|(name, _)| !additional.properties.contains(*name))
            .try_for_each(|(_, value)| self.at(value, additional.inside))
    }

    fn items(&mut self, node: JsonRef<'_>, schema: &SchemaNode) -> Result<(), ParseErrorKind> {
        if schema.items.is_none() && schema.leading.is_empty() {
            return Ok(());
        }
        for (index, item) in node.items().enumerate() {
            let own = schema.leading.get(index);
            if let Some(inside) = own.copied().unwrap_or(schema.items) {
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
            JsonView::Object(length) if length > MAX_LINEAR => Self::Many(node.members().collect()),
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
