//! What a model is shown of each shape that a Rust type can have.

mod attributes;
mod enums;
mod shapes;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::{output_schema_of, schema_of};
use crate::Arguments;
use crate::schema::Validator;

/// One shape: the schema that is shown, what it should be, a value that fits, and one that does not.
struct Shape {
    name: &'static str,
    shown: Value,
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
            fits: |value| serde_json::from_value::<T>(value.clone()).is_ok(),
            expected,
            good,
            bad,
        }
    }

    /// The schema is as expected, has nothing of Rust in it, and judges two values as the type does.
    fn check(&self) {
        assert_eq!(self.shown, self.expected, "{}", self.name);
        assert_eq!(residue(&self.shown), Vec::<String>::new(), "{}", self.name);
        let validator = Validator::compile(&self.shown).unwrap();
        for (value, good) in [(&self.good, true), (&self.bad, false)] {
            let arguments = Arguments::from_value(value.clone());
            let valid = validator.is_valid(arguments.root());
            assert_eq!(valid, good, "{}: {value} by its schema", self.name);
            assert_eq!((self.fits)(value), good, "{}: {value} by serde", self.name);
        }
    }
}

/// What only Rust knows: titles and names of Rust's formats, defaults of null, definitions that nothing refers to.
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

/// The bounds of an integer type.
fn integer(minimum: impl Into<Value>, maximum: impl Into<Value>) -> Value {
    json!({"type": "integer", "minimum": minimum.into(), "maximum": maximum.into()})
}

#[test]
fn what_is_documented_for_who_writes_rust_is_not_shown() {
    /// One file.
    ///
    /// It may be empty.
    ///
    /// # Examples
    /// ```
    /// let file = 1;
    /// ```
    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Documented {
        /// Its name.
        name: String,
    }

    let items = &schema_of::<Vec<Documented>>()["items"];
    assert_eq!(items["description"], "One file.\n\nIt may be empty.");
}
