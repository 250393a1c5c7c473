//! `judge`.

use serde_json::{Value, json};
use tool_test::Scratch;

use super::{Run, json_lines, run, run_in};

fn judge(lines: &[Value]) -> Run {
    run(&["judge", "command"], &json_lines(lines))
}

#[test]
fn prints_worst_finding_per_command_in_order() {
    let run = judge(&[
        json!({"id": 1, "text": "cargo test && git diff"}),
        json!({"id": "b", "text": "ls; curl example.org"}),
        json!({"id": null, "text": "curl example.org; x=sudo; $x id"}),
        json!({"text": "ls"}),
    ]);

    assert_eq!(run.status, Some(0), "{}", run.errors);
    assert_eq!(
        run.lines(),
        [
            json!({"id": 1, "verdict": "allow", "rule": null, "reason": null, "span": null}),
            json!({
                "id": "b",
                "verdict": "ask",
                "rule": "network",
                "reason": "`curl`: connects to other hosts (network)",
                "span": [4, 20],
            }),
            json!({
                "id": null,
                "verdict": "forbid",
                "rule": "privilege",
                "reason": "`sudo`: gains the privileges of another user (privilege)",
                "span": [26, 31],
            }),
            json!({"id": null, "verdict": "allow", "rule": null, "reason": null, "span": null}),
        ]
    );
}

#[test]
fn resolves_paths_in_workspace() {
    let scratch = Scratch::new().folder("inner");
    let lines = json_lines(&[
        json!({"id": 1, "text": "touch a"}),
        json!({"id": 2, "text": "rm -rf ../../.."}),
        json!({"id": 3, "text": format!("rm -r {}", scratch.path().join("inner/x").display())}),
    ]);

    let verdicts = |folder: &str| -> Vec<Value> {
        let run = run_in(
            &scratch,
            &["judge", "command", "--workspace", folder],
            &lines,
        );
        let mut lines = run.lines();
        lines
            .iter_mut()
            .map(|line| line["verdict"].take())
            .collect()
    };

    assert_eq!(verdicts("inner"), ["allow", "forbid", "allow"]);
    assert_eq!(verdicts("."), ["allow", "forbid", "allow"]);
}

#[test]
fn runs_nothing() {
    let scratch = Scratch::new();

    let run = run_in(
        &scratch,
        &["judge", "command"],
        r#"{"id": 1, "text": "touch made"}"#,
    );

    assert_eq!(run.lines()[0]["verdict"], "allow");
    assert!(!scratch.path().join("made").exists());
}

#[test]
fn reports_unreadable_line_and_continues() {
    let run = run(
        &["judge", "command"],
        "{\"id\": 1}\nnonsense\n\n{\"id\": 2, \"text\": \"ls\"}\n",
    );

    assert_eq!(run.status, Some(0), "{}", run.errors);
    let lines = run.lines();
    assert_eq!(lines.len(), 3);
    assert_eq!(lines[0]["id"], 1);
    assert_eq!(lines[0]["error"]["code"], "unreadable_line");
    assert_eq!(
        lines[0]["error"]["suggestion"],
        "Write one JSON object per line, with `id` and `text`."
    );
    assert_eq!(lines[1]["id"], Value::Null);
    assert_eq!(lines[2]["verdict"], "allow");
}

#[test]
fn rejects_missing_workspace() {
    let run = run(&["judge", "command", "--workspace", "missing"], "");

    assert_eq!(run.status, Some(2));
    assert!(run.errors.contains("workspace"), "{}", run.errors);
}

#[test]
fn forbids_too_long_commands() {
    let run = judge(&[json!({"id": 1, "text": "a".repeat(70_000)})]);

    assert_eq!(run.lines()[0]["rule"], "limit");
    assert_eq!(run.lines()[0]["verdict"], "forbid");
}

#[test]
fn checks_urls_with_given_dns_results() {
    let answers = json!({
        "Site.example.org.": ["93.184.216.34", "10.0.0.1"],
        "public.example.org": ["93.184.216.34", "2606:4700::1111"],
    });
    let scratch = Scratch::new().file("answers.json", answers.to_string());
    let lines = json_lines(&[
        json!({"id": 1, "text": "https://example.com/a"}),
        json!({"id": "b", "text": "http://0x7f.1/"}),
        json!({"id": 3, "text": "https://SITE.example.org/"}),
        json!({"text": "https://public.example.org/"}),
        json!({"text": "no url"}),
    ]);

    let run = run_in(
        &scratch,
        &["judge", "url", "--resolve", "answers.json"],
        &lines,
    );

    assert_eq!(run.status, Some(0), "{}", run.errors);
    assert_eq!(
        run.lines(),
        [
            json!({"id": 1, "verdict": "allow", "rule": null, "reason": null, "span": null}),
            json!({
                "id": "b",
                "verdict": "forbid",
                "rule": "loopback_address",
                "reason": "the URL refers to a loopback address (loopback_address)",
                "span": null,
            }),
            json!({
                "id": 3,
                "verdict": "forbid",
                "rule": "private_address",
                "reason": "the URL refers to an address of a private network (private_address)",
                "span": null,
            }),
            json!({"id": null, "verdict": "allow", "rule": null, "reason": null, "span": null}),
            json!({
                "id": null,
                "verdict": "forbid",
                "rule": "invalid_url",
                "reason": "the URL is not a valid URL (invalid_url)",
                "span": null,
            }),
        ]
    );
}

#[test]
fn rejects_unreadable_dns_results() {
    let scratch = Scratch::new().file("answers.json", r#"{"example.org": ["nowhere"]}"#);

    let run = run_in(&scratch, &["judge", "url", "--resolve", "answers.json"], "");

    assert_eq!(run.status, Some(2));
    assert!(run.errors.contains("answers.json"), "{}", run.errors);
}
