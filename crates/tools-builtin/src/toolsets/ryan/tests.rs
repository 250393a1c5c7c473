//! Arguments, requests and rejections printed in the source document of the toolset.

use crate::toolsets::{RegisterBuiltinTools, RyanResult, ToolRequest};
use crate::{Kit, Workspace};
use serde_json::{Value, json};
use tool_core::{CallOptions, Registry, ToolCall, ToolResult};
use tool_test::Scratch;

use super::{EXTENSIONS, ryan};
use crate::toolsets::ToolsetName::Ryan;
use crate::toolsets::testing;

async fn call(scratch: &Scratch, tool: &str, arguments: Value) -> ToolResult {
    testing::call(Ryan, scratch, tool, arguments).await
}

/// Returns the result of a printed request in the printed format.
async fn answer(scratch: &Scratch, request: Value) -> Value {
    let request: ToolRequest = serde_json::from_value(request).unwrap();
    let registry = testing::registry(Ryan, scratch);
    json!(RyanResult(
        &registry
            .execute_call(&ToolCall::from(request), &CallOptions::default())
            .await
    ))
}

#[test]
fn schemas_match_document() {
    let printed = [
        (
            "execute_bash",
            r#"{"type": "object", "properties": {
                "command": {"type": "string", "description": "The bash command to execute"},
                "working_directory": {"type": "string", "description": "Working directory for execution"}},
                "required": ["command"]}"#,
        ),
        (
            "read_file",
            r#"{"type": "object", "properties": {
                "path": {"type": "string", "description": "Path to the file to read"},
                "start_line": {"type": "number", "description": "Starting line number (1-based)"},
                "end_line": {"type": "number", "description": "Ending line number (1-based)"}},
                "required": ["path"]}"#,
        ),
    ];

    testing::assert_schemas(Ryan, &printed);
}

#[test]
fn descriptions_match_document() {
    let tools = testing::registry(Ryan, &Scratch::new()).list();

    let described: Vec<_> = tools
        .iter()
        .map(|tool| (tool.name(), tool.description()))
        .collect();

    assert_eq!(
        described,
        [
            ("execute_bash", "Execute a bash command..."),
            ("read_file", "Reads file contents with security validation."),
        ]
    );
}

#[tokio::test]
async fn registers_builtin_tools() {
    let scratch = Scratch::new().file("a.txt", "one\n");
    let kit = Kit::new(Workspace::open(scratch.path()).unwrap());
    let registry = Registry::new();

    registry.register_builtin_tools(&kit).unwrap();
    let read = registry
        .execute("read_file", json!({"path": "a.txt"}))
        .await;
    let again = registry.register_builtin_tools(&kit).unwrap_err();

    assert_eq!(read.text(), "one\n");
    assert!(again.to_string().contains("execute_bash"), "{again}");
    assert_eq!(registry.list().len(), 2);
}

#[tokio::test]
async fn requests_match_document() {
    let lines: Vec<String> = (1..=20).map(|line| line.to_string()).collect();
    let scratch = Scratch::new().file("file.txt", lines.join("\n"));
    let path = scratch.path().join("file.txt");
    for (request, content) in [
        (
            json!({"name": "execute_bash", "parameters": {"command": "echo 'Hello World'"}}),
            "Hello World",
        ),
        (
            json!({"name": "read_file", "parameters": {"path": path, "start_line": 1.0, "end_line": 10.0}}),
            "1\n2\n3\n4\n5\n6\n7\n8\n9\n10",
        ),
    ] {
        let form = answer(&scratch, request.clone()).await;

        assert_eq!(
            (&form["success"], &form["content"]),
            (&json!(true), &json!(content)),
            "{request}"
        );
        assert_eq!(form["metadata"]["tool_name"], request["name"]);
    }
}

#[tokio::test]
async fn failures_match_document() {
    for (request, error) in [
        (json!({"name": "nonexistent"}), "tool not found"),
        (
            json!({"name": "execute_bash", "parameters": {}}),
            "`command` is missing",
        ),
    ] {
        let form = answer(&Scratch::new(), request.clone()).await;

        assert_eq!(form["success"], false, "{request}");
        assert!(form["error"].as_str().unwrap().contains(error), "{form}");
    }
}

#[tokio::test]
async fn command_accepts_working_directory() {
    let scratch = Scratch::new().folder("sub");

    let result = call(
        &scratch,
        "execute_bash",
        json!({"command": "basename $PWD", "working_directory": "sub"}),
    )
    .await;
    let outside = call(
        &scratch,
        "execute_bash",
        json!({"command": "true", "working_directory": ".."}),
    )
    .await;

    assert_eq!(result.text(), "sub");
    assert_eq!(
        outside.error.unwrap().code.as_str(),
        "path_outside_workspace"
    );
}

/// Calls `execute_bash` without an approver and returns the error code and the output.
async fn execute(kit: &Kit, command: &str) -> (Option<String>, String) {
    let registry = Registry::builder().toolset(&ryan(kit).unwrap()).unwrap();
    let result = registry
        .build()
        .execute("execute_bash", json!({"command": command}))
        .await;
    let code = result.error.as_ref().map(|error| error.code.to_string());
    (code, result.text())
}

