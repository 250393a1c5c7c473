//! `serve` and `mcp`, connected to each other.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use serde_json::{Value, json};
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
    let read_file = |tool: &&Value| tool["name"] == "files__read";
    let read_file = tools.as_array().unwrap().iter().find(read_file).unwrap();
    assert_eq!(read_file["claimed"]["read_only"], true);
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
    let good = call("files__read", r#"{"path": "a.txt", "start_line": 2}"#);
    assert_eq!(good.status, Some(0), "{}", good.output);
    assert!(
        good.document()["content"][0]["text"]
            .as_str()
            .unwrap()
            .contains("two")
    );
    let bad = call("files__read", r#"{"path": "b.txt"}"#);
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
    #[cfg(target_os = "linux")]
    assert!(states[0]["memory_bytes"].as_u64().unwrap() > 1024 * 1024);
    let checked = run_in(&scratch, &["mcp", "--config", "mcp.json", "check"], "").document();
    assert_eq!(checked["servers"], json!(["files", "missing"]));
    assert_eq!(checked["issues"].as_array().unwrap().len(), 1);
    assert_eq!(checked["errors"].as_array().unwrap().len(), 1);
    let unusable = run_in(&scratch, &["mcp", "--config", "none.json", "list"], "");
    assert_eq!(unusable.status, Some(2));
}

/// Server that is killed on drop.
struct Server(std::process::Child);

impl Drop for Server {
    fn drop(&mut self) {
        // An error means that it has exited.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts `serve --http` on a free port, and returns its first line of output.
fn serve_http(arguments: &[&str]) -> (Server, String) {
    let mut command = std::process::Command::new(PROGRAM.as_path());
    command
        .args(["serve", "--http"])
        .args(arguments)
        .env("TOOLBOX_TEST_TOKEN", "secret")
        .stderr(std::process::Stdio::piped());
    let mut server = Server(command.spawn().unwrap());
    let mut line = String::new();
    let mut errors = BufReader::new(server.0.stderr.take().unwrap());
    errors.read_line(&mut line).unwrap();
    (server, line.trim_end().to_owned())
}

/// Posts a request and returns the response.
fn post(address: &str, headers: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    let length = body.len();
    write!(
        stream,
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nContent-Length: {length}\r\n{headers}\r\n{body}"
    )
    .unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).unwrap();
    response
}

#[test]
fn serve_http_requires_token_and_stops() {
    for token in [["--token-env", "TOOLBOX_TEST_TOKEN"], ["--token", "secret"]] {
        token_is_required(token);
    }
}

fn token_is_required([option, value]: [&str; 2]) {
    let (mut server, line) = serve_http(&["127.0.0.1:0", option, value]);
    let address = line
        .strip_prefix("toolbox: serving http://")
        .and_then(|rest| rest.strip_suffix("/mcp"))
        .unwrap();
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).to_string();

    let denied = post(address, "", &list);
    let listed = post(address, "Authorization: Bearer secret\r\n", &list);

    assert!(denied.starts_with("HTTP/1.1 401 "), "{denied}");
    assert!(listed.starts_with("HTTP/1.1 200 "), "{listed}");
    assert!(listed.contains("\"read\""), "{listed}");
    #[cfg(target_os = "linux")]
    {
        let id = rustix::process::Pid::from_child(&server.0);
        rustix::process::kill_process(id, rustix::process::Signal::TERM).unwrap();
        assert!(server.0.wait().unwrap().success());
    }
}

#[test]
fn serve_http_needs_token_or_word_of_user() {
    let (mut server, line) = serve_http(&["0.0.0.0:0"]);
    assert_eq!(server.0.wait().unwrap().code(), Some(2));
    assert_eq!(
        line,
        "toolbox: 0.0.0.0:0 can be reached by others and no token is set. Use --token-env, or 127.0.0.1"
    );

    // Other users of this machine reach loopback addresses, too.
    for address in ["127.0.0.1:0", "[::1]:0"] {
        let (mut server, line) = serve_http(&[address]);
        assert_eq!(server.0.wait().unwrap().code(), Some(2));
        assert_eq!(
            line,
            format!(
                "toolbox: {address} can be reached by every program of this machine and no token is set. \
                 Use --token-env, or --no-token"
            )
        );
    }
    let (_server, line) = serve_http(&["127.0.0.1:0", "--no-token"]);
    assert!(line.starts_with("toolbox: serving http://"), "{line}");
    let (mut server, line) = serve_http(&["0.0.0.0:0", "--no-token"]);
    assert_eq!(server.0.wait().unwrap().code(), Some(2));
    assert!(line.contains("can be reached by others"), "{line}");

    let (mut server, line) = serve_http(&["127.0.0.1:0", "--token-env", "TOOLBOX_TEST_UNSET"]);
    assert_eq!(server.0.wait().unwrap().code(), Some(2));
    assert_eq!(line, "toolbox: TOOLBOX_TEST_UNSET: the variable is not set");
}

#[test]
fn mcp_hides_changed_server_until_accepted() {
    let scratch = scratch();
    let mcp = |arguments: &[&str]| {
        let options = ["mcp", "--config", "mcp.json", "--pins", "pins.json"];
        run_in(&scratch, &[&options, arguments].concat(), "")
    };
    let tools = mcp(&["list"]).document().as_array().unwrap().len();
    let file = scratch.path().join("mcp.json");
    let config = std::fs::read_to_string(&file).unwrap();
    std::fs::write(
        &file,
        config.replace("\"--stdio\"", "\"--stdio\",\"--approve\",\"none\""),
    )
    .unwrap();

    let hidden = mcp(&["diff"]).document();
    assert_eq!(hidden.as_array().unwrap().len(), tools);
    assert_eq!(
        hidden[0]["changes"][0],
        "the command or the address of the server changed"
    );
    let accepted = mcp(&["accept", "files", "read"]);
    assert_eq!(accepted.status, Some(0));
    let listed = mcp(&["list"]);

    assert_eq!(listed.document().as_array().unwrap().len(), 1);
    assert_eq!(listed.document()[0]["name"], "files__read");
    assert!(
        listed
            .errors
            .contains("is hidden until you accept it: toolbox mcp accept files"),
        "{}",
        listed.errors
    );
    assert_eq!(mcp(&["accept", "files", "none"]).status, Some(1));
    assert_eq!(mcp(&["accept", "files"]).status, Some(0));
    let all = mcp(&["list"]).document().as_array().unwrap().len();
    assert_eq!(all, tools);
}

#[test]
fn operator_runs_pending_calls() {
    let program = PROGRAM.to_str().unwrap().replace('$', "$$");
    let arguments = [
        "serve",
        "--stdio",
        "--no-sandbox",
        "--approve",
        "pending",
        "--pending",
        "waiting.db",
    ];
    let config = json!({"mcpServers": {"files": {"command": program, "args": arguments}}});
    let scratch = Scratch::new()
        .file("mcp.json", config.to_string())
        .file("one/a.txt", "one\n")
        .file("two/a.txt", "two\n");
    let remove = |directory: &str| {
        let arguments = json!({"command": format!("rm -rf {directory}")}).to_string();
        let call = ["call", "files__bash", &arguments, "--approve", "all"];
        let called = run_in(
            &scratch,
            &[&["mcp", "--config", "mcp.json"][..], &call].concat(),
            "",
        );
        assert_eq!(called.status, Some(1), "{}", called.output);
        let message = called.document()["error"]["message"].take();
        message.as_str().unwrap().to_owned()
    };
    let pending = |arguments: &[&str]| {
        let options = ["pending", "--ledger", "waiting.db", "--no-sandbox"];
        run_in(&scratch, &[&options, arguments].concat(), "")
    };

    let message = remove("one");
    remove("two");

    let waiting = pending(&["list"]).document();
    assert_eq!(waiting.as_array().unwrap().len(), 2);
    let id = |number: usize| waiting[number]["id"].as_str().unwrap();
    assert_eq!(waiting[0]["arguments"]["command"], "rm -rf one");
    assert!(
        message.contains(&format!("`toolbox pending approve {}`", id(0))),
        "{message}"
    );
    let approved = pending(&["approve", id(0)]);
    assert_eq!(approved.status, Some(0), "{}", approved.output);
    assert_eq!(pending(&["approve", id(0)]).status, Some(2));
    assert_eq!(pending(&["deny", id(1)]).status, Some(1));
    assert!(!scratch.path().join("one").exists());
    assert!(scratch.path().join("two").exists());
}
