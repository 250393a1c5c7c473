//! Searches and paths that are easily misunderstood.

use super::*;

fn site() -> Scratch {
    Scratch::new()
        .file(
            "src/app/[id]/page.tsx",
            "export default\n  function Page() {}\n",
        )
        .file("src/app/i/page.tsx", "other\r\n  page\r\n")
        .file("report.docx", "PK\u{3}\u{4}\0word/document.xml")
        .file("main.rs", "fn main() {\n    let a = 1;\n}\n")
}

#[tokio::test]
async fn multiline_shows_every_line_of_a_match() {
    for (arguments, expected) in [
        (
            json!({"pattern": "default\\n\\s+function", "multiline": true}),
            "src/app/[id]/page.tsx:1: export default\nsrc/app/[id]/page.tsx:2:   function Page() {}",
        ),
        (
            json!({"pattern": "other\n  page", "multiline": true, "show": "counts"}),
            "src/app/i/page.tsx: 2",
        ),
        (
            json!({"pattern": "main.*1", "multiline": true, "context": 1}),
            "main.rs:1: fn main() {\nmain.rs:2:     let a = 1;\nmain.rs-3- }",
        ),
    ] {
        let result = call(&site(), "search", arguments.clone()).await;

        let text = result.text();
        let shown = text.split("\nWarning: ").next().unwrap();
        assert_eq!(shown, expected, "{arguments}");
    }
}

#[tokio::test]
async fn pattern_for_several_lines_suggests_multiline() {
    let (literal, dot) = (
        json!({"pattern": "a\\nb"}),
        json!({"pattern": "main[\\s\\S]*1"}),
    );

    let literal = call(&site(), "search", literal).await;
    let dot = call(&site(), "search", dot).await;

    assert!(
        literal
            .text()
            .ends_with("Set `multiline` to search across lines."),
        "{literal}"
    );
    let warnings = dot.warnings.join("\n");
    assert!(
        warnings.contains("Set `multiline` to match across lines."),
        "{dot}"
    );
}

#[tokio::test]
async fn globs_match_names_with_brackets() {
    for (glob, expected) in [
        (
            "src/app/[id]/page.tsx",
            "src/app/[id]/page.tsx\nsrc/app/i/page.tsx",
        ),
        ("src/app/[[]id]/*.{ts,tsx}", "src/app/[id]/page.tsx"),
    ] {
        let arguments = json!({"pattern": "", "glob": glob});

        let result = call(&site(), "search", arguments).await;

        assert_eq!(result.text(), expected, "{glob}");
    }
}

#[tokio::test]
async fn search_names_documents_that_it_skips() {
    let result = call(&site(), "search", json!({"pattern": "annual"})).await;

    let named = "The document `report.docx` was not searched; read it for its text.";
    assert!(result.warnings.contains(&named.to_owned()), "{result}");
}

#[tokio::test]
async fn paths_and_globs_of_a_shell_are_explained() {
    let scratch = site();
    let absolute = format!("{}/src/*.tsx", scratch.path().display());
    for (tool, arguments, advice) in [
        (
            "read",
            json!({"path": "~/main.rs"}),
            "`~`, which is not expanded",
        ),
        (
            "list",
            json!({"path": "$HOME"}),
            "`$HOME`, which is not expanded",
        ),
        (
            "search",
            json!({"pattern": "a", "path": "%USERPROFILE%\\x"}),
            "not expanded",
        ),
        (
            "write",
            json!({"path": "~/a.txt", "content": ""}),
            "not expanded",
        ),
        (
            "search",
            json!({"pattern": "a", "glob": "~/*.rs"}),
            "not expanded",
        ),
        (
            "search",
            json!({"pattern": "", "glob": "$HOME/*.rs"}),
            "not expanded",
        ),
        (
            "search",
            json!({"pattern": "a", "glob": "../*.rs"}),
            "leads out of",
        ),
        (
            "search",
            json!({"pattern": "a", "glob": "C:\\src\\*.rs"}),
            "leads out of",
        ),
        (
            "search",
            json!({"pattern": "a", "glob": "src\\app\\*"}),
            "`src/app/*`",
        ),
        (
            "search",
            json!({"pattern": "a", "glob": absolute}),
            "`src/*.tsx`",
        ),
    ] {
        let result = call(&scratch, tool, arguments.clone()).await;

        assert!(
            !result.success && result.text().contains(advice),
            "{arguments}: {result}"
        );
    }
    assert!(!scratch.path().join("~").exists());
}

