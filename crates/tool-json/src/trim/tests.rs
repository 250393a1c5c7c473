mod properties;

use serde_json::json;

use super::*;

/// Returns the text of the value, or the error.
fn found(kind: JsonKind, response: &str) -> Result<&str, TrimError> {
    let trimmed = JsonTrim::new().kind(kind).trim(response)?;
    Ok(trimmed.text())
}

#[test]
fn finds_value_in_any_surrounding_text() {
    let a = r#"{"a":1}"#;
    for response in [
        r#"{"a":1}"#,
        " \n\t{\"a\":1}\r\n ",
        "\u{feff}{\"a\":1}",
        r#"Here it is: {"a":1}"#,
        r#"{"a":1} is what I found."#,
        r#"I found {"a":1}, as you asked."#,
        r#"I found{"a":1}as you asked."#,
        "```json\n{\"a\":1}\n```",
        "```JSON\n{\"a\":1}\n```\n",
        "```\n{\"a\":1}\n```",
        "~~~\n{\"a\":1}\n~~~",
        "```{\"a\":1}```",
        "```json {\"a\":1}```",
        "  ```json\n  {\"a\":1}\n  ```",
        "Sure!\n\n```json\n{\"a\":1}\n```\n\nAnything else?",
        "```json\n{\"a\":1}",
        "{\"a\":1}\n```",
        "`{\"a\":1}`",
        "**{\"a\":1}**",
        "<json>{\"a\":1}</json>",
        "'{\"a\":1}'",
        r#""{"a":1}""#,
        r#"json{"a":1}"#,
        r#"answer = {"a":1};"#,
        r#"({"a":1})"#,
        "It's done: {\"a\":1}. It's good.",
        "He said \"yes: {\"a\":1}",
        "[see below]\n{\"a\":1}",
        "{see below} {\"a\":1}",
        "[x] done, [ ] open: {\"a\":1}",
        "{\"a\":1} [and so on",
        "{\"a\":1} {and so on",
        "Read [this](https://example.com): {\"a\":1}",
        "As in [1], {\"a\":1}",
        "Sets are {x | x > 0}; {\"a\":1}",
        "fn main() { call(); }\n{\"a\":1}",
        "{{\"a\":1}}",
        "} ] {\"a\":1} ] }",
        "Use `{` and `}`: {\"a\":1}",
        "{\"a\":1} Arrays begin with \"[\".",
        "{\"a\":1} Objects begin with '{'",
        "Ünïcödé — 日本語 {\"a\":1} 🙂",
        "<think>is it [a, b]?</think>{\"a\":1}",
    ] {
        assert_eq!(found(JsonKind::Object, response), Ok(a), "{response}");
    }
}

