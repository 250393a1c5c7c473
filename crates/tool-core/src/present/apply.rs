//! Application of edits to a tool's schema, and the mapping of arguments back.

use std::ops::RangeInclusive;

use serde_json::{Map, Value};

use super::clamp::Clamp;
use super::presentation::{Edit, Presentation, PresentationError};
use crate::{Arguments, ToolDefinition, ToolError};

/// Mapping of shown arguments to the tool's own.
#[derive(Debug, Clone, Default)]
pub(crate) struct Mapping {
    /// Shown name and own name, if they differ.
    pub(super) renamed: Vec<(String, String)>,
    /// Own name and value of pinned parameters.
    pinned: Vec<(String, Value)>,
    /// Own names of hidden parameters.
    pub(super) hidden: Vec<String>,
    clamps: Vec<Clamp>,
}

/// Returns the shown definition, and the mapping back to `own`.
pub(super) fn apply<O>(
    own: &ToolDefinition,
    presentation: Presentation<O>,
) -> Result<(ToolDefinition, Mapping), PresentationError> {
    let mut shown = Shown::of(own, presentation.name);
    let has_given_schema = |(_, edit): &(String, Edit)| matches!(edit, Edit::Schema { .. });
    let is_derived = own.has_derived_schema() && !presentation.edits.iter().any(has_given_schema);
    for (parameter, edit) in presentation.edits {
        shown.edit(&parameter, edit)?;
    }
    if let Some(only) = presentation.only {
        shown.hide_all_but(&only)?;
    }
    let (mut definition, mapping) =
        shown.finish(own, presentation.description, presentation.open)?;
    if is_derived {
        definition = definition.with_derived_schema();
    }
    if let Some(limit) = presentation.output_limit {
        definition = definition.with_output_limit(limit);
    }
    Ok((definition, mapping))
}

/// Own and shown form of one parameter.
struct Parameter {
    own: String,
    shown: String,
    schema: Value,
    visible: bool,
    /// Whether the parameter is accepted, although it is not visible.
    accepted: bool,
    range: Option<RangeInclusive<i64>>,
}

struct Shown {
    tool: String,
    parameters: Vec<Parameter>,
    aliases: Vec<(String, String)>,
    pinned: Vec<(String, Value)>,
}

impl Shown {
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
        let renamed = self
            .parameters
            .iter()
            .filter(|parameter| parameter.accepted && parameter.own != parameter.shown)
            .map(|parameter| (parameter.shown.clone(), parameter.own.clone()))
            .collect();
        let hidden = self
            .parameters
            .iter()
            .filter(|parameter| !parameter.accepted)
            .map(|one| one.own.clone())
            .collect();
        let clamp = |one: &Parameter| {
            let range = one.range.as_ref().filter(|_| one.visible)?;
            Some(Clamp::new(&one.own, &one.shown, range))
        };
        let mapping = Mapping {
            renamed,
            hidden,
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
        match names.windows(2).find_map(|pair| match pair {
            [first, second] if first == second => Some((*first).clone()),
            _ => None,
        }) {
            Some(name) => Err(PresentationError::NameCollision {
                tool: self.tool.clone(),
                name,
            }),
            None => Ok(()),
        }
    }

    /// Returns the schema with the parameters that are accepted but not shown; `None` if there are none.
    ///
    /// Their defaults are not part of it, so that they are not added to the arguments.
    fn accepted_schema(&self, own: &Value, open: bool) -> Option<Value> {
        let accepted = self.parameters.iter();
        let mut accepted = accepted
            .filter(|one| one.accepted && !one.visible)
            .peekable();
        accepted.peek()?;
        let mut schema = self.schema(own, open);
        let properties = schema.get_mut("properties")?.as_object_mut()?;
        for parameter in accepted {
            let mut schema = parameter.schema.clone();
            if let Some(keywords) = schema.as_object_mut() {
                keywords.shift_remove("default");
            }
            properties.insert(parameter.shown.clone(), schema);
        }
        Some(schema)
    }

