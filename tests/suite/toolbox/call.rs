//! `call`.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::thread;

use serde_json::json;
use tool_test::Scratch;

use super::{Run, run_in};

fn readme() -> Scratch {
    Scratch::new().file("README.md", "one\ntwo\nthree\nfour\n")
}

fn call(scratch: &Scratch, arguments: &[&str]) -> Run {
    run_in(scratch, &[&["call"], arguments].concat(), "")
}

#[test]
fn prints_result_and_argument_changes() {
    let arguments = r#"{"file_path": "README.md", "start_line": "1", "limit": 3}"#;

    let run = call(&readme(), &["read", arguments]);

    let result = run.document();
    assert_eq!((run.status, run.errors.as_str()), (Some(0), ""));
    assert_eq!(result["success"], true);
    assert!(
        result["content"][0]["text"]
            .as_str()
            .is_some_and(|text| text.starts_with("one\ntwo\nthree\n")),
        "{result}"
    );
    assert_eq!(result["error"], json!(null));
    assert_eq!(
        result["metadata"]["parameters"],
        json!({"path": "README.md", "start_line": 1, "limit": 3})
    );
    assert_eq!(
        result["metadata"]["changes"],
        json!([
            {"pointer": "/path", "kind": "alias", "from": "file_path", "to": "path"},
            {"pointer": "/start_line", "kind": "text_to_number", "from": "1", "to": 1},
        ])
    );
}

#[test]
fn several_workspaces_are_roots() {
    let scratch = Scratch::new()
        .file("one/a.txt", "first")
        .file("two/b.txt", "second");
    let second = scratch.path().join("two/b.txt");
    let roots = ["--workspace", "one", "--workspace", "two"];

    for (path, text) in [("a.txt", "first"), (second.to_str().unwrap(), "second")] {
        let arguments = json!({"path": path}).to_string();
        let run = call(&scratch, &[&["read", &arguments][..], &roots].concat());

        assert_eq!(run.document()["content"][0]["text"], text, "{}", run.errors);
    }
}

