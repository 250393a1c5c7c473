mod skipped;
mod threads;
mod time;

use serde_json::{Value, json};
use tool_core::{CancellationToken, ErrorCode, ToolOutput};
use tool_test::Scratch;

use super::*;

async fn search_in(scratch: &Scratch, input: Value) -> Result<SearchCodeOutput, ToolError> {
    run(scratch, &ToolContext::test(), input).await
}

async fn run(
    scratch: &Scratch,
    cx: &ToolContext,
    input: Value,
) -> Result<SearchCodeOutput, ToolError> {
    let tool = SearchCode::new(Workspace::open(scratch.path()).unwrap());
    let input = serde_json::from_value(input).unwrap();
    drop(tool.plan(&ToolContext::test(), &input)?);
    tool.run(cx, input).await
}

fn places(output: &SearchCodeOutput) -> Vec<String> {
    output
        .matches
        .iter()
        .map(|found| format!("{}:{}:{}", found.path, found.line, found.column))
        .collect()
}

fn warnings(cx: &ToolContext) -> Vec<String> {
    let mut output = ToolOutput::default();
    cx.move_additions_to(&mut output);
    output.warnings
}

fn project() -> Scratch {
    Scratch::new()
        .file("src/Agent.cs", "using System;\r\nclass MyAgent {}\r\n")
        .file(
            "src/Program.cs",
            "using System;\nvar result = await agent.RunAsync(task);\n",
        )
        .file("src/deep/a.js", "// agent\n")
        .file("src-2/b.ts", "AGENT\n")
        .file("notes.md", "no agents\nan AGENT here, an agent there\n")
        .file(".hidden/c.md", "agent\n")
        .file(".env.md", "agent\n")
        .file(".gitignore", "built/\n*.log\n")
        .file("built/d.md", "agent\n")
        .file("e.log", "agent\n")
}

#[tokio::test]
async fn parameters_select_files_and_matches() {
    let scratch = project();
    for (input, expected) in [
        (
            json!({"query": "agent"}),
            &[
                "notes.md:1:4",
                "notes.md:2:4",
                "src-2/b.ts:1:1",
                "src/Agent.cs:2:9",
                "src/Program.cs:2:20",
                "src/deep/a.js:1:4",
            ][..],
        ),
        (
            json!({"query": "agent", "case_sensitive": true}),
            &[
                "notes.md:1:4",
                "notes.md:2:19",
                "src/Program.cs:2:20",
                "src/deep/a.js:1:4",
            ],
        ),
        (
            json!({"query": "AGENT", "case_sensitive": true}),
            &["notes.md:2:4", "src-2/b.ts:1:1"],
        ),
        (
            json!({"query": "agent", "pattern": "*.cs"}),
            &["src/Agent.cs:2:9", "src/Program.cs:2:20"],
        ),
        (
            json!({"query": "agent", "pattern": "*.{js,ts}"}),
            &["src-2/b.ts:1:1", "src/deep/a.js:1:4"],
        ),
        (
            json!({"query": "agent", "pattern": "src/**/*.js"}),
            &["src/deep/a.js:1:4"],
        ),
        (
            json!({"query": "agent", "recursive": false}),
            &["notes.md:1:4", "notes.md:2:4"],
        ),
        (
            json!({"query": "agent", "path": "src", "recursive": false}),
            &["src/Agent.cs:2:9", "src/Program.cs:2:20"],
        ),
        (
            json!({"query": "agent", "path": "src/deep"}),
            &["src/deep/a.js:1:4"],
        ),
        (
            json!({"query": "agent", "path": "src/Agent.cs"}),
            &["src/Agent.cs:2:9"],
        ),
        (
            json!({"query": "agent", "path": "./src-2/"}),
            &["src-2/b.ts:1:1"],
        ),
        (
            json!({"query": "agent", "pattern": ".hidden/*"}),
            &[".hidden/c.md:1:1"],
        ),
        (
            json!({"query": "agent", "pattern": "built/d.md"}),
            &["built/d.md:1:1"],
        ),
        (
            json!({"query": "agent", "pattern": "e.log"}),
            &["e.log:1:1"],
        ),
    ] {
        let output = search_in(&scratch, input.clone()).await.unwrap();

        assert_eq!(places(&output), expected, "{input}");
    }
}

