//! What does one dispatch cost, from a value and from text, with 1 to 10,000 tools, over the direct call?
//!
//! cargo bench --bench dispatch

use std::hint::black_box;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use benches::measure::{Case, interleaved};
use serde_json::{Value, json};
use tool_core::{DynamicTool, Registry, RiskLevel, ToolDefinition, ToolOutput, tool_fn};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Add {
    a: i64,
    b: i64,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct ReadFile {
    path: String,
    start_line: Option<u32>,
    end_line: Option<u32>,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Todo {
    items: Vec<Item>,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Item {
    content: String,
    active_form: String,
    status: Status,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Status {
    Pending,
    InProgress,
    Completed,
}

fn add(input: &Add) -> i64 {
    input.a + input.b
}

fn read_file(input: &ReadFile) -> usize {
    let lines = input.end_line.unwrap_or(10) - input.start_line.unwrap_or(1);
    input.path.len() + lines as usize
}

fn todo(input: &Todo) -> usize {
    let open = |item: &&Item| {
        !matches!(
            item.status,
            Status::Completed | Status::InProgress | Status::Pending
        )
    };
    input
        .items
        .iter()
        .map(|item| item.content.len() + item.active_form.len())
        .sum::<usize>()
        + input.items.iter().filter(open).count()
}

fn registry() -> Registry {
    let reading = |definition: ToolDefinition| definition.with_risk(RiskLevel::ReadOnly);
    let tools = Registry::new();
    let register =
        |outcome: Result<(), tool_core::RegisterError>| outcome.expect("the names differ");
    register(
        tools.register(
            tool_fn(
                "add",
                "Adds.",
                |_, input: Add| async move { Ok(add(&input)) },
            )
            .define(reading),
        ),
    );
    register(
        tools.register(
            tool_fn("read_file", "Reads.", |_, input: ReadFile| async move {
                Ok(read_file(&input))
            })
            .define(reading),
        ),
    );
    register(
        tools.register(
            tool_fn("todo", "Plans.", |_, input: Todo| async move {
                Ok(todo(&input))
            })
            .define(reading),
        ),
    );
    tools
}

fn todo_text() -> String {
    let statuses = ["completed", "in_progress", "pending"];
    let items: Vec<Value> = (0..15)
        .map(|n| json!({"content": format!("Do step {n} of the plan"), "activeForm": format!("Doing step {n}"), "status": statuses[n % 3]}))
        .collect();
    json!({ "items": items }).to_string()
}

fn main() {
    let todo_text = todo_text();
    let cases = [
        ("add", r#"{"a": 2, "b": 40}"#),
        (
            "read_file",
            r#"{"path": "src/main.rs", "start_line": 1, "end_line": 80}"#,
        ),
        ("todo", todo_text.as_str()),
    ];
    println!("One call, median of interleaved rounds:");
    for (name, text) in cases {
        print_case(name, text);
    }
    print_sizes();
}

/// What a call answers whose tool does not wait; without a runtime, whose own cost is not in question here.
fn at_once<F: Future>(call: F) -> F::Output {
    match pin!(call).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(answer) => answer,
        Poll::Pending => unreachable!("no tool waits here"),
    }
}

/// The direct call, the struct parsed from text, and both doors, results checked equal first.
fn print_case(name: &'static str, text: &str) {
    let tools = registry();
    let value: Value = serde_json::from_str(text).expect("the text is JSON");
    let by_value = at_once(tools.execute(name, value.clone()));
    let by_text = at_once(tools.execute_text(name, text));
    assert!(by_value.success, "{by_value}");
    assert_eq!(by_value.data, by_text.data);
    assert_eq!(by_value.data, Some(json!(direct(name, text))));
    let mut cases = [
        Case::new("text to struct, direct call", || {
            black_box(direct(name, black_box(text)));
        }),
        Case::new("text to Value", || {
            black_box(serde_json::from_str::<Value>(black_box(text)).expect("the text is JSON"));
        }),
        Case::new("dispatch from value", || {
            black_box(at_once(tools.execute(name, black_box(&value).clone())));
        }),
        Case::new("dispatch from text", || {
            black_box(at_once(tools.execute_text(name, black_box(text))));
        }),
    ];
    println!("\n{name}");
    interleaved(&mut cases).print();
}

fn direct(name: &str, text: &str) -> i64 {
    const MESSAGE: &str = "the text fits the type";
    match name {
        "add" => add(&serde_json::from_str(text).expect(MESSAGE)),
        "read_file" => {
            i64::try_from(read_file(&serde_json::from_str(text).expect(MESSAGE))).expect(MESSAGE)
        }
        _ => i64::try_from(todo(&serde_json::from_str(text).expect(MESSAGE))).expect(MESSAGE),
    }
}

/// The same call among more and more other tools.
fn print_sizes() {
    let registries: Vec<(usize, Registry)> = [1, 10, 100, 1000, 10_000]
        .map(|size| (size, registry_of(size)))
        .into();
    let mut cases: Vec<Case<'_>> = registries
        .iter()
        .map(|(size, tools)| {
            Case::new(format!("among {size} tools"), || {
                black_box(at_once(
                    tools.execute_text("tool_0", black_box(r#"{"a": 2}"#)),
                ));
            })
        })
        .collect();
    println!("\ndispatch from text, by the number of tools");
    interleaved(&mut cases).print();
}

fn registry_of(size: usize) -> Registry {
    let schema =
        json!({"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]});
    let builder = (0..size).try_fold(Registry::builder(), |builder, index| {
        let definition =
            ToolDefinition::new(format!("tool_{index}"), "One of many.", schema.clone())
                .with_risk(RiskLevel::ReadOnly);
        builder.tool(DynamicTool::new(definition, |_, arguments| async move {
            Ok(ToolOutput::json(arguments))
        }))
    });
    builder.expect("the names differ").build()
}
