//! Conversion of one tool: input and output of a provider's function.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::Value;
use tool_core::{LossKind, ToolDefinition};

use crate::schema::{Losses, drop_large_bounds, measure, validated};
use crate::strictness::StrictBudget;
use crate::{Object, Options, StrictMode};

/// Tool as it is sent.
#[derive(Debug, Clone)]
pub(crate) struct Planned {
    pub(crate) definition: ToolDefinition,
    /// Name on the wire.
    pub(crate) wire: String,
    pub(crate) converted: WireTool,
    /// Number of characters in the sent description.
    pub(crate) description_length: usize,
}

/// Definition converted to the format of a provider.
#[derive(Debug, Clone, Default)]
pub(crate) struct WireTool {
    /// Tool in the provider's format.
    pub(crate) tool: Value,
    /// Whether the tool is strict.
    pub(crate) strict: bool,
    /// Whether optional parameters are sent as required and nullable.
    pub(crate) adds_nulls: bool,
    /// Keys of renamed top-level parameters in the definition, by their key on the wire.
    pub(crate) keys: BTreeMap<String, String>,
}

impl WireTool {
    /// Creates a tool that is not strict and has the keys of its definition.
    pub(crate) fn plain(tool: Object) -> Self {
        Self {
            tool: Value::Object(tool),
            ..Self::default()
        }
    }
}

/// Definition to convert, with the options that apply.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SourceTool<'a> {
    pub(crate) definition: &'a ToolDefinition,
    pub(crate) wire: &'a str,
    pub(crate) strict: StrictMode,
    /// Options of the request.
    pub(crate) options: &'a Options,
    /// Remaining budget after the previous strict tools.
    pub(crate) budget: StrictBudget,
}

impl<'a> SourceTool<'a> {
    /// Returns the output schema. Records a loss and returns `None` if it is invalid or too large.
    pub(crate) fn output_schema(&self, losses: &mut Losses) -> Option<Cow<'a, Value>> {
        let schema = self.definition.output_schema()?;
        // Pointers refer to the input schema, so repairs of this schema are recorded as one loss.
        let mut trial = losses.trial();
        match measure(schema).and_then(|()| validated(schema, &mut trial)) {
            Ok(schema) => {
                if !trial.is_empty() {
                    let detail = "repaired unambiguous mistakes in the output schema";
                    losses.add("", "output_schema", LossKind::Merged, detail);
                }
                Some(within_bounds(schema, losses))
            }
            Err(reason) => {
                let detail = format!("output schema: {reason}");
                losses.add("", "output_schema", LossKind::Dropped, detail);
                None
            }
        }
    }

    /// Returns name and description. Omits an empty description.
    pub(crate) fn named(&self) -> Object {
        let mut named = Object::new();
        named.insert("name".to_owned(), self.wire.into());
        if !self.definition.description().is_empty() {
            named.insert(
                "description".to_owned(),
                self.definition.description().into(),
            );
        }
        named
    }

    /// Returns `true` if the model finds this tool by searching.
    pub(crate) fn is_deferred(&self) -> bool {
        let mut deferred = self.options.deferred.iter();
        deferred.any(|name| name == self.definition.name())
    }
}

/// Removes bounds beyond 2^53 from an output schema, with one loss.
fn within_bounds<'s>(schema: Cow<'s, Value>, losses: &mut Losses) -> Cow<'s, Value> {
    let bounded = match drop_large_bounds(&schema, &mut losses.trial()) {
        Cow::Owned(bounded) => bounded,
        Cow::Borrowed(_) => return schema,
    };
    let detail = "bounds beyond 2^53 were removed from the output schema";
    losses.add("", "output_schema", LossKind::Dropped, detail);
    Cow::Owned(bounded)
}