#[tokio::test]
async fn query_is_literal_by_default() {
    let scratch = project();
    for (input, expected) in [
        (
            json!({"query": "class.*Agent", "pattern": "*.cs", "regex": true}),
            &["src/Agent.cs:2:1"][..],
        ),
        (json!({"query": "class.*Agent"}), &[]),
        (
            json!({"query": "^agent", "regex": true}),
            &["src-2/b.ts:1:1"],
        ),
        (
            json!({"query": "system;$", "regex": true}),
            &["src/Agent.cs:1:7", "src/Program.cs:1:7"],
        ),
        (
            json!({"query": r"\bagent\b.*\bagent\b", "regex": true}),
            &["notes.md:2:4"],
        ),
        (json!({"query": "RunAsync("}), &["src/Program.cs:2:26"]),
        (
            json!({"query": "agent", "limit": 2}),
            &["notes.md:1:4", "notes.md:2:4"],
        ),
        (json!({"query": "nowhere"}), &[]),
    ] {
        let output = search_in(&scratch, input.clone()).await.unwrap();

        assert_eq!(places(&output), expected, "{input}");
    }
}

#[tokio::test]
async fn match_has_position_and_context() {
    let scratch = Scratch::new().file("a/b.txt", "one\ntwo\nthree\nfour\nfive\n");

    let output = search_in(&scratch, json!({"query": "r", "context_lines": 1}))
        .await
        .unwrap();

    assert_eq!(
        serde_json::to_value(&output).unwrap(),
        json!({
            "matches": [
                {"path": "a/b.txt", "line": 3, "column": 3, "text": "three", "before": ["two"], "after": ["four"]},
                {"path": "a/b.txt", "line": 4, "column": 4, "text": "four", "before": ["three"], "after": ["five"]},
            ],
            "total_matches": 2,
            "files_searched": 1,
            "truncated": false,
        })
    );
    assert_eq!(
        SearchCode::render(&output),
        "a/b.txt-2- two\na/b.txt:3: three\na/b.txt:4: four\na/b.txt-5- five"
    );
}

#[tokio::test]
async fn rejects_invalid_arguments_by_name() {
    use ErrorCode::{FileNotFound, InvalidArguments, InvalidPattern, PathOutsideWorkspace};

    let scratch = project();
    for (input, parameter, code) in [
        (json!({"query": ""}), "query", InvalidArguments),
        (json!({"query": "a\nb"}), "query", InvalidPattern),
        (
            json!({"query": "a(", "regex": true}),
            "query",
            InvalidPattern,
        ),
        (
            json!({"query": "a", "pattern": "[a"}),
            "pattern",
            InvalidPattern,
        ),
        (json!({"query": "a", "limit": 0}), "limit", InvalidArguments),
        (
            json!({"query": "a", "limit": 1001}),
            "limit",
            InvalidArguments,
        ),
        (
            json!({"query": "a", "context_lines": 21}),
            "context_lines",
            InvalidArguments,
        ),
        (
            json!({"query": "a", "path": "missing"}),
            "path",
            FileNotFound,
        ),
        (
            json!({"query": "a", "path": "../other"}),
            "path",
            PathOutsideWorkspace,
        ),
        (
            json!({"query": "a", "path": "/etc"}),
            "path",
            PathOutsideWorkspace,
        ),
    ] {
        let error = search_in(&scratch, input.clone()).await.unwrap_err();

        assert_eq!(
            (error.parameter(), error.code()),
            (Some(parameter), &code),
            "{input}"
        );
    }
}

