#[cfg(all(feature = "shell", target_os = "linux"))]
mod commands;
mod moving;
#[cfg(target_os = "linux")]
mod searching;
mod stored;

use serde_json::{Value, json};
use tool_core::approval::{Answer, Policy, approver_fn};
use tool_core::output_store::{MemoryStore, OutputStore};
use tool_core::{OutputLimit, Registry, Tool, ToolResult};
use tool_test::{Laws, Scratch};

use super::*;
use crate::Workspace;

fn kit(scratch: &Scratch) -> Kit {
    Kit::new(Workspace::open(scratch.path()).unwrap())
}

/// Returns a registry with all tools, in which all calls are approved.
fn registry(kit: &Kit) -> Registry {
    Registry::builder()
        .policy(Policy::allow_all())
        .approver(approver_fn(|_| Answer::Approve))
        .toolset(&all(kit))
        .unwrap()
        .build()
}

#[derive(Debug)]
struct Nobody;

#[async_trait::async_trait]
impl crate::questions::Respondent for Nobody {
    async fn answer(&self, _question: &crate::questions::Question) -> Option<String> {
        None
    }
}

#[tokio::test]
async fn question_is_only_offered_with_a_respondent() {
    let scratch = Scratch::new();
    let without = registry(&kit(&scratch));
    let with = registry(&kit(&scratch).with_respondent(Arc::new(Nobody)));

    assert!(without.get("ask_user").is_none());
    assert!(with.get("ask_user").is_some());
    assert!(with.without_interactive().get("ask_user").is_none());
    assert!(with.without_interactive().get("plan").is_some());
}

/// Returns the set with all groups.
fn all(kit: &Kit) -> Toolset {
    let groups = ToolGroup::ALL.iter();
    let standard = standard(kit).unwrap();
    groups.fold(standard, |toolset, group| {
        group.add_to(toolset, kit).unwrap()
    })
}

async fn call(scratch: &Scratch, tool: &str, arguments: Value) -> ToolResult {
    registry(&kit(scratch)).execute(tool, arguments).await
}

fn project() -> Scratch {
    Scratch::new()
        .file("src/main.rs", "fn main() {\n    run();\n}\n")
        .file("src/run.rs", "pub fn run() {}\npub fn Run() {}\n")
        .file("notes.md", "run it\n")
        .file(".github/ci.yml", "run: cargo\n")
        .file("target/out.rs", "fn run() {}\n")
        .file(".gitignore", "target/\n")
}

#[tokio::test]
async fn tools_obey_laws_and_have_closed_schemas() {
    let scratch = Scratch::new()
        .file("a", "one\n")
        .file("src/main.rs", "fn main() {}\n");
    let store = Arc::new(MemoryStore::default());
    let kit = kit(&scratch)
        .with_output_store(store)
        .with_respondent(Arc::new(Nobody));
    for tool in all(&kit).tools() {
        let broken = Laws::of(tool.clone())
            .closed()
            .run_dangerous()
            .check()
            .await;

        assert_eq!(broken, [], "{}", tool.definition().name());
    }
}

/// Valid arguments of each tool without commands.
fn good_arguments() -> Vec<(&'static str, Value)> {
    vec![
        ("read", json!({"path": "a.txt", "start_line": 1})),
        ("search", json!({"pattern": "one", "path": ".", "limit": 5})),
        ("list", json!({"path": ".", "depth": 2})),
        (
            "edit",
            json!({"path": "a.txt", "edits": [{"old": "one", "new": "1"}]}),
        ),
        ("write", json!({"path": "b.txt", "content": "x"})),
        (
            "apply_patch",
            json!({"patch": "*** Begin Patch\n*** Update File: a.txt\n-1\n+one\n*** End Patch"}),
        ),
        ("move", json!({"from": "b.txt", "to": "c.txt"})),
        ("delete", json!({"path": "c.txt"})),
    ]
}