#[tokio::test]
async fn names_that_are_not_utf8_are_shown_and_read() {
    use std::os::unix::ffi::OsStrExt;

    let scratch = Scratch::new();
    let name = std::ffi::OsStr::from_bytes(b"caf\xe9.txt");
    std::fs::write(scratch.path().join(name), "au lait\n").unwrap();

    let listed = call(&scratch, "list", json!({})).await.text();
    let found = call(&scratch, "search", json!({"pattern": "lait"}))
        .await
        .text();
    let read = call(&scratch, "read", json!({"path": listed})).await;
    let edit = json!({"path": listed, "old": "lait", "new": "citron"});
    for (tool, arguments) in [
        ("edit", edit),
        ("write", json!({"path": listed, "content": "x"})),
        ("delete", json!({"path": listed})),
        ("move", json!({"from": listed, "to": "b.txt"})),
    ] {
        let refused = call(&scratch, tool, arguments).await;

        let sentence = "names a file whose name is not UTF-8, which can only be read";
        assert!(refused.text().contains(sentence), "{tool}: {refused}");
    }

    assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 1);
    assert_eq!(listed, r"caf\xE9.txt");
    assert_eq!(found, r"caf\xE9.txt:1: au lait");
    assert_eq!(read.text(), "au lait\n");
}

#[tokio::test]
async fn search_shows_lines_files_or_counts() {
    for (arguments, expected) in [
        (
            json!({"pattern": "run\\b"}),
            "notes.md:1: run it\nsrc/main.rs:2:     run();\nsrc/run.rs:1: pub fn run() {}",
        ),
        (
            json!({"pattern": "run\\b", "show": "files"}),
            "notes.md\nsrc/main.rs\nsrc/run.rs",
        ),
        (
            json!({"pattern": "run\\b", "show": "counts", "ignore_case": true}),
            "notes.md: 1\nsrc/main.rs: 1\nsrc/run.rs: 2",
        ),
        (
            json!({"pattern": "main", "context": 1, "path": "src"}),
            "src/main.rs:1: fn main() {\nsrc/main.rs-2-     run();",
        ),
        (
            json!({"pattern": "", "glob": "*.rs"}),
            "src/main.rs\nsrc/run.rs",
        ),
        (
            json!({"pattern": "run", "glob": ".github/**"}),
            ".github/ci.yml:1: run: cargo",
        ),
        (
            json!({"pattern": "run", "glob": "target/*", "show": "files"}),
            "target/out.rs",
        ),
        (
            json!({"pattern": "run", "show": "files", "limit": 1}),
            "notes.md\n[… 2 more files; raise `limit`, or narrow `glob` or `path`]",
        ),
        (
            json!({"pattern": "run", "path": "src/run.rs"}),
            "src/run.rs:1: pub fn run() {}",
        ),
    ] {
        let result = call(&project(), "search", arguments.clone()).await;

        let text = result.text();
        let shown = text.split("\nWarning: ").next().unwrap();
        assert_eq!(shown, expected, "{arguments}");
    }
}

#[tokio::test]
async fn search_without_result_says_what_was_asked() {
    for (arguments, expected) in [
        (
            json!({"pattern": "one\\|two"}),
            "alternatives are separated by `|`",
        ),
        (
            json!({"pattern": "main", "glob": "*.py"}),
            "No searched file matches the glob `*.py`.",
        ),
        (json!({"pattern": "cargo"}), "Skipped "),
        (
            json!({"pattern": "main", "path": "src", "glob": "src/*.rs"}),
            "Remove `src/` from `glob`.",
        ),
    ] {
        let result = call(&project(), "search", arguments.clone()).await;

        assert!(result.success, "{result}");
        let warnings = result.warnings.join("\n");
        assert!(warnings.contains(expected), "{arguments}: {warnings}");
        for hidden in [
            "`hidden`",
            "`ignored`",
            "`query`",
            "`base_path`",
            "`context_lines`",
        ] {
            assert!(!warnings.contains(hidden), "{arguments}: {warnings}");
        }
    }
}

#[tokio::test]
async fn invalid_searches_name_the_parameter() {
    for (arguments, parameter) in [
        (json!({"pattern": "("}), "pattern"),
        (json!({"pattern": "a\\nb"}), "pattern"),
        (json!({"pattern": ""}), "pattern"),
        (json!({}), "pattern"),
        (json!({"pattern": "a", "glob": "["}), "glob"),
        (json!({"pattern": "", "glob": "["}), "glob"),
        (json!({"pattern": "a", "limit": 0}), "limit"),
        (json!({"pattern": "a", "context": 21}), "context"),
        (json!({"pattern": "a", "show": "everything"}), "show"),
        (json!({"pattern": "a", "path": "missing"}), "path"),
        (
            json!({"pattern": "", "glob": "*", "path": "../out"}),
            "path",
        ),
    ] {
        let error = call(&project(), "search", arguments.clone())
            .await
            .error
            .unwrap();

        assert_eq!(
            error.parameter.as_deref(),
            Some(parameter),
            "{arguments}: {}",
            error.message
        );
    }
}
