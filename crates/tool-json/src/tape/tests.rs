use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::parse::parse;
use crate::parse::tests::any_value;

fn tape(text: &str) -> Tape<'_> {
    parse(text).unwrap()
}

#[test]
fn rejects_deep_values() {
    for (depth, expected) in [(127, None), (128, Some(ParseErrorKind::TooDeep(127)))] {
        let value = (0..depth).fold(json!(1), |inner, _| json!([inner]));

        let error = Tape::from_value(&value, &ParseLimits::default()).err();

        assert_eq!(error.map(|error| error.kind), expected);
    }
}

#[test]
fn accessors_return_value_of_own_type() {
    let tape = tape(
        r#"{"n":null,"b":true,"i":-3,"u":18446744073709551615,"f":0.5,"s":"x\n","a":[1,[2],{"k":3}],"z":0}"#,
    );
    let root = tape.root();
    let at = |name: &str| root.get(name).unwrap();

    assert!(at("n").is_null());
    assert_eq!(at("b").as_bool(), Some(true));
    assert_eq!((at("i").as_i64(), at("i").as_u64()), (Some(-3), None));
    assert_eq!((at("u").as_i64(), at("u").as_u64()), (None, Some(u64::MAX)));
    assert_eq!((at("f").as_f64(), at("f").as_i64()), (Some(0.5), None));
    assert_eq!(at("s").as_str(), Some("x\n"));
    let items: Vec<Value> = at("a").items().map(JsonRef::to_value).collect();
    assert_eq!(items, [json!(1), json!([2]), json!({"k": 3})]);
    let names: Vec<&str> = root.members().map(|(name, _)| name).collect();
    assert_eq!(names, ["n", "b", "i", "u", "f", "s", "a", "z"]);
    assert_eq!(root.get("missing"), None);
    assert_eq!(at("i").get("x"), None);
}

#[test]
fn borrows_strings_without_escapes() {
    let text = String::from(r#"{"plain":"borrowed","escaped":"a\tb"}"#);
    let tape = tape(&text);

    let plain = tape.root().get("plain").and_then(JsonRef::as_str).unwrap();

    assert!(text.as_bytes().as_ptr_range().contains(&plain.as_ptr()));
}

#[test]
fn compares_as_json() {
    for (left, right, equal) in [
        (r#"{"a":1,"b":[2]}"#, r#"{"b":[2.0],"a":1}"#, true),
        (r#"{"a":1}"#, r#"{"b":1}"#, false),
        (r#"{"a":1}"#, r#"{"a":1,"b":1}"#, false),
        ("[1,2]", "[2,1]", false),
        ("9007199254740992", "9007199254740992.0", true),
        ("18446744073709551615", "18446744073709552000", false),
        ("\"1\"", "1", false),
        ("\"a\"", "\"\\u0061\"", true),
        ("null", "false", false),
        ("null", "null", true),
    ] {
        assert_eq!(
            tape(left).root() == tape(right).root(),
            equal,
            "{left} {right}"
        );
    }
}

#[test]
fn finds_duplicate_keys_in_objects_of_any_size() {
    for members in [2, 30, 63, 64, 65, 66, 1000] {
        let keys: Vec<String> = (1..members)
            .map(|key| format!("\"k{key}\":{{\"k1\":[0]}}"))
            .collect();
        let text = format!("{{{},\"k1\":1}}", keys.join(","));

        let error = parse(&text).unwrap_err();

        assert_eq!(
            error.kind,
            ParseErrorKind::DuplicateKey("k1".to_owned()),
            "{members}"
        );
        assert_eq!(error.pointer, "");
    }
}

#[test]
fn appends_members_to_own_objects() {
    let text = r#"{"items":[{"a":1},{"a":{"b":2}}],"last":0}"#;
    let (value, deep) = (json!([{"x": "y"}]), json!(7));
    let tape = tape(text);
    let items: Vec<_> = tape.root().get("items").unwrap().items().collect();
    let inner = items[1].get("a").unwrap();
    let positions = [tape.root(), items[0], inner].map(|value| tape.position(value));
    let additions = vec![
        Addition {
            object: positions[2],
            key: "deep",
            value: &deep,
        },
        Addition {
            object: positions[0],
            key: "top",
            value: &value,
        },
        Addition {
            object: positions[1],
            key: "c",
            value: &deep,
        },
        Addition {
            object: positions[0],
            key: "more",
            value: &deep,
        },
    ];

    let filled = tape.with_members(additions);

    assert_eq!(
        filled.root().to_value(),
        json!({
            "items": [{"a": 1, "c": 7}, {"a": {"b": 2, "deep": 7}}],
            "last": 0, "top": [{"x": "y"}], "more": 7
        })
    );
    assert_eq!(filled.root().get("more").and_then(JsonRef::as_i64), Some(7));
}

proptest! {
    #[test]
    fn tapes_of_text_and_value_and_copy_are_equal(value in any_value()) {
        let text = value.to_string();

        let tape = tape(&text);

        prop_assert_eq!(tape.root().to_value(), value.clone());
        let (of_value, owned) = (Tape::from(&value), tape.clone().into_owned());
        prop_assert_eq!(tape.root(), of_value.root());
        prop_assert_eq!(tape.root(), owned.root());
    }
}
