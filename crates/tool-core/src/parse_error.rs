//! Conversion of the errors and repairs of `tool-json`.

use tool_json::{DeserializeError, ParseError, ParseErrorKind, Repair};

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
        // The schema accepted the value, so only the type knows what is wrong.
        let reason = text::short(&error.to_string(), 200);
        let expected = format!("valid ({reason})");
        let issue = ValidationIssue::new(error.pointer(), "type", expected, "the given value");
        Self::from_issues(vec![issue])
            .suggest("Correct the arguments and call the tool again.")
            .caused_by(error)
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
    use std::net::IpAddr;

    use serde::Deserialize;
    use serde_json::json;

    use crate::Arguments;

    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "only errors are inspected")]
    struct Input {
        hosts: Vec<Host>,
    }

    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "only errors are inspected")]
    struct Host {
        address: IpAddr,
    }

    #[test]
    fn error_of_type_has_path_and_reason() {
        let arguments = json!({"hosts": [{"address": "::1"}, {"address": "localhost"}]});

        let error = Arguments::from_value(arguments)
            .deserialize::<Input>()
            .unwrap_err();

        assert_eq!(
            error.message(),
            "The arguments do not fit: `hosts[1].address` must be valid (invalid IP address syntax), not the given value."
        );
        assert_eq!(error.issues()[0].pointer, "/hosts/1/address");
    }
}
