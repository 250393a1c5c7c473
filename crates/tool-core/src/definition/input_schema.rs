//! The input schema of a definition. That of a type has ranges, which are validated, but not shown.

use serde_json::Value;

use super::{SchemaOrigin, ToolDefinition};
use crate::schema::{with_type_ranges, without_type_ranges};

/// Keyword of a string that may be passed as JSON, and its value.
pub(crate) const MEDIA_TYPE: &str = "contentMediaType";
pub(crate) const JSON: &str = "application/json";

impl ToolDefinition {
    /// Creates a definition with the input schema of a Rust type, for a tool that does not derive its
    /// definition. The ranges of integer types are validated, but not shown.
    ///
    /// # Examples
    /// ```
    /// use serde_json::json;
    /// use tool_core::ToolDefinition;
    ///
    /// #[derive(schemars::JsonSchema)]
    /// struct Input {
    ///     count: u8,
    /// }
    ///
    /// let definition = ToolDefinition::of::<Input>("roll", "Rolls dice.");
    /// assert_eq!(definition.input_schema()["properties"], json!({"count": {"type": "integer"}}));
    /// ```
    #[cfg(feature = "typed")]
    pub fn of<I: schemars::JsonSchema>(
        name: impl Into<String>,
        description: impl Into<String>,
    ) -> Self {
        let mut typed = crate::schema::derive::typed_schema_of::<I>();
        // Providers require the type of an object, also next to a choice between object types.
        if let Some(keywords) = typed.as_object_mut() {
            keywords.entry("type").or_insert_with(|| "object".into());
        }
        Self::new(name, description, Value::Null)
            .with_typed_schema(typed)
            .with_derived_schema()
    }

    /// Replaces the input schema.
    pub fn with_input_schema(self, schema: impl Into<Value>) -> Self {
        self.edit(|inner| {
            inner.input_schema = schema.into();
            inner.accepted_schema = None;
            inner.schema_origin = SchemaOrigin::Given;
        })
    }

    /// Replaces the input schema. The ranges of its integer types are validated, but not shown.
    fn with_typed_schema(self, typed: Value) -> Self {
        let shown = without_type_ranges(&typed);
        let accepted = (typed != shown).then_some(typed);
        let definition = self.with_input_schema(shown);
        definition.edit(|inner| inner.accepted_schema = accepted)
    }

    /// Validates arguments against `schema` instead of the schema for the model. Its integers may have
    /// the formats of their types.
    fn with_accepted_schema(self, schema: Value) -> Self {
        self.edit(|inner| inner.accepted_schema = Some(schema))
    }

    /// Hides an optional parameter without a default from the model. Calls may still pass it, for example because the tool's
    /// output names it. `items/*/id` is the member `id` of the objects in the list `items`.
    ///
    /// # Examples
    /// ```
    /// use serde_json::json;
    /// use tool_core::ToolDefinition;
    ///
    /// let schema = json!({"type": "object", "properties": {"path": {"type": "string"}, "offset": {"type": "integer"}}});
    /// let list = ToolDefinition::new("list_dir", "Lists a directory.", schema).with_hidden_parameter("offset");
    /// assert_eq!(list.input_schema()["properties"], json!({"path": {"type": "string"}}));
    /// ```
    pub fn with_hidden_parameter(self, parameter: &str) -> Self {
        let accepted = self.accepted_schema().clone();
        let pointer = format!(
            "/properties/{}",
            parameter.replace("/*/", "/items/properties/")
        );
        self.edit(|inner| {
            let (properties, name) = pointer.rsplit_once('/').unwrap_or_default();
            let properties = inner.input_schema.pointer_mut(properties);
            if let Some(properties) = properties.and_then(Value::as_object_mut) {
                properties.shift_remove(name);
            }
            inner.accepted_schema = Some(accepted);
        })
    }

