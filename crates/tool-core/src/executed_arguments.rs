//! The executed arguments of a call.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::arguments::ArgumentSource;
use crate::{Arguments, SmolStr};

/// The arguments of a call as they were executed, including defaults.
///
/// They are stored as text and converted to JSON on demand.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::ExecutedArguments;
///
/// let parameters = ExecutedArguments::from(json!({"path": "."}));
/// assert_eq!(parameters.to_value(), json!({"path": "."}));
/// ```
#[derive(Clone, Default)]
pub struct ExecutedArguments(Representation);

#[derive(Clone, Default)]
enum Representation {
    /// No arguments, because they could not be parsed.
    #[default]
    Missing,
    /// JSON text that was parsed before.
    Text(SmolStr),
    /// The value of the caller, who still has it.
    Borrowed,
    /// A value, with numbers as they were written.
    Value(Value),
}

impl ExecutedArguments {
    /// Stores a copy of the arguments.
    #[inline]
    pub(crate) fn record(&mut self, arguments: &Arguments<'_>) {
        match arguments.unchanged_source() {
            Some(ArgumentSource::Text(text)) => self.0 = Representation::Text(text.into()),
            Some(ArgumentSource::Value) => self.0 = Representation::Borrowed,
            // A node is plain JSON, so serialization cannot fail.
            None => {
                // As text, because most results are never asked for their arguments.
                let text = serde_json::to_string(&arguments.root());
                self.0 = Representation::Text(text.unwrap_or_default().into());
            }
        }
    }

    /// Replaces a borrowed value by the value of the caller.
    pub(crate) fn set_borrowed(&mut self, given: impl FnOnce() -> Value) {
        if matches!(self.0, Representation::Borrowed) {
            self.0 = Representation::Value(given());
        }
    }

    /// Returns the arguments as JSON. Null if they could not be read.
    pub fn to_value(&self) -> Value {
        match &self.0 {
            Representation::Text(text) => Arguments::read_again(text).to_value(),
            Representation::Missing | Representation::Borrowed => Value::Null,
            // Read like the arguments of a call, so that equal numbers are equal however they were written.
            Representation::Value(value) => Arguments::of_known(value).to_value(),
        }
    }
}

impl From<Value> for ExecutedArguments {
    fn from(value: Value) -> Self {
        Self(Representation::Value(value))
    }
}

impl PartialEq for ExecutedArguments {
    fn eq(&self, other: &Self) -> bool {
        self.to_value() == other.to_value()
    }
}

debug_fields!(ExecutedArguments, this => value: this.to_value());

impl Serialize for ExecutedArguments {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Representation::Text(text) => Arguments::read_again(text).root().serialize(serializer),
            Representation::Missing | Representation::Borrowed => serializer.serialize_unit(),
            Representation::Value(value) => Arguments::of_known(value).root().serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for ExecutedArguments {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Value::deserialize(deserializer).map(Self::from)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use tool_json::ParseLimits;

    fn of(arguments: &Arguments<'_>) -> ExecutedArguments {
        let mut parameters = ExecutedArguments::default();
        parameters.record(arguments);
        parameters
    }

    #[test]
    fn keeps_short_and_long_text() {
        for size in [0, 15, 16, 2500] {
            let value = json!({"a": "x".repeat(size)});
            let text = value.to_string();
            let arguments = Arguments::read(&text, &ParseLimits::default(), &mut Vec::new());

            let parameters = of(&arguments.unwrap());

            assert_eq!(parameters.to_value(), value, "{size}");
            assert_eq!(serde_json::to_value(&parameters).unwrap(), value, "{size}");
        }
    }

    #[test]
    fn text_and_value_are_equal_parameters() {
        let text = r#" {"b": [1.0, null], "a": "\u00e4"} "#;
        let arguments = Arguments::read(text, &ParseLimits::default(), &mut Vec::new()).unwrap();
        let by_text = of(&arguments);
        let by_value = ExecutedArguments::from(json!({"b": [1, null], "a": "ä"}));

        assert_eq!(by_text, by_value);
        assert_eq!(
            serde_json::to_value(&by_text).unwrap(),
            serde_json::to_value(&by_value).unwrap()
        );
        assert_eq!(format!("{by_text:?}"), format!("{by_value:?}"));
    }

    #[test]
    fn keeps_value_arguments_unchanged() {
        let value =
            json!({"text": "a\"\n\u{1}ü", "numbers": [0, -1, 2.5, u64::MAX, 1e300], "no": null});
        let arguments = Arguments::from_value(value.clone());

        let parameters = of(&arguments);

        assert_eq!(parameters.to_value(), value);
    }
}
