//! The keywords that each kind of schema has of its own.

use serde_json::{Number, Value};

use super::Schema;
use super::kind::{Array, Decimal, Integer, Object, Text};

impl Schema<Object> {
    /// Adds a member that must be there; a member added before under this name is replaced.
    #[must_use]
    pub fn required(self, name: impl Into<String>, schema: impl Into<Value>) -> Self {
        let name = name.into();
        let mut object = self.optional(name.clone(), schema);
        match object.keywords.get_mut("required") {
            Some(Value::Array(names)) => names.push(name.into()),
            _ => return object.with("required", vec![name]),
        }
        object
    }

    /// Adds a member that may be left out; a member added before under this name is replaced.
    #[must_use]
    pub fn optional(mut self, name: impl Into<String>, schema: impl Into<Value>) -> Self {
        let name = name.into();
        if let Some(Value::Array(names)) = self.keywords.get_mut("required") {
            names.retain(|known| *known != name);
        }
        if let Some(Value::Object(properties)) = self.keywords.get_mut("properties") {
            properties.insert(name, schema.into());
        }
        self
    }

    /// Refuses members that were not added. An object that is not closed ignores them, with a warning.
    #[must_use]
    pub fn closed(self) -> Self {
        self.with("additionalProperties", false)
    }

    /// Takes members of any other name that fit `schema`, as a map does.
    #[must_use]
    pub fn others(self, schema: impl Into<Value>) -> Self {
        self.with("additionalProperties", schema.into())
    }
}

impl Schema<Array> {
    /// Sets the least number of items.
    #[must_use]
    pub fn min_items(self, count: usize) -> Self {
        self.with("minItems", count)
    }

    /// Sets the largest number of items.
    #[must_use]
    pub fn max_items(self, count: usize) -> Self {
        self.with("maxItems", count)
    }

    /// Refuses an item that comes twice.
    #[must_use]
    pub fn unique_items(self) -> Self {
        self.with("uniqueItems", true)
    }
}

impl Schema<Text> {
    /// Sets the least length, in characters.
    #[must_use]
    pub fn min_length(self, characters: usize) -> Self {
        self.with("minLength", characters)
    }

    /// Sets the largest length, in characters.
    #[must_use]
    pub fn max_length(self, characters: usize) -> Self {
        self.with("maxLength", characters)
    }

    /// Takes texts that match an ECMA 262 expression anywhere; the registry refuses one that it cannot read.
    #[must_use]
    pub fn pattern(self, expression: impl Into<String>) -> Self {
        self.with("pattern", expression.into())
    }

    /// Names a format of JSON Schema, such as `date-time` or `uri`. It tells the model; it is not checked.
    #[must_use]
    pub fn format(self, name: impl Into<String>) -> Self {
        self.with("format", name.into())
    }
}

impl Schema<Integer> {
    /// Sets the least value.
    #[must_use]
    pub fn minimum(self, value: impl Into<Number>) -> Self {
        self.with("minimum", value.into())
    }

    /// Sets the largest value.
    #[must_use]
    pub fn maximum(self, value: impl Into<Number>) -> Self {
        self.with("maximum", value.into())
    }
}

impl Schema<Decimal> {
    /// Sets the least value. One that is not finite is no bound.
    #[must_use]
    pub fn minimum(self, value: impl Into<f64>) -> Self {
        self.bound("minimum", value.into())
    }

    /// Sets the largest value. One that is not finite is no bound.
    #[must_use]
    pub fn maximum(self, value: impl Into<f64>) -> Self {
        self.bound("maximum", value.into())
    }

    /// Sets the value that all must exceed. One that is not finite is no bound.
    #[must_use]
    pub fn above(self, value: impl Into<f64>) -> Self {
        self.bound("exclusiveMinimum", value.into())
    }

    /// Sets the value that none may reach. One that is not finite is no bound.
    #[must_use]
    pub fn below(self, value: impl Into<f64>) -> Self {
        self.bound("exclusiveMaximum", value.into())
    }

    fn bound(self, keyword: &str, value: f64) -> Self {
        match Number::from_f64(value) {
            Some(bound) => self.with(keyword, bound),
            None => self,
        }
    }
}