    fn schema(&self, own: &Value, open: bool) -> Value {
        let mut schema = own.as_object().cloned().unwrap_or_default();
        let visible = || self.parameters.iter().filter(|parameter| parameter.visible);
        let properties: Map<String, Value> = visible()
            .map(|parameter| (parameter.shown.clone(), parameter.schema.clone()))
            .collect();
        let required = own
            .get("required")
            .and_then(Value::as_array)
            .cloned()
            .unwrap_or_default();
        let required: Vec<Value> = required
            .iter()
            .filter_map(|name| visible().find(|parameter| *name == *parameter.own))
            .filter(|parameter| parameter.schema.get("default").is_none())
            .map(|parameter| parameter.shown.clone().into())
            .collect();
        schema.insert("type".into(), "object".into());
        schema.insert("properties".into(), properties.into());
        schema.shift_remove("required");
        if !required.is_empty() {
            schema.insert("required".into(), required.into());
        }
        let mut schema = Value::Object(schema);
        if !open {
            close(&mut schema);
        }
        schema
    }
}

fn set(schema: &mut Value, keyword: &str, value: Value) {
    if let Some(object) = schema.as_object_mut() {
        object.insert(keyword.to_owned(), value);
    }
}

/// Closes every object that has `properties` and no `additionalProperties`.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            let lists = object.get("properties").is_some_and(Value::is_object);
            if lists && !object.contains_key("additionalProperties") {
                object.insert("additionalProperties".into(), false.into());
            }
            for (keyword, value) in object {
                match (keyword.as_str(), value) {
                    ("properties" | "$defs", Value::Object(map)) => {
                        map.values_mut().for_each(close);
                    }
                    ("items" | "anyOf" | "oneOf" | "prefixItems", value) => close(value),
                    _ => {}
                }
            }
        }
        Value::Array(list) => list.iter_mut().for_each(close),
        _ => {}
    }
}

impl Mapping {
    /// Returns the tool's own arguments; `None` if they equal the shown arguments.
    pub(crate) fn own<'s>(&'s self, shown: &'s Arguments<'_>) -> Option<Arguments<'s>> {
        let clamped: Vec<(&str, &Value)> = self
            .clamps
            .iter()
            .filter_map(|clamp| Some((clamp.own(), clamp.border(shown)?)))
            .collect();
        if self.renamed.is_empty() && self.hidden.is_empty() && clamped.is_empty() {
            return None;
        }
        let pinned = self
            .pinned
            .iter()
            .map(|(name, value)| (name.as_str(), value));
        let is_kept = |own: &&str| clamped.iter().all(|(clamped, _)| clamped != own);
        Some(shown.renamed(
            |name| self.own_name(name).filter(is_kept),
            pinned.chain(clamped.iter().copied()),
        ))
    }

    /// Returns the warnings for clamped numbers.
    pub(super) fn warnings(&self, shown: &Arguments<'_>) -> Vec<String> {
        let warning = |clamp: &Clamp| clamp.warning(shown);
        self.clamps.iter().filter_map(warning).collect()
    }

    /// Returns the error with the shown parameter names.
    pub(super) fn error(&self, error: ToolError) -> ToolError {
        let error = self.faults(self.suggestion(error));
        let Some(own) = error.parameter().map(str::to_owned) else {
            return error;
        };
        if self.hidden.contains(&own) {
            return error.with_parameter(None);
        }
        match self.renamed.iter().find(|(_, name)| *name == own) {
            Some((shown, _)) if error.faults().is_empty() => error.with_parameter(Some(shown)),
            _ => error,
        }
    }

    /// Returns the shown name of a parameter; `None` if it is hidden.
    pub(super) fn shown_name<'o>(&'o self, own: &'o str) -> Option<&'o str> {
        let renamed = self.renamed.iter().find(|(_, name)| name == own);
        let is_hidden = self.hidden.iter().any(|hidden| hidden == own);
        renamed
            .map(|(shown, _)| shown.as_str())
            .or((!is_hidden).then_some(own))
    }

    /// Returns the own name of a parameter; `None` for a name that is not shown.
    fn own_name<'s>(&'s self, shown: &'s str) -> Option<&'s str> {
        if let Some((_, own)) = self.renamed.iter().find(|(name, _)| name == shown) {
            return Some(own);
        }
        let is_taken = self.renamed.iter().any(|(_, own)| own == shown);
        let is_hidden = self.hidden.iter().any(|own| own == shown);
        (!is_taken && !is_hidden).then_some(shown)
    }
}
