//! Application of edits to a tool's schema.

use std::ops::RangeInclusive;

use serde_json::{Map, Value};

use super::clamp::Clamp;
use super::error::PresentationError;
use super::mapping::Mapping;
use super::presentation::{Edit, Presentation};
use crate::ToolDefinition;

/// Returns the shown definition, and the mapping back to `own`.
pub(super) fn apply<O>(
    own: &ToolDefinition,
    presentation: Presentation<O>,
) -> Result<(ToolDefinition, Mapping), PresentationError> {
    let mut adaptation = Adaptation::of(own, presentation.name);
    let has_given_schema = |(_, edit): &(String, Edit)| matches!(edit, Edit::Schema { .. });
    let is_derived = own.has_derived_schema() && !presentation.edits.iter().any(has_given_schema);
    for (parameter, edit) in presentation.edits {
        adaptation.edit(&parameter, edit)?;
    }
    if let Some(only) = presentation.only {
        adaptation.hide_all_but(&only)?;
    }
    let (mut definition, mapping) =
        adaptation.finish(own, presentation.description, presentation.open)?;
    if is_derived {
        definition = definition.with_derived_schema();
    }
    if let Some(limit) = presentation.output_limit {
        definition = definition.with_output_limit(limit);
    }
    Ok((definition, mapping))
}

/// Own and shown form of one parameter.
pub(super) struct Parameter {
    pub(super) own: String,
    pub(super) shown: String,
    pub(super) schema: Value,
    pub(super) visible: bool,
    /// Whether the parameter is accepted, although it is not visible.
    pub(super) accepted: bool,
    pub(super) range: Option<RangeInclusive<i64>>,
}

/// Shown form of a tool while its edits are applied.
pub(super) struct Adaptation {
    tool: String,
    pub(super) parameters: Vec<Parameter>,
    aliases: Vec<(String, String)>,
    pinned: Vec<(String, Value)>,
}

impl Adaptation {
    fn of(own: &ToolDefinition, tool: String) -> Self {
        let properties = |schema: &'_ Value| schema.get("properties")?.as_object().cloned();
        let accepted = properties(own.accepted_schema()).unwrap_or_default();
        let parameters = properties(own.input_schema())
            .into_iter()
            .flatten()
            .map(|(name, shown)| Parameter {
                own: name.clone(),
                schema: accepted.get(&name).unwrap_or(&shown).clone(),
                shown: name,
                visible: true,
                accepted: true,
                range: None,
            })
            .collect();
        Self {
            tool,
            parameters,
            aliases: Vec::new(),
            pinned: Vec::new(),
        }
    }

    fn unknown(&self, name: &str) -> PresentationError {
        PresentationError::UnknownParameter {
            tool: self.tool.clone(),
            parameter: name.to_owned(),
        }
    }

    fn hide_all_but(&mut self, only: &[String]) -> Result<(), PresentationError> {
        let is_known = |name: &&String| self.parameters.iter().any(|one| one.own == **name);
        if let Some(name) = only.iter().find(|name| !is_known(name)) {
            return Err(self.unknown(name));
        }
        let hidden: Vec<String> = self
            .parameters
            .iter()
            .filter(|parameter| parameter.visible && !only.contains(&parameter.own))
            .map(|parameter| parameter.own.clone())
            .collect();
        hidden
            .iter()
            .try_for_each(|name| self.edit(name, Edit::Hide))
    }

    fn edit(&mut self, name: &str, edit: Edit) -> Result<(), PresentationError> {
        let unknown = self.unknown(name);
        let parameter = self
            .parameters
            .iter_mut()
            .find(|parameter| parameter.own == name)
            .ok_or(unknown)?;
        match edit {
            Edit::Rename { to } => parameter.shown = to,
            Edit::Alias { alias } => self.aliases.push((alias, name.to_owned())),
            Edit::Pin { value } => {
                parameter.visible = false;
                parameter.accepted = false;
                self.pin(name, value);
            }
            Edit::Hide => {
                parameter.visible = false;
                // A tool may rely on the schema for its defaults, so pin them.
                if let Some(default) = parameter.schema.get("default").cloned() {
                    self.pin(name, default);
                }
            }
            Edit::Describe { text } => {
                set(&mut parameter.schema, "description", text.into());
            }
            Edit::Default { value } => set(&mut parameter.schema, "default", value),
            Edit::Schema { schema } => parameter.schema = schema,
            Edit::Clamp { range } => parameter.range = Some(range),
        }
        Ok(())
    }

