//! A builder for JSON Schemas.

mod keywords;
pub mod kind;
#[cfg(test)]
mod tests;

use std::marker::PhantomData;

use serde_json::{Map, Value};

use kind::{Any, Array, Boolean, Choice, Decimal, Integer, Kind, Object, Text};

/// A JSON Schema built by hand, for a tool whose arguments are not a Rust type.
///
/// Each kind of schema has its own keyword methods. [`required`](Schema::required) adds and
/// describes a member in one step, so a required member always has a schema. Converts into a
/// [`Value`]; write a [`Value`] directly for keywords without a method.
///
/// # Examples
/// ```
/// use serde_json::{Value, json};
/// use tool_core::schema::Schema;
///
/// let schema = Schema::object()
///     .required("path", Schema::string().describe("Path of the image."))
///     .optional("width", Schema::integer().minimum(1).maximum(4096).default(640))
///     .optional("format", Schema::one_of(["png", "jpeg"]).default("png"))
///     .optional("tags", Schema::array(Schema::string()).max_items(8))
///     .closed();
///
/// assert_eq!(
///     Value::from(schema),
///     json!({
///         "type": "object",
///         "properties": {
///             "path": {"type": "string", "description": "Path of the image."},
///             "width": {"type": "integer", "minimum": 1, "maximum": 4096, "default": 640},
///             "format": {"type": "string", "enum": ["png", "jpeg"], "default": "png"},
///             "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 8},
///         },
///         "required": ["path"],
///         "additionalProperties": false,
///     })
/// );
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Schema<K = Any> {
    keywords: Map<String, Value>,
    kind: PhantomData<K>,
}

impl Schema {
    /// Any value.
    #[must_use]
    pub fn any() -> Self {
        Self::of(Map::new())
    }

    /// An object, open and without members until they are added.
    #[must_use]
    pub fn object() -> Schema<Object> {
        Schema::typed("object").with("properties", Map::new())
    }

    /// An array of items that fit `items`.
    #[must_use]
    pub fn array(items: impl Into<Value>) -> Schema<Array> {
        Schema::typed("array").with("items", items.into())
    }

    /// A string.
    #[must_use]
    pub fn string() -> Schema<Text> {
        Schema::typed("string")
    }

    /// One of the given strings.
    #[must_use]
    pub fn one_of<T: Into<String>>(texts: impl IntoIterator<Item = T>) -> Schema<Choice> {
        let texts: Vec<String> = texts.into_iter().map(Into::into).collect();
        Schema::typed("string").with("enum", texts)
    }

    /// An integer.
    #[must_use]
    pub fn integer() -> Schema<Integer> {
        Schema::typed("integer")
    }

    /// A number.
    #[must_use]
    pub fn number() -> Schema<Decimal> {
        Schema::typed("number")
    }

    /// A boolean.
    #[must_use]
    pub fn boolean() -> Schema<Boolean> {
        Schema::typed("boolean")
    }
}

impl<K: Kind> Schema<K> {
    fn of(keywords: Map<String, Value>) -> Self {
        Self {
            keywords,
            kind: PhantomData,
        }
    }

    fn typed(name: &str) -> Self {
        Self::of(Map::new()).with("type", name)
    }

    fn with(mut self, keyword: &str, value: impl Into<Value>) -> Self {
        self.keywords.insert(keyword.to_owned(), value.into());
        self
    }

    /// Sets the description that the model reads.
    #[must_use]
    pub fn describe(self, text: impl Into<String>) -> Self {
        self.with("description", text.into())
    }

    /// Sets the default. Non-finite numbers are ignored.
    #[must_use]
    pub fn default(self, value: impl Into<K::Default>) -> Self {
        let value = value.into().into();
        // Non-finite numbers convert to null, and a null default has no effect.
        if value.is_null() {
            return self;
        }
        self.with("default", value)
    }

    /// Allows null.
    #[must_use]
    pub fn nullable(mut self) -> Self {
        if self.keywords.contains_key("anyOf") {
            return Schema::of(self.or(Schema::<Any>::typed("null")).keywords);
        }
        let Some(Value::String(name)) = self.keywords.get("type") else {
            return self;
        };
        let types = vec![name.clone(), "null".to_owned()];
        if let Some(Value::Array(values)) = self.keywords.get_mut("enum") {
            values.push(Value::Null);
        }
        self.with("type", types)
    }

    /// Allows values that match `other` instead.
    #[must_use]
    pub fn or(mut self, other: impl Into<Value>) -> Schema<Any> {
        let is_choice = self.keywords.len() == 1;
        match self.keywords.get_mut("anyOf") {
            Some(Value::Array(forms)) if is_choice => forms.push(other.into()),
            _ => {
                let forms = vec![Value::from(self), other.into()];
                return Schema::of(Map::new()).with("anyOf", forms);
            }
        }
        Schema::of(self.keywords)
    }
}

impl<K> From<Schema<K>> for Value {
    fn from(schema: Schema<K>) -> Self {
        Self::Object(schema.keywords)
    }
}
