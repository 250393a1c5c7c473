//! `judge`.

use serde_json::{Value, json};
use tool_test::Scratch;

use super::{Run, json_lines, run, run_in};

fn judge(lines: &[Value]) -> Run {
    run(&["judge", "command"], &json_lines(lines))
}

#[test]
fn prints_verdict_grants_and_findings_in_order() {
    let run = judge(&[
        json!({"id": 1, "text": "ls && git diff"}),
        json!({"id": "b", "text": "ls; curl example.org"}),
        json!({"id": null, "text": "sudo id"}),
        json!({"text": "cp a /opt/a"}),
    ]);

    assert_eq!(run.status, Some(0), "{}", run.errors);
    let lines = run.lines();
    assert_eq!(
        lines[..3],
        [
            json!({"id": 1, "verdict": "allow", "grants": [], "findings": []}),
            json!({
                "id": "b",
                "verdict": "ask",
                "grants": ["network"],
                "findings": [{
                    "rule": "network",
                    "verdict": "ask",
                    "part": "curl example.org",
                    "reason": "connects to other hosts or local servers",
                    "grants": ["network"],
                    "span": [4, 20],
                }],
            }),
            json!({
                "id": null,
                "verdict": "forbid",
                "grants": [],
                "findings": [{
                    "rule": "privilege",
                    "verdict": "forbid",
                    "part": "sudo id",
                    "reason": "gains the privileges of another user",
                    "grants": [],
                    "span": [0, 7],
                }],
            }),
        ]
    );
    assert_eq!(lines[3]["grants"], json!(["write:/opt/a"]));
}

#[test]
fn resolves_paths_in_workspace() {
    let scratch = Scratch::new().folder("inner");
    let lines = json_lines(&[
        json!({"id": 1, "text": "touch a"}),
        json!({"id": 2, "text": "rm -rf ../../.."}),
        json!({"id": 3, "text": format!("rm {}", scratch.path().join("inner/x").display())}),
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

    assert_eq!(verdicts("inner"), ["confine", "forbid", "confine"]);
    assert_eq!(verdicts("."), ["confine", "forbid", "confine"]);
}

#[test]
fn runs_nothing() {
    let scratch = Scratch::new();

    let run = run_in(
        &scratch,
        &["judge", "command"],
        r#"{"id": 1, "text": "touch made"}"#,
    );

    assert_eq!(run.lines()[0]["verdict"], "confine");
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
fn asks_for_too_long_commands() {
    let run = judge(&[json!({"id": 1, "text": "a".repeat(70_000)})]);

    assert_eq!(run.lines()[0]["findings"][0]["rule"], "limit");
    assert_eq!(run.lines()[0]["verdict"], "ask");
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
