//! What is asked of a provider for one tool, and what it makes of it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::{Map, Value};
use tool_core::{LossKind, ToolDefinition};

use crate::schema::{Losses, measure, sound};
use crate::strictness::StrictBudget;
use crate::{Options, StrictMode};

/// One tool as it is sent.
#[derive(Debug, Clone)]
pub(crate) struct Planned {
    pub(crate) definition: ToolDefinition,
    /// Its name on the wire.
    pub(crate) wire: String,
    pub(crate) spoken: Spoken,
    /// The characters of the description that is sent.
    pub(crate) description_length: usize,
}

/// What a provider makes of one definition.
#[derive(Debug, Clone, Default)]
pub(crate) struct Spoken {
    /// The tool as the provider wants it.
    pub(crate) tool: Value,
    /// Whether it is sent strict.
    pub(crate) strict: bool,
    /// Whether parameters that may be absent are sent as ones that may be null.
    pub(crate) adds_nulls: bool,
    /// Renamed top-level parameters: the definition's own key by its key on the wire.
    pub(crate) keys: BTreeMap<String, String>,
}

/// What is asked of a provider for one definition.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub(crate) definition: &'a ToolDefinition,
    pub(crate) wire: &'a str,
    pub(crate) strict: StrictMode,
    /// What else the request asks for.
    pub(crate) options: &'a Options,
    /// What the strict tools before this one have left.
    pub(crate) budget: StrictBudget,
}

impl<'a> Asked<'a> {
    /// The schema of what the tool answers; one that is too large is left out, with a loss.
    pub(crate) fn output_schema(&self, losses: &mut Losses) -> Option<Cow<'a, Value>> {
        let schema = self.definition.output_schema()?;
        // A pointer leads into the schema of the arguments, so that mending this one is told as one thing.
        let mut trial = losses.trial();
        match measure(schema).and_then(|()| sound(schema, &mut trial)) {
            Ok(schema) => {
                if !trial.is_empty() {
                    let detail = "of what it answers, mistakes that have one meaning are mended";
                    losses.add("", "output_schema", LossKind::Merged, detail);
                }
                Some(schema)
            }
            Err(reason) => {
                let detail = format!("of what it answers, {reason}");
                losses.add("", "output_schema", LossKind::Dropped, detail);
                None
            }
        }
    }

    /// Name and description, where an empty description is better left out.
    pub(crate) fn named(&self) -> Map<String, Value> {
        let mut named = Map::new();
        named.insert("name".to_owned(), self.wire.into());
        if !self.definition.description().is_empty() {
            named.insert(
                "description".to_owned(),
                self.definition.description().into(),
            );
        }
        named
    }

    /// Whether the model is to find this tool by searching.
    pub(crate) fn is_deferred(&self) -> bool {
        self.is_among(&self.options.deferred)
    }

    /// Whether the model goes on without the answer of this tool.
    pub(crate) fn is_non_blocking(&self) -> bool {
        self.is_among(&self.options.non_blocking)
    }

    /// Who may call this tool, where that is said.
    pub(crate) fn callers(&self) -> Option<&'a [String]> {
        let callers = self.options.allowed_callers.get(self.definition.name())?;
        (!callers.is_empty()).then_some(callers)
    }

    fn is_among(&self, names: &[String]) -> bool {
        names.iter().any(|name| name == self.definition.name())
    }
}
