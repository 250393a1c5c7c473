//! Daemons of the example `survey` after each end of a tree or of its host, for each mechanism.

#![cfg(target_os = "linux")]

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Number of daemons that the example starts.
const DAEMONS: usize = 16;

/// Daemons that no mark identifies, perhaps only after their program has finished.
const UNMARKED: [&str; 3] = [
    "chain of exec",
    "unset cookie, output to a file",
    "unset cookie, closed descriptors, double fork",
];

fn survey(arguments: &[&str]) -> Command {
    let test = std::env::current_exe().unwrap();
    let examples: PathBuf = test.ancestors().nth(2).unwrap().join("examples");
    let mut survey = Command::new(examples.join("survey"));
    survey
        .args(arguments)
        .env_remove("RUST_BACKTRACE")
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    survey
}

/// Returns the mechanisms that this system supports. The example reports a weaker one if it does
/// not.
fn mechanisms() -> impl Iterator<Item = &'static str> {
    ["cookie", "subreaper", "cgroup"]
        .into_iter()
        .filter(|mechanism| {
            let output = survey(&[mechanism, "none", "0"]).output().unwrap();
            String::from_utf8_lossy(&output.stdout).contains(&format!("mechanism: {mechanism}\n"))
        })
}

#[test]
fn ended_trees_leave_only_unmarked_daemons() {
    for mechanism in mechanisms() {
        for end in ["finish", "drop", "cancel", "timeout"] {
            let output = survey(&[mechanism, end]).output().unwrap();

            let text = String::from_utf8(output.stdout).unwrap();
            assert!(text.ends_with("survivors\n"), "{mechanism} {end}: {text}");
            for line in text.lines().filter(|line| line.ends_with(')')) {
                let is_unmarked = UNMARKED.iter().any(|name| line.contains(name));
                assert!(
                    is_unmarked && line.ends_with("(cookie)"),
                    "{mechanism}: {line}"
                );
            }
        }
    }
}

#[test]
fn host_end_leaves_only_daemons_without_cookie() {
    for mechanism in mechanisms() {
        for end in ["exit", "panic", "return", "INT", "TERM", "HUP", "KILL"] {
            let marker = format!("48{}.{}", std::process::id(), end.len());
            let limit = Duration::from_secs(if end == "KILL" { 5 } else { 2 });

            let (host, weaker) = started_host(mechanism, end, &marker);
            let left = after(limit, host, end, &marker);

            assert!(!left.iter().any(|id| has_cookie(id)), "{mechanism} {end}");
            println!(
                "{mechanism} {end}: {} of {DAEMONS} daemons survive, {weaker} trees are weaker",
                left.len()
            );
            let all_are_known = mechanism != "cgroup" || left.len() <= weaker;
            assert!(
                all_are_known,
                "{mechanism} {end}: {left:?}, {weaker} weaker"
            );
            for id in left {
                Command::new("kill").args(["-9", &id]).status().unwrap();
            }
        }
    }
}

/// Starts the example, which waits after it has started all daemons. Returns the number of trees
/// with a weaker mechanism.
fn started_host(mechanism: &str, end: &str, marker: &str) -> (Child, usize) {
    let mut host = survey(&[mechanism, end, marker]).spawn().unwrap();
    let lines = BufReader::new(host.stdout.take().unwrap()).lines();
    let mut weaker = None;
    for line in lines.map_while(Result::ok) {
        if let Some(count) = line.strip_prefix("weaker: ") {
            weaker = count.parse().ok();
        }
        if line.starts_with("running: ") {
            break;
        }
    }
    (host, weaker.unwrap())
}

/// Ends the host and returns the daemons that are running after `limit`.
fn after(limit: Duration, mut host: Child, end: &str, marker: &str) -> Vec<String> {
    if end.chars().all(char::is_uppercase) {
        Command::new("kill")
            .args([format!("-{end}"), host.id().to_string()])
            .status()
            .unwrap();
    }
    host.wait().unwrap();
    let ended = Instant::now();
    while ended.elapsed() < limit && running(marker).iter().any(|id| has_cookie(id)) {
        sleep(Duration::from_millis(20));
    }
    // The watcher kills a cgroup after the processes that it finds by the cookie.
    sleep(
        limit
            .saturating_sub(ended.elapsed())
            .min(Duration::from_millis(500)),
    );
    running(marker)
}

fn has_cookie(id: &str) -> bool {
    let environ = fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
    environ.windows(12).any(|part| part == b"TOOL_CALL_ID")
}

fn running(marker: &str) -> Vec<String> {
    let line = format!("sleep\0{marker}\0");
    let entries = fs::read_dir("/proc").unwrap().flatten();
    entries
        .filter(|entry| {
            let mut found = Vec::new();
            fs::File::open(entry.path().join("cmdline"))
                .and_then(|mut file| file.read_to_end(&mut found))
                .is_ok_and(|_| found == line.as_bytes())
        })
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect()
}
