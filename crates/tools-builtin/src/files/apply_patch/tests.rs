mod regressions;
mod scenarios;

use serde_json::{Value, json};
use tool_core::approval::{Answer, Policy, approver_fn};
use tool_core::{Registry, ToolDefinition, ToolResult, Typed};
use tool_test::Scratch;

use super::*;
use crate::files::scenario::{open, session_files};
use crate::files::seen::SeenFiles;
use crate::workspace::Workspace;

/// A session with the tool.
struct Session {
    registry: Registry,
    workspace: Workspace,
    seen: SeenFiles,
}

impl Session {
    fn new(scratch: &Scratch) -> Self {
        let (workspace, seen) = (open(scratch), SeenFiles::default());
        let tool = ApplyPatch(session_files(workspace.clone(), seen.clone()));
        let tool = Typed::new("apply_patch", "Applies a patch.", tool)
            .define(|patch| patch.with_json_as_text("patch"))
            .define(ToolDefinition::closed);
        let registry = Registry::builder()
            .policy(Policy::allow_all())
            .approver(approver_fn(|_| Answer::Approve));
        Self {
            registry: registry.tool(tool).unwrap().build(),
            workspace,
            seen,
        }
    }

    async fn call(&self, arguments: Value) -> ToolResult {
        self.registry.execute("apply_patch", arguments).await
    }

    async fn apply(&self, sections: &str) -> ToolResult {
        let patch = format!("*** Begin Patch\n{sections}\n*** End Patch");
        self.call(json!({"patch": patch})).await
    }
}

async fn apply(scratch: &Scratch, sections: &str) -> ToolResult {
    Session::new(scratch).apply(sections).await
}

fn code(result: &ToolResult) -> String {
    result.error.as_ref().unwrap().code.to_string()
}

fn project() -> Scratch {
    Scratch::new()
        .file("a.rs", "fn a() {\n    one();\n}\n")
        .file("b.rs", "fn b() {\n    two();\n}\n")
        .file("old.txt", "x\n")
}

const PATCH: &str = "*** Update File: a.rs\n@@ fn a() {\n-    one();\n+    uno();\n*** Add File: new/c.rs\n+fn c() {}\n*** Delete File: old.txt\n*** Update File: b.rs\n*** Move to: d.rs\n@@\n-    two();\n+    due();";

#[tokio::test]
async fn changes_several_files_and_shows_them() {
    let scratch = project();
    let session = Session::new(&scratch);

    let result = session.apply(PATCH).await;

    assert_eq!(
        result.text(),
        "Edited a.rs: line 2 (+0)\n1: fn a() {\n2:     uno();\n3: }\n\
         Added new/c.rs (1 line)\nDeleted old.txt\n\
         Moved b.rs to d.rs\nEdited b.rs: line 2 (+0)\n1: fn b() {\n2:     due();\n3: }"
    );
    assert_eq!(scratch.read("a.rs"), "fn a() {\n    uno();\n}\n");
    assert_eq!(scratch.read("new/c.rs"), "fn c() {}\n");
    assert_eq!(scratch.read("d.rs"), "fn b() {\n    due();\n}\n");
    assert!(!scratch.has("old.txt") && !scratch.has("b.rs"));
    assert_eq!(
        result.files_affected,
        ["a.rs", "new/c.rs", "old.txt", "b.rs", "d.rs"]
    );
    let files = &result.data.unwrap()["files"];
    let kinds: Vec<&Value> = files
        .as_array()
        .unwrap()
        .iter()
        .map(|file| &file["kind"])
        .collect();
    assert_eq!(kinds, ["updated", "added", "deleted", "updated"]);
    assert_eq!(files[0]["hunks"][0]["old_start"], 2);
    assert_eq!(files[2]["after"], Value::Null);
    assert_eq!(files[3]["moved_from"], "b.rs");

    session.workspace.undo(result.id.as_str()).unwrap();

    for file in ["a.rs", "b.rs", "old.txt"] {
        assert_eq!(scratch.read(file), project().read(file), "{file}");
    }
    assert!(!scratch.has("new") && !scratch.has("d.rs"));
}

#[tokio::test]
async fn one_failure_leaves_all_files_and_all_are_named() {
    let scratch = project().file("twice", "x\ny\nx\n");
    let sections = format!(
        "{PATCH}\n*** Update File: twice\n@@\n-x\n+z\n@@\n-q\n+z\n*** Update File: missing\n@@\n-a\n+b\n*** Add File: a.txt\n+x"
    );

    let result = apply(&scratch, &sections).await;

    let text = result.text();
    assert!(
        text.starts_with(
            "Error: `patch` does not fit, so nothing was written:\ntwice, hunk 1 (line "
        ),
        "{text}"
    );
    assert!(
        text.contains("The quoted text fits 2 places:\n1: x"),
        "{text}"
    );
    assert!(text.contains("\ntwice, hunk 2 (line "), "{text}");
    assert!(text.contains("\n`missing` does not exist"), "{text}");
    for file in ["a.rs", "b.rs", "old.txt"] {
        assert_eq!(scratch.read(file), project().read(file), "{file}");
    }
    assert!(!scratch.has("new") && !scratch.has("a.txt"));
}

