//! Searches among definitions.

use serde_json::json;

use super::*;

fn tool(name: &str, description: &str, parameters: &[(&str, &str)]) -> ToolDefinition {
    let properties = parameters.iter().map(|(name, text)| {
        (
            (*name).to_owned(),
            json!({"type": "string", "description": text}),
        )
    });
    let properties: serde_json::Map<String, Value> = properties.collect();
    ToolDefinition::new(
        name,
        description,
        json!({"type": "object", "properties": properties}),
    )
}

fn names(found: &[FoundTool]) -> Vec<&str> {
    found.iter().map(|found| found.name.as_str()).collect()
}

fn office() -> ToolIndex {
    ToolIndex::new(&[
        tool(
            "github__create_issue",
            "Creates an issue in a repository.",
            &[("title", "Title of the issue")],
        ),
        tool(
            "github__listPullRequests",
            "Lists the pull requests. Not issues.",
            &[("state", "open or closed")],
        ),
        tool(
            "mail__send",
            "Sends a message.",
            &[("recipient", "Address of the person")],
        ),
        tool(
            "calendar__add_event",
            "Adds an event to the calendar.",
            &[("attendees", "People to invite")],
        ),
        tool("搜索网页", "用必应搜索网页内容。", &[]),
    ])
}

#[test]
fn finds_by_names_descriptions_and_parameters() {
    let index = office();
    for (query, first) in [
        ("open a new issue", "github__create_issue"),
        ("list pull requests", "github__listPullRequests"),
        ("Sending messages", "mail__send"),
        ("invite people", "calendar__add_event"),
        ("calender", "calendar__add_event"),
        ("网页搜索", "搜索网页"),
    ] {
        assert_eq!(names(&index.search(query, 5))[0], first, "{query}");
    }
}

#[test]
fn finds_nothing_without_a_word() {
    let index = office();
    for query in ["", "   ", "the of and", "zzzzz", "🦀"] {
        assert!(index.search(query, 5).is_empty(), "{query:?}");
    }
    assert!(ToolIndex::new(&[]).search("issue", 5).is_empty());
}

#[test]
fn selects_by_name_in_the_given_order() {
    let found = office().search("select: mail__send,unknown, github__create_issue", 5);

    assert_eq!(names(&found), ["mail__send", "github__create_issue"]);
}

#[test]
fn equal_tools_are_in_order_of_their_names() {
    let tools: Vec<_> = (0..50)
        .rev()
        .map(|n| tool(&format!("tool_{n:02}"), "Does the same.", &[]))
        .collect();

    let found = ToolIndex::new(&tools).search("the same", 3);

    assert_eq!(names(&found), ["tool_00", "tool_01", "tool_02"]);
    assert!(found.windows(2).all(|pair| pair[0].score >= pair[1].score));
}

#[test]
fn later_sentences_do_not_count() {
    let found = office().search("issues", 5);

    // Found by parts of its name alone.
    assert_eq!(
        names(&found),
        ["github__create_issue", "github__listPullRequests"]
    );
    assert!(found[1].score < found[0].score / 3.0, "{found:?}");
}

#[test]
fn long_queries_and_many_equal_tools_are_read() {
    let tools: Vec<_> = (0..10_000)
        .map(|n| match n % 10 {
            0 => tool(&format!("tool_{n}"), &format!("Sorts list {n}."), &[]),
            _ => tool(
                &format!("tool_{n}"),
                "Has the same description as others.",
                &[],
            ),
        })
        .collect();
    let index = ToolIndex::new(&tools);

    let query = "description ".repeat(1000);
    assert_eq!(names(&index.search(&query, 2)), ["tool_1", "tool_1001"]);
    assert_eq!(names(&index.search("tool 1999", 1)), ["tool_1999"]);
    assert_eq!(names(&index.search("sort list 4000", 1)), ["tool_4000"]);
}
