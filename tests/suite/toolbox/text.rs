//! `text`.

use tool_test::Scratch;

use super::run_in;

const PAGE: &str = "<meta charset=utf-8><title>T</title><h1>Tea</h1><p hidden>secret<p>See <a href=b>b</a>, <b>now</b>.";

#[test]
fn prints_text_of_page() {
    let scratch = Scratch::new().file("page.html", PAGE);
    for (arguments, expected) in [
        (&["text", "page.html"][..], "Tea\n\nSee b, now.\n"),
        (
            &["text", "page.html", "--markdown"],
            "# Tea\n\nSee [b](b), **now**.\n",
        ),
        (
            &[
                "text",
                "page.html",
                "--markdown",
                "--base",
                "https://a.org/x/y",
            ],
            "# Tea\n\nSee [b](https://a.org/x/b), **now**.\n",
        ),
    ] {
        let run = run_in(&scratch, arguments, "");

        assert_eq!(
            (run.status, run.output.as_str()),
            (Some(0), expected),
            "{}",
            run.errors
        );
    }
}

#[test]
fn missing_file_exits_with_2() {
    let run = run_in(&Scratch::new(), &["text", "missing.html"], "");

    assert_eq!(run.status, Some(2));
    assert!(run.errors.contains("missing.html"), "{}", run.errors);
}

#[test]
fn detects_pages_and_prints_other_text_unchanged() {
    let scratch = Scratch::new()
        .file("a.htm", "<p>a <b>b</b>")
        .file("b.XHTML", "<p>a <b>b</b>")
        .file("page", "\n<!DOCTYPE HTML><p>a <b>b</b>")
        .file("c.txt", "a <b>b</b>\n")
        .file("d", "if a < b:\n    c\n")
        .file("empty", "");
    for (file, expected) in [
        ("a.htm", "a b\n"),
        ("b.XHTML", "a b\n"),
        ("page", "a b\n"),
        ("c.txt", "a <b>b</b>\n"),
        ("d", "if a < b:\n    c\n"),
        ("empty", "\n"),
    ] {
        let run = run_in(&scratch, &["text", file], "");

        assert_eq!(
            (run.status, run.output.as_str(), run.errors.as_str()),
            (Some(0), expected, ""),
            "{file}"
        );
    }
}

#[test]
fn rejects_files_without_text() {
    let old = [b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1".as_slice(), &[0; 1016]].concat();
    let scratch = Scratch::new()
        .file(
            "plain.zip",
            b"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
        )
        .file("renamed.txt", b"PK\x03\x04cut")
        .file("old.doc", old)
        .file("picture.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    for file in ["plain.zip", "renamed.txt", "old.doc", "picture.png"] {
        let run = run_in(&scratch, &["text", file], "");

        assert_eq!((run.status, run.output.as_str()), (Some(2), ""), "{file}");
        assert!(run.errors.contains(&format!("{file}: ")), "{}", run.errors);
    }
}

#[test]
fn reports_truncation_on_stderr() {
    let scratch = Scratch::new().file("long.html", "<p>word ".repeat(1_500_000));

    let run = run_in(&scratch, &["text", "long.html"], "");

    assert_eq!(run.status, Some(0));
    assert!(run.output.starts_with("word\n\nword\n\n"));
    assert!(
        run.errors.contains("long.html: truncated"),
        "{}",
        run.errors
    );
}
