//! Inputs and outputs printed in the source document of the toolset.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Value, json};
use tool_core::{Registry, Secret, ToolContext, ToolError, ToolResult};
use tool_test::Scratch;

use crate::repository::{NotConnected, OpenRepository, RepositorySource};
use crate::toolsets::RepoExplorerResult;
use crate::toolsets::ToolsetName::RepoExplorer;
use crate::toolsets::testing;
use crate::{Kit, Workspace};

async fn call(scratch: &Scratch, tool: &str, arguments: Value) -> ToolResult {
    testing::call(RepoExplorer, scratch, tool, arguments).await
}

/// Returns the JSON that the model receives.
async fn output(scratch: &Scratch, tool: &str, arguments: Value) -> Value {
    let result = call(scratch, tool, arguments).await;
    serde_json::from_str(&result.text()).unwrap_or_else(|error| panic!("{error}: {result}"))
}

fn webapp() -> Scratch {
    Scratch::new()
        .folder("apps/webapp/src/domains")
        .folder("apps/webapp/src/routes")
        .file("apps/webapp/src/main.tsx", "x".repeat(1020))
        .file("apps/webapp/src/main.css", "")
        .file("apps/webapp/src/routes/index.tsx", "")
}

#[tokio::test]
async fn outputs_match_document() {
    let button = format!("{:2048}", "export function Button() { ... }");
    let scratch = webapp().file("src/components/button.tsx", &button);
    for (tool, input, printed) in [
        (
            "list_dirs",
            json!({"path": "apps/webapp/src", "depth": 2, "limit": 50}),
            json!({
                "dirs": [
                    {"path": "apps/webapp/src/domains", "depth": 1},
                    {"path": "apps/webapp/src/routes", "depth": 1},
                ],
                "truncated": false,
            }),
        ),
        (
            "list_files",
            json!({"path": "apps/webapp/src", "pattern": "*.tsx", "limit": 50}),
            json!({
                "files": [{"path": "apps/webapp/src/main.tsx", "name": "main.tsx", "size": 1020}],
                "truncated": false,
            }),
        ),
        (
            "read_file",
            json!({"path": "src/components/button.tsx"}),
            json!({"path": "src/components/button.tsx", "content": button, "size": 2048}),
        ),
    ] {
        assert_eq!(output(&scratch, tool, input).await, printed, "{tool}");
    }
}

#[tokio::test]
async fn search_returns_paths_and_snippets() {
    let scratch = Scratch::new()
        .file(
            "src/auth/login.tsx",
            "export function LoginForm() { // auth\n",
        )
        .file("src/auth/token.ts", "const AUTH = 1;\n");

    let input = json!({"query": "auth", "filePattern": "*.ts", "limit": 20});

    assert_eq!(
        output(&scratch, "search_code", input).await,
        json!([{"path": "src/auth/token.ts", "snippet": "const AUTH = 1;"}])
    );
    assert_eq!(
        output(&scratch, "search_code", json!({"query": "nowhere"})).await,
        json!([])
    );
}

#[tokio::test]
async fn plan_matches_document() {
    let input = json!({"items": [
        {"content": "Gather context", "activeForm": "Gathering context", "status": "pending"},
        {"content": "Map domains", "activeForm": "Mapping domains", "status": "pending"},
    ]});
    let gather = json!({
        "id": "step-1", "content": "Gather context", "activeForm": "Gathering context", "status": "in_progress",
    });

    assert_eq!(
        output(&Scratch::new(), "todo_manager", input).await,
        json!({
            "items": [
                gather,
                {"id": "step-2", "content": "Map domains", "activeForm": "Mapping domains", "status": "pending"},
            ],
            "maxItems": 15,
            "currentItem": gather,
        })
    );
}

#[tokio::test]
async fn ignores_unknown_step_keys_with_warning() {
    let input = json!({"items": [
        {"content": "Map", "activeForm": "Mapping", "status": "pending", "id": "step-1", "state": 1},
    ]});

    let result = call(&Scratch::new(), "todo_manager", input).await;

    assert!(result.success);
    assert_eq!(
        result.warnings,
        [
            "`items[0].id` is not a known parameter and was ignored. \
             Known in `items[0]`: `activeForm`, `content`, `status`.",
            "`items[0].state` is not a known parameter and was ignored. Did you mean `status`?",
        ]
    );
}