#[test]
fn selects_last_of_longest_candidates() {
    for (response, expected) in [
        (r#"{"a":1} {"a":22}"#, r#"{"a":22}"#),
        (r#"{"a":22} {"a":1}"#, r#"{"a":22}"#),
        (r#"{"a":1} {"a":2} {"a":3}"#, r#"{"a":3}"#),
        ("{\"a\":1}\n[1,2,3,4]", "[1,2,3,4]"),
        ("{}{}[]", "[]"),
        (
            r#"Like {"x":0}: {"a":{"b":{"x":0}}}"#,
            r#"{"a":{"b":{"x":0}}}"#,
        ),
        (
            "```json\n{\"a\":1}\n```\n```json\n{\"b\":22}\n```",
            r#"{"b":22}"#,
        ),
        (
            "Before: {\"old\":true}\n```json\n{\"a\":1}\n```",
            r#"{"old":true}"#,
        ),
        (r"[[1,2],[3]] and [[[4]]]", "[[1,2],[3]]"),
    ] {
        assert_eq!(
            found(JsonKind::ObjectOrArray, response),
            Ok(expected),
            "{response}"
        );
    }
}

#[test]
fn ignores_values_inside_invalid_json() {
    for response in [
        r#"{"a":{"x":1},b:2}"#,
        r#"{"a":{"x":1},}"#,
        r#"[{"x":1},{"x":2},]"#,
        r#"[{"x":1} {"x":2}]"#,
        r#"{"items":[{"id":1},...]}"#,
        r#"{"a":{"x":1},"a":{"x":2}}"#,
        r#"{"a":'x',"b":{"x":1}}"#,
        r#"{"a":{"x":1}]"#,
        r#"{"a":True,"b":{"x":1}}"#,
        r#"{"a":"\x","b":[1]}"#,
        r#"{"a":"\ud800"}"#,
        r#"{"a":01,"b":{}}"#,
        "{\"a\":\"one\ntwo\",\"b\":{}}",
        "{\"a\":1, // a comment\n\"b\":{}}",
        "```json\n{\"a\":[1],\n```\nAnd so on.",
    ] {
        let error = found(JsonKind::ObjectOrArray, response).unwrap_err();

        assert!(
            matches!(error, TrimError::Invalid { .. }),
            "{response}: {error:?}"
        );
    }
}

#[test]
fn finds_value_after_invalid_json() {
    for response in [
        r#"In the form {"items":[{"id":1},...]}: {"a":1}"#,
        r#"{"a":{"x":1},} or rather {"a":1}"#,
        "```json\n{\"a\":[1],\n```\nAgain:\n```json\n{\"a\":1}\n```",
        r#"{"a":"}",b:"{"} {"a":1}"#,
        r#"[1, 2, ..., 9] {"a":1}"#,
        r#"["quoted" text] {"a":1}"#,
    ] {
        assert_eq!(
            found(JsonKind::Object, response),
            Ok(r#"{"a":1}"#),
            "{response}"
        );
    }
}

#[test]
fn rejects_truncated_response_with_candidates() {
    for (response, start) in [
        ("{", 0),
        ("[", 0),
        (r#"{"a"#, 0),
        (r#"{"a""#, 0),
        (r#"{"a":"#, 0),
        (r#"{"a":1"#, 0),
        (r#"{"a":1,"#, 0),
        (r#"{"a":"x"#, 0),
        (r#"{"a":"x\"#, 0),
        (r#"{"a":tru"#, 0),
        (r#"{"a":-"#, 0),
        (r#"{"a":1.5e"#, 0),
        (r#"[{"a":1},{"b":2}"#, 0),
        (r"[[[1]]", 0),
        (r#"{"a":{"b":[1,2]}"#, 0),
        (r#"Like {"a":1}: {"b"#, 14),
        (r#"Like {"a":1}: {"b":[2,"#, 14),
        ("```json\n{\"a\":1,", 8),
        (r#"{"a":1} {"b":oops"#, 8),
    ] {
        let error = found(JsonKind::Any, response).unwrap_err();

        assert_eq!(error, TrimError::Truncated { start }, "{response}");
    }
}

#[test]
fn reports_response_without_json() {
    for response in [
        "",
        " ",
        "No.",
        "``` \n```",
        "} ]",
        "[see below]",
        "{x}",
        "{a: 1}",
        "a[i] = {b}",
    ] {
        let error = found(JsonKind::ObjectOrArray, response).unwrap_err();

        assert_eq!(
            error,
            TrimError::NotFound(JsonKind::ObjectOrArray),
            "{response}"
        );
    }
}

#[test]
fn selects_only_requested_kind() {
    let both = r#"[1,2,3,4,5] and {"a":1}"#;
    for (kind, response, expected) in [
        (JsonKind::Object, both, Ok(r#"{"a":1}"#)),
        (JsonKind::Array, both, Ok("[1,2,3,4,5]")),
        (JsonKind::ObjectOrArray, both, Ok("[1,2,3,4,5]")),
        (JsonKind::Any, both, Ok("[1,2,3,4,5]")),
        (
            JsonKind::Object,
            r#"[{"a":1}]"#,
            Err(TrimError::OtherKind(JsonKind::Object)),
        ),
        (
            JsonKind::Object,
            r#"Here: [{"a":1}]"#,
            Err(TrimError::OtherKind(JsonKind::Object)),
        ),
        (
            JsonKind::Array,
            r#"{"a":[1]}"#,
            Err(TrimError::OtherKind(JsonKind::Array)),
        ),
        (
            JsonKind::Object,
            r#""use {} here""#,
            Err(TrimError::OtherKind(JsonKind::Object)),
        ),
        (
            JsonKind::ObjectOrArray,
            "42",
            Err(TrimError::OtherKind(JsonKind::ObjectOrArray)),
        ),
    ] {
        assert_eq!(found(kind, response), expected, "{kind:?} {response}");
    }
}

#[test]
fn selects_scalar_only_as_entire_response() {
    let not_found = Err(TrimError::NotFound(JsonKind::Any));
    for (response, expected) in [
        ("42", Ok("42")),
        (" true\n", Ok("true")),
        (r#""{}""#, Ok(r#""{}""#)),
        ("```json\n\"yes\"\n```", Ok("\"yes\"")),
        ("It is:\n```\n-1.5\n```", Ok("-1.5")),
        ("It is 42.", not_found.clone()),
        ("42 43", not_found.clone()),
        ("```\n1\n```\n```\n2\n```", not_found),
    ] {
        assert_eq!(found(JsonKind::Any, response), expected, "{response}");
    }
}

#[test]
fn selects_longest_accepted_candidate() {
    let trim = JsonTrim::new().accept(|value| value["total"].is_u64());

    let chosen = trim.trim(r#"{"items":["a","b"]} {"total":3} {"total":"x"}"#);
    let single = trim.trim(r#"{"items":[]}"#).unwrap_err();
    let none = trim.trim(r#"So {"items":[]}"#).unwrap_err();

    assert_eq!(chosen.unwrap().value(), &json!({"total": 3}));
    assert_eq!(
        [single, none],
        [TrimError::NotAccepted, TrimError::NotAccepted]
    );
}

#[test]
fn schema_filters_candidates() {
    let schema = json!({"type": "object", "required": ["total"]});
    let schema = jsonschema::validator_for(&schema).unwrap();
    let trim = JsonTrim::new().accept(|value| schema.is_valid(value));

    let found = trim.trim(r#"{"items":["a","b"]} {"total":3}"#).unwrap();

    assert_eq!(found.text(), r#"{"total":3}"#);
}

#[test]
fn returns_surrounding_text() {
    let found = trim_to_json("Like {\"b\":0}:\n{\"a\": [1, {}]}\nDone.").unwrap();

    assert_eq!(found.before(), "Like {\"b\":0}:\n");
    assert_eq!(found.text(), "{\"a\": [1, {}]}");
    assert_eq!(found.after(), "\nDone.");
    assert_eq!(found.others(), 1);
    assert!(found.was_trimmed());
    assert!(!trim_to_json(" {} ").unwrap().was_trimmed());
}

#[test]
fn deserializes_value() {
    let found = trim_to_json("Counted: [1, 2, 3]").unwrap();

    assert_eq!(found.deserialize::<Vec<u8>>().unwrap(), [1, 2, 3]);
    assert!(found.deserialize::<Vec<String>>().is_err());
    assert_eq!(found.into_value(), json!([1, 2, 3]));
}

#[test]
fn error_states_remedy_without_response_text() {
    for (kind, response, message) in [
        (
            JsonKind::Object,
            "secret",
            "The response contains no JSON object. Return only the JSON.",
        ),
        (
            JsonKind::Object,
            "[7]",
            "The JSON in the response is not a JSON object. Return only a JSON object.",
        ),
        (
            JsonKind::Object,
            "So: {\"a\":1,}",
            "The JSON in the response is invalid: expected a key in double quotes (line 1, column 8). \
             Return only valid JSON.",
        ),
        (
            JsonKind::Object,
            "{\"a\":",
            "The response is truncated: it ends inside a JSON value. Return the complete value again, and shorten it if it is long.",
        ),
    ] {
        assert_eq!(
            found(kind, response).unwrap_err().to_string(),
            message,
            "{response}"
        );
    }
}

#[test]
fn limits_depth_and_length() {
    let nested = |levels: usize| format!("So {}{}.", "[".repeat(levels), "]".repeat(levels));
    let long = " ".repeat(4 * 1024 * 1024 + 1);

    assert_eq!(trim_to_json(&nested(127)).unwrap().text().len(), 254);
    assert!(matches!(
        trim_to_json(&nested(128)),
        Err(TrimError::Invalid { start: 3, .. })
    ));
    assert_eq!(
        trim_to_json(&long),
        Err(TrimError::TooLarge {
            max_bytes: 4 * 1024 * 1024
        })
    );
}
