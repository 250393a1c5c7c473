//! Faults that users reported of the edit tools of other agents, by the names of the reports.

use serde_json::{Value, json};
use tool_core::approval::{Answer, Policy, approver_fn};
use tool_core::{Registry, ToolDefinition, ToolResult, Typed};
use tool_test::Scratch;

use crate::files::scenario::{open, session_files};
use crate::files::seen::SeenFiles;
use crate::files::{ApplyPatch, EditFile, EditFileInput};

struct Session {
    registry: Registry,
    seen: SeenFiles,
}

impl Session {
    fn new(scratch: &Scratch) -> Self {
        let (workspace, seen) = (open(scratch), SeenFiles::default());
        let edit = EditFile::new(session_files(workspace.clone(), seen.clone()));
        let edit = Typed::new("edit", "", edit).define(EditFileInput::define);
        let patch = ApplyPatch(session_files(workspace, seen.clone()));
        let patch = Typed::new("apply_patch", "", patch).define(ToolDefinition::closed);
        let registry = Registry::builder()
            .policy(Policy::allow_all())
            .approver(approver_fn(|_| Answer::Approve));
        let registry = registry.tool(edit).unwrap().tool(patch).unwrap().build();
        Self { registry, seen }
    }

    async fn edit(&self, old: &str, new: &str) -> ToolResult {
        let edits: Value = json!([{"old": old, "new": new}]);
        let arguments = json!({"path": "a", "edits": edits});
        self.registry.execute("edit", arguments).await
    }

    async fn patch(&self, sections: &str) -> ToolResult {
        let patch = format!("*** Begin Patch\n{sections}\n*** End Patch");
        self.registry
            .execute("apply_patch", json!({"patch": patch}))
            .await
    }
}

// openclaw/openclaw#124470: one of several equal places was changed, with success.
#[tokio::test]
async fn openclaw_124470_equal_places_are_refused() {
    let text = "a {\n  x: 1\n}\nb {\n  x: 1\n}\n";
    let scratch = Scratch::new().file("a", text);
    let session = Session::new(&scratch);

    let edited = session.edit("x: 1", "x: 2").await;
    let patched = session
        .patch("*** Update File: a\n@@\n-  x: 1\n+  x: 2")
        .await;
    // Nor if only a tolerant match has several.
    let tolerant = session.edit("x: 1  \n}", "x: 2\n}").await;

    assert!(!edited.success && !patched.success && !tolerant.success);
    assert_eq!(scratch.read("a"), text);
}

// openai/codex#30505: a tolerant match changed the indentation of lines that the patch only quotes.
#[tokio::test]
async fn codex_30505_untouched_lines_keep_their_indentation() {
    let scratch = Scratch::new().file("a", "\tif x:\n\t\ty = 1\n\t\tz = 2\n");

    let result = Session::new(&scratch)
        .patch("*** Update File: a\n@@\n     if x:\n         y = 1\n-        z = 2\n+        z = 3")
        .await;

    assert!(result.success, "{result}");
    assert_eq!(scratch.read("a"), "\tif x:\n\t\ty = 1\n\t\tz = 3\n");
}

// Gitlawb/zero#963 and anomalyco/opencode#24742: a match by its first and last line, or by similarity, removed the lines in
// between.
#[tokio::test]
async fn zero_963_and_opencode_24742_text_in_between_does_not_vanish() {
    let lines: Vec<String> = (0..50)
        .map(|line| format!("    keep_{line}();\n"))
        .collect();
    let text = format!("fn a() {{\n{}}}\n", lines.concat());
    let scratch = Scratch::new().file("a", &text);
    let session = Session::new(&scratch);

    let edited = session
        .edit("fn a() {\n    other();\n}\n", "fn a() {}\n")
        .await;
    let patched = session
        .patch("*** Update File: a\n-fn a() {\n-    keep_0();\n-}\n+fn a() {}")
        .await;

    assert!(!edited.success && !patched.success);
    assert_eq!(scratch.read("a"), text);
}

// zhayujie/CowAgent#2942: a tolerant match normalized the rest of the file.
#[tokio::test]
async fn cow_agent_2942_rest_of_the_file_stays() {
    let scratch = Scratch::new().file("a", "“one” –\u{a0}x  \r\n“two”\nthree\t\n");

    let result = Session::new(&scratch).edit("\"two\"\n", "\"2\"\n").await;

    assert!(result.success, "{result}");
    assert_eq!(scratch.read("a"), "“one” –\u{a0}x  \r\n\"2\"\nthree\t\n");
}

// anthropics/claude-code#26996: every edit of a file with tabs failed, because the model quotes whitespace.
#[tokio::test]
async fn claude_code_26996_tabs_are_found_by_blanks() {
    let scratch = Scratch::new().file("a", "func a() {\n\tif x {\n\t\ty()\n\t}\n}\n");

    let result = Session::new(&scratch)
        .edit(
            "    if x {\n        y()\n    }\n",
            "    if x {\n        z()\n    }\n",
        )
        .await;

    assert!(result.success, "{result}");
    assert_eq!(scratch.read("a"), "func a() {\n\tif x {\n\t\tz()\n\t}\n}\n");
}

// anthropics/claude-code#13456: a file with another time but the same content counted as modified.
#[tokio::test]
async fn claude_code_13456_touched_file_is_not_modified() {
    let scratch = Scratch::new().file("a", "one\n");
    let session = Session::new(&scratch);
    session.seen.remember("a", b"one\n");
    let file = std::fs::File::options()
        .write(true)
        .open(scratch.path().join("a"))
        .unwrap();
    file.set_modified(std::time::SystemTime::UNIX_EPOCH)
        .unwrap();

    let result = session.edit("one", "two").await;

    assert!(result.success && result.warnings.is_empty(), "{result}");
}

// NousResearch/hermes-agent#77001: "several matches" without their places cost two more calls each time.
#[tokio::test]
async fn hermes_agent_77001_places_are_listed() {
    let scratch = Scratch::new().file("a", "fn a() {\n    run();\n}\nfn b() {\n    run();\n}\n");

    let text = Session::new(&scratch)
        .edit("run();", "stop();")
        .await
        .to_string();

    assert!(
        text.contains("\n2:     run();\n    only here: line 1: fn a() {\n5:     run();"),
        "{text}"
    );
}

// anomalyco/opencode#34311: a failed patch left half of its files changed, and a second try changed those twice.
#[tokio::test]
async fn opencode_34311_no_half_patch_and_no_second_time() {
    let scratch = Scratch::new().file("a", "one\n").file("b", "two\n");
    let session = Session::new(&scratch);
    let good = "*** Update File: a\n one\n+1\n";

    let failed = session
        .patch(&format!("{good}*** Update File: b\n-other\n+2"))
        .await;
    assert!(!failed.success);
    assert_eq!(
        (scratch.read("a"), scratch.read("b")),
        ("one\n".into(), "two\n".into())
    );

    let patch = format!("{good}*** Update File: b\n-two\n+2");
    assert!(session.patch(&patch).await.success);
    assert!(!session.patch(&patch).await.success);
    assert_eq!(
        (scratch.read("a"), scratch.read("b")),
        ("one\n1\n".into(), "2\n".into())
    );
}