#[tokio::test]
async fn validation_errors_match_document() {
    let input = json!({
        "outputType": "domain_map",
        "data": {"domains": [], "layout": {}, "summary": {}},
    });

    let result = call(&Scratch::new(), "validate_output", input).await;

    assert!(result.success);
    assert_eq!(
        result.text(),
        r#"{"valid":false,"errors":["Missing 'domains' array"],"warnings":[]}"#
    );
}

#[tokio::test]
async fn warnings_keep_output_valid_and_unknown_type_fails() {
    let domains = json!({"domains": [{"name": "auth"}]});
    let known = json!({"outputType": "domain_map", "data": domains.to_string()});
    let unknown = json!({"outputType": "domains", "data": domains});

    let valid = output(&Scratch::new(), "validate_output", known).await;
    let refused = call(&Scratch::new(), "validate_output", unknown).await;

    assert_eq!(
        valid,
        json!({
            "valid": true,
            "errors": [],
            "warnings": ["Missing 'layout' object", "Missing 'summary' object"],
        })
    );
    let error = refused.error.unwrap();
    assert_eq!(error.parameter.as_deref(), Some("outputType"));
    assert_eq!(
        error.suggestion.as_deref(),
        Some("Use one of `domain_map`.")
    );
}

#[tokio::test]
async fn content_over_100_kb_is_truncated_and_size_is_total() {
    let line = format!("{}\n", "x".repeat(99));
    let scratch = Scratch::new()
        .file("long.txt", line.repeat(2000))
        .file("short.txt", "y".repeat(100 * 1024));

    let long = output(&scratch, "read_file", json!({"path": "long.txt"})).await;
    let short = output(&scratch, "read_file", json!({"path": "short.txt"})).await;

    assert_eq!(long["content"].as_str().unwrap().len(), 100 * 1024);
    assert_eq!(long["size"], 200_000);
    assert_eq!(short["content"].as_str().unwrap().len(), 100 * 1024);
}

#[tokio::test]
async fn clamps_numbers_out_of_range() {
    let scratch = Scratch::new()
        .folder("a/b/c/d")
        .file("x", "match\nmatch\n")
        .file("y", "match\n");
    for (tool, input, key, count) in [
        ("list_dirs", json!({"depth": 9}), "dirs", 3),
        ("list_dirs", json!({"depth": 0}), "dirs", 1),
        ("list_dirs", json!({"depth": -2, "limit": 0}), "dirs", 1),
        ("list_dirs", json!({"depth": 3, "limit": 2}), "dirs", 2),
        ("list_files", json!({"limit": 0}), "files", 1),
        ("list_files", json!({"limit": 99_999}), "files", 2),
        ("search_code", json!({"query": "match", "limit": 0}), "", 1),
        (
            "search_code",
            json!({"query": "match", "limit": 5000}),
            "",
            3,
        ),
    ] {
        let given = output(&scratch, tool, input.clone()).await;

        let listed = if key.is_empty() { &given } else { &given[key] };
        assert_eq!(listed.as_array().unwrap().len(), count, "{tool} {input}");
    }
}

#[tokio::test]
async fn defaults_are_50_entries_20_matches_and_depth_1() {
    let mut scratch = Scratch::new().folder("d00/deeper");
    for number in 0..60 {
        scratch = scratch
            .folder(&format!("d{number:02}"))
            .file(&format!("f{number:02}"), "match\n");
    }

    for (tool, input, key, count) in [
        ("list_dirs", json!({}), "dirs", 50),
        ("list_files", json!({}), "files", 50),
        ("search_code", json!({"query": "match"}), "", 20),
    ] {
        let given = output(&scratch, tool, input).await;

        let listed = if key.is_empty() { &given } else { &given[key] };
        assert_eq!(listed.as_array().unwrap().len(), count, "{tool}");
        assert_eq!(
            given.get("truncated"),
            (!key.is_empty()).then_some(&json!(true)),
            "{tool}"
        );
    }
}

