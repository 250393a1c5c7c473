//! Daemons of the example `survey` after an end of a tree or of its host, for each mechanism.
//!
//! `tests/process_ends.sh` checks all combinations.

#![cfg(target_os = "linux")]

#[path = "../examples/survey/ends.rs"]
mod survey;

use std::fs;
use std::io::{self, BufRead, BufReader};
use std::panic::resume_unwind;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

/// Variable with the arguments of the host, which is this program.
const HOST_VARIABLE: &str = "PROCESS_TREE_HOST";

/// Maximum time that the watcher may need on a busy system.
const LONGEST_WATCH: Duration = Duration::from_secs(30);

/// Daemons without a variable, an output pipe and a parent, perhaps only after their program has
/// finished.
const UNMARKED: [&str; 4] = [
    "chain of exec",
    "unset cookie, output to a file",
    "unset cookie, closed descriptors, double fork",
    "unset cookie, closed descriptors, setsid between two forks",
];

/// The host of the other tests, which start it as a separate process.
#[test]
fn host() -> io::Result<()> {
    let arguments = std::env::var(HOST_VARIABLE).unwrap_or_default();
    match arguments.split(' ').collect::<Vec<_>>()[..] {
        [mechanism, end, marker] => survey::run(mechanism, end, marker),
        _ => Ok(()),
    }
}

#[test]
fn ended_trees_leave_only_unmarked_daemons() -> io::Result<()> {
    for_each_mechanism(|mechanism| {
        for end in ["finish", "drop"] {
            let output = start_host(mechanism, end, "0").output()?;

            let text = String::from_utf8_lossy(&output.stdout);
            assert!(text.contains(" survivors\n"), "{mechanism} {end}: {text}");
            for line in text.lines().filter(|line| line.ends_with(')')) {
                let is_unmarked = UNMARKED.iter().any(|name| line.contains(name));
                assert!(
                    is_unmarked && line.ends_with("(cookie)"),
                    "{mechanism}: {line}"
                );
            }
        }
        Ok(())
    })
}

#[test]
fn host_end_leaves_only_daemons_without_cookie() -> io::Result<()> {
    for_each_mechanism(|mechanism| {
        for end in ["return", "KILL"] {
            let marker = marker();
            let scratch = tempfile::tempdir()?;
            let host = Host::start(mechanism, end, &marker, scratch.path())?;
            let weaker = host.weaker;

            host.end(end)?;

            // Only the script that was not taken back has run, after the programs were killed.
            let ran = fs::read_to_string(scratch.path().join("ran"))?;
            assert_eq!(ran, "kept\n", "{mechanism} {end}");
            let left = survey::running(&marker);
            for id in &left {
                assert!(!has_cookie(id), "{mechanism} {end}");
                Command::new("kill").args(["-9", id]).status()?;
            }
            let are_known = mechanism != "cgroup" || left.len() <= weaker;
            assert!(are_known, "{mechanism} {end}: {left:?}, {weaker} weaker");
        }
        Ok(())
    })
}

/// Checks all mechanisms concurrently, because the checks mostly wait.
fn for_each_mechanism(check: impl Fn(&str) -> io::Result<()> + Sync) -> io::Result<()> {
    let mechanisms = mechanisms()?;
    thread::scope(|scope| {
        let check = &check;
        let start = |mechanism: &'static str| scope.spawn(move || check(mechanism));
        let checks: Vec<_> = mechanisms.into_iter().map(start).collect();
        checks
            .into_iter()
            .try_for_each(|check| check.join().unwrap_or_else(|panic| resume_unwind(panic)))
    })
}

/// Returns a unique duration.
fn marker() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("48{}.{number}1", std::process::id())
}

fn start_host(mechanism: &str, end: &str, marker: &str) -> Command {
    let mut host = Command::new("/proc/self/exe");
    host.args(["--exact", "host", "--nocapture"])
        .env(HOST_VARIABLE, format!("{mechanism} {end} {marker}"))
        .env_remove("RUST_BACKTRACE")
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    host
}

/// Returns the mechanisms that this system supports. A host reports a weaker one if it does not.
fn mechanisms() -> io::Result<Vec<&'static str>> {
    let mut supported = Vec::new();
    for mechanism in ["cookie", "subreaper", "cgroup"] {
        let output = start_host(mechanism, "none", "0").output()?;
        let line = format!("mechanism: {mechanism}\n");
        if String::from_utf8_lossy(&output.stdout).contains(&line) {
            supported.push(mechanism);
        }
    }
    Ok(supported)
}

/// Host whose daemons are running.
struct Host {
    process: Child,
    watcher: String,
    /// Number of trees with a weaker mechanism.
    weaker: usize,
}

impl Host {
    fn start(mechanism: &str, end: &str, marker: &str, scratch: &Path) -> io::Result<Self> {
        let scripts = ["kept", "taken_back"].map(|name| scratch.join(name));
        for script in &scripts {
            fs::write(script, "echo ${0##*/} >> ${0%/*}/ran")?;
        }
        let scripts = scripts.map(|script| script.display().to_string());
        let scripts = scripts.join(" ");
        let mut process = start_host(mechanism, end, marker);
        let mut process = process.env("HOST_END_SCRIPTS", scripts).spawn()?;
        let output = process.stdout.take().ok_or(io::ErrorKind::NotFound)?;
        let (mut watcher, mut weaker, mut runs) = (String::new(), 0, false);
        for line in BufReader::new(output).lines() {
            let line = line?;
            match line.split_once(": ") {
                Some(("watcher", id)) => id.clone_into(&mut watcher),
                Some(("weaker", count)) => weaker = count.parse().map_err(io::Error::other)?,
                Some(("running", _)) => {
                    runs = true;
                    break;
                }
                _ => {}
            }
        }
        assert!(runs, "{mechanism} {end}: the daemons did not start");
        Ok(Self {
            process,
            watcher,
            weaker,
        })
    }

    /// Ends the host and waits for the watcher to exit.
    fn end(mut self, end: &str) -> io::Result<()> {
        if end == "KILL" {
            self.process.kill()?;
        }
        self.process.wait()?;
        let place = format!("/proc/{}/cmdline", self.watcher);
        let ended = Instant::now();
        while fs::read(&place).is_ok_and(|line| !line.is_empty()) {
            assert!(ended.elapsed() < LONGEST_WATCH, "the watcher is running");
            sleep(Duration::from_millis(10));
        }
        Ok(())
    }
}

fn has_cookie(id: &str) -> bool {
    let environ = fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
    environ.windows(13).any(|part| part == b"TOOL_CALL_ID=")
}
