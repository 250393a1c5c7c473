//! Tests of the schemas derived from Rust types.

mod attributes;
mod enums;
mod shapes;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::passes::with_type_ranges;
use super::{output_schema_of, schema_of, typed_schema_of};
use crate::Arguments;
use crate::schema::Validator;

/// One case: the derived schemas, the expected one to validate against, a valid value and an invalid
/// one.
struct Shape {
    name: &'static str,
    shown: Value,
    validated: Value,
    fits: fn(&Value) -> bool,
    expected: Value,
    good: Value,
    bad: Value,
}

impl Shape {
    fn of<T: JsonSchema + DeserializeOwned>(expected: Value, good: Value, bad: Value) -> Self {
        Self {
            name: std::any::type_name::<T>(),
            shown: schema_of::<T>(),
            validated: with_type_ranges(&typed_schema_of::<T>()),
            fits: |value| serde_json::from_value::<T>(value.clone()).is_ok(),
            expected,
            good,
            bad,
        }
    }

    /// Asserts that the schema is as expected, has no Rust-specific keywords, and accepts and
    /// rejects the same values as the type.
    fn check(&self) {
        assert_eq!(self.validated, self.expected, "{}", self.name);
        for schema in [&self.shown, &self.validated] {
            assert_eq!(residue(schema), Vec::<String>::new(), "{}", self.name);
        }
        let validator = Validator::compile(&self.validated).unwrap();
        for (value, good) in [(&self.good, true), (&self.bad, false)] {
            let arguments = Arguments::from_value(value.clone());
            let valid = validator.is_valid(arguments.root());
            assert_eq!(valid, good, "{}: {value} by its schema", self.name);
            assert_eq!((self.fits)(value), good, "{}: {value} by serde", self.name);
        }
    }
}

/// Returns Rust-specific keywords: titles, formats of Rust types, null defaults and unused
/// definitions.
fn residue(schema: &Value) -> Vec<String> {
    let text = schema.to_string();
    let words = [
        "$schema",
        "\"title\":\"",
        "\"default\":null",
        "\"format\":\"uint",
        "\"format\":\"int",
    ];
    let found = words.iter().filter(|word| text.contains(*word));
    let definitions = schema.get("$defs").and_then(Value::as_object);
    let orphans = definitions
        .into_iter()
        .flatten()
        .filter(|(name, _)| !text.contains(&format!("\"$ref\":\"#/$defs/{name}\"")))
        .map(|(name, _)| name.clone());
    found
        .map(|word| (*word).to_owned())
        .chain(orphans)
        .collect()
}

/// Returns the schema of an integer with bounds.
fn integer(minimum: impl Into<Value>, maximum: impl Into<Value>) -> Value {
    json!({"type": "integer", "minimum": minimum.into(), "maximum": maximum.into()})
}

#[test]
fn omits_documentation_for_rust_readers() {
    /// One file.
    ///
    /// It may be empty.
    ///
    /// # Examples
    /// ```
    /// let file = 1;
    /// ```
    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is used")]
    struct Documented {
        /// Its name.
        name: String,
    }

    let items = &schema_of::<Vec<Documented>>()["items"];
    assert_eq!(items["description"], "One file.\n\nIt may be empty.");
}