    /// Shows a parameter as required, although calls may omit it, for example because they pass
    /// [hidden](Self::with_hidden_parameter) ones instead.
    ///
    /// # Examples
    /// ```
    /// use serde_json::json;
    /// use tool_core::ToolDefinition;
    ///
    /// let schema = json!({"type": "object", "properties": {"edits": {"type": "array"}}});
    /// let edit = ToolDefinition::new("edit", "Changes a file.", schema).with_shown_as_required("edits");
    /// assert_eq!(edit.input_schema()["required"], json!(["edits"]));
    /// ```
    pub fn with_shown_as_required(self, parameter: &str) -> Self {
        let accepted = self.accepted_schema().clone();
        self.edit(|inner| {
            if let Some(schema) = inner.input_schema.as_object_mut() {
                let required = schema
                    .entry("required")
                    .or_insert_with(|| Value::Array(Vec::new()));
                if let Some(required) = required.as_array_mut() {
                    required.push(parameter.into());
                }
                let shown = schema
                    .get_mut("properties")
                    .and_then(|all| all.get_mut(parameter));
                if let Some(shown) = shown.and_then(Value::as_object_mut) {
                    shown.shift_remove("default");
                }
            }
            inner.accepted_schema = Some(accepted);
        })
    }

    /// Accepts an object or array for a parameter that is a string, and converts it to indented JSON: models that write a
    /// JSON file sometimes pass its content, not its text. The [change](crate::ChangeKind::JsonToText) is recorded.
    ///
    /// # Examples
    /// ```
    /// use serde_json::json;
    /// use tool_core::ToolDefinition;
    ///
    /// let schema = json!({"type": "object", "properties": {"content": {"type": "string"}}});
    /// let write = ToolDefinition::new("write", "Writes a file.", schema.clone()).with_json_as_text("content");
    /// assert_eq!(*write.input_schema(), schema);
    /// ```
    pub fn with_json_as_text(self, parameter: &str) -> Self {
        let mut accepted = self.accepted_schema().clone();
        let properties = accepted.get_mut("properties");
        let known = properties.and_then(|properties| properties.get_mut(parameter));
        if let Some(known) = known.and_then(Value::as_object_mut) {
            known.insert(MEDIA_TYPE.to_owned(), JSON.into());
        }
        self.with_accepted_schema(accepted)
    }

    /// Rejects unknown parameters, and unknown members of objects in the arguments. By default they are ignored with a warning.
    ///
    /// # Examples
    /// ```
    /// use serde_json::json;
    /// use tool_core::ToolDefinition;
    ///
    /// let schema = json!({"type": "object", "properties": {"path": {"type": "string"}}});
    /// let definition = ToolDefinition::new("read_file", "Reads a text file.", schema).closed();
    /// assert_eq!(definition.input_schema()["additionalProperties"], false);
    /// ```
    pub fn closed(self) -> Self {
        self.edit(|inner| {
            let accepted = &mut inner.accepted_schema;
            for schema in std::iter::once(&mut inner.input_schema).chain(accepted) {
                // A tool without parameters has an empty list of them, which is closed like any other.
                if let Some(keywords) = schema.as_object_mut() {
                    keywords
                        .entry("properties")
                        .or_insert_with(|| Value::Object(serde_json::Map::new()));
                }
                close(schema);
            }
        })
    }

    /// Ignores the defaults of required parameters.
    pub(crate) fn without_required_defaults(self) -> Self {
        let mut schema = self.accepted_schema().clone();
        let required = schema.get("required").and_then(Value::as_array).cloned();
        let required = required.unwrap_or_default();
        let Some(Value::Object(properties)) = schema.get_mut("properties") else {
            return self;
        };
        let mut has_changed = false;
        for name in required.iter().filter_map(Value::as_str) {
            if let Some(Value::Object(keywords)) = properties.get_mut(name) {
                has_changed |= keywords.shift_remove("default").is_some();
            }
        }
        if has_changed {
            self.with_accepted_schema(schema)
        } else {
            self
        }
    }

    /// Returns the JSON Schema of accepted arguments. Integers may have the formats of their types.
    pub(crate) fn accepted_schema(&self) -> &Value {
        let accepted = self.0.accepted_schema.as_ref();
        accepted.unwrap_or(&self.0.input_schema)
    }

    /// Returns the schema to validate against, if it differs from the shown one.
    pub(crate) fn validated_schema(&self) -> Option<Value> {
        self.0.accepted_schema.as_ref().map(with_type_ranges)
    }

    /// Marks the input schema as derived from a type, and therefore valid.
    pub(crate) fn with_derived_schema(self) -> Self {
        self.edit(|inner| inner.schema_origin = SchemaOrigin::Derived)
    }

    pub(crate) fn has_derived_schema(&self) -> bool {
        !matches!(self.0.schema_origin, SchemaOrigin::Given)
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