#[tokio::test]
async fn existing_files_are_never_overwritten() {
    for (sections, path) in [
        ("*** Add File: a.rs\n+x", "a.rs"),
        ("*** Update File: a.rs\n*** Move to: b.rs", "b.rs"),
    ] {
        let scratch = project();

        let result = apply(&scratch, sections).await;

        assert_eq!(code(&result), "already_exists");
        assert!(
            result.text().contains(&format!("`{path}` already exists")),
            "{result}"
        );
        assert_eq!(scratch.read(path), project().read(path));
    }
    // To replace a file, a patch deletes the old one.
    let scratch = project();
    let result = apply(&scratch, "*** Delete File: a.rs\n*** Add File: a.rs\n+x").await;
    assert_eq!(result.text(), "Replaced a.rs (1 line)");
    assert_eq!(scratch.read("a.rs"), "x\n");
}

#[tokio::test]
async fn repeated_patch_is_not_applied_twice() {
    for sections in [
        PATCH,
        "*** Update File: a.rs\n@@ fn a() {\n+    zero();",
        "*** Update File: a.rs\n fn a() {\n+    zero();",
        "*** Update File: a.rs\n@@\n+// end\n*** End of File",
    ] {
        let scratch = project();
        let session = Session::new(&scratch);
        assert!(session.apply(sections).await.success, "{sections}");
        let once = scratch.read("a.rs");

        let again = session.apply(sections).await;

        assert!(!again.success, "{sections}");
        assert_eq!(scratch.read("a.rs"), once, "{sections}");
    }
}

#[tokio::test]
async fn sections_of_one_file_are_joined_or_rejected() {
    let scratch = project();
    let both = "*** Update File: a.rs\n@@\n-}\n+} // a\n*** Update File: ./a.rs\n@@\n-fn a() {\n+fn aa() {";

    assert!(apply(&scratch, both).await.success);

    assert_eq!(scratch.read("a.rs"), "fn aa() {\n    one();\n} // a\n");
    for sections in [
        "*** Add File: x\n+1\n*** Add File: ./x\n+2",
        "*** Add File: x\n+1\n*** Update File: x\n@@\n-1\n+2",
        "*** Update File: b.rs\n@@\n-}\n+\n*** Delete File: b.rs",
        "*** Update File: a.rs\n*** Move to: x\n*** Update File: b.rs\n*** Move to: x",
        "*** Update File: a.rs\n*** Move to: b.rs\n*** Delete File: b.rs",
    ] {
        let result = apply(&scratch, sections).await;

        assert!(
            result.text().contains("several sections about"),
            "{sections}: {result}"
        );
        assert!(!scratch.has("x"));
    }
}

#[cfg(unix)]
#[tokio::test]
async fn two_names_of_one_file_are_rejected() {
    let scratch = project().link("link", "a.rs");
    let sections =
        "*** Update File: a.rs\n@@\n-}\n+}}\n*** Update File: link\n@@\n-fn a() {\n+fn aa() {";

    let result = apply(&scratch, sections).await;

    assert!(
        result.text().contains("is the same file as another one"),
        "{result}"
    );
    assert_eq!(scratch.read("a.rs"), project().read("a.rs"));
}

#[tokio::test]
async fn paths_and_files_that_cannot_be_patched_are_rejected() {
    let scratch = project()
        .file("binary", b"a\0b")
        .folder("folder")
        .folder(".git");
    for (sections, expected) in [
        ("*** Add File: ../out\n+x", "path_outside_workspace"),
        (
            "*** Update File: ../out\n@@\n-x\n+y",
            "path_outside_workspace",
        ),
        (
            "*** Update File: a.rs\n*** Move to: ../out",
            "path_outside_workspace",
        ),
        ("*** Add File: .git/hooks/x\n+x", "protected"),
        (
            "*** Update File: a.rs\n*** Move to: .git/hooks/x",
            "protected",
        ),
        ("*** Delete File: folder", "not_a_file"),
        ("*** Update File: binary\n@@\n-a\n+b", "not_text"),
        ("*** Delete File: missing", "file_not_found"),
    ] {
        let result = apply(&scratch, sections).await;

        assert_eq!(code(&result), expected, "{sections}: {result}");
        assert_eq!(
            result.error.unwrap().parameter.as_deref(),
            Some("patch"),
            "{sections}"
        );
    }
    assert_eq!(scratch.read("a.rs"), project().read("a.rs"));
}

