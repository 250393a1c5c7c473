use serde_json::json;

use super::*;

fn update(path: &str, hunks: Vec<Hunk>) -> FilePatch {
    let change = FileChange::Update { to: None, hunks };
    FilePatch {
        path: path.to_owned(),
        change,
    }
}

fn hunk(line: usize, old: &str, new: &str) -> Hunk {
    Hunk {
        line,
        old: old.to_owned(),
        new: new.to_owned(),
        ..Hunk::default()
    }
}

const MARKED: &str = "*** Begin Patch\n*** Add File: new.txt\n+one\n+\n+two\n*** Delete File: old.txt\n*** Update File: a.rs\n*** Move to: b.rs\n@@ class A\n@@ fn b()\n x\n-y\n+z\n\n w\n@@\n-last\n*** End of File\n*** End Patch";

fn marked() -> Vec<FilePatch> {
    let mut first = hunk(9, "x\ny\n\nw\n", "x\nz\n\nw\n");
    first.region.contexts = vec!["class A".to_owned(), "fn b()".to_owned()];
    let mut last = hunk(16, "last\n", "");
    last.region.is_at_end = true;
    let file = |path: &str, change| FilePatch {
        path: path.to_owned(),
        change,
    };
    vec![
        file("new.txt", FileChange::Add("one\n\ntwo\n".to_owned())),
        file("old.txt", FileChange::Delete),
        file(
            "a.rs",
            FileChange::Update {
                to: Some("b.rs".to_owned()),
                hunks: vec![first, last],
            },
        ),
    ]
}

#[test]
fn reads_sections_and_hunks() {
    assert_eq!(parse(MARKED).unwrap(), marked());
}

#[test]
fn wrappers_of_models_are_accepted() {
    let padded = MARKED
        .replace("*** Begin Patch", "  *** Begin Patch ***")
        .replace("*** End Patch", " *** End Patch *** ");
    for wrapped in [
        format!("\u{feff}\n\n{MARKED}\n\n"),
        MARKED.replace('\n', "\r\n"),
        MARKED.replace("*** Add File", "  *** Add File"),
        padded,
        format!("apply_patch <<'EOF'\n{MARKED}\nEOF\n"),
        format!("<<-\"PATCH\"\n{MARKED}\nPATCH"),
        format!("```diff\n{MARKED}\n```"),
        json!({"command": ["apply_patch", MARKED]}).to_string(),
        json!(["bash", "-lc", format!("apply_patch << EOF\n{MARKED}\nEOF")]).to_string(),
        format!("```json\n{}\n```", json!({"patch": MARKED})),
    ] {
        let mut found = parse(&wrapped).unwrap_or_else(|error| panic!("{wrapped}: {error}"));

        let mut expected = marked();
        for file in found.iter_mut().chain(&mut expected) {
            if let FileChange::Update { hunks, .. } = &mut file.change {
                for hunk in hunks {
                    hunk.line = 0;
                }
            }
        }
        assert_eq!(found, expected, "{wrapped}");
    }
}

#[test]
fn cut_off_patches_are_rejected() {
    let (whole, lines) = (format!("{MARKED}\n"), MARKED.lines().count());
    for end in 0..lines {
        let cut: Vec<&str> = whole.lines().take(end).collect();

        assert!(parse(&cut.join("\n")).is_err(), "{end}");
    }
    for cut in [
        "```\n*** Begin Patch\n*** Delete File: a\n*** End Patch",
        "apply_patch <<'EOF'\n*** Begin Patch\n*** Delete File: a\n*** End Patch\n",
        "{\"command\": [\"apply_patch\", \"*** Begin Patch",
        "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n-b\n",
        "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@",
    ] {
        assert!(parse(cut).is_err(), "{cut}");
    }
}

#[test]
fn mistakes_name_the_line() {
    for (patch, expected) in [
        (
            "*** Begin Patch\n*** Update File: a\n@@\nx\n*** End Patch",
            "its line 4",
        ),
        (
            "*** Begin Patch\n*** Add File: a\nx\n*** End Patch",
            "its line 3",
        ),
        (
            "*** Begin Patch\n*** Update File: a\n*** End Patch",
            "its line 2",
        ),
        (
            "*** Begin Patch\n*** Update File: \n x\n*** End Patch",
            "the path is missing",
        ),
        ("*** Begin Patch\n-x\n*** End Patch", "no section of a file"),
        ("*** Begin Patch\n*** End Patch", "changes no file"),
        (
            "*** Begin Patch\n*** Update File: a\n@@ x\n*** End Patch",
            "no lines",
        ),
        (
            "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n",
            "the mode of a file",
        ),
        (
            "diff --git a/x b/x\nBinary files a/x and b/x differ\n",
            "a binary file",
        ),
        ("just text", "is no patch"),
        ("", "is no patch"),
        ("{\"a\": 1, \"b\": 2}", "JSON without a patch"),
    ] {
        let error = parse(patch).unwrap_err();

        assert_eq!(error.parameter(), Some("patch"));
        assert!(error.message().contains(expected), "{patch}: {error}");
        assert!(error.suggestion().is_some(), "{error}");
    }
}

