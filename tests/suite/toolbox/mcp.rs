//! `serve` and `mcp`, connected to each other.

use serde_json::json;
use tool_test::Scratch;

use super::{PROGRAM, run_in};

/// Returns a directory with a file and a configuration: one server that works and one that is missing.
fn scratch() -> Scratch {
    let program = PROGRAM.to_str().unwrap().replace('$', "$$");
    let config = json!({"mcpServers": {
        "files": {
            "command": program,
            "args": ["serve", "--stdio", "--workspace", "."],
            "trust": "trusted",
            "autoApprove": ["*"],
        },
        "missing": {"command": "no-such-program"},
        "empty": {},
    }});
    Scratch::new()
        .file("mcp.json", config.to_string())
        .file("a.txt", "one\ntwo\n")
}

#[test]
fn mcp_lists_and_calls_served_tools() {
    let scratch = scratch();

    let listed = run_in(&scratch, &["mcp", "--config", "mcp.json", "list"], "");
    let tools = listed.document();
    let own = run_in(&scratch, &["list"], "").document();
    assert_eq!(
        tools.as_array().unwrap().len(),
        own.as_array().unwrap().len()
    );
    assert!(
        tools
            .as_array()
            .unwrap()
            .iter()
            .all(|tool| tool["server"] == "files")
    );
    assert!(
        listed
            .errors
            .contains("the program \"no-such-program\" was not found in PATH"),
        "{}",
        listed.errors
    );
    assert!(
        listed
            .errors
            .contains("server \"empty\": neither \"command\" nor \"url\" is given"),
        "{}",
        listed.errors
    );

    let call = |name: &str, arguments: &str| {
        run_in(
            &scratch,
            &["mcp", "--config", "mcp.json", "call", name, arguments],
            "",
        )
    };
    let good = call("files__read_file", r#"{"path": "a.txt", "start_line": 2}"#);
    assert_eq!(good.status, Some(0), "{}", good.output);
    assert!(
        good.document()["content"][0]["text"]
            .as_str()
            .unwrap()
            .contains("two")
    );
    let bad = call("files__read_file", r#"{"path": "b.txt"}"#);
    assert_eq!(bad.status, Some(1));
    assert!(
        bad.document()["error"]["message"]
            .as_str()
            .unwrap()
            .contains("does not exist"),
        "{}",
        bad.output
    );
}

#[test]
fn mcp_reports_states_and_configuration() {
    let scratch = scratch();

    let states = run_in(&scratch, &["mcp", "--config", "mcp.json", "status"], "").document();
    assert_eq!(
        (&states[0]["state"], &states[1]["state"]),
        (&json!("ready"), &json!("failed"))
    );
    assert_eq!(states[0]["protocol"], "2026-07-28");
    let checked = run_in(&scratch, &["mcp", "--config", "mcp.json", "check"], "").document();
    assert_eq!(checked["servers"], json!(["files", "missing"]));
    assert_eq!(checked["issues"].as_array().unwrap().len(), 1);
    assert_eq!(checked["errors"].as_array().unwrap().len(), 1);
    let unusable = run_in(&scratch, &["mcp", "--config", "none.json", "list"], "");
    assert_eq!(unusable.status, Some(2));
}