    /// Fixes a parameter; the last value applies.
    fn pin(&mut self, name: &str, value: Value) {
        self.pinned.retain(|(pinned, _)| pinned != name);
        self.pinned.push((name.to_owned(), value));
    }

    /// Accepts each hidden parameter with an alias under this alias.
    fn accept_hidden(&mut self) {
        let hidden = self.parameters.iter_mut();
        for parameter in hidden.filter(|one| one.accepted && !one.visible) {
            let mut aliases = self.aliases.iter();
            let alias = aliases.position(|(_, own)| *own == parameter.own);
            parameter.accepted = alias.is_some();
            if let Some(alias) = alias {
                parameter.shown = self.aliases.remove(alias).0;
                self.pinned.retain(|(pinned, _)| *pinned != parameter.own);
            }
        }
    }

    fn finish(
        mut self,
        own: &ToolDefinition,
        description: String,
        open: bool,
    ) -> Result<(ToolDefinition, Mapping), PresentationError> {
        self.accept_hidden();
        self.check_names(own)?;
        let own_aliases = own.aliases().iter().cloned();
        let aliases = own_aliases
            .chain(self.aliases.iter().cloned())
            .map(|(alias, parameter)| (alias, self.shown_name(&parameter).to_owned()))
            .collect();
        let accepted = self.accepted_schema(own.accepted_schema(), open);
        let mut definition = own
            .clone()
            .with_aliases(aliases)
            .with_examples(self.examples(own))
            .with_name(self.tool.as_str())
            .with_description(description)
            .with_typed_schema(self.schema(own.accepted_schema(), open));
        if let Some(accepted) = accepted {
            definition = definition.with_accepted_schema(accepted);
        }
        let (accepted, hidden): (Vec<_>, Vec<_>) =
            self.parameters.iter().partition(|one| one.accepted);
        let renamed = accepted.iter().filter(|one| one.own != one.shown);
        let clamp = |one: &Parameter| {
            let range = one.range.as_ref().filter(|_| one.visible)?;
            Some(Clamp::new(&one.own, &one.shown, range))
        };
        let mapping = Mapping {
            renamed: renamed
                .map(|one| (one.shown.clone(), one.own.clone()))
                .collect(),
            hidden: hidden.iter().map(|one| one.own.clone()).collect(),
            clamps: self.parameters.iter().filter_map(clamp).collect(),
            pinned: self.pinned,
        };
        Ok((definition, mapping))
    }

    /// Returns the examples under the shown names, except examples that contradict a pinned value.
    fn examples(&self, own: &ToolDefinition) -> Vec<Value> {
        let shown = |example: &Value| match example {
            Value::Object(members) => self.example(members),
            other => Some(other.clone()),
        };
        own.examples().iter().filter_map(shown).collect()
    }

    fn example(&self, members: &Map<String, Value>) -> Option<Value> {
        let mut example = Map::new();
        for (name, value) in members {
            match self.parameters.iter().find(|one| one.own == *name) {
                Some(parameter) if parameter.visible => {
                    example.insert(parameter.shown.clone(), value.clone());
                }
                Some(_) => {
                    let pinned = self.pinned.iter().find(|(pinned, _)| pinned == name);
                    if pinned.is_some_and(|(_, pinned)| pinned != value) {
                        return None;
                    }
                }
                None => {
                    example.insert(name.clone(), value.clone());
                }
            }
        }
        Some(example.into())
    }

    fn shown_name<'s>(&'s self, own: &'s str) -> &'s str {
        self.parameters
            .iter()
            .find(|parameter| parameter.own == own)
            .map_or(own, |one| one.shown.as_str())
    }

    /// Checks that all shown names and aliases differ.
    fn check_names(&self, own: &ToolDefinition) -> Result<(), PresentationError> {
        let shown = self
            .parameters
            .iter()
            .filter(|parameter| parameter.accepted)
            .map(|one| &one.shown);
        let own_aliases = own.aliases().iter().map(|(alias, _)| alias);
        let mut names: Vec<&String> = shown
            .chain(self.aliases.iter().map(|(alias, _)| alias))
            .chain(own_aliases)
            .collect();
        names.sort();
        let taken = names.windows(2).find(|pair| pair.first() == pair.last());
        match taken.and_then(|pair| pair.first()) {
            Some(name) => Err(PresentationError::NameCollision {
                tool: self.tool.clone(),
                name: (*name).clone(),
            }),
            None => Ok(()),
        }
    }
}

/// Sets a keyword of an object schema.
fn set(schema: &mut Value, keyword: &str, value: Value) {
    if let Some(object) = schema.as_object_mut() {
        object.insert(keyword.to_owned(), value);
    }
}
