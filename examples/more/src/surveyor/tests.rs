//! Surveys of real directories with the real tools.

use std::fs;
use std::path::Path;

use agent_loop::{AgentLoop, LoopError, RunOutcome, Status};
use provider_adapters::Message;
use tempfile::TempDir;
use tools_builtin::Workspace;

use super::*;

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, content) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    folder
}

async fn survey_into(surveyed: &Path, scratch: &Path) -> RunOutcome {
    let open = |path| Workspace::open(path).unwrap();
    let registry = tools(open(surveyed), open(scratch)).unwrap().build();
    AgentLoop::new(registry, Surveyor::new("place"))
        .run("Survey.")
        .await
}

/// Returns the report on a directory with these files.
async fn survey(files: &[(&str, &str)]) -> String {
    let (surveyed, scratch) = (folder(files), folder(&[]));
    let outcome = survey_into(surveyed.path(), scratch.path()).await;
    assert_eq!((outcome.status, &outcome.error), (Status::Completed, &None));
    fs::read_to_string(scratch.path().join(REPORT)).unwrap()
}

#[tokio::test]
async fn report_describes_directory() {
    let report = survey(&[
        (
            "src/a.rs",
            "fn a() {\n    // TODO: more\n    b.unwrap();\n}\n",
        ),
        ("src/b.rs", "// FIXME `now`\n"),
        ("README", "TODO_LIST is a name.\n"),
        (".hidden", "TODO\n"),
    ])
    .await;

    for line in [
        "# Survey of `place`",
        "Listed: 3 files, 81 bytes.",
        "| `.rs` | 2 | 60 |",
        "| no extension | 1 | 21 |",
        "- `src/a.rs`: 45 bytes",
        "In 3 files searched, 1 matching line for `\\bTODO\\b` (case-sensitive).",
        "src/a.rs:2: // TODO: more",
        "src/b.rs:1: // FIXME `now`",
        "src/a.rs:3: b.unwrap();",
        "`src/a.rs`, lines 1 to 4:",
        "`src/b.rs`, lines 1 to 1:",
    ] {
        assert!(
            report.lines().any(|found| found == line),
            "{line}\n{report}"
        );
    }
}

#[tokio::test]
async fn surveys_empty_directory() {
    let report = survey(&[]).await;

    assert!(report.contains("There are no files.\n"), "{report}");
    assert!(!report.contains("searched,"), "{report}");
}

#[tokio::test]
async fn reads_no_files_without_hits() {
    let report = survey(&[("a.txt", "nothing\n")]).await;

    assert!(
        report.contains("In 1 file searched, 0 matching lines for `\\bFIXME\\b`"),
        "{report}"
    );
    assert!(!report.contains("Around the best hits"), "{report}");
}

#[tokio::test]
async fn file_content_cannot_escape_code_block() {
    let report = survey(&[("a.md", "```\n# FIXME\u{1b}[2J\n")]).await;

    assert!(
        report.contains("````text\n```\n# FIXME\u{fffd}[2J\n````"),
        "{report}"
    );
    assert!(!report.contains('\u{1b}'), "{report:?}");
}

#[tokio::test]
async fn survey_does_not_change_directory() {
    let (surveyed, scratch) = (folder(&[("a.txt", "TODO\n")]), folder(&[]));

    survey_into(surveyed.path(), scratch.path()).await;

    let names: Vec<_> = fs::read_dir(surveyed.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names, ["a.txt"]);
}

#[tokio::test]
async fn truncated_search_reports_minimum() {
    let many = "// TODO\n".repeat(MAX_HITS + 5);

    let report = survey(&[("a.rs", &many)]).await;

    assert!(
        report.contains("In 1 file searched, at least 100"),
        "{report}"
    );
    assert!(report.contains("980 hits more not shown here."), "{report}");
}

#[tokio::test]
async fn failed_report_fails_run() {
    let (surveyed, scratch) = (folder(&[("a.txt", "TODO\n")]), folder(&[]));
    let workspace = Workspace::open(surveyed.path()).unwrap();
    let place = Workspace::open(scratch.path()).unwrap();
    let registry = tools(workspace, place).unwrap().build();
    registry.unregister("write").unwrap();

    let outcome = AgentLoop::new(registry, Surveyor::new("place"))
        .run("Survey.")
        .await;

    assert_eq!(outcome.status, Status::Failed);
    let Some(LoopError::Model(error)) = outcome.error else {
        panic!("{outcome:?}");
    };
    assert!(
        error
            .to_string()
            .starts_with("`write` failed: Error: No tool"),
        "{error}"
    );
}

#[tokio::test]
async fn plan_is_completed() {
    let (surveyed, scratch) = (folder(&[("a.txt", "TODO\n")]), folder(&[]));

    let outcome = survey_into(surveyed.path(), scratch.path()).await;

    let Some(Message::Tool { results }) = outcome.transcript.messages().iter().rev().nth(1) else {
        panic!("{:?}", outcome.transcript);
    };
    let plan: serde_json::Value = serde_json::from_str(&results[0].content.to_text()).unwrap();
    let statuses: Vec<_> = plan["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["status"].as_str().unwrap())
        .collect();
    assert_eq!(statuses, ["completed"; 4]);
    assert_eq!(
        outcome.reply.as_deref(),
        Some(
            "Found: 1 file, 0 lines with FIXME, 1 line with TODO, 0 lines with panics. The survey is in SURVEY.md."
        )
    );
}
