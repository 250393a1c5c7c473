//! Hostile input, which must be rejected quickly and on a small stack.

use std::thread;

use proptest::prelude::*;
use serde_json::Value;

use crate::{ParseErrorKind, repair};

/// Stack size of the threads of most runtimes.
const STACK: usize = 2 * 1024 * 1024;
/// Length for which quadratic time is far too slow.
const LONG: usize = 64 * 1024;

fn on_a_small_stack<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let thread = thread::Builder::new().stack_size(STACK).spawn(work);
    thread.unwrap().join().unwrap()
}

fn repeated(piece: &str) -> String {
    piece.repeat(LONG / piece.len())
}

#[test]
fn rejects_repeated_tokens_on_small_stack() {
    let pieces = [
        "[",
        "]",
        "{",
        "}",
        "{\"a\":",
        "[{'a':",
        "\"",
        "'",
        "\\",
        "\"\\",
        "\"\\u",
        "//",
        "/*",
        "/*/",
        "```",
        "```json\n",
        ",",
        ":",
        "1",
        "-",
        "1,",
        "{a:1}",
        "{\"a\":1} ",
        "Sure: {",
        "a ",
        " ",
        "\u{feff}",
        "ä",
        "\u{0}",
        "{\"a\":1,",
        "\"a\" ",
        "None,",
        "{},",
        "[],",
        "\\\"",
        "{\"a\":\"}",
        "'a':'b',",
        "\n#",
        "\"{\\\"",
    ];
    let starts = [
        "",
        "{",
        "[",
        "{\"a\":",
        "{\"a\":\"",
        "```\n",
        "Here: ",
        "{'a': '",
    ];

    let accepted: Vec<String> = on_a_small_stack(move || {
        let texts = pieces.iter().flat_map(|piece| {
            starts.map(|start| {
                (
                    format!("{start}{piece}"),
                    format!("{start}{}", repeated(piece)),
                )
            })
        });
        let is_accepted = |text: &str| repair(text).is_ok();
        texts
            .filter(|(_, text)| is_accepted(text))
            .map(|(name, _)| name)
            .collect()
    });

    // A number with many digits is kept as text.
    assert_eq!(accepted, ["1", "```\n1"]);
}

#[test]
fn applies_depth_limit_on_small_stack() {
    let nested = |depth: usize| format!("{}1{}", "{\"a\":[".repeat(depth), "]}".repeat(depth));
    let outcomes = on_a_small_stack(move || {
        [63, 64, 100_000].map(|depth| {
            let text = nested(depth);
            repair(&text)
                .map(|(tape, _)| tape.root().is_object())
                .map_err(|error| error.kind)
        })
    });

    let too_deep = Err(ParseErrorKind::TooDeep(127));
    assert_eq!(outcomes, [Ok(true), too_deep.clone(), too_deep]);
}

#[test]
fn parses_object_with_100_000_keys() {
    let keys = |count: usize| {
        (0..count)
            .map(|key| format!("\"k{key}\":{key}"))
            .collect::<Vec<_>>()
            .join(",")
    };
    let text = format!("{{{}}}", keys(100_000));
    let with_duplicate = format!("{{{},\"k5\":0}}", keys(100_000));

    let (tape, _) = repair(&text).unwrap();
    let duplicate = repair(&with_duplicate).unwrap_err();

    assert_eq!(tape.root().members().count(), 100_000);
    assert_eq!(
        duplicate.kind,
        ParseErrorKind::DuplicateKey("k5".to_owned())
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn never_completes_prefix_of_object_with_mistakes(
        members in prop::collection::btree_map("[a-z]{1,4}", "[a-z'\\\\\n\\]} ]{0,8}", 1..4),
        style in 0..3,
    ) {
        let quoted = |text: &str| match style {
            0 => format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'")),
            _ => format!("\"{}\"", text.replace('\\', "\\\\")),
        };
        let body: Vec<String> = members.iter().map(|(key, value)| format!("{key}: {}", quoted(value))).collect();
        let text = format!("{{{}{}}}", body.join(", "), if style == 2 { "," } else { "" });
        let expected: Value = members.into_iter().collect();

        prop_assert_eq!(repair(&text).unwrap().0.to_value(), expected);
        for (end, _) in text.char_indices() {
            let prefix = text.get(..end).unwrap();
            prop_assert!(repair(prefix).is_err(), "{}", prefix);
        }
    }
}
