use super::*;

fn coerced(schema: &Value, value: Value) -> (Value, Vec<ChangeKind>) {
    let mut value = value;
    let changes = coerce(&mut value, schema);
    (value, changes.iter().map(|change| change.kind).collect())
}

#[test]
fn converts_lossless_scalars() {
    use ChangeKind::{ScalarToText, TextToBoolean, TextToNumber};
    for (kind, from, to) in [
        ("integer", json!("5"), Some((json!(5), TextToNumber))),
        ("integer", json!("-7"), Some((json!(-7), TextToNumber))),
        ("integer", json!("5.0"), Some((json!(5), TextToNumber))),
        (
            "integer",
            json!("18446744073709551615"),
            Some((json!(u64::MAX), TextToNumber)),
        ),
        ("integer", json!("5.5"), None),
        ("integer", json!("18446744073709551616"), None),
        ("integer", json!("007"), None),
        ("integer", json!("+5"), None),
        ("integer", json!(" 5"), None),
        ("integer", json!("1e3"), None),
        ("integer", json!(""), None),
        ("integer", json!("five"), None),
        ("integer", json!("٥"), None),
        ("integer", json!(true), None),
        ("integer", json!(5.5), None),
        ("number", json!("5.25"), Some((json!(5.25), TextToNumber))),
        ("number", json!("0.1234567890123456789"), None),
        ("number", json!("NaN"), None),
        ("number", json!("."), None),
        ("boolean", json!("true"), Some((json!(true), TextToBoolean))),
        (
            "boolean",
            json!("FALSE"),
            Some((json!(false), TextToBoolean)),
        ),
        ("boolean", json!("yes"), None),
        ("boolean", json!(1), None),
        ("boolean", json!(0), None),
        ("string", json!(5), Some((json!("5"), ScalarToText))),
        ("string", json!(5.5), Some((json!("5.5"), ScalarToText))),
        ("string", json!(true), Some((json!("true"), ScalarToText))),
        ("string", json!(null), None),
        ("string", json!({"a": 1}), None),
        ("string", json!(["a"]), None),
        ("null", json!("null"), None),
    ] {
        let schema = json!({"properties": {"x": {"type": kind}}, "required": ["x"]});
        let (value, changes) = coerced(&schema, json!({"x": from}));

        let (expected, kinds) = match to {
            Some((to, change)) => (to, vec![change]),
            None => (from.clone(), vec![]),
        };
        assert_eq!(
            (value, changes),
            (json!({"x": expected}), kinds),
            "{kind} {from}"
        );
    }
}

#[test]
fn text_becomes_the_container_it_spells() {
    use ChangeKind::{ItemToArray, Repair, TextToJson};
    use RepairKind::{CodeFence, SingleQuotes, TrailingComma};
    let numbers = json!({"type": "array", "items": {"type": "integer"}});
    let texts = json!({"type": "array", "items": {"type": "string"}});
    for (schema, from, to, kinds) in [
        (
            json!({"type": "object"}),
            json!("{\"a\": 1}"),
            json!({"a": 1}),
            vec![TextToJson],
        ),
        (
            numbers.clone(),
            json!("[1, 2]"),
            json!([1, 2]),
            vec![TextToJson],
        ),
        (texts.clone(), json!("a"), json!(["a"]), vec![ItemToArray]),
        (
            texts.clone(),
            json!("[\"a\"]"),
            json!(["a"]),
            vec![TextToJson],
        ),
        (
            texts.clone(),
            json!("['a', 'b']"),
            json!(["a", "b"]),
            vec![TextToJson, Repair(SingleQuotes), Repair(SingleQuotes)],
        ),
        (
            texts.clone(),
            json!("```json\n[\"a\",]\n```"),
            json!(["a"]),
            vec![TextToJson, Repair(CodeFence), Repair(TrailingComma)],
        ),
        (
            json!({"type": "object"}),
            json!("{'a': 1}"),
            json!({"a": 1}),
            vec![TextToJson, Repair(SingleQuotes)],
        ),
        (numbers.clone(), json!(3), json!([3]), vec![ItemToArray]),
        (
            numbers.clone(),
            json!("3"),
            json!([3]),
            vec![ItemToArray, ChangeKind::TextToNumber],
        ),
        (numbers.clone(), json!("x"), json!("x"), vec![]),
        (
            json!({"type": "object"}),
            json!("[1]"),
            json!("[1]"),
            vec![],
        ),
        (
            json!({"type": "object"}),
            json!("{\"a\": 1"),
            json!("{\"a\": 1"),
            vec![],
        ),
        (
            json!({"type": ["array", "string"]}),
            json!("[1]"),
            json!("[1]"),
            vec![],
        ),
        (json!({"type": "array"}), json!("x"), json!("x"), vec![]),
    ] {
        let schema = json!({"properties": {"x": schema}});
        let (value, changes) = coerced(&schema, json!({"x": from}));

        assert_eq!((value, changes), (json!({"x": to}), kinds), "{from}");
    }
}

