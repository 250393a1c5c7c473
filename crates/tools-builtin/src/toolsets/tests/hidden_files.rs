//! Hidden and ignored files in the searches of every toolset.

use serde_json::json;
use tool_test::Scratch;

use crate::toolsets::ToolsetName::{CliAgent, Dracode, RepoExplorer, Standard};
use crate::toolsets::testing;

fn project() -> Scratch {
    Scratch::new()
        .file(".github/workflows/ci.yml", "needle\n")
        .file("built/a.js", "needle\n")
        .file("src/a.js", "other\n")
        .file(".gitignore", "built/\n")
}

#[tokio::test]
async fn pattern_finds_hidden_and_ignored_files_it_names() {
    let scratch = project();
    for (hidden, ignored) in [
        (".github/workflows/ci.yml", "built/a.js"),
        (".github/**", "built/*"),
    ] {
        for (pattern, found) in [
            (hidden, ".github/workflows/ci.yml"),
            (ignored, "built/a.js"),
        ] {
            for (set, tool, arguments) in [
                (Standard, "search", json!({"pattern": "", "glob": pattern})),
                (
                    Standard,
                    "search",
                    json!({"pattern": "needle", "glob": pattern}),
                ),
                (CliAgent, "file_search", json!({"pattern": pattern})),
                (
                    CliAgent,
                    "grep_search",
                    json!({"pattern": "needle", "file_pattern": pattern}),
                ),
                (
                    Dracode,
                    "search_code",
                    json!({"query": "needle", "pattern": pattern}),
                ),
                (
                    RepoExplorer,
                    "search_code",
                    json!({"query": "needle", "filePattern": pattern}),
                ),
            ] {
                let result = testing::call(set, &scratch, tool, arguments).await;

                assert!(
                    result.text().contains(found),
                    "{set} {tool} {pattern}: {result}"
                );
            }
        }
    }
}

#[tokio::test]
async fn few_hits_state_shown_ways_to_include_skipped_files() {
    let scratch = project();
    for (set, tool, arguments, count, switches, parameter) in [
        (
            Standard,
            "search",
            json!({"pattern": "", "glob": "*"}),
            3,
            "",
            "glob",
        ),
        (
            Standard,
            "search",
            json!({"pattern": "needle"}),
            3,
            "",
            "glob",
        ),
        (
            CliAgent,
            "file_search",
            json!({"pattern": "*"}),
            3,
            "",
            "pattern",
        ),
        (
            CliAgent,
            "grep_search",
            json!({"pattern": "needle"}),
            3,
            "",
            "file_pattern",
        ),
        (
            Dracode,
            "search_code",
            json!({"query": "needle"}),
            3,
            "",
            "pattern",
        ),
        (
            RepoExplorer,
            "search_code",
            json!({"query": "needle"}),
            3,
            "",
            "filePattern",
        ),
    ] {
        let result = testing::call(set, &scratch, tool, arguments).await;

        assert_eq!(
            result.warnings,
            [format!(
                "Skipped {count} hidden or ignored files, such as `.gitignore`.{switches} Name a directory or file in `{parameter}` to include only that one."
            )],
            "{set} {tool}"
        );
    }
}