#[tokio::test]
async fn lists_one_level_with_hidden_and_ignored_files() {
    let scratch = Scratch::new()
        .file(".gitignore", "*.log\n")
        .file("a.log", "")
        .file("below/b.txt", "");

    let given = output(&scratch, "list_files", json!({"recursive": true})).await;

    let names: Vec<&str> = given["files"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|file| file["name"].as_str())
        .collect();
    assert_eq!(names, [".gitignore", "a.log"]);
}

#[tokio::test]
async fn list_dirs_names_ignored_directories_without_entering() {
    let mut scratch = Scratch::new()
        .folder("src/web")
        .folder(".github/workflows")
        .file(".gitignore", "node_modules/\n");
    for number in 0..60 {
        scratch = scratch
            .folder(&format!(".git/{number:02}"))
            .folder(&format!("node_modules/{number:02}"));
    }

    let listed = output(&scratch, "list_dirs", json!({"depth": 2})).await;
    let requested = call(&scratch, "list_dirs", json!({"path": "node_modules"})).await;

    let paths: Vec<&Value> = listed["dirs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["path"])
        .collect();
    assert_eq!(
        paths,
        [
            ".git",
            ".github",
            "node_modules",
            "src",
            ".github/workflows",
            "src/web"
        ]
    );
    assert_eq!(listed["truncated"], false);
    let [warning] = requested.warnings.as_slice() else {
        panic!("{:?}", requested.warnings);
    };
    assert!(
        warning.starts_with("Omitted directories: node_modules/50, "),
        "{warning}"
    );
}

#[tokio::test]
async fn error_names_shown_parameter() {
    for (tool, input, code, parameter) in [
        (
            "list_dirs",
            json!({"path": "../x"}),
            "path_outside_workspace",
            "path",
        ),
        (
            "read_file",
            json!({"path": "nowhere"}),
            "file_not_found",
            "path",
        ),
        (
            "search_code",
            json!({"query": "a", "filePattern": "["}),
            "invalid_pattern",
            "filePattern",
        ),
        (
            "todo_manager",
            json!({"items": "none"}),
            "invalid_arguments",
            "items",
        ),
    ] {
        let error = call(&webapp(), tool, input).await.error.unwrap();

        assert_eq!(
            (error.code.as_str(), error.parameter.as_deref()),
            (code, Some(parameter)),
            "{tool}"
        );
    }
}

#[derive(Debug)]
struct Local(Workspace);

#[async_trait]
impl RepositorySource for Local {
    async fn open(&self, _cx: &ToolContext) -> Result<OpenRepository, ToolError> {
        let opened = OpenRepository::new(self.0.clone());
        let secret = Secret::new("token-of-mine".to_owned());
        opened.redactor.learn(&secret).unwrap();
        Ok(opened)
    }
}

fn connected(scratch: &Scratch, source: Arc<dyn RepositorySource>) -> Registry {
    let kit = Kit::new(Workspace::open(scratch.path()).unwrap()).with_repository(source);
    let toolset = RepoExplorer.toolset(&kit).unwrap();
    Registry::builder().toolset(&toolset).unwrap().build()
}

#[tokio::test]
async fn other_source_returns_same_outputs_as_disk() {
    let scratch = webapp()
        .file("apps/webapp/src/long.tsx", "ä".repeat(60 * 1024))
        .file("latin.txt", b"caf\xe9");
    let local = Local(Workspace::open(scratch.path()).unwrap());
    let registry = connected(&scratch, Arc::new(local));
    for (tool, input) in [
        ("list_dirs", json!({})),
        ("list_dirs", json!({"path": "apps", "depth": 3})),
        ("list_dirs", json!({"path": "apps", "depth": 3, "limit": 3})),
        ("list_files", json!({"path": "apps/webapp/src"})),
        (
            "list_files",
            json!({"path": "apps/webapp/src", "pattern": "*.tsx", "limit": 1}),
        ),
        ("read_file", json!({"path": "apps/webapp/src/main.tsx"})),
        ("read_file", json!({"path": "apps/webapp/src/long.tsx"})),
        ("search_code", json!({"query": "XXX"})),
        ("search_code", json!({"query": "x", "filePattern": "*.css"})),
        ("read_file", json!({"path": "nowhere"})),
        ("list_files", json!({"path": "apps/webapp/src/main.tsx"})),
        ("list_files", json!({"pattern": "["})),
    ] {
        let here = call(&scratch, tool, input.clone()).await;

        let there = registry.execute(tool, input.clone()).await;

        assert_eq!(
            (there.text(), there.success),
            (here.text(), here.success),
            "{tool} {input}"
        );
    }
}

#[tokio::test]
async fn missing_connection_returns_documented_error() {
    let scratch = webapp();
    let registry = connected(&scratch, Arc::new(NotConnected));
    for (tool, input) in [
        ("list_dirs", json!({})),
        ("list_files", json!({})),
        ("read_file", json!({"path": "a"})),
        ("search_code", json!({"query": "a"})),
    ] {
        let result = registry.execute(tool, input.clone()).await;

        assert_eq!(
            result.text(),
            r#"{ "error": "No active GitHub connection found" }"#,
            "{tool}"
        );
        let form = json!(RepoExplorerResult(&result));
        assert_eq!(form["error"], "No active GitHub connection found");
        assert_eq!(form.get("output"), None);
    }
}

#[tokio::test]
async fn result_form_has_documented_output() {
    let scratch = Scratch::new()
        .file("src/auth/token.ts", "const AUTH = 1;\n")
        .file("a.json", "{}");
    for (tool, input, output) in [
        (
            "search_code",
            json!({"query": "auth"}),
            json!([{"path": "src/auth/token.ts", "snippet": "const AUTH = 1;"}]),
        ),
        (
            "read_file",
            json!({"path": "a.json"}),
            json!({"path": "a.json", "content": "{}", "size": 2}),
        ),
    ] {
        let result = call(&scratch, tool, input.clone()).await;

        let form = json!(RepoExplorerResult(&result));

        assert_eq!((&form["name"], &form["output"]), (&json!(tool), &output));
    }
}

#[tokio::test]
async fn result_form_of_several_blocks_has_data() {
    let scratch = Scratch::new().file("a.ts", "const AUTH = 1;\n");
    let mut result = call(&scratch, "search_code", json!({"query": "auth"})).await;
    let rendered = json!(RepoExplorerResult(&result))["output"].clone();

    result.content.push(tool_core::ContentBlock::text("more"));

    let form = json!(RepoExplorerResult(&result));
    assert_eq!(Some(&form["output"]), result.data.as_ref());
    assert_ne!(form["output"], rendered);
}

#[tokio::test]
async fn search_at_limit_suggests_narrower_arguments() {
    let scratch = Scratch::new().file("a.txt", "match\n".repeat(1001));

    let result = call(
        &scratch,
        "search_code",
        json!({"query": "match", "limit": 1000}),
    )
    .await;

    let warning = "Stopped after 1000 matches; there may be more: narrow `query` or `filePattern`.";
    assert_eq!(result.warnings, [warning]);
}

#[tokio::test]
async fn other_source_returns_no_secrets() {
    let scratch = Scratch::new()
        .file("a.txt", "my token-of-mine\n")
        .file("b.bin", b"\0\xff token-of-mine\0");
    let local = Local(Workspace::open(scratch.path()).unwrap());
    let registry = connected(&scratch, Arc::new(local));
    for (tool, input) in [
        ("read_file", json!({"path": "a.txt"})),
        ("read_file", json!({"path": "b.bin"})),
        ("search_code", json!({"query": "my"})),
    ] {
        let result = registry.execute(tool, input.clone()).await;

        let shown = format!("{} {:?}", result.text(), result.data);
        assert!(shown.contains("[redacted]"), "{input}: {shown}");
        assert!(!shown.contains("of-mine"), "{input}: {shown}");
    }
}

#[tokio::test]
async fn pointer_of_lfs_is_returned_with_warning() {
    let pointer = "version https://git-lfs.github.com/spec/v1\nsize 9\n";
    let scratch = Scratch::new().file("big.bin", pointer);

    let result = call(&scratch, "read_file", json!({"path": "big.bin"})).await;

    assert!(result.success && result.text().contains("size 9"));
    assert_eq!(result.warnings.len(), 1, "{:?}", result.warnings);
}