#[test]
fn json_becomes_text_where_the_text_is_json() {
    let schema = json!({"properties": {
        "content": {"type": "string", "contentMediaType": "application/json"},
        "other": {"type": "string"},
    }});
    let given = json!({"content": {"b": [1, 2.50], "a": "é"}, "other": {"b": 1}});

    let (value, changes) = coerced(&schema, given);

    let content = "{\n  \"b\": [\n    1,\n    2.5\n  ],\n  \"a\": \"é\"\n}\n";
    assert_eq!(value, json!({"content": content, "other": {"b": 1}}));
    assert_eq!(changes, [ChangeKind::JsonToText]);
}

#[test]
fn broken_list_never_becomes_one_item() {
    let texts = json!({"type": "array", "items": {"type": "string"}});
    let lists = json!({"type": "array", "items": texts});
    for text in [
        "[\"a\", \"b",
        "[a, b]",
        " ['a'",
        "[src]/**/*.rs",
        "[\"a\"] and more",
        "```json\n[\"a\"",
        "```\na\nb\n```",
        "- a\n- b",
        "I send {\"a\": 1}\n[",
    ] {
        let is_wrapped = text.starts_with('I');
        for (schema, kinds) in [
            (
                &texts,
                vec![ChangeKind::ItemToArray; usize::from(is_wrapped)],
            ),
            (
                &lists,
                vec![ChangeKind::ItemToArray; 2 * usize::from(is_wrapped)],
            ),
        ] {
            let (_, changes) = coerced(&json!({"properties": {"x": schema}}), json!({"x": text}));

            assert_eq!(changes, kinds, "{text}");
        }
    }
}

#[test]
fn drops_null_of_optional_non_nullable_member() {
    let schema = json!({
        "properties": {
            "optional": {"type": "string"},
            "required": {"type": "string"},
            "nullable": {"type": ["string", "null"]},
            "choice": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "anything": {},
        },
        "required": ["required"],
    });
    let nulls = json!({"optional": null, "required": null, "nullable": null, "choice": null, "anything": null});

    let (value, changes) = coerced(&schema, nulls);

    assert_eq!(
        value,
        json!({"required": null, "nullable": null, "choice": null, "anything": null})
    );
    assert_eq!(changes, [ChangeKind::NullToAbsent]);
}

#[test]
fn selects_only_possible_branch() {
    let either = json!({"anyOf": [{"type": "integer"}, {"type": "null"}]});
    let both = json!({"anyOf": [{"type": "integer"}, {"type": "boolean"}]});
    let open = json!({"anyOf": [{"type": "integer"}, {"type": "string"}]});
    for (schema, from, to) in [
        (&either, json!("5"), json!(5)),
        (&both, json!("true"), json!(true)),
        (&open, json!("5"), json!("5")),
    ] {
        let (value, _) = coerced(&json!({"properties": {"x": schema}}), json!({"x": from}));

        assert_eq!(value, json!({"x": to}));
    }
}

#[test]
fn converts_at_any_depth_and_through_references() {
    let schema = json!({
        "properties": {"list": {"type": "array", "items": {"$ref": "#/$defs/item"}}},
        "additionalProperties": {"type": "integer"},
        "$defs": {"item": {"type": "object", "properties": {"n": {"type": "integer"}}}},
    });
    let mut value = json!({"list": [{"n": 1}, {"n": "2"}], "other": "3"});

    let changes = coerce(&mut value, &schema);

    assert_eq!(value, json!({"list": [{"n": 1}, {"n": 2}], "other": 3}));
    let pointers: Vec<&str> = changes
        .iter()
        .map(|change| change.pointer.as_str())
        .collect();
    assert_eq!(pointers, ["/list/1/n", "/other"]);
}

