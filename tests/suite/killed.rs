//! The example `task`, killed at 40 points of one run and resumed with `--resume`, and one killed call of `toolbox`.

use std::collections::HashMap;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tool_test::Scratch;
use wiremock::matchers::method;
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

use crate::program::program;
use crate::terminal::Terminal;
use crate::toolbox::run_in;

/// Number of turns with a call.
const TURNS: usize = 32;
/// Number of processes to kill.
const KILLS: usize = 40;
/// Time until each reply, so that processes are killed at their current entry.
const DELAY: Duration = Duration::from_millis(4);
/// Time after which the test fails.
const LONGEST_WAIT: Duration = Duration::from_mins(1);

/// Replies with the call of the turn: two appends, then a read, and so on.
fn reply(turn: usize) -> Value {
    let (name, arguments) = match turn % 3 {
        2 => ("read", json!({"path": "log.txt"})),
        _ => (
            "bash",
            json!({"command": format!("echo {turn} >> log.txt")}),
        ),
    };
    let function = json!({"name": name, "arguments": arguments.to_string()});
    let call = json!({"id": format!("call_{turn}"), "type": "function", "function": function});
    let (message, finish) = if turn < TURNS {
        (json!({"content": null, "tool_calls": [call]}), "tool_calls")
    } else {
        (json!({"content": "Done."}), "stop")
    };
    json!({"choices": [{"message": message, "finish_reason": finish}],
        "usage": {"prompt_tokens": 50, "completion_tokens": 5}})
}

/// Starts a server that stores the number of replies in each request.
async fn server() -> (MockServer, Arc<Mutex<Vec<usize>>>) {
    let server = MockServer::start().await;
    let requests = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&requests);
    Mock::given(method("POST"))
        .respond_with(move |request: &Request| {
            let body: Value = serde_json::from_slice(&request.body).unwrap();
            let messages = body["messages"].as_array().unwrap();
            let is_reply = |message: &&Value| message["role"] == "assistant";
            let turn = messages.iter().filter(is_reply).count();
            log.lock().unwrap().push(turn);
            ResponseTemplate::new(200)
                .set_body_json(reply(turn))
                .set_delay(DELAY)
        })
        .mount(&server)
        .await;
    (server, requests)
}

/// Starts a run whose prompts read `y` from the terminal, or continues it.
fn start(server: &MockServer, garden: &Path, record: &Path, terminal: &Terminal) -> Child {
    terminal.write(&"y\n".repeat(TURNS));
    let mut command = Command::new(program("task"));
    command
        .args(["--provider", "openai", "--model", "some-model"])
        .args(["--base-url", &server.uri(), "--max-turns", "200"])
        .arg("--workspace")
        .arg(garden)
        .arg("--transcript")
        .arg(record)
        .stdin(terminal.other_end())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    if record.exists() {
        command.arg("--resume");
    }
    command.spawn().unwrap()
}

