//! What holds of every answer.

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

/// Prose as it comes, without a bracket.
fn prose() -> impl Strategy<Value = String> {
    prop_oneof![
        "[^{}\\[\\]]{0,60}",
        "[ a-z\"'`:,\\\\\n]{0,60}",
        "(```(json)?\n)?"
    ]
}

/// Prose with quotes at both ends may happen to be one JSON string.
fn is_no_string(answer: &str) -> bool {
    serde_json::from_str::<String>(answer).is_err()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_value_is_found_in_any_prose_without_brackets(
        value in container(), is_pretty in any::<bool>(), before in prose(), after in prose(),
    ) {
        let json = if is_pretty { format!("{value:#}") } else { value.to_string() };
        let answer = format!("{before}{json}{after}");

        prop_assume!(is_no_string(&answer));

        let found = trim_to_json(&answer).unwrap();

        prop_assert_eq!(found.text(), json.as_str());
        prop_assert_eq!(found.value(), &value);
        prop_assert_eq!((found.before(), found.after()), (before.as_str(), after.as_str()));
        prop_assert_eq!(found.others(), 0);
    }

    #[test]
    fn no_beginning_of_a_value_is_taken_for_one(value in container(), before in prose(), cut in any::<prop::sample::Index>()) {
        let json = value.to_string();
        let mut end = 1 + cut.index(json.len() - 1);
        while !json.is_char_boundary(end) {
            end += 1;
        }
        prop_assume!(end < json.len());
        let answer = format!("{before}{}", &json[..end]);

        prop_assume!(is_no_string(&answer));

        let error = trim_to_json(&answer).unwrap_err();

        // A bracket in quotes may be one that the text speaks of.
        if !before.ends_with(['"', '\'', '`']) {
            prop_assert_eq!(error, TrimError::CutOff { start: before.len() });
        }
    }

    #[test]
    fn what_is_found_stands_in_the_answer_and_is_json(answer in r#"([{}\[\]",:1a\\ \n]|"a":|```\n|\{"a":1\}){0,60}"#) {
        if let Ok(found) = trim_to_json(&answer) {
            let read: Value = serde_json::from_str(found.text()).unwrap();
            let again = [found.before(), found.text(), found.after()].concat();

            prop_assert_eq!(again, answer.clone());
            prop_assert_eq!(found.value(), &read);
        }
    }
}

/// What a quadratic search would need for the answers below is minutes.
const SOON: Duration = Duration::from_secs(10);

fn is_soon_done(answer: &str) -> bool {
    let start = Instant::now();
    let _ = trim_to_json(answer);
    start.elapsed() < SOON
}

#[test]
fn hostile_brackets_take_time_as_their_length() {
    let deep = format!("{}x", "[".repeat(127));
    let pieces = [
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
    for piece in pieces {
        let answer = piece.repeat(300_000 / piece.len());

        assert!(is_soon_done(&answer), "{piece}");
    }
}

#[test]
fn a_million_brackets_are_soon_done() {
    for piece in ["[", "{\"", "{\"a\":["] {
        let answer = piece.repeat(1_000_000);
        let answer = answer.get(..4_000_000).unwrap_or(&answer);

        assert!(is_soon_done(answer), "{piece}");
    }
}
