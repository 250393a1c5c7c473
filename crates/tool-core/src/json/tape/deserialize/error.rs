//! Why a tape could not be read into a type, and where.

use std::fmt::{self, Display};

use serde::de::value::Error as PlainError;
use serde::de::{self, Expected, Unexpected};

use crate::json::parse::prepend;
use crate::{Fault, ToolError, text};

/// Why a tape could not be read into a type, and where; small, because it comes back through every level.
#[derive(Debug)]
pub(crate) struct ReadError(Box<Inner>);

#[derive(Debug)]
struct Inner {
    /// What serde says, for the log.
    message: String,
    /// What the model is told; its pointer grows on the way out.
    fault: Fault,
}

impl ReadError {
    fn new(said: &PlainError, fault: Fault) -> Self {
        let message = said.to_string();
        Self(Box::new(Inner { message, fault }))
    }

    /// The same error, seen from the container in which `segment` leads to it.
    pub(super) fn inside(mut self, segment: &str) -> Self {
        prepend(&mut self.0.fault.pointer, segment);
        self
    }
}

impl de::Error for ReadError {
    fn custom<T: Display>(message: T) -> Self {
        let said = PlainError::custom(message);
        let expected = format!("readable ({})", text::short(&said.to_string(), 200));
        Self::new(&said, Fault::new("", "type", expected, "what was sent"))
    }

    fn invalid_type(unexpected: Unexpected<'_>, expected: &dyn Expected) -> Self {
        let said = PlainError::invalid_type(unexpected, expected);
        Self::new(&said, mismatch(unexpected, expected))
    }

    fn invalid_value(unexpected: Unexpected<'_>, expected: &dyn Expected) -> Self {
        let said = PlainError::invalid_value(unexpected, expected);
        Self::new(&said, mismatch(unexpected, expected))
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        let listed: Vec<String> = expected.iter().map(|name| format!("{name:?}")).collect();
        let got = format!("the string \"{}\"", text::short(variant, 40));
        let fault = Fault::new("", "enum", format!("one of {}", listed.join(", ")), got)
            .with_nearest(text::nearest(variant, expected.iter().copied()))
            .with_allowed(expected.iter().map(|name| (*name).into()).collect());
        Self::new(&PlainError::unknown_variant(variant, expected), fault)
    }

    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Self {
        let name = text::short(field, 64);
        let fault = Fault::new(
            "",
            "additionalProperties",
            "a known parameter",
            format!("`{name}`"),
        )
        .with_property(name)
        .with_nearest(text::nearest(field, expected.iter().copied()));
        Self::new(&PlainError::unknown_field(field, expected), fault)
    }

    fn missing_field(field: &'static str) -> Self {
        let fault = Fault::new("", "required", format!("a value for `{field}`"), "nothing")
            .with_property(field);
        Self::new(&PlainError::missing_field(field), fault)
    }
}

fn mismatch(unexpected: Unexpected<'_>, expected: &dyn Expected) -> Fault {
    Fault::new(
        "",
        "type",
        in_plain_words(&expected.to_string()),
        got(unexpected),
    )
}

/// What a visitor expects, without the names that only Rust knows.
fn in_plain_words(expected: &str) -> String {
    let words = match expected {
        "u8" => "an integer from 0 to 255",
        "u16" => "an integer from 0 to 65535",
        "u32" => "an integer from 0 to 4294967295",
        "u64" | "u128" | "usize" => "an integer that is not negative, and not too large",
        "i8" => "an integer from -128 to 127",
        "i16" => "an integer from -32768 to 32767",
        "i32" => "an integer from -2147483648 to 2147483647",
        "i64" | "i128" | "isize" => "an integer that is not too large",
        _ if expected.starts_with("a nonzero u") => "an integer of at least 1",
        _ if expected.starts_with("a nonzero ") => "an integer other than 0, in range",
        _ if expected.starts_with("struct ") => "an object",
        _ if expected.starts_with("tuple ") => "an array",
        _ if expected.contains("enum ") || expected.contains("variant ") => {
            "one of the allowed forms"
        }
        other => return text::short(other, 120),
    };
    words.to_owned()
}

fn got(unexpected: Unexpected<'_>) -> String {
    match unexpected {
        Unexpected::Unsigned(number) => format!("the number {number}"),
        Unexpected::Signed(number) => format!("the number {number}"),
        Unexpected::Float(number) => format!("the number {number}"),
        Unexpected::Bool(boolean) => boolean.to_string(),
        Unexpected::Str(came) => format!("the string \"{}\"", text::short(came, 40)),
        Unexpected::Unit | Unexpected::Option => "null".to_owned(),
        Unexpected::Seq => "an array".to_owned(),
        Unexpected::Map => "an object".to_owned(),
        _ => "what was sent".to_owned(),
    }
}

impl Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl std::error::Error for ReadError {}

impl From<ReadError> for ToolError {
    fn from(error: ReadError) -> Self {
        Self::from_faults(vec![error.0.fault.clone()])
            .suggest("Call the tool again with this put right.")
            .caused_by(error)
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use serde::Deserialize;
    use serde_json::{Value, json};

    use crate::Arguments;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only what cannot be read is looked at")]
    struct Input {
        #[serde(default)]
        items: Vec<Item>,
        #[serde(default)]
        port: u16,
        mode: Option<Mode>,
        count: Option<NonZeroU32>,
    }

    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "only what cannot be read is looked at")]
    struct Item {
        name: String,
    }

    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "only what cannot be read is looked at")]
    enum Mode {
        Fast,
        Slow { step: u8 },
    }

    fn message(value: Value) -> String {
        let error = Arguments::from_value(value)
            .deserialize::<Input>()
            .unwrap_err();
        error.message().to_owned()
    }

    #[test]
    fn what_a_type_refuses_is_told_with_its_place_and_without_rust() {
        for (value, told) in [
            (
                json!({"items": [{"name": "a"}, {"name": 7}]}),
                "`items[1].name` must be a string, not the number 7",
            ),
            (
                json!({"items": [{"name": "a"}, {}]}),
                "`items[1].name` is missing",
            ),
            (
                json!({"port": 70_000}),
                "`port` must be an integer from 0 to 65535, not the number 70000",
            ),
            (
                json!({"prot": 1}),
                "`prot` is not a known parameter (did you mean `port`?)",
            ),
            (
                json!({"mode": "Fats"}),
                "`mode` must be one of \"Fast\", \"Slow\", not the string \"Fats\" (did you mean `Fast`?)",
            ),
            (
                json!({"mode": {"Slow": {"step": -1}}}),
                "`mode.Slow.step` must be an integer from 0 to 255, not the number -1",
            ),
            (
                json!({"count": 0}),
                "`count` must be an integer of at least 1, not the number 0",
            ),
            (json!([1]), "the arguments must be an object, not an array"),
        ] {
            assert_eq!(message(value), format!("The arguments do not fit: {told}."));
        }
    }
}
