use serde_json::json;

use super::*;

fn list(pages: Vec<Value>) -> List {
    let mut all = Pages::default();
    for page in pages {
        if all.add(page).unwrap().is_none() {
            break;
        }
    }
    all.finish()
}

fn tool(name: &str) -> Value {
    json!({"name": name, "description": "d", "inputSchema": {"type": "object"}})
}

fn names(list: &List) -> Vec<&str> {
    list.tools.iter().map(|tool| tool.name.as_str()).collect()
}

#[test]
fn invalid_tool_does_not_affect_others() {
    let deep = (0..70).fold(json!({}), |inner, _| json!({"items": inner}));
    for (bad, reason) in [
        (json!({"name": "b"}), "it has no inputSchema"),
        (
            json!({"name": "b", "inputSchema": true}),
            "its inputSchema is true, not an object",
        ),
        (
            json!({"name": "b", "inputSchema": null}),
            "its inputSchema is null, not an object",
        ),
        (
            json!({"name": "b", "inputSchema": []}),
            "its inputSchema is [], not an object",
        ),
        (
            json!({"name": "b", "inputSchema": {"type": "string"}}),
            "its inputSchema has the type \"string\", not \"object\"",
        ),
        (
            json!({"name": "b", "inputSchema": {"type": "object", "description": "x".repeat(300_000)}}),
            "its inputSchema has more than 256 KiB",
        ),
        (
            json!({"name": "b", "inputSchema": {"type": "object", "properties": deep}}),
            "its inputSchema has more than 64 levels",
        ),
        (
            json!({"name": "b", "inputSchema": {"type": "object", "properties": {"a\u{200b}": {}}}}),
            "its inputSchema has hidden characters in a name or value at `/properties`",
        ),
        (
            json!({"name": "a", "inputSchema": {}}),
            "another tool of the server has the same name",
        ),
    ] {
        for position in 0..3 {
            let mut tools = vec![tool("a"), tool("c")];
            if bad["name"] == "a" {
                tools.push(bad.clone());
            } else {
                tools.insert(position, bad.clone());
            }

            let list = list(vec![json!({"tools": tools})]);

            assert_eq!(names(&list), ["a", "c"], "{reason}");
            assert_eq!(list.omitted[0].reason, reason);
        }
    }
    let list = list(vec![json!({"tools": [1, {"inputSchema": {}}, tool("a")]})]);
    assert_eq!(names(&list), ["a"]);
}

#[test]
fn null_members_of_schema_are_ignored_with_warning() {
    let schema = json!({"type": "object", "required": null, "properties": null});

    let list = list(vec![
        json!({"tools": [{"name": "a", "inputSchema": schema}]}),
    ]);

    assert_eq!(list.tools[0].input_schema, json!({"type": "object"}));
    assert_eq!(list.warnings.len(), 2);
}

#[test]
fn pages_end_at_empty_or_repeated_cursor() {
    let page = |name: &str, cursor: Value| json!({"tools": [tool(name)], "nextCursor": cursor});
    for (cursor, warnings) in [
        (json!(""), 0),
        (json!(null), 0),
        (json!(7), 0),
        (json!("1"), 1),
    ] {
        let list = list(vec![
            page("a", json!("1")),
            page("b", cursor.clone()),
            page("c", json!(null)),
        ]);

        assert_eq!(names(&list), ["a", "b"], "{cursor}");
        assert_eq!(list.warnings.len(), warnings, "{cursor}");
    }
}

#[test]
fn number_of_pages_and_tools_is_limited() {
    let pages = (0..200)
        .map(|page| json!({"tools": [tool(&page.to_string())], "nextCursor": page.to_string()}));
    let many: Vec<Value> = (0..2_001).map(|number| tool(&number.to_string())).collect();

    let by_pages = list(pages.collect());
    let by_tools = list(vec![json!({"tools": many})]);

    assert_eq!(by_pages.tools.len(), 100);
    assert_eq!((by_tools.tools.len(), by_tools.omitted.len()), (500, 1_500));
    assert_eq!((by_pages.warnings.len(), by_tools.warnings.len()), (1, 1));
}

#[test]
fn long_descriptions_are_truncated_with_warning() {
    let long: Vec<Value> = (0..40)
        .map(|number| json!({"name": number.to_string(), "description": "x".repeat(3_000), "inputSchema": {"type": "object"}}))
        .collect();

    let list = list(vec![json!({"tools": long})]);

    let total: usize = list
        .tools
        .iter()
        .map(|tool| tool.description.chars().count())
        .sum();
    assert!(total <= MAX_DESCRIPTIONS, "{total}");
    assert_eq!(list.tools[0].description.chars().count(), MAX_DESCRIPTION);
    assert_eq!(list.warnings.len(), 40);
}

#[test]
fn rejects_results_that_are_not_lists() {
    for page in [json!({}), json!([]), json!({"tools": {}}), json!(null)] {
        assert_eq!(Pages::default().add(page), Err(Failure::Invalid));
    }
}
