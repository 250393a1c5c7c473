//! Texts that are made to hurt: they end, soon, on a small stack, and say what is wrong.

use std::thread;

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::arguments::coerce::coerce;
use crate::json::parse::{ParseErrorKind, ParseLimits};
use crate::json::repair::read;
use crate::{DynamicTool, Registry, ToolDefinition, ToolOutput};

/// The stack of a thread of a usual runtime.
const STACK: usize = 2 * 1024 * 1024;
/// Long enough that whatever takes the square of it does not come back.
const LONG: usize = 64 * 1024;

fn on_a_small_stack<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let thread = thread::Builder::new().stack_size(STACK).spawn(work);
    thread.unwrap().join().unwrap()
}

fn repeated(piece: &str) -> String {
    piece.repeat(LONG / piece.len())
}

#[test]
fn a_text_of_one_piece_over_and_over_ends_on_a_small_stack() {
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

    let taken: Vec<String> = on_a_small_stack(move || {
        let texts = pieces.iter().flat_map(|piece| {
            starts.map(|start| {
                (
                    format!("{start}{piece}"),
                    format!("{start}{}", repeated(piece)),
                )
            })
        });
        let is_taken = |text: &str| read(text, &ParseLimits::default()).is_ok();
        texts
            .filter(|(_, text)| is_taken(text))
            .map(|(name, _)| name)
            .collect()
    });

    assert_eq!(taken, Vec::<String>::new());
}

#[test]
fn the_deepest_text_is_read_and_a_deeper_one_refused_on_a_small_stack() {
    let nested = |depth: usize| format!("{}1{}", "{\"a\":[".repeat(depth), "]}".repeat(depth));
    let outcomes = on_a_small_stack(move || {
        let limits = ParseLimits::default();
        [63, 64, 100_000].map(|depth| {
            let outcome = read(&nested(depth), &limits);
            outcome
                .map(|(value, _)| value.is_object())
                .map_err(|error| error.kind)
        })
    });

    let too_deep = Err(ParseErrorKind::TooDeep(127));
    assert_eq!(outcomes, [Ok(true), too_deep.clone(), too_deep]);
}

#[test]
fn an_object_of_very_many_keys_is_read_once() {
    let keys = |count: usize| {
        (0..count)
            .map(|key| format!("\"k{key}\":{key}"))
            .collect::<Vec<_>>()
            .join(",")
    };
    let limits = ParseLimits::default();

    let (value, _) = read(&format!("{{{}}}", keys(100_000)), &limits).unwrap();
    let twice = read(&format!("{{{},\"k5\":0}}", keys(100_000)), &limits).unwrap_err();

    assert_eq!(value.as_object().unwrap().len(), 100_000);
    assert_eq!(twice.kind, ParseErrorKind::DuplicateKey("k5".to_owned()));
}

#[test]
fn a_long_list_of_wrong_values_is_coerced_on_a_small_stack() {
    let schema = json!({"properties": {"list": {"items": {"anyOf": [
        {"type": "integer"}, {"type": "object", "properties": {"list": {"$ref": "#/properties/list"}}}]}}}});
    let inner = (0..50).fold(json!("5"), |inner, _| json!({"list": [inner]}));
    let mut value = json!({"list": vec![json!("5"); 100_000], "deep": inner.clone()});
    value["list"].as_array_mut().unwrap().insert(0, inner);

    let changes = on_a_small_stack(move || coerce(&mut value, &schema).len());

    assert_eq!(changes, 1000);
}

#[test]
fn a_call_with_a_deep_value_is_answered_on_a_small_stack() {
    let result = on_a_small_stack(|| {
        let schema = json!({"type": "object", "properties": {"a": {"$ref": "#"}}, "additionalProperties": false});
        let definition = ToolDefinition::new("f", "Measures.", schema);
        let tool = DynamicTool::new(definition, |_, arguments| async move {
            Ok(ToolOutput::text(arguments.to_string()))
        });
        let registry = Registry::of(tool).unwrap();
        let text = format!("{}{{}}{}", "{\"a\":".repeat(126), "}".repeat(126));
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap();
        runtime.block_on(registry.execute_text("f", &text)).success
    });

    assert!(result);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_beginning_of_a_valid_object_with_slips_added_is_completed(
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

        prop_assert_eq!(read(&text, &ParseLimits::default()).unwrap().0, expected);
        for (end, _) in text.char_indices() {
            let beginning = text.get(..end).unwrap();
            prop_assert!(read(beginning, &ParseLimits::default()).is_err(), "{}", beginning);
        }
    }
}
