//! Processes that remain after the end of a host.
//!
//! `tests/host_ends.sh [RUNS]` prints the table; the test itself runs each row once.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tokio::time::sleep;
use tool_test::Scratch;
use wiremock::matchers::method;
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

use crate::program::program;
use crate::terminal::Terminal;

/// Command that starts daemons with and without the variable of the library, and does not finish.
const ENDLESS: &str = "sh change.sh; (setsid sleep {} >/dev/null 2>&1 &); env -u TOOL_CALL_ID setsid -f sleep {}; \
    sleep {}";

/// Command that finishes when a file exists.
const FINITE: &str = "sh change.sh; (setsid sleep {} >/dev/null 2>&1 &); env -u TOOL_CALL_ID setsid -f sleep {}; \
    sleep {} & while ! [ -e finish ]; do sleep 0.05; done";

/// Settings of the repository before the commands, and the script by which they change.
const SETTINGS: &str = "[core]\n\tbare = false\n";
const CHANGE: &str = "echo '[alias] x = !evil' >> .git/config";

/// Number of `sleep` processes of the two commands of a host.
const DAEMONS: usize = 6;

/// Ends of each host. The last signal of a row is sent after the first one.
const ENDS: [(&str, End); 7] = [
    ("Ctrl-C", End::Signals(&[Signal::INT])),
    ("SIGTERM", End::Signals(&[Signal::TERM])),
    ("SIGHUP", End::Signals(&[Signal::HUP])),
    ("SIGKILL", End::Signals(&[Signal::KILL])),
    ("return", End::Own("return")),
    ("panic", End::Own("panic")),
    ("process::exit", End::Own("exit")),
];

/// Time after which remaining processes are reported, and the time after SIGKILL.
const LIMIT: Duration = Duration::from_secs(2);
const LIMIT_AFTER_KILL: Duration = Duration::from_secs(5);

/// Interval between checks, and between two signals.
const POLL: Duration = Duration::from_millis(20);

/// Maximum time on a busy system.
const LONGEST_WAIT: Duration = Duration::from_mins(1);

