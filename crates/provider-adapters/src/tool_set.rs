//! The way back from the wire to the definitions.

use std::collections::HashMap;

use serde_json::{Map, Value};
use tool_core::ToolDefinition;

use crate::plan::{Plan, Planned};
use crate::schema::strip_added_nulls;
use crate::{ModelTraits, ProviderDialect};

/// Tools as one provider was told about them: names and keys lead both ways.
///
/// # Examples
/// ```
/// use provider_adapters::{Provider, ToolSet};
/// use serde_json::json;
/// use tool_core::ToolDefinition;
///
/// let tools = [ToolDefinition::new("fs.read", "Reads a file.", json!({"type": "object"}))];
/// let set = ToolSet::new(Provider::OpenAi, &tools);
/// assert_eq!(set.wire_name("fs.read"), "fs_read");
/// assert_eq!(set.canonical_name("fs_read"), "fs.read");
/// ```
#[derive(Debug, Clone)]
pub struct ToolSet {
    dialect: ProviderDialect,
    tools: Vec<Planned>,
    by_wire: HashMap<String, usize>,
    by_name: HashMap<String, usize>,
}

impl ToolSet {
    /// Creates the set of what `dialect` makes of the definitions; what it refuses is not in it.
    #[must_use]
    pub fn new(dialect: impl Into<ProviderDialect>, definitions: &[ToolDefinition]) -> Self {
        let dialect = dialect.into();
        let tools = Plan::new(&dialect, definitions).tools;
        let index = |key: fn(&Planned) -> &str| {
            tools
                .iter()
                .enumerate()
                .map(|(at, tool)| (key(tool).to_owned(), at))
                .collect()
        };
        Self {
            by_wire: index(|tool| &tool.wire),
            by_name: index(|tool| tool.definition.name()),
            tools,
            dialect,
        }
    }

    /// The definitions in order.
    pub fn definitions(&self) -> impl Iterator<Item = &ToolDefinition> {
        self.tools.iter().map(|tool| &tool.definition)
    }

    /// The definition's own name for a name on the wire; an unknown name stays as it is.
    #[must_use]
    pub fn canonical_name<'s>(&'s self, wire: &'s str) -> &'s str {
        self.of_wire(wire)
            .map_or(wire, |tool| tool.definition.name())
    }

    /// The name on the wire for a tool; for an unknown one, what the provider's rule makes of its name.
    #[must_use]
    pub fn wire_name(&self, name: &str) -> String {
        match self.of_name(name) {
            Some(tool) => tool.wire.clone(),
            None => self.dialect.wire_name(name),
        }
    }

    /// What the model takes, as it was said for these tools.
    pub(crate) fn model(&self) -> &ModelTraits {
        &self.dialect.options().model
    }

    fn of_wire(&self, wire: &str) -> Option<&Planned> {
        self.by_wire.get(wire).and_then(|at| self.tools.get(*at))
    }

    fn of_name(&self, name: &str) -> Option<&Planned> {
        self.by_name.get(name).and_then(|at| self.tools.get(*at))
    }

    /// Gives the arguments of a call their own keys back and takes out the nulls that strictness added.
    pub(crate) fn restore_arguments(&self, wire: &str, arguments: &mut Map<String, Value>) {
        let Some(tool) = self.of_wire(wire) else {
            return;
        };
        rename_keys(arguments, tool.spoken.keys.iter());
        if tool.spoken.adds_nulls {
            strip_added_nulls(tool.definition.input_schema(), arguments);
        }
    }

    /// Gives the arguments of a call the keys that the provider was told.
    pub(crate) fn disguise_arguments(&self, name: &str, arguments: &mut Map<String, Value>) {
        if let Some(tool) = self.of_name(name) {
            rename_keys(
                arguments,
                tool.spoken.keys.iter().map(|(wire, own)| (own, wire)),
            );
        }
    }
}

fn rename_keys<'k>(
    arguments: &mut Map<String, Value>,
    keys: impl Iterator<Item = (&'k String, &'k String)>,
) {
    // All values are taken out before any is put back, so that two keys may swap.
    let taken: Vec<(String, Value)> = keys
        .filter_map(|(from, to)| Some((to.clone(), arguments.remove(from)?)))
        .collect();
    arguments.extend(taken);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{Options, Provider, StrictMode};

    #[test]
    fn a_null_is_taken_out_only_where_the_provider_was_told_that_it_may_be_sent() {
        let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}});
        let tools = [ToolDefinition::new("f", "F", schema)];
        for (provider, expected) in [
            (Provider::OpenAi, json!({})),
            (Provider::OpenAiResponses, json!({})),
            (Provider::Anthropic, json!({"a": null})),
            (Provider::Bedrock, json!({"a": null})),
            (Provider::Gemini, json!({"a": null})),
        ] {
            let options = Options::default().with_strict(StrictMode::On);
            let set = ToolSet::new(provider.with_options(options), &tools);
            let mut arguments = Map::from_iter([("a".to_owned(), Value::Null)]);

            set.restore_arguments("f", &mut arguments);

            assert_eq!(Value::Object(arguments), expected, "{provider}");
        }
    }
}
