//! Properties of all responses.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::*;

fn container() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
        r#"[{}\[\]"\\`,: a]{0,12}"#.prop_map(Value::from),
    ];
    let inner = leaf.prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map(".{0,6}", inner, 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    });
    inner.prop_map(|value| match value {
        Value::Object(_) | Value::Array(_) => value,
        scalar => json!({ "value": scalar }),
    })
}

/// Generates prose without brackets.
fn prose() -> impl Strategy<Value = String> {
    prop_oneof![
        "[^{}\\[\\]]{0,60}",
        "[ a-z\"'`:,\\\\\n]{0,60}",
        "(```(json)?\n)?"
    ]
}

/// Prose with quotes at both ends may be a JSON string.
fn is_not_string(response: &str) -> bool {
    serde_json::from_str::<String>(response).is_err()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn finds_value_in_prose_without_brackets(
        value in container(), is_pretty in any::<bool>(), before in prose(), after in prose(),
    ) {
        let json = if is_pretty { format!("{value:#}") } else { value.to_string() };
        let response = format!("{before}{json}{after}");

        prop_assume!(is_not_string(&response));

        let found = trim_to_json(&response).unwrap();

        prop_assert_eq!(found.text(), json.as_str());
        prop_assert_eq!(found.value(), &value);
        prop_assert_eq!((found.before(), found.after()), (before.as_str(), after.as_str()));
        prop_assert_eq!(found.others(), 0);
    }

    #[test]
    fn rejects_prefixes_of_values(value in container(), before in prose(), cut in any::<prop::sample::Index>()) {
        let json = value.to_string();
        let mut end = 1 + cut.index(json.len() - 1);
        while !json.is_char_boundary(end) {
            end += 1;
        }
        prop_assume!(end < json.len());
        let response = format!("{before}{}", &json[..end]);

        prop_assume!(is_not_string(&response));

        let error = trim_to_json(&response).unwrap_err();

        // A quoted bracket may be prose about brackets.
        if !before.ends_with(['"', '\'', '`']) {
            prop_assert_eq!(error, TrimError::Truncated { start: before.len() });
        }
    }

    #[test]
    fn trimmed_text_is_json_from_response(response in r#"([{}\[\]",:1a\\ \n]|"a":|```\n|\{"a":1\}){0,60}"#) {
        if let Ok(found) = trim_to_json(&response) {
            let read: Value = serde_json::from_str(found.text()).unwrap();
            let again = [found.before(), found.text(), found.after()].concat();

            prop_assert_eq!(again, response.clone());
            prop_assert_eq!(found.value(), &read);
        }
    }
}

/// A quadratic search of the responses below would take minutes.
const FAST: Duration = Duration::from_secs(10);

fn is_fast(response: &str) -> bool {
    let start = Instant::now();
    let _ = trim_to_json(response);
    start.elapsed() < FAST
}

#[test]
fn time_is_linear_for_hostile_brackets() {
    let deep = format!("{}x", "[".repeat(127));
    let tokens = [
        "[",
        "{",
        "{\"",
        "[\"",
        "{ ",
        "[[\"",
        "{}",
        "[]",
        "[1,",
        "{\"a\":",
        "{\"a\":1,",
        "[{\"a\":[",
        "[1 ",
        "[\"[\\\"\",",
        "{\"\\\"",
        "]}",
        "[,",
        "[1}",
        "`[`",
        "\"[\"",
        "```\n[",
        "```\n[1,\n",
        "[-",
        "[tru",
        "[1e",
        deep.as_str(),
        "{\"a\":{\"a\" ",
        "[[1],x",
        "{\"a\":1}",
        "[x]\n",
        "{\"a\":\"\n\"}",
        "{\"a\":x\"\n}",
    ];
    for token in tokens {
        let response = token.repeat(300_000 / token.len());

        assert!(is_fast(&response), "{token}");
    }
}

#[test]
fn searches_million_brackets_fast() {
    for token in ["[", "{\"", "{\"a\":["] {
        let response = token.repeat(1_000_000);
        let response = response.get(..4_000_000).unwrap_or(&response);

        assert!(is_fast(response), "{token}");
    }
}