#[test]
fn recursive_schema_terminates() {
    let schema = json!({"$ref": "#"});
    let mut value = json!({"a": "1"});

    assert!(coerce(&mut value, &schema).is_empty());
}

#[test]
fn changes_have_escaped_pointers() {
    let item = json!({"properties": {"~x": {"type": "integer"}}});
    let schema = json!({"properties": {"a/b": {"items": item}}});
    let mut value = json!({"a/b": [{}, {}, {"~x": "1"}]});

    let changes = coerce(&mut value, &schema);

    assert_eq!(changes[0].pointer, "/a~1b/2/~0x");
}

#[test]
fn converts_inside_the_form_that_an_object_names() {
    let form = |name: &str, properties: Value| {
        let mut all = json!({"action": {"const": name}});
        all.as_object_mut()
            .unwrap()
            .extend(properties.as_object().unwrap().clone());
        json!({"type": "object", "properties": all, "required": ["action"], "additionalProperties": false})
    };
    let tagged = json!({"oneOf": [
        form("add", json!({"title": {"type": "string"}, "minutes": {"type": "integer"}})),
        form("remove", json!({"id": {"type": "integer"}, "note": {"type": "string"}})),
    ]});
    let keyed = json!({"oneOf": [
        {"type": "object", "properties": {"Circle": {"type": "object", "properties": {"r": {"type": "integer"}}}},
            "required": ["Circle"]},
        {"type": "object", "properties": {"Box": {"type": "object", "properties": {"w": {"type": "integer"}}}},
            "required": ["Box"]},
        {"type": "string", "enum": ["Empty"]},
    ]});
    let untagged = json!({"properties": {"c": {}}, "anyOf": [
        {"type": "object", "properties": {"a": {"type": "string"}, "c": {}}, "required": ["a"]},
        {"type": "object", "properties": {"b": {"type": "integer"}}, "required": ["b"]},
        {"type": "string"},
    ]});
    for (schema, given, expected) in [
        (
            &tagged,
            json!({"action": "remove", "id": "5"}),
            json!({"action": "remove", "id": 5}),
        ),
        (
            &tagged,
            json!({"action": "remove", "id": 5, "note": null}),
            json!({"action": "remove", "id": 5}),
        ),
        (
            &tagged,
            json!({"action": "remove", "id": 5, "title": "", "minutes": null}),
            json!({"action": "remove", "id": 5}),
        ),
        (
            &tagged,
            json!({"action": "remove", "id": 5, "title": "kept"}),
            json!({"action": "remove", "id": 5, "title": "kept"}),
        ),
        (
            &tagged,
            json!("{\"action\": \"add\", \"minutes\": \"3\"}"),
            json!({"action": "add", "minutes": 3}),
        ),
        (
            &keyed,
            json!({"Circle": {"r": "1"}}),
            json!({"Circle": {"r": 1}}),
        ),
        (
            &keyed,
            json!("{\"Box\": {\"w\": 1}}"),
            json!({"Box": {"w": 1}}),
        ),
        (&keyed, json!("Empty"), json!("Empty")),
        (&untagged, json!({"b": "5"}), json!({"b": 5})),
        (&untagged, json!({"a": 5, "b": null}), json!({"a": "5"})),
        // The member that the alternatives share is not one of another form.
        (
            &untagged,
            json!({"b": 5, "c": ""}),
            json!({"b": 5, "c": ""}),
        ),
        // A string that an alternative accepts stays one.
        (&untagged, json!("{\"b\": 1}"), json!("{\"b\": 1}")),
    ] {
        let mut value = given.clone();

        coerce(&mut value, schema);

        assert_eq!(value, expected, "{given}");
    }
}

#[test]
fn value_that_another_form_accepts_is_kept() {
    let number =
        json!({"type": "object", "properties": {"b": {"type": "number"}}, "required": ["a"]});
    let open = json!({"type": "object", "properties": {}, "required": ["a"]});
    let schema =
        json!({"properties": {"target": {"anyOf": [number, open]}, "n": {"type": "integer"}}});
    let mut value = json!({"target": {"a": "", "b": "5"}, "n": "1"});

    let changes = coerce(&mut value, &schema);

    assert_eq!(value, json!({"target": {"a": "", "b": "5"}, "n": 1}));
    assert_eq!(changes.len(), 1);
}
