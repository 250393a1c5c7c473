//! The keywords of each schema kind.

use serde_json::{Number, Value};

use super::Schema;
use super::kind::{Array, Decimal, Integer, Object, Text};

impl Schema<Object> {
    /// Adds a required member. Replaces an earlier member of the same name.
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

    /// Adds an optional member. Replaces an earlier member of the same name.
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

    /// Rejects unknown members. An object that is not closed ignores them with a warning.
    #[must_use]
    pub fn closed(self) -> Self {
        self.with("additionalProperties", false)
    }

    /// Allows members of any other name whose values match `schema`, like a map.
    #[must_use]
    pub fn others(self, schema: impl Into<Value>) -> Self {
        self.with("additionalProperties", schema.into())
    }
}

impl Schema<Array> {
    /// Sets the minimum number of items.
    #[must_use]
    pub fn min_items(self, count: usize) -> Self {
        self.with("minItems", count)
    }

    /// Sets the maximum number of items.
    #[must_use]
    pub fn max_items(self, count: usize) -> Self {
        self.with("maxItems", count)
    }

    /// Rejects duplicate items.
    #[must_use]
    pub fn unique_items(self) -> Self {
        self.with("uniqueItems", true)
    }
}

impl Schema<Text> {
    /// Sets the minimum length in characters.
    #[must_use]
    pub fn min_length(self, characters: usize) -> Self {
        self.with("minLength", characters)
    }

    /// Sets the maximum length in characters.
    #[must_use]
    pub fn max_length(self, characters: usize) -> Self {
        self.with("maxLength", characters)
    }

    /// Requires a match of an ECMA 262 regular expression anywhere in the string. The registry
    /// rejects an invalid expression.
    #[must_use]
    pub fn pattern(self, expression: impl Into<String>) -> Self {
        self.with("pattern", expression.into())
    }

    /// Sets a JSON Schema format, such as `date-time` or `uri`. The model reads it; it is not
    /// validated.
    #[must_use]
    pub fn format(self, name: impl Into<String>) -> Self {
        self.with("format", name.into())
    }
}

impl Schema<Integer> {
    /// Sets the minimum.
    #[must_use]
    pub fn minimum(self, value: impl Into<Number>) -> Self {
        self.with("minimum", value.into())
    }

    /// Sets the maximum.
    #[must_use]
    pub fn maximum(self, value: impl Into<Number>) -> Self {
        self.with("maximum", value.into())
    }
}

impl Schema<Decimal> {
    /// Sets the minimum. A non-finite value is ignored.
    #[must_use]
    pub fn minimum(self, value: impl Into<f64>) -> Self {
        self.bound("minimum", value.into())
    }

    /// Sets the maximum. A non-finite value is ignored.
    #[must_use]
    pub fn maximum(self, value: impl Into<f64>) -> Self {
        self.bound("maximum", value.into())
    }

    /// Sets the exclusive minimum. A non-finite value is ignored.
    #[must_use]
    pub fn above(self, value: impl Into<f64>) -> Self {
        self.bound("exclusiveMinimum", value.into())
    }

    /// Sets the exclusive maximum. A non-finite value is ignored.
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