/// Returns the entries of the record; the last one may be incomplete.
fn entries(record: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(record).unwrap_or_default();
    let complete = text.rfind('\n').map_or("", |end| &text[..end]);
    complete
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn replies(entries: &[Value]) -> usize {
    let is_reply = |entry: &&Value| entry["message"]["role"] == "assistant";
    entries.iter().filter(is_reply).count()
}

fn size(path: &Path) -> u64 {
    path.metadata().map_or(0, |file| file.len())
}

/// Waits until the process ends or the file grows. Returns whether the process runs.
fn runs_until_growth(child: &mut Child, file: &Path, before: u64) -> bool {
    let began = Instant::now();
    loop {
        if size(file) > before {
            return true;
        }
        if child.try_wait().unwrap().is_some() {
            return false;
        }
        assert!(began.elapsed() < LONGEST_WAIT, "the run does not continue");
        std::thread::yield_now();
    }
}

/// Returns the ID, success and text of each result.
fn results(entries: &[Value]) -> Vec<(String, bool, String)> {
    let results = entries
        .iter()
        .filter_map(|entry| entry["message"]["results"].as_array());
    let result = |result: &Value| {
        let text = result["content"][0]["text"].as_str().unwrap_or_default();
        let id = result["call_id"].as_str().unwrap().to_owned();
        (id, result["is_error"] == false, text.to_owned())
    };
    results.flatten().map(result).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_run_repeats_no_recorded_reply_and_no_finished_call() {
    let (server, requests) = server().await;
    let garden = Scratch::new().file("log.txt", "");
    let records = Scratch::new();
    let (log, record) = (
        garden.path().join("log.txt"),
        records.path().join("r.jsonl"),
    );

    let (mut kills, mut during_calls) = (0, 0);
    loop {
        let known = replies(&entries(&record));
        requests.lock().unwrap().clear();
        // Most points follow an entry of the record, the others the effect of a call.
        let file = if kills % 4 == 3 { &log } else { &record };
        let before = size(file);
        let terminal = Terminal::open();
        let mut child = start(&server, garden.path(), &record, &terminal);
        let runs = kills < KILLS && runs_until_growth(&mut child, file, before);
        if runs {
            child.kill().unwrap();
            kills += 1;
        }
        let status = child.wait().unwrap();
        let asked = requests.lock().unwrap().clone();
        assert!(
            asked.iter().all(|turn| *turn >= known),
            "{known} replies were recorded, but requests had {asked:?}"
        );
        if !runs {
            assert!(status.success(), "{status}");
            break;
        }
        let last = entries(&record).pop().unwrap_or_default();
        during_calls += usize::from(last.get("started").is_some());
    }

    assert_eq!(kills, KILLS, "the run ended early");
    assert!(during_calls > 0, "no process was killed during a call");
    check(&garden.read("log.txt"), &entries(&record));
}

/// Checks that each call has one result and ran at most once.
fn check(log: &str, entries: &[Value]) {
    let mut runs: HashMap<String, usize> = HashMap::new();
    for turn in log.lines() {
        *runs.entry(format!("call_{turn}")).or_default() += 1;
    }
    let results = results(entries);
    assert_eq!(results.len(), TURNS);
    assert_eq!(replies(entries), TURNS + 1);
    for (turn, (id, is_success, text)) in results.iter().enumerate() {
        assert_eq!(*id, format!("call_{turn}"));
        let count = runs.get(id).copied().unwrap_or_default();
        match (turn % 3, is_success) {
            (2, _) => assert!(is_success, "{id}: {text}"),
            (_, true) => assert_eq!(count, 1, "{id}: {text}"),
            (_, false) => {
                assert!(text.contains("outcome is unknown"), "{id}: {text}");
                assert!(count <= 1, "{id} ran {count} times");
            }
        }
    }
}

/// Waits for the end of the lease, and therefore begins before the other tests of `toolbox`.
#[test]
fn killed_call_is_unknown_and_never_repeated() {
    let scratch = Scratch::new();
    let ledger = |arguments: &[&str]| {
        let of_file = ["ledger", "--ledger", "calls.db"];
        run_in(&scratch, &[&of_file[..], arguments].concat(), "")
    };
    let key = ["--ledger", "calls.db", "--key", "slow", "--approve", "all"];
    let arguments = json!({"command": "echo ran >> log.txt; sleep 60"}).to_string();
    let call = [&["call", "bash", &arguments, "--no-sandbox"], &key[..]].concat();
    let mut child = Command::new(program("toolbox"))
        .args(&call)
        .current_dir(scratch.path())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let end = Instant::now() + Duration::from_mins(1);
    while !scratch.path().join("log.txt").exists() && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();

    // Until the lease ends, the call may be running.
    let running = run_in(&scratch, &call, "");
    assert_eq!(
        running.document()["error"]["code"],
        "in_progress",
        "{}",
        running.output
    );
    let mut listed = ledger(&["list", "--state", "unknown"]).lines();
    while listed.is_empty() && Instant::now() < end + Duration::from_mins(1) {
        std::thread::sleep(Duration::from_millis(500));
        listed = ledger(&["list", "--state", "unknown"]).lines();
    }
    let unknown = run_in(&scratch, &call, "");
    let recovered = ledger(&["recover"]);

    assert_eq!(listed.len(), 1);
    assert_eq!(
        unknown.document()["error"]["code"],
        "outcome_unknown",
        "{}",
        unknown.output
    );
    assert_eq!(scratch.read("log.txt"), "ran\n");
    // The tool cannot determine the outcome.
    assert_eq!(recovered.status, Some(1));
    assert_eq!(recovered.lines()[0]["finding"], "unknown");
}
