//! Mistakes of users that compile: what they read leads to the remedy. `tests/compile_errors` has those that don't compile,
//! and the tests of `HttpModel` and of the MCP client those of addresses, keys and servers.

use std::sync::Arc;

use serde_json::json;
use toolwright::DynamicTool;
use toolwright::prelude::*;

#[data]
struct NoInput {}

/// Counts words.
#[tool(risk = read_only)]
fn count(text: String) -> usize {
    text.split(' ').count()
}

fn register(tool: impl Tool + 'static) -> String {
    Registry::of(tool).map_or_else(|error| error.to_string(), |_| "registered".to_owned())
}

#[test]
fn registration_names_the_remedy() {
    let no_input = tool_fn("ping", "Answers.", |_, (): ()| async { Ok("pong") });
    let list = ToolDefinition::new("list", "Lists.", json!({"type": "array"}));
    let no_schema = ToolDefinition::new("text", "Says.", json!("string"));
    let run = |_: ToolContext, _: serde_json::Value| async { Ok(ToolOutput::text("")) };
    let remedy = "pass the schema of an object; a tool without parameters has an empty struct, or is a function without parameters";
    for (message, expected) in [
        (
            register(no_input),
            format!(
                "invalid schema of `ping`: arguments are objects, but the schema has the type \"null\"; {remedy}"
            ),
        ),
        (
            register(DynamicTool::new(list, run)),
            format!(
                "invalid schema of `list`: arguments are objects, but the schema has the type \"array\"; {remedy}"
            ),
        ),
        (
            register(DynamicTool::new(no_schema, run)),
            format!(
                "invalid schema of `text`: the schema must be an object, not \"string\"; {remedy}"
            ),
        ),
    ] {
        assert_eq!(message, expected);
    }
}

#[test]
fn two_tools_of_one_name_are_both_described() {
    let registry = Registry::of(Count).unwrap();

    let message = registry.register(Count).unwrap_err().to_string();

    assert!(
        message.starts_with("two tools are named `count`: one is from "),
        "{message}"
    );
    assert!(
        message.contains("rename one with `AdaptedTool`, omit one, or `replace` the first"),
        "{message}"
    );
}

#[tokio::test]
async fn blank_in_a_name_is_mapped_for_the_provider() {
    let spaced = ToolDefinition::new("count words", "Counts.", json!({"type": "object"}));
    let spaced = DynamicTool::new(spaced, |_, _| async { Ok(ToolOutput::text("2")) });
    let registry = Registry::of(spaced).unwrap();

    let sent = registry.definitions(&Provider::OpenAi);

    assert_eq!(sent.tools[0]["function"]["name"], "count_words");
    assert_eq!(registry.execute("count words", "{}").await.to_string(), "2");
}

#[test]
fn too_many_tools_are_a_loss_with_the_limit() {
    let registry = Registry::new();
    for number in 0..200 {
        let definition = ToolDefinition::new(format!("f{number}"), "F.", json!({"type": "object"}));
        let tool = DynamicTool::new(definition, |_, _| async { Ok(ToolOutput::text("")) });
        registry.register(tool).unwrap();
    }

    let sent = registry.definitions(&Provider::OpenAi);

    let detail = &sent
        .losses
        .iter()
        .find(|loss| loss.keyword == "tools")
        .unwrap()
        .detail;
    assert!(detail.contains("128") && detail.contains("200"), "{detail}");
}

#[tokio::test]
async fn call_without_approver_says_so() {
    let pay = tool_fn("pay", "Pays.", |_, _: NoInput| async { Ok("paid") });
    let registry = Registry::of(pay.risk(RiskLevel::Dangerous));

    let result = registry.unwrap().execute("pay", "{}").await;

    let error = result.error.unwrap();
    assert!(
        error
            .message
            .contains("requires approval (dangerous), and no approver is available"),
        "{}",
        error.message
    );
}

/// These are no mistakes: what people write first works.
#[tokio::test]
async fn first_attempts_work() {
    let approver: Arc<dyn Approver> = Arc::new(approver_fn(async |_request| Answer::Approve));
    let tool: Box<dyn Tool> = Box::new(Count);
    let picture = tool_fn("picture", "Draws.", |_, _: NoInput| async {
        Ok(ToolOutput::text("cat"))
    });
    let fails = tool_fn("fails", "Fails.", |_, _: NoInput| async {
        Err::<String, ToolError>("There is no paper".into())
    });
    let registry = Registry::builder()
        .approver(approver)
        .tool(tool)
        .unwrap()
        .tool(picture)
        .unwrap();
    let registry = registry.tool(fails).unwrap().build();

    for (name, arguments, text) in [
        ("count", json!({"text": "one two"}), "2"),
        ("picture", json!({}), "cat"),
        ("fails", json!({}), "Error: There is no paper."),
    ] {
        assert_eq!(registry.execute(name, arguments).await.to_string(), text);
    }
}