#[tokio::test]
async fn truncated_output_reports_further_matches() {
    let scratch = Scratch::new().file("a.txt", "x\n".repeat(10));

    let cut = search_in(&scratch, json!({"query": "x", "limit": 9}))
        .await
        .unwrap();
    let whole = search_in(&scratch, json!({"query": "x", "limit": 10}))
        .await
        .unwrap();

    assert_eq!(
        (cut.matches.len(), cut.total_matches, cut.truncated),
        (9, 10, true)
    );
    assert_eq!(
        (whole.matches.len(), whole.total_matches, whole.truncated),
        (10, 10, false)
    );
}

#[tokio::test]
async fn output_is_sorted_by_path() {
    let scratch = ["b", "a/z", "a-b", "a.b", "a/b/c", "ä", "B"]
        .into_iter()
        .fold(Scratch::new(), |scratch, path| scratch.file(path, "x"));

    let first = search_in(&scratch, json!({"query": "x"})).await.unwrap();
    let second = search_in(&scratch, json!({"query": "x"})).await.unwrap();

    let paths: Vec<&str> = first
        .matches
        .iter()
        .map(|found| found.path.as_str())
        .collect();
    assert_eq!(paths, ["B", "a-b", "a.b", "a/b/c", "a/z", "b", "ä"]);
    assert_eq!(first, second);
}

#[tokio::test]
async fn long_line_causes_warning() {
    let text = format!("needle\n{}needle\n", "x".repeat(17 * 1024 * 1024));
    let scratch = Scratch::new().file("a.txt", text).file("b.txt", "needle");
    let cx = ToolContext::test();

    let output = run(&scratch, &cx, json!({"query": "needle"}))
        .await
        .unwrap();

    assert_eq!(places(&output), ["a.txt:1:1", "b.txt:1:1"]);
    assert_eq!(
        warnings(&cx),
        [
            "Files searched only in part, because a line or a file in another encoding than UTF-8 exceeds 16 MB: 1."
        ]
    );
}

#[tokio::test]
async fn searches_files_larger_than_window() {
    let lines = (1..=60_000).map(|number| {
        let word = if number % 10_000 == 0 {
            "needle"
        } else {
            "filler"
        };
        format!("{word} {number}\n")
    });
    let text = lines.collect::<String>();
    let scratch = Scratch::new().file("a.txt", text);

    let output = search_in(&scratch, json!({"query": "needle", "context_lines": 2}))
        .await
        .unwrap();

    let found: Vec<_> = output
        .matches
        .iter()
        .map(|found| {
            (
                found.line,
                found.text.as_str(),
                found.before.join(","),
                found.after.join(","),
            )
        })
        .collect();
    let expected: Vec<_> = (1..=6)
        .map(|tenth| tenth * 10_000)
        .map(|number| {
            let after = (number + 1..=60_000)
                .take(2)
                .map(|line| format!("filler {line}"));
            let after = after.collect::<Vec<_>>().join(",");
            let before = format!("filler {},filler {}", number - 2, number - 1);
            (number, format!("needle {number}"), before, after)
        })
        .collect();
    let expected: Vec<_> = expected
        .iter()
        .map(|(line, text, before, after)| (*line, text.as_str(), before.clone(), after.clone()))
        .collect();
    assert_eq!(found, expected);
}

#[tokio::test]
async fn shortens_long_line_around_match() {
    let line = format!("{}needle{}", "x".repeat(3_000_000), "y".repeat(3_000_000));
    let scratch = Scratch::new().file("min.js", line);

    let output = search_in(&scratch, json!({"query": "needle"}))
        .await
        .unwrap();

    assert_eq!(output.matches[0].column, 3_000_001);
    assert!(output.matches[0].text.len() < 600 && output.matches[0].text.contains("xneedley"));
}

#[test]
fn schema_has_defaults() {
    let schema = tool_core::schema_of::<SearchCodeInput>();

    let defaults: Vec<Value> = [
        "path",
        "pattern",
        "recursive",
        "regex",
        "limit",
        "context_lines",
    ]
    .map(|name| schema["properties"][name]["default"].clone())
    .into();
    assert_eq!(json!(defaults), json!([".", "*", true, false, 100, 0]));
    assert_eq!(schema["required"], json!(["query"]));
    assert_eq!(schema["properties"]["limit"]["maximum"], 1000);
}
