mod properties;

use serde_json::json;

use super::*;

/// Returns the text of the value, or the error.
fn found(response: &str) -> Result<&str, TrimError> {
    Ok(trim_to_json(response)?.text())
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
        "Ünïcödé — 日本語 {\"a\":1} 🙂",
        "<think>is it [a, b]?</think>{\"a\":1}",
    ] {
        assert_eq!(found(response), Ok(a), "{response}");
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
        assert_eq!(found(response), Ok(expected), "{response}");
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
    ] {
        let error = found(response).unwrap_err();

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
        r#"{"a":"}",b:"{"} {"a":1}"#,
        r#"[1, 2, ..., 9] {"a":1}"#,
        r#"["quoted" text] {"a":1}"#,
    ] {
        assert_eq!(found(response), Ok(r#"{"a":1}"#), "{response}");
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
        ("[-", 0),
        (r#"{"a":1.5e"#, 0),
        (r#"[{"a":1},{"b":2}"#, 0),
        (r"[[[1]]", 0),
        (r#"{"a":{"b":[1,2]}"#, 0),
        (r#"Like {"a":1}: {"b"#, 14),
        (r#"Like {"a":1}: {"b":[2,"#, 14),
        ("```json\n{\"a\":1,", 8),
        (r#"{"a":1} {"b":oops"#, 8),
    ] {
        let error = found(response).unwrap_err();

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
        let error = found(response).unwrap_err();

        assert_eq!(error, TrimError::NotFound, "{response}");
    }
}

#[test]
fn finds_nothing_in_scalars() {
    for response in ["42", " true\n", r#""{}""#, r#""use {} here""#, "It is 42."] {
        assert_eq!(found(response), Err(TrimError::NotFound), "{response}");
    }
}

#[test]
fn selects_longest_accepted_candidate() {
    let trim = |response| trim_to_accepted(response, |value| value["total"].is_u64());

    let chosen = trim(r#"{"items":["a","b"]} {"total":3} {"total":"x"}"#);
    let single = trim(r#"{"items":[]}"#).unwrap_err();
    let none = trim(r#"So {"items":[]}"#).unwrap_err();

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

    let found = trim_to_accepted(r#"{"items":["a","b"]} {"total":3}"#, |value| {
        schema.is_valid(value)
    });
    let found = found.unwrap();

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
fn returns_owned_value() {
    let found = trim_to_json("Counted: [1, 2, 3]").unwrap();

    assert_eq!(found.into_value(), json!([1, 2, 3]));
}

#[test]
fn error_states_remedy_without_response_text() {
    for (response, message) in [
        (
            "secret",
            "The response contains no JSON object or array. Return only the JSON.",
        ),
        (
            "So: {\"a\":1,}",
            "The JSON in the response is invalid: expected a key in double quotes (line 1, column 8). \
             Return only valid JSON.",
        ),
        (
            "{\"a\":",
            "The response is truncated: it ends inside a JSON value. Return the complete value again, and shorten it if it is long.",
        ),
    ] {
        assert_eq!(
            found(response).unwrap_err().to_string(),
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