#[tokio::test]
async fn format_of_the_file_is_kept() {
    for (old, sections, new) in [
        (
            "\u{feff}a\r\nb\r\n",
            "@@\n a\n-b\n+c\n+d",
            "\u{feff}a\r\nc\r\nd\r\n",
        ),
        ("a\nb", "@@\n a\n-b\n+c", "a\nc"),
        ("a\nb", "@@\n+c\n*** End of File", "a\nb\nc"),
        (
            "a\n\tb\n\t\tc\n",
            "@@\n     b\n-        c\n+        d",
            "a\n\tb\n\t\td\n",
        ),
        ("a  \nb\n", "@@\n a\n-b\n+c", "a  \nc\n"),
    ] {
        let scratch = Scratch::new().file("f", old);

        let result = apply(&scratch, &format!("*** Update File: f\n{sections}")).await;

        assert!(result.success, "{old:?}: {result}");
        assert_eq!(scratch.read("f"), new, "{old:?}");
    }
}

#[tokio::test]
async fn unified_diff_and_wrapped_calls_are_accepted() {
    let diff = "--- a/a.rs\n+++ b/a.rs\n@@ -1,3 +1,3 @@\n fn a() {\n-    one();\n+    uno();\n }\n";
    let patch = "*** Begin Patch\n*** Update File: a.rs\n-    one();\n+    uno();\n*** End Patch";
    for arguments in [
        json!({"patch": diff}),
        json!({"input": patch}),
        json!({"command": ["apply_patch", patch]}),
        json!({"patch": {"command": ["apply_patch", patch]}}),
    ] {
        let scratch = project();

        let result = Session::new(&scratch).call(arguments.clone()).await;

        assert!(result.success, "{arguments}: {result}");
        assert_eq!(scratch.read("a.rs"), "fn a() {\n    uno();\n}\n");
    }
}

#[tokio::test]
async fn foreign_changes_are_respected() {
    let scratch = project();
    let session = Session::new(&scratch);
    session.seen.remember("a.rs", &scratch.bytes("a.rs"));
    let scratch = scratch.file("a.rs", "// new\nfn a() {\n    one();\n}\n");

    let elsewhere = session.apply("*** Update File: a.rs\n-}\n+} // a").await;
    let scratch = scratch.file("a.rs", "// new\nfn a() {\n    changed();\n}\n");
    let touched = session
        .apply("*** Update File: a.rs\n-    changed();\n+    uno();")
        .await;

    assert!(
        elsewhere.warnings[0].contains("was also changed by others"),
        "{elsewhere}"
    );
    assert_eq!(code(&touched), "conflict");
    assert!(scratch.read("a.rs").contains("changed"));
}

#[tokio::test]
async fn approver_sees_all_files_and_exactly_these_are_written() {
    let scratch = project();
    let tool = ApplyPatch(session_files(open(&scratch), SeenFiles::default()));
    let patch = format!("*** Begin Patch\n{PATCH}\n*** End Patch");
    let input: ApplyPatchInput = serde_json::from_value(json!({"patch": patch})).unwrap();
    let cx = ToolContext::test();

    let preview = tool.inspect(&cx, &input).await.unwrap().unwrap();
    let scratch = scratch.file("old.txt", "y\n");
    let refused = tool.run(&cx, input).await.unwrap_err();

    for expected in [
        "-    one();\n+    uno();",
        "+fn c() {}",
        "-x\n",
        "rename from b.rs\nrename to d.rs\n",
        "+    due();",
    ] {
        assert!(preview.text.contains(expected), "{expected}: {preview:?}");
    }
    assert_eq!(refused.code().as_str(), "conflict");
    assert_eq!(scratch.read("a.rs"), project().read("a.rs"));
}

#[tokio::test]
async fn large_patch_with_ten_thousand_hunks_is_applied() {
    let filler = "y".repeat(80);
    let lines: Vec<String> = (0..10_000)
        .map(|line| format!("line {line:05} {}\n{filler}\n", "x".repeat(40)))
        .collect();
    let scratch = Scratch::new().file("a.txt", lines.concat());
    let hunks: Vec<String> = (0..10_000)
        .map(|line| format!("@@\n-line {line:05} {}\n+line {line:05}\n", "x".repeat(40)))
        .collect();
    let patch = format!("*** Update File: a.txt\n{}", hunks.concat());

    let result = apply(&scratch, patch.trim_end()).await;

    assert!(patch.len() > 600_000 && result.success, "{result}");
    assert_eq!(
        scratch.read("a.txt").lines().nth(19_998),
        Some("line 09999")
    );
    assert!(result.text().lines().count() < 70);
}

#[tokio::test]
async fn long_list_of_failures_is_cut() {
    let missing = (0..40).map(|file| format!("*** Update File: {file}.rs\n@@\n-a\n+b\n"));

    let result = apply(&project(), &missing.collect::<String>()).await;

    let text = result.to_string();
    assert!(
        text.contains("0.rs") && text.contains(" more]") && !text.contains("39.rs"),
        "{text}"
    );
}
