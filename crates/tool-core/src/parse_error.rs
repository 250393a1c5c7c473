//! Conversion of the errors and repairs of `tool-json`.

use tool_json::{DeserializeError, DeserializeErrorKind, ParseError, ParseErrorKind, Repair};

use crate::{ArgumentChange, ChangeKind, ErrorCode, ToolError, ValidationIssue, text};

#[diagnostic::do_not_recommend]
impl From<ParseError> for ToolError {
    fn from(error: ParseError) -> Self {
        let (code, suggestion) = match error.kind {
            ParseErrorKind::Truncated => (
                ErrorCode::TruncatedArguments,
                "Send the complete call again. Split it if it is long.",
            ),
            ParseErrorKind::TooLarge(_)
            | ParseErrorKind::TooDeep(_)
            | ParseErrorKind::TooManyValues(_) => {
                (ErrorCode::ArgumentsTooLarge, "Send smaller arguments.")
            }
            ParseErrorKind::DuplicateKey(_) => {
                (ErrorCode::InvalidArguments, "Pass each parameter once.")
            }
            ParseErrorKind::WideNumber => {
                (ErrorCode::InvalidArguments, "Pass the number as a string.")
            }
            _ => (ErrorCode::InvalidArguments, "Send one JSON object."),
        };
        let state = match error.kind {
            ParseErrorKind::Truncated => "truncated",
            _ => "invalid",
        };
        Self::from_issues(vec![issue_of_text(&error)])
            .reworded(code, format!("The arguments are {state}: {error}."))
            .suggest(suggestion)
    }
}

fn issue_of_text(error: &ParseError) -> ValidationIssue {
    match &error.kind {
        ParseErrorKind::DuplicateKey(key) => {
            let got = format!("`{}` twice", text::short(key, 60));
            ValidationIssue::new(&error.pointer, "duplicate_key", "each key once", got)
                .with_property(key)
        }
        _ => ValidationIssue::new(&error.pointer, "json", "one JSON object", error.to_string()),
    }
}

#[diagnostic::do_not_recommend]
impl From<DeserializeError> for ToolError {
    fn from(error: DeserializeError) -> Self {
        Self::from_issues(vec![issue_of_type(&error)])
            .suggest("Correct the arguments and call the tool again.")
            .caused_by(error)
    }
}

fn issue_of_type(error: &DeserializeError) -> ValidationIssue {
    let issue =
        |keyword, expected, got| ValidationIssue::new(error.pointer(), keyword, expected, got);
    match error.kind() {
        DeserializeErrorKind::Mismatch { expected, found } => {
            issue("type", expected.clone(), found.clone())
        }
        DeserializeErrorKind::UnknownVariant { variant, expected } => {
            let listed: Vec<String> = expected.iter().map(|name| format!("{name:?}")).collect();
            let got = format!("the string \"{}\"", text::short(variant, 40));
            issue("enum", format!("one of {}", listed.join(", ")), got)
                .with_nearest(text::nearest(variant, expected.iter().copied()))
                .with_allowed(expected.iter().map(|name| (*name).into()).collect())
        }
        DeserializeErrorKind::UnknownField { field, expected } => {
            ValidationIssue::unknown_parameter(error.pointer(), field, expected)
        }
        DeserializeErrorKind::MissingField(field) => {
            let expected = format!("a value for `{field}`");
            issue("required", expected, "nothing".to_owned()).with_property(*field)
        }
        _ => {
            let reason = text::short(&error.to_string(), 200);
            issue(
                "type",
                format!("valid ({reason})"),
                "the given value".to_owned(),
            )
        }
    }
}

impl From<Repair> for ArgumentChange {
    fn from(repair: Repair) -> Self {
        let kind = ChangeKind::Repair(repair.kind);
        Self::new(repair.pointer, kind, repair.from.into(), repair.to.into())
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
    #[expect(dead_code, reason = "only errors are inspected")]
    struct Input {
        #[serde(default)]
        items: Vec<Item>,
        #[serde(default)]
        port: u16,
        mode: Option<Mode>,
        count: Option<NonZeroU32>,
    }

    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "only errors are inspected")]
    struct Item {
        name: String,
    }

    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "only errors are inspected")]
    enum Mode {
        Fast,
        Slow { step: u8 },
    }

    fn message_of(value: Value) -> String {
        let error = Arguments::from_value(value)
            .deserialize::<Input>()
            .unwrap_err();
        error.message().to_owned()
    }

    #[test]
    fn type_errors_have_pointer_and_no_rust_types() {
        for (value, message) in [
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
                "`prot` is not a known parameter (did you mean `port`?). \
                 Known: `items`, `port`, `mode`, `count`",
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
            assert_eq!(
                message_of(value),
                format!("The arguments do not fit: {message}.")
            );
        }
    }
}
