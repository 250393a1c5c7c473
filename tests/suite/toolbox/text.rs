//! `text`.

use tool_test::Scratch;

use super::run_in;

const PAGE: &str = "<meta charset=utf-8><title>T</title><h1>Tea</h1><p hidden>secret<p>See <a href=b>b</a>, <b>now</b>.";

#[test]
fn the_text_of_a_page_is_written_as_a_model_gets_it() {
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
fn a_file_that_is_not_there_exits_with_2_and_is_named() {
    let run = run_in(&Scratch::new(), &["text", "missing.html"], "");

    assert_eq!(run.status, Some(2));
    assert!(run.errors.contains("missing.html"), "{}", run.errors);
}
