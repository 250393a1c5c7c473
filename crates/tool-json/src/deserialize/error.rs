//! Deserialization errors.

use std::fmt::{self, Display};

use serde::de::value::Error as PlainError;
use serde::de::{self, Expected, Unexpected};

use crate::error::prepend;
use crate::text::short;

/// Why and where a document doesn't match a type. `Display` prints serde's message.
///
/// # Examples
/// ```
/// use tool_json::DeserializeErrorKind;
///
/// let error = tool_json::parse("[1, 300]")?.deserialize::<Vec<u8>>().unwrap_err();
/// assert_eq!(error.pointer(), "/1");
/// assert_eq!(
///     error.kind(),
///     &DeserializeErrorKind::Mismatch {
///         expected: "an integer from 0 to 255".to_owned(),
///         found: "the number 300".to_owned(),
///     }
/// );
/// # Ok::<_, tool_json::ParseError>(())
/// ```
// Boxed, because each level of the document returns it.
#[derive(Debug)]
pub struct DeserializeError(Box<Inner>);

#[derive(Debug)]
struct Inner {
    message: String,
    pointer: String,
    kind: DeserializeErrorKind,
}

/// Why a document doesn't match a type, in words without names of Rust types, which mean nothing to a
/// model.
///
/// # Examples
/// ```
/// use tool_json::DeserializeErrorKind;
///
/// #[derive(Debug, serde::Deserialize)]
/// struct Input {
///     path: String,
/// }
///
/// let error = tool_json::parse("{}")?.deserialize::<Input>().unwrap_err();
/// assert_eq!(error.kind(), &DeserializeErrorKind::MissingField("path"));
/// # Ok::<_, tool_json::ParseError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum DeserializeErrorKind {
    /// The value has the wrong type or is out of range.
    Mismatch {
        /// Expected value.
        expected: String,
        /// Actual value, truncated if it is a long string.
        found: String,
    },
    /// An enum has no variant of this name.
    UnknownVariant {
        /// Name in the document.
        variant: String,
        /// Names of all variants.
        expected: &'static [&'static str],
    },
    /// A struct has no field of this name. The pointer refers to the object.
    UnknownField {
        /// Name in the document.
        field: String,
        /// Names of all fields.
        expected: &'static [&'static str],
    },
    /// The object has no member for this field. The pointer refers to the object.
    MissingField(&'static str),
    /// A `Deserialize` implementation rejected the value.
    Custom,
}

impl DeserializeError {
    fn new(cause: &PlainError, kind: DeserializeErrorKind) -> Self {
        Self(Box::new(Inner {
            message: cause.to_string(),
            pointer: String::new(),
            kind,
        }))
    }

    /// Returns the reason.
    pub fn kind(&self) -> &DeserializeErrorKind {
        &self.0.kind
    }

    /// Returns the JSON pointer to the value.
    pub fn pointer(&self) -> &str {
        &self.0.pointer
    }

    /// Prepends `segment` to the pointer.
    pub(super) fn inside(mut self, segment: &str) -> Self {
        prepend(&mut self.0.pointer, segment);
        self
    }
}

impl de::Error for DeserializeError {
    fn custom<T: Display>(message: T) -> Self {
        Self::new(&PlainError::custom(message), DeserializeErrorKind::Custom)
    }

    fn invalid_type(unexpected: Unexpected<'_>, expected: &dyn Expected) -> Self {
        let cause = PlainError::invalid_type(unexpected, expected);
        Self::new(&cause, mismatch(unexpected, expected))
    }

    fn invalid_value(unexpected: Unexpected<'_>, expected: &dyn Expected) -> Self {
        let cause = PlainError::invalid_value(unexpected, expected);
        Self::new(&cause, mismatch(unexpected, expected))
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        let cause = PlainError::unknown_variant(variant, expected);
        let variant = variant.to_owned();
        Self::new(
            &cause,
            DeserializeErrorKind::UnknownVariant { variant, expected },
        )
    }

    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Self {
        let cause = PlainError::unknown_field(field, expected);
        let field = field.to_owned();
        Self::new(
            &cause,
            DeserializeErrorKind::UnknownField { field, expected },
        )
    }

    fn missing_field(field: &'static str) -> Self {
        let cause = PlainError::missing_field(field);
        Self::new(&cause, DeserializeErrorKind::MissingField(field))
    }
}

fn mismatch(unexpected: Unexpected<'_>, expected: &dyn Expected) -> DeserializeErrorKind {
    DeserializeErrorKind::Mismatch {
        expected: in_plain_words(&expected.to_string()),
        found: found(unexpected),
    }
}

/// Replaces names of Rust types.
// serde names the Rust type, such as `u8`, which tells a model nothing about the allowed range.
fn in_plain_words(expected: &str) -> String {
    let words = match expected {
        "u8" => "an integer from 0 to 255",
        "u16" => "an integer from 0 to 65535",
        "u32" => "an integer from 0 to 4294967295",
        "u64" | "u128" | "usize" => "a non-negative integer in range",
        "i8" => "an integer from -128 to 127",
        "i16" => "an integer from -32768 to 32767",
        "i32" => "an integer from -2147483648 to 2147483647",
        "i64" | "i128" | "isize" => "an integer in range",
        _ if expected.starts_with("a nonzero u") => "an integer of at least 1",
        _ if expected.starts_with("a nonzero ") => "an integer other than 0, in range",
        _ if expected.starts_with("struct ") => "an object",
        _ if expected.starts_with("tuple ") => "an array",
        _ if expected.contains("enum ") || expected.contains("variant ") => {
            "one of the allowed forms"
        }
        other => return short(other, 120),
    };
    words.to_owned()
}

fn found(unexpected: Unexpected<'_>) -> String {
    match unexpected {
        Unexpected::Unsigned(number) => format!("the number {number}"),
        Unexpected::Signed(number) => format!("the number {number}"),
        Unexpected::Float(number) => format!("the number {number}"),
        Unexpected::Bool(boolean) => boolean.to_string(),
        Unexpected::Str(text) => format!("the string \"{}\"", short(text, 40)),
        Unexpected::Unit | Unexpected::Option => "null".to_owned(),
        Unexpected::Seq => "an array".to_owned(),
        Unexpected::Map => "an object".to_owned(),
        _ => "another value".to_owned(),
    }
}

impl Display for DeserializeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl std::error::Error for DeserializeError {}