#[tokio::test]
async fn invalid_arguments_name_parameter_and_change_nothing() {
    let scratch = Scratch::new().file("a.txt", "one\n");
    let registry = registry(&kit(&scratch));
    for (tool, arguments) in good_arguments() {
        let mut wrong = vec![];
        for parameter in arguments.as_object().unwrap().keys() {
            // A JSON value is written as its text.
            if (tool, parameter.as_str()) == ("write", "content") {
                continue;
            }
            for value in [json!([1, 2]), json!({"a": 1})] {
                let mut changed = arguments.clone();
                changed[parameter] = value;
                wrong.push((parameter.clone(), changed));
            }
        }
        let mut unknown = arguments.clone();
        unknown["colour"] = json!("red");
        wrong.push(("colour".to_owned(), unknown));
        wrong.push(("path".to_owned(), json!({"path": {}})));
        for (parameter, arguments) in wrong {
            let error = registry
                .execute(tool, arguments.clone())
                .await
                .error
                .unwrap();

            assert_eq!(
                error.code.as_str(),
                "invalid_arguments",
                "{tool} {arguments}"
            );
            assert!(
                error.message.contains(&parameter),
                "{tool}: {}",
                error.message
            );
        }
    }
    assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 1);
    assert_eq!(scratch.read("a.txt"), "one\n");
    for (tool, arguments) in good_arguments() {
        let result = registry.execute(tool, arguments).await;

        assert!(result.success, "{tool}: {result}");
    }
}

#[test]
fn set_has_seven_tools_and_groups_have_names() {
    let scratch = Scratch::new();
    let toolset = standard(&kit(&scratch)).unwrap();
    let names: Vec<&str> = toolset
        .tools()
        .iter()
        .map(|tool| tool.definition().name())
        .collect();

    assert_eq!(
        names,
        [
            "read",
            "search",
            "list",
            "edit",
            "write",
            "bash",
            "background"
        ]
    );
    for group in ToolGroup::ALL {
        assert_eq!(group.name().parse(), Ok(*group));
    }
    let error = "plans".parse::<ToolGroup>().unwrap_err();
    assert!(
        error
            .to_string()
            .contains("plan, ask_user, validate_output"),
        "{error}"
    );
}

#[tokio::test]
async fn names_of_other_tools_are_accepted_and_hidden() {
    for (tool, arguments) in [
        ("read", json!({"file_path": "src/main.rs", "offset": 2})),
        ("list", json!({"directory": "src"})),
        ("write", json!({"file_path": "b.txt", "contents": "x"})),
        (
            "edit",
            json!({"file_path": "src/main.rs", "old_string": "run", "new_string": "go"}),
        ),
        (
            "search",
            json!({"query": "RUN", "-i": true, "base_path": "src", "include": "*.rs", "head_limit": 5, "-C": 1}),
        ),
        (
            "apply_patch",
            json!({"input": "*** Begin Patch\n*** Delete File: notes.md\n*** End Patch"}),
        ),
        ("move", json!({"source": "notes.md", "destination": "b.md"})),
        ("delete", json!({"file_path": "notes.md"})),
        ("bash", json!({"cmd": "true", "workdir": "src"})),
        ("background", json!({})),
        (
            "plan",
            json!({"todos": [{"content": "Test", "status": "pending"}]}),
        ),
    ] {
        let result = call(&project(), tool, arguments.clone()).await;

        assert!(result.success, "{tool}: {result}");
        let recorded = &result.metadata.changes;
        let parameters = arguments.as_object().unwrap().len();
        assert_eq!(recorded.is_empty(), parameters == 0, "{tool}: {recorded:?}");
    }
    for definition in registry(&kit(&Scratch::new())).list() {
        let schema = definition.input_schema().to_string();
        for alias in [
            "file_path",
            "old_string",
            "cmd",
            "head_limit",
            "\"-i\"",
            "todos",
        ] {
            assert!(!schema.contains(alias), "{}", definition.name());
        }
    }
}

#[tokio::test]
async fn unknown_parameter_lists_the_known_ones() {
    let result = call(
        &project(),
        "bash",
        json!({"command": "true", "timeout": 5000}),
    )
    .await;

    assert!(!result.success);
    assert!(result.text().contains("`timeout_seconds`"), "{result}");
}

#[tokio::test]
async fn read_then_foreign_change_then_write_is_a_conflict() {
    let scratch = Scratch::new().file("a.txt", "one\n");
    let registry = registry(&kit(&scratch));
    let write = json!({"path": "./a.txt", "content": "mine\n"});

    assert!(
        registry
            .execute("read", json!({"path": "a.txt"}))
            .await
            .success
    );
    let scratch = scratch.file("a.txt", "theirs\n");
    let refused = registry.execute("write", write.clone()).await;
    assert!(
        registry
            .execute("read", json!({"path": "a.txt"}))
            .await
            .success
    );
    let written = registry.execute("write", write).await;

    assert_eq!(refused.error.unwrap().code.as_str(), "conflict");
    assert!(written.success, "{written}");
    assert_eq!(scratch.read("a.txt"), "mine\n");
}

