//! Files that are not searched.

use super::*;

#[tokio::test]
async fn few_matches_state_number_of_skipped_files() {
    let scratch = project().file(".git/config.md", "agent\n");
    let included = "Name a directory or file in `pattern` to include only that one.";
    for (input, skipped) in [
        (
            json!({"query": "agent", "pattern": "*.md"}),
            Some("3 hidden or ignored files, such as `.env.md`."),
        ),
        (
            json!({"query": "nowhere", "pattern": "e*"}),
            Some("1 ignored file, such as `e.log`."),
        ),
        (json!({"query": "agent"}), None),
        (json!({"query": "agent", "pattern": "*.cs"}), None),
        (
            json!({"query": "agent", "limit": 1, "pattern": "*.md"}),
            None,
        ),
    ] {
        let cx = ToolContext::test();
        run(&scratch, &cx, input.clone()).await.unwrap();

        let expected = skipped.map(|skipped| format!("Skipped {skipped} {included}"));
        assert_eq!(warnings(&cx), Vec::from_iter(expected), "{input}");
    }
}

#[tokio::test]
async fn skips_binary_files() {
    let late = [&b"filler\n".repeat(2000)[..], b"\0needle\n"].concat();
    let scratch = Scratch::new()
        .file("a.bin", b"\0needle")
        .file("b.png", "needle in text despite its name")
        .file("c.late", late)
        .file("d.utf16", b"\xff\xfen\0e\0e\0d\0l\0e\0")
        .file("e.latin1", b"caf\xe9 needle");

    let output = search_in(&scratch, json!({"query": "needle"}))
        .await
        .unwrap();

    assert_eq!(output.files_searched, 4);
    assert_eq!(
        places(&output),
        ["b.png:1:1", "c.late:2001:2", "d.utf16:1:1", "e.latin1:1:6"]
    );
    assert_eq!(output.matches[1].text, "\u{fffd}needle");
    assert_eq!(output.matches[3].text, "café needle");
}

#[tokio::test]
async fn does_not_follow_links() {
    let outside = Scratch::new().file("secret.txt", "needle");
    let scratch = Scratch::new()
        .file("in.txt", "needle")
        .link("out", outside.path())
        .link("file", outside.path().join("secret.txt"))
        .link("loop", ".");

    let output = search_in(&scratch, json!({"query": "needle"}))
        .await
        .unwrap();

    assert_eq!(places(&output), ["in.txt:1:1"]);
}

#[tokio::test]
async fn named_pipe_does_not_block_search() {
    let scratch = Scratch::new().file("z.txt", "needle");
    let made = std::process::Command::new("mkfifo")
        .arg(scratch.path().join("pipe"))
        .status();
    assert!(made.unwrap().success());

    let output = search_in(&scratch, json!({"query": "needle"}))
        .await
        .unwrap();

    assert_eq!(places(&output), ["z.txt:1:1"]);
}

#[tokio::test]
async fn skips_files_by_extension() {
    let scratch = Scratch::new()
        .file("a.png", "needle")
        .file("b.PDF", "needle")
        .file("c.txt", "needle")
        .file("png", "needle");
    let input = json!({"query": "needle", "skip_endings": [".png", ".pdf"]});

    let output = search_in(&scratch, input).await.unwrap();

    assert_eq!(places(&output), ["c.txt:1:1", "png:1:1"]);
    assert_eq!(output.files_searched, 2);
}
