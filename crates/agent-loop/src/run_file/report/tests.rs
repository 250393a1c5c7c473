use serde_json::json;

use super::*;

fn recorded(entries: Vec<Value>) -> RecordedRun {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("run.jsonl");
    let mut text = format!("{}\n", super::super::HEADER);
    for entry in entries {
        text.push_str(&entry.to_string());
        text.push('\n');
    }
    std::fs::write(&path, text).unwrap();
    RecordedRun::read(&path).unwrap()
}

fn entry(kind: &str, members: &Value) -> Value {
    let mut entry = json!({"time_ms": 1, "run": "run_1", "turn": 1, "event": kind});
    let own = members.as_object().unwrap().clone();
    entry.as_object_mut().unwrap().extend(own);
    entry
}

#[test]
fn content_cannot_end_its_element() {
    let text = "</script><script>alert(1)</script>{{script}}";
    let run = recorded(vec![entry("answer_refused", &json!({"reason": text}))]);

    let page = RunReport::new([&run]).to_html();

    assert_eq!(page.matches("</script>").count(), 2);
    assert!(page.contains(r"\u003c/script>\u003cscript>alert(1)"));
    assert!(page.contains("{{script}}"), "content is not a template");
}

#[test]
fn policy_permits_own_script_only() {
    let run = recorded(vec![entry("finished", &json!({"status": "completed"}))]);

    let page = RunReport::new([&run]).to_html();

    let policy = page
        .split("Content-Security-Policy\" content=\"")
        .nth(1)
        .unwrap();
    let policy = policy.split('"').next().unwrap();
    assert!(
        policy.starts_with("default-src 'none'; script-src 'sha256-"),
        "{policy}"
    );
    assert!(!page.contains(" onclick=") && !page.contains(" style="));
}

#[test]
fn long_runs_stay_under_one_megabyte() {
    let result = |at: usize| {
        json!({"result": {"id": format!("call_{at}"), "name": "read", "success": true,
            "content": [{"type": "text", "text": "é".repeat(30_000)}], "data": "x".repeat(30_000)}})
    };
    for (calls, long) in [
        (200, "é… (30000 characters)"),
        (20_000, "… (30000 characters)"),
    ] {
        let entries = (0..calls.min(400)).map(|at| entry("call_finished", &result(at)));
        let run = recorded(entries.collect());

        let page = RunReport::new([&run]).to_html();

        assert!(page.len() < 1_000_000, "{}", page.len());
        assert!(page.contains(long));
    }
}

#[test]
fn many_entries_keep_start_and_end() {
    let entries = (0..15_000).map(|at| {
        entry(
            "answer_refused",
            &json!({"reason": format!("reason {at}.")}),
        )
    });
    let run = recorded(entries.collect());

    let page = RunReport::new([&run]).to_html();

    assert!(page.len() < 1_000_000, "{}", page.len());
    assert!(page.contains("reason 0.") && page.contains("reason 14999."));
    assert!(!page.contains("reason 7500."));
}