#[derive(Debug, Clone, Copy)]
enum End {
    /// Signals from another process.
    Signals(&'static [Signal]),
    /// End by the host itself.
    Own(&'static str),
}

/// Remaining processes of one run.
#[derive(Debug, Default, Clone, Copy)]
struct Survivors {
    /// Processes with the cookie of the host.
    marked: usize,
    /// All processes of the commands.
    all: usize,
    /// Time until no process with the cookie remained.
    time: Duration,
}

#[tokio::test(flavor = "multi_thread")]
async fn ended_host_leaves_no_process_and_no_changed_settings() {
    let runs = std::env::var("HOST_ENDS_RUNS").map_or(1, |runs| runs.parse().unwrap());
    println!(
        "{:<11} {:<14} {runs} runs: with cookie, any; maximum time",
        "host", "end"
    );
    for host in ["task", "host_ends"] {
        for (name, end) in ENDS {
            // The agent has no switch to panic; its second Ctrl-C calls `process::exit`.
            let end = match (host, end) {
                ("task", End::Own("panic")) => continue,
                ("task", End::Own("exit")) => End::Signals(&[Signal::INT, Signal::INT]),
                (_, end) => end,
            };
            let mut found = Vec::new();
            for _ in 0..runs {
                found.push(survivors(host, end).await);
            }
            let count =
                |one: fn(&Survivors) -> usize| found.iter().filter(|run| one(run) > 0).count();
            println!(
                "{host:<11} {name:<14} {} {} {:.2} s",
                count(|run| run.marked),
                count(|run| run.all),
                found
                    .iter()
                    .map(|run| run.time)
                    .max()
                    .unwrap()
                    .as_secs_f64()
            );
        }
    }
}

/// Starts a host with its daemons, stops it and counts the processes that remain.
async fn survivors(host: &str, end: End) -> Survivors {
    let scratch = Scratch::new()
        .file(".git/config", SETTINGS)
        .file("change.sh", CHANGE);
    let state = Scratch::new();
    let marker = marker();
    let server = MockServer::start().await;
    let terminal = Terminal::open();
    let mut child = match host {
        "task" => {
            answer_with(&server, &marker).await;
            start_agent(&server, scratch.path(), state.path(), &terminal)
        }
        _ => start_host(&marker, scratch.path(), state.path(), end),
    };
    let began = Instant::now();
    while sleeping(&marker).len() < DAEMONS {
        assert!(
            began.elapsed() < LONGEST_WAIT,
            "the daemons are not running"
        );
        sleep(POLL).await;
    }
    let cookie = cookie(&sleeping(&marker));
    assert_ne!(scratch.read(".git/config"), SETTINGS);

    let mut ended = Instant::now();
    bring_about(end, &mut child, scratch.path()).await;
    if let End::Own(_) = end {
        // The host first completes its work.
        child.wait().unwrap();
        ended = Instant::now();
    }
    let found = count_after(ended, end, &marker, &cookie).await;
    child.wait().unwrap();
    // The file is missing for a moment while it is replaced.
    let settings = || fs::read_to_string(scratch.path().join(".git/config")).ok();
    while settings().as_deref() != Some(SETTINGS) {
        assert!(ended.elapsed() < LONGEST_WAIT, "{end:?}: not restored");
        sleep(POLL).await;
    }
    found
}

/// Returns the command of a host. Under `nohup`, it would ignore SIGHUP.
fn host(example: &str, state: &Path) -> Command {
    let mut command = Command::new("env");
    command
        .arg("--default-signal=HUP,INT")
        .arg(program(example))
        .env("XDG_STATE_HOME", state);
    // A backtrace of an unoptimized program takes seconds.
    command.env_remove("RUST_BACKTRACE");
    command
}

fn start_host(marker: &str, directory: &Path, state: &Path, end: End) -> Child {
    let own = match end {
        End::Own(own) => own,
        End::Signals(_) => "return",
    };
    host("host_ends", state)
        .arg(own)
        .arg(directory)
        .env("COMMAND", ENDLESS.replace("{}", marker))
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Starts the agent and confirms its prompts with `y`.
fn start_agent(server: &MockServer, directory: &Path, state: &Path, terminal: &Terminal) -> Child {
    terminal.write("y\ny\n");
    host("task", state)
        .args(["--provider", "openai", "--base-url", &server.uri()])
        .arg("--workspace")
        .arg(directory)
        .stdin(terminal.other_end())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Responds with a call in the background and another one, and then with an answer.
async fn answer_with(server: &MockServer, marker: &str) {
    let [endless, finite] = [ENDLESS, FINITE].map(|script| script.replace("{}", marker));
    let call = |id: &str, arguments: Value| {
        let function = json!({"name": "bash", "arguments": arguments.to_string()});
        json!({"id": id, "type": "function", "function": function})
    };
    // One call in each turn, because commands run one by one.
    let calls = [
        call("c1", json!({"command": endless, "background": true})),
        call("c2", json!({"command": finite, "timeout_seconds": 60})),
    ];
    let respond = move |request: &Request| {
        let body: Value = request.body_json().unwrap();
        let results = body.to_string().matches("\"tool_call_id\"").count();
        let (message, finish) = match calls.get(results) {
            Some(call) => (json!({"content": null, "tool_calls": [call]}), "tool_calls"),
            None => (json!({"content": "Done."}), "stop"),
        };
        ResponseTemplate::new(200)
            .set_body_json(json!({"choices": [{"message": message, "finish_reason": finish}]}))
    };
    Mock::given(method("POST"))
        .respond_with(respond)
        .mount(server)
        .await;
}

async fn bring_about(end: End, child: &mut Child, directory: &Path) {
    match (end, child.stdin.take()) {
        (End::Signals(signals), _) => {
            let id = Pid::from_child(child);
            for (number, signal) in signals.iter().enumerate() {
                // The host reacts to the first signal before it receives the second one.
                sleep(POLL * u32::try_from(number).unwrap()).await;
                let _ = kill_process(id, *signal);
            }
        }
        (End::Own(_), Some(mut input)) => input.write_all(b"\n").unwrap(),
        // The agent returns after its last call.
        (End::Own(_), None) => fs::write(directory.join("finish"), "").unwrap(),
    }
}

/// Waits until no process with the cookie remains. Counts the processes at the limit of the end.
async fn count_after(ended: Instant, end: End, marker: &str, cookie: &str) -> Survivors {
    let limit = match end {
        End::Signals([Signal::KILL]) => LIMIT_AFTER_KILL,
        _ => LIMIT,
    };
    let mut found = Survivors::default();
    loop {
        let (tagged, all) = (with_cookie(cookie), sleeping(marker));
        let elapsed = ended.elapsed();
        if !tagged.is_empty() {
            found.time = elapsed;
        }
        if elapsed < limit {
            (found.marked, found.all) = (tagged.len(), all.len());
        }
        if tagged.is_empty() && (all.is_empty() || elapsed >= limit) {
            all.into_iter().for_each(kill);
            return found;
        }
        assert!(elapsed < LONGEST_WAIT, "{end:?}: {tagged:?} remain");
        sleep(POLL).await;
    }
}

fn kill(id: u32) {
    let id = i32::try_from(id).ok().and_then(Pid::from_raw);
    let _ = kill_process(id.unwrap(), Signal::KILL);
}

/// Returns a unique duration.
fn marker() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("46{}.{number}1", std::process::id())
}

/// Returns the identifier of the host in the environment of a process.
fn cookie(processes: &[u32]) -> String {
    let environments = processes
        .iter()
        .filter_map(|id| fs::read(format!("/proc/{id}/environ")).ok());
    let text = environments
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .find_map(|text| {
            let value = text
                .split('\0')
                .find_map(|one| one.strip_prefix("TOOL_CALL_ID="))?;
            Some(value.rsplit(',').next()?.split('.').next()?.to_owned())
        });
    text.expect("a process has the variable")
}

/// Returns the `sleep` processes with this duration.
fn sleeping(marker: &str) -> Vec<u32> {
    let line = format!("sleep\0{marker}\0");
    processes("cmdline", |found| found == line.as_bytes())
}

/// Returns the processes with this identifier in their environment.
fn with_cookie(cookie: &str) -> Vec<u32> {
    let cookie = cookie.as_bytes();
    processes("environ", |found| {
        found.windows(cookie.len()).any(|part| part == cookie)
    })
}

fn processes(file: &str, is_wanted: impl Fn(&[u8]) -> bool) -> Vec<u32> {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    entries
        .filter(|entry| fs::read(entry.path().join(file)).is_ok_and(|found| is_wanted(&found)))
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .collect()
}