#[test]
fn rejects_path_outside_workspace_with_suggestion() {
    let run = call(&readme(), &["read", r#"{"path": "../secret"}"#]);

    let error = &run.document()["error"];
    assert_eq!(run.status, Some(1));
    assert_eq!(error["code"], "path_outside_workspace");
    assert_eq!(error["parameter"], "path");
    assert_eq!(
        error["suggestion"],
        "Use a path relative to the workspace root."
    );
}

#[test]
fn parses_arguments_like_model_output() {
    for (text, code) in [
        ("```json\n{\"path\": \"README.md\"}\n```", None),
        ("{path: 'README.md',}", None),
        (r#"{"path": "README"#, Some("truncated_arguments")),
        (r#"{"path": "a", "path": "b"}"#, Some("invalid_arguments")),
        (r#"{"pth": "README.md"}"#, Some("invalid_arguments")),
        ("[1]", Some("invalid_arguments")),
    ] {
        let run = call(&readme(), &["read", text]);

        assert_eq!(run.status, Some(i32::from(code.is_some())), "{text}");
        assert_eq!(run.document()["error"]["code"].as_str(), code, "{text}");
    }
}

#[test]
fn omitted_arguments_are_empty_object() {
    let run = call(&readme(), &["list"]);

    assert_eq!(run.status, Some(0));
    assert_eq!(run.document()["data"]["entries"][0]["path"], "README.md");
}

#[test]
fn dash_reads_arguments_from_stdin() {
    let input = r#"{"path": "README.md", "start_line": -1}"#;

    let run = run_in(&readme(), &["call", "read", "-"], input);

    assert_eq!(run.status, Some(0));
    assert_eq!(run.document()["data"]["content"], "four\n");
}

#[test]
fn unknown_tool_suggests_similar_name() {
    let run = call(&readme(), &["reed"]);

    let error = &run.document()["error"];
    assert_eq!(run.status, Some(1));
    assert_eq!(error["code"], "tool_not_found");
    let suggestion = error["suggestion"].as_str().unwrap();
    assert!(
        suggestion.starts_with("Did you mean `read`?"),
        "{suggestion}"
    );
}

#[test]
fn workspace_option_sets_directory() {
    let scratch = readme().file("inner/a.txt", "inner");

    let run = call(
        &scratch,
        &["read", r#"{"path": "a.txt"}"#, "--workspace", "inner"],
    );

    assert_eq!(run.document()["data"]["content"], "inner");
}

#[test]
fn denies_approval_without_terminal() {
    for approval in [&[][..], &["--approve", "ask"], &["--approve", "none"]] {
        let arguments = [
            "bash",
            r#"{"command": "rm -r inner", "needs": ["network"]}"#,
        ];
        let scratch = readme().folder("inner");

        let run = call(&scratch, &[&arguments, approval].concat());

        assert_eq!(run.status, Some(1), "{approval:?}");
        assert_eq!(
            run.document()["error"]["code"],
            "approval_denied",
            "{approval:?}"
        );
        assert_eq!(run.errors, "", "{approval:?}");
        assert!(scratch.has("inner"), "{approval:?}");
    }
}

#[test]
fn approve_all_runs_calls() {
    let scratch = readme().folder("inner");
    let arguments = [
        "bash",
        r#"{"command": "rm -r inner", "needs": ["network"]}"#,
    ];

    let run = call(&scratch, &[&arguments[..], &["--approve", "all"]].concat());

    let result = run.document();
    assert_eq!(run.status, Some(0));
    assert_eq!(
        result["metadata"]["approval"],
        json!({"outcome": "approved", "rule": "dangerous"})
    );
    assert!(!scratch.has("inner"));
}

#[test]
fn writing_needs_no_approval() {
    let scratch = readme().folder("inner");
    let arguments = r#"{"path": "new.txt", "content": "text"}"#;

    let run = call(&scratch, &["write", arguments, "--approve", "none"]);

    assert_eq!(run.status, Some(0));
    assert_eq!(run.document()["files_affected"], json!(["new.txt"]));
    assert_eq!(scratch.read("new.txt"), "text");
}

#[test]
fn timeout_stops_call() {
    let arguments = ["bash", r#"{"command": "sleep 20"}"#];
    let options = ["--approve", "all", "--timeout", "0.2"];

    let run = call(&readme(), &[arguments.as_slice(), &options].concat());

    let result = run.document();
    assert_eq!(run.status, Some(1));
    assert_eq!(result["error"]["code"], "timeout");
    assert_eq!(result["metadata"]["side_effects"], "possible");
}

#[test]
fn human_output_has_mark_location_and_time() {
    let scratch = readme().folder("inner");
    let place = std::path::absolute(scratch.path().join("hello.py")).unwrap();
    let arguments = r#"{"path": "hello.py", "content": "print()\n"}"#;

    let run = call(&scratch, &["write", arguments, "--human"]);

    let lines: Vec<&str> = run.output.lines().collect();
    assert_eq!(run.status, Some(0));
    assert_eq!(lines[0], "✓ Created file: hello.py (8 bytes)");
    assert_eq!(lines[1], format!("  Location: {}", place.display()));
    assert!(
        lines[2].starts_with("  Time: ") && lines[2].ends_with("ms"),
        "{}",
        lines[2]
    );
    assert_eq!(lines.len(), 3);
}

#[test]
fn human_output_has_error_and_suggestion() {
    let run = call(&readme(), &["read", r#"{"path": "../x"}"#, "--human"]);

    let lines: Vec<&str> = run.output.lines().collect();
    assert_eq!(run.status, Some(1));
    assert_eq!(
        lines[..2],
        [
            "✗ Error: `path` is outside the workspace.",
            "  Use a path relative to the workspace root.",
        ]
    );
}

#[test]
fn human_output_removes_control_characters() {
    let scratch = Scratch::new().file("a.txt", "\u{1b}]0;owned\u{7}one\r\ntwo\n");

    let run = call(&scratch, &["read", r#"{"path": "a.txt"}"#, "--human"]);

    let lines: Vec<&str> = run.output.lines().take(2).collect();
    assert_eq!(lines, ["✓ ]0;ownedone", "  two"]);
}

#[test]
fn writes_traces_to_stderr() {
    let run = call(&readme(), &["read", r#"{"path": "README.md"}"#, "-v"]);

    assert_eq!(run.document()["success"], true);
    assert!(run.errors.contains("execute_tool"), "{}", run.errors);
}

#[cfg(target_os = "linux")]
#[test]
fn sandbox_limits_writes_to_workspace() {
    let scratch = Scratch::new()
        .file("root/a.sh", "echo one > a.txt")
        .file("root/b.sh", "echo evil > ../b.txt")
        .file("root/c.sh", "echo two > ../c.txt");
    let call = |script: &str, rest: &[&str]| {
        let arguments = json!({"command": format!("sh {script}")}).to_string();
        let mut words = vec!["call", "bash", arguments.as_str(), "--workspace", "root"];
        words.extend(["--approve", "all"]);
        words.extend(rest);
        run_in(&scratch, &words, "").document()
    };

    let inside = call("a.sh", &["--sandbox"]);
    let outside = call("b.sh", &["--sandbox"]);
    let default = call("b.sh", &[]);
    let unconfined = call("c.sh", &["--no-sandbox"]);

    assert_eq!(inside["data"]["exit_code"], 0, "{inside}");
    assert_eq!(inside["metadata"]["sandbox"]["enforced"], true, "{inside}");
    assert_ne!(outside["data"]["exit_code"], 0, "{outside}");
    assert_ne!(default["data"]["exit_code"], 0, "{default}");
    assert_eq!(
        default["metadata"]["sandbox"], inside["metadata"]["sandbox"],
        "{default}"
    );
    assert_eq!(
        unconfined["metadata"]["sandbox"],
        json!({"enforced": false}),
        "{unconfined}"
    );
    assert_eq!(unconfined["data"]["exit_code"], 0, "{unconfined}");
    assert_eq!(
        ["root/a.txt", "b.txt", "c.txt"].map(|path| scratch.has(path)),
        [true, false, true]
    );
}

#[cfg(unix)]
#[test]
fn env_adds_variables_for_commands() {
    let scratch = Scratch::new();
    let arguments = json!({"command": "echo $CHOSEN $CARGO_MANIFEST_DIR."}).to_string();
    let words = |more: &[&'static str]| {
        let mut words = vec!["call".to_owned(), "bash".to_owned(), arguments.clone()];
        words.extend(
            ["--approve", "all"]
                .iter()
                .chain(more)
                .map(ToString::to_string),
        );
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        run_in(&scratch, &words, "").document()["data"]["stdout"].clone()
    };

    assert_eq!(words(&[]), ".\n");
    assert_eq!(words(&["--env", "CHOSEN=a=b"]), "a=b .\n");
    assert_ne!(words(&["--env", "CARGO_MANIFEST_DIR"]), ".\n");
}

/// Starts a loopback server that returns one page, and returns its address.
fn page_server(page: &'static str) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut request = [0; 4096];
            let _ = stream.read(&mut request).unwrap();
            let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", page.len());
            stream.write_all(head.as_bytes()).unwrap();
            stream.write_all(page.as_bytes()).unwrap();
        }
    });
    address
}

#[test]
fn allow_net_permits_local_server() {
    let port = page_server("hello").port();
    let fetch = |host: &str, options: &[&str]| {
        let arguments = json!({"url": format!("http://{host}:{port}/")}).to_string();
        let fixed = [
            "web_fetch",
            &arguments,
            "--approve",
            "all",
            "--group",
            "web",
        ];
        call(&Scratch::new(), &[&fixed, options].concat()).document()
    };

    for host in ["127.0.0.1", "localhost"] {
        let refused = fetch(host, &[]);
        let fetched = fetch(host, &["--allow-net", "127.0.0.0/8"]);

        assert_eq!(refused["error"]["code"], "url_forbidden", "{refused}");
        assert_eq!(fetched["data"]["status_code"], 200, "{fetched}");
        let text = fetched["content"][0]["text"].as_str().unwrap();
        assert!(text.ends_with("--- Content ---\n\nhello"), "{text}");
    }
}

#[test]
fn rejects_invalid_range() {
    let run = call(&Scratch::new(), &["list", "{}", "--allow-net", "localhost"]);

    assert_eq!(run.status, Some(2));
    assert!(run.errors.contains("10.0.0.0/8"), "{}", run.errors);
}
