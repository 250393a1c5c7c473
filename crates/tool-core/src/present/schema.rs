//! Schema of the shown parameters.

use serde_json::{Map, Value};

use super::apply::Adaptation;
use crate::definition::close;

impl Adaptation {
    /// Returns the schema with the parameters that are accepted but not shown; `None` if there are none.
    ///
    /// Their defaults are not part of it, so that they are not added to the arguments.
    pub(super) fn accepted_schema(&self, own: &Value, open: bool) -> Option<Value> {
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

    /// Returns the schema of the shown parameters.
    pub(super) fn schema(&self, own: &Value, open: bool) -> Value {
        let mut schema = own.as_object().cloned().unwrap_or_default();
        let visible = || self.parameters.iter().filter(|parameter| parameter.visible);
        let properties: Map<String, Value> = visible()
            .map(|parameter| (parameter.shown.clone(), parameter.schema.clone()))
            .collect();
        let required = own.get("required").and_then(Value::as_array);
        let required: Vec<Value> = required
            .into_iter()
            .flatten()
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