/// Commands with a literal path outside, wherever it is.
const OUTSIDE: [&str; 38] = [
    "cat ../../outside.txt",
    "cat /etc/passwd",
    "cat ~/x",
    "cat $HOME/x",
    "cat \"$PWD/../x\"",
    "cd /etc && ls",
    "cd ../.. && cat outside.txt",
    "wc -l < ../../outside.txt",
    "echo x > ../../new.txt",
    "cp in.txt ../../new.txt",
    "ln -s /etc/passwd link",
    "perl -ne print ../../outside.txt",
    "f=/etc/passwd; cat \"$f\"",
    "F=../../outside.txt sh -c 'cat $F'",
    "xargs -a /etc/passwd echo",
    "xargs cat <<< /etc/passwd",
    "xargs cat <<E\n../../outside.txt\nE",
    "cat /etc/pass*",
    "cat ../../*.txt",
    "cat ../{..,x}/outside.txt",
    "for f in /etc/*; do cat $f; done",
    "sed 'r /etc/passwd' in.txt",
    "awk '{ while (getline x < \"/etc/passwd\") print x }' in.txt",
    "python3 - <<E\nprint(open('/etc/passwd').read())\nE",
    "python3 -c 'print(open(\"../../outside.txt\").read())'",
    "grep -f /etc/passwd in.txt",
    "grep -r secret ../..",
    "find / -name x",
    "git -C ../.. status",
    "tar cf - ../..",
    "sort -T /var/x in.txt",
    "diff in.txt /etc/passwd",
    "sh /etc/x.sh",
    ". ../../x",
    "echo $(cat /etc/passwd)",
    "cat <(cat /etc/passwd)",
    "timeout 5 cat /etc/passwd",
    "make -C /srv/x",
];

/// Commands with text that only looks like such a path.
const WITHIN: [&str; 6] = [
    "grep '/api/users' in.txt; grep -c '/in/' in.txt; true",
    "sed -n '/start/,/end/p' in.txt",
    "sed 's/in/out/' in.txt > out.txt",
    "awk '/in/ { print 4/2 }' in.txt",
    "echo see https://example.com/etc/passwd > /dev/null",
    "ls -la && cat in.txt && /bin/echo out 2>/dev/null",
];

#[cfg(all(feature = "shell", target_os = "linux"))]
#[tokio::test]
async fn sandboxed_command_cannot_read_outside_roots() {
    use crate::shell::Sandbox;
    let scratch = Scratch::new()
        .file("a/root/in.txt", "in\n")
        .file("outside.txt", "secret\n");
    let workspace = || Workspace::open(scratch.path().join("a/root")).unwrap();
    let default = Kit::new(workspace());
    let readable = Kit::new(workspace()).with_sandbox(Sandbox::standard());
    for kit in [default, readable] {
        for command in OUTSIDE {
            let (code, text) = execute(&kit, command).await;
            let code = code.as_deref();
            assert_eq!(code, Some("command_forbidden"), "{command}: {text}");
        }
        for command in [
            "f=$(echo txt.edistuo/../.. | rev); cat $f; true",
            "echo txt.edistuo/../.. | rev | xargs cat; true",
        ] {
            let (code, text) = execute(&kit, command).await;
            assert_eq!(code, None, "{command}: {text}");
            assert!(!text.contains("secret"), "{command}: {text}");
        }
        for command in WITHIN {
            let (code, text) = execute(&kit, command).await;
            assert_eq!(code, None, "{command}: {text}");
        }
    }
    assert!(!scratch.has("new.txt"));
}

#[tokio::test]
async fn unconfined_command_cannot_name_paths_outside_roots() {
    let scratch = Scratch::new().file("root/in.txt", "in\n");
    let kit = Kit::new(Workspace::open(scratch.path().join("root")).unwrap()).unconfined();
    for command in OUTSIDE {
        let (code, text) = execute(&kit, command).await;
        let code = code.as_deref();
        assert_eq!(code, Some("command_forbidden"), "{command}: {text}");
    }
    let computed = execute(&kit, "f=$(printf ..)/outside.txt; cat $f").await;
    assert_eq!(computed.0.as_deref(), Some("approval_denied"));
    assert_eq!(execute(&kit, "cat in.txt").await, (None, "in".to_owned()));
}

#[tokio::test]
async fn rejects_binary_large_and_unknown_files() {
    let scratch = Scratch::new()
        .file("latin.txt", b"caf\xe9\n")
        .file("binary.txt", b"a\0b")
        .file("large.txt", "x".repeat(10 * 1024 * 1024 + 1))
        .file("key.pem", "secret\n")
        .file("photo.JPG", "x")
        .file("Main.RS", "fn main() {}\n");
    for (path, code) in [
        ("latin.txt", Some("not_text")),
        ("binary.txt", Some("not_text")),
        ("large.txt", Some("file_too_large")),
        ("key.pem", Some("invalid_arguments")),
        ("photo.JPG", Some("invalid_arguments")),
        ("../file.txt", Some("path_outside_workspace")),
        ("Main.RS", None),
    ] {
        let result = call(&scratch, "read_file", json!({"path": path})).await;

        let found = result.error.as_ref().map(|error| error.code.as_str());
        assert_eq!(found, code, "{path}: {result}");
    }
}

#[tokio::test]
async fn returns_at_most_10000_lines() {
    let scratch = Scratch::new().file("long.txt", "x\n".repeat(10_001));

    let result = call(&scratch, "read_file", json!({"path": "long.txt"})).await;

    assert_eq!(result.data.as_ref().unwrap()["lines_returned"], 10_000);
    assert_eq!(result.warnings.len(), 1);
}

#[test]
fn extensions_are_sorted_and_unique() {
    assert!(EXTENSIONS.split(' ').is_sorted_by(|one, next| one < next));
}