#[test]
fn markers_within_hunks_are_text() {
    let patch = "*** Begin Patch\n*** Update File: a\n *** End of File\n- *** End Patch\n+*** Update File: b\n*** End Patch";

    let expected = hunk(
        3,
        "*** End of File\n *** End Patch\n",
        "*** End of File\n*** Update File: b\n",
    );
    assert_eq!(parse(patch).unwrap(), [update("a", vec![expected])]);
}

#[test]
fn reads_unified_diffs() {
    let diff = "From 1234\nSubject: x\n---\n a | 2 +-\n\n\
        diff --git a/src/a.rs b/src/a.rs\nindex 1..2 100644\n--- a/src/a.rs\t2026-01-01\n+++ b/src/a.rs\t2026-01-02\n\
        @@ -3,4 +3,4 @@ fn a() {\n x\n-y\n+z\n \n w\n@@ -20 +20 @@\n--- old\n+-- new\n\
        diff --git a/new b/new\nnew file mode 100644\n--- /dev/null\n+++ b/new\n@@ -0,0 +1,2 @@\n+one\n+two\n\\ No newline at end of file\n\
        diff --git a/gone b/gone\ndeleted file mode 100644\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n\
        diff --git a/from b/to\nsimilarity index 100%\nrename from from\nrename to to\n\
        diff --git a/e mpty b/e mpty\nnew file mode 100644\nindex 0..e69\n\
        diff --git a/é b/é\n--- a/é\n+++ b/é\n@@ -1 +1 @@\n-a\n+b\n-- \n2.43.0\n";

    let files = parse(diff).unwrap();

    let numbered = |first_line, mut hunk: Hunk| {
        hunk.region.first_line = Some(first_line);
        hunk
    };
    let file = |path: &str, change| FilePatch {
        path: path.to_owned(),
        change,
    };
    let moved = FileChange::Update {
        to: Some("to".to_owned()),
        hunks: vec![],
    };
    let first = numbered(3, hunk(10, "x\ny\n\nw\n", "x\nz\n\nw\n"));
    let second = numbered(20, hunk(16, "-- old\n", "-- new\n"));
    assert_eq!(
        files,
        [
            update("src/a.rs", vec![first, second]),
            file("new", FileChange::Add("one\ntwo".to_owned())),
            file("gone", FileChange::Delete),
            file("from", moved),
            file("e mpty", FileChange::Add(String::new())),
            update("é", vec![numbered(1, hunk(43, "a\n", "b\n"))]),
        ]
    );
}

#[test]
fn newline_at_the_end_is_stated() {
    let diff = "--- a\n+++ a\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+x\n";
    let [file] = &parse(diff).unwrap()[..] else {
        panic!()
    };
    let hunk = &hunks_of(file)[0];

    assert_eq!(
        (file.path.as_str(), hunk.region.ends_with_newline),
        ("a", Some(true))
    );
    assert!(hunk.region.is_at_end);
}

#[test]
fn number_of_files_and_hunks_is_limited() {
    let sections: Vec<String> = (0..=MAX_FILES)
        .map(|file| format!("*** Delete File: {file}\n"))
        .collect();
    let files = format!("*** Begin Patch\n{}*** End Patch", sections.concat());
    let hunks = format!(
        "*** Begin Patch\n*** Update File: a\n{}*** End Patch",
        "@@\n-a\n+b\n".repeat(MAX_HUNKS + 1)
    );

    assert!(
        parse(&files)
            .unwrap_err()
            .message()
            .contains("51 files; at most 50")
    );
    assert!(parse(&hunks).unwrap_err().message().contains("20001 hunks"));
}

proptest::proptest! {
    #[test]
    fn no_text_panics(lines in proptest::collection::vec(
        proptest::prop_oneof![
            "[ +-]?[a-z]{0,3}", "\\*\\*\\* (Begin|End) (Patch|File|of File)", "\\*\\*\\* (Add|Update|Delete) File: ?[ab]?", "\\*\\*\\* Move to: b",
            "@@( -[0-9],?[0-9]? \\+[0-9],?[0-9]? @@)?.{0,5}", "--- (a/)?x", "\\+\\+\\+ (b/)?x", "diff --git .{0,12}", "\\\\ No newline", "```", ".{0,8}",
        ], 0..20)) {
        let _ = parse(&lines.join("\n"));
    }
}