#[tokio::test]
async fn large_file_continues_by_line() {
    let lines: Vec<String> = (1..=2500).map(|line| format!("line {line:04}\n")).collect();
    let scratch = Scratch::new().file("a.txt", lines.concat());

    let first = call(&scratch, "read", json!({"path": "a.txt"})).await;
    let rest = call(
        &scratch,
        "read",
        json!({"path": "a.txt", "start_line": 2001}),
    )
    .await;

    assert!(
        first
            .to_string()
            .contains("Continue with `start_line` 2001."),
        "{first}"
    );
    assert!(rest.text().starts_with("line 2001\n"), "{rest}");
}

#[tokio::test]
async fn long_output_continues_from_output_store() {
    let store: Arc<dyn OutputStore> = Arc::new(MemoryStore::default());
    let lines: Vec<String> = (0..1000).map(|line| format!("line {line:04}\n")).collect();
    let scratch = Scratch::new().file("a.txt", lines.concat());
    let kit = kit(&scratch).with_output_store(Arc::clone(&store));
    let registry = Registry::builder()
        .output_limit(OutputLimit::bytes(1000))
        .output_store(store)
        .toolset(&standard(&kit).unwrap())
        .unwrap()
        .build();

    let shown = registry.execute("read", json!({"path": "a.txt"})).await;
    let text = shown.text();
    let (_, handle) = text.split_once("stored as ").unwrap();
    let (handle, _) = handle.split_once(']').unwrap();
    let rest = json!({"path": handle, "start_line": 51});
    let next = registry.execute("read", rest).await;

    assert!(next.text().starts_with("line 0050\nline 0051\n"), "{next}");
}

#[cfg(unix)]
#[tokio::test]
async fn command_runs_in_directory_and_errors_name_it() {
    let scratch = project();

    let run = call(&scratch, "bash", json!({"command": "ls", "cwd": "src"})).await;
    let missing = call(&scratch, "bash", json!({"command": "ls", "cwd": "none"})).await;

    assert_eq!(run.text(), "main.rs\nrun.rs");
    assert_eq!(missing.error.unwrap().parameter.as_deref(), Some("cwd"));
}

#[tokio::test]
async fn host_reads_plan_of_model() {
    let scratch = Scratch::new();
    let kit = kit(&scratch);
    let plan = json!({"items": [{"content": "Test", "status": "pending"}]});

    let result = registry(&kit).execute("plan", plan).await;

    assert!(result.success, "{result}");
    let stored = kit.todo_store().plan();
    assert_eq!(stored.items[0].active_form, "Test");
    assert_eq!(stored.current_item.unwrap().content, "Test");
}

#[tokio::test]
async fn cancelled_steps_leave_the_plan() {
    let scratch = Scratch::new();
    let kit = kit(&scratch);
    let plan = json!({"items": [
        {"content": "Ask", "status": "cancelled"}, {"content": "Read", "status": "completed"},
        {"content": "Write", "status": "in_progress"}, {"content": "Test", "status": "pending"},
    ]});

    let result = registry(&kit).execute("plan", plan).await;

    assert!(result.success, "{result}");
    let steps = kit.todo_store().plan().items;
    let left: Vec<&str> = steps.iter().map(|step| step.content.as_str()).collect();
    assert_eq!(left, ["Read", "Write", "Test"]);
}

#[tokio::test]
async fn accepts_returned_plan_unchanged() {
    let scratch = Scratch::new();
    let registry = registry(&kit(&scratch));
    let plan = json!({"items": [
        {"content": "Test", "activeForm": "Testing", "status": "pending"},
        {"content": "Ship", "activeForm": "Shipping", "status": "pending"},
    ]});

    let first = registry.execute("plan", plan).await;
    let items = first.data.clone().unwrap()["items"].take();
    let second = registry.execute("plan", json!({"items": items})).await;

    assert!(second.success, "{second}");
    assert_eq!((second.data, second.warnings), (first.data, vec![]));
}

#[tokio::test]
async fn json_content_is_written_as_text() {
    let scratch = Scratch::new();
    let content = json!({"name": "a", "list": [1, 2]});

    let arguments = json!({"path": "a.json", "content": content});
    let result = call(&scratch, "write", arguments).await;

    assert!(result.success, "{result}");
    assert_eq!(scratch.read("a.json"), format!("{content:#}\n"));
    assert_eq!(
        result.metadata.changes[0].kind,
        tool_core::ChangeKind::JsonToText
    );
}
