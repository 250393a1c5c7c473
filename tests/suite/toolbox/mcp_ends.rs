//! Commands of served calls after the end of the server.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use tool_test::Scratch;

use super::PROGRAM;

/// Maximum time for commands to end.
const LIMIT: Duration = Duration::from_secs(5);

/// Returns the number of `sleep` processes with this duration.
fn sleeping(seconds: &str) -> usize {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let line = format!("sleep\0{seconds}\0");
    entries
        .filter(|entry| {
            std::fs::read(entry.path().join("cmdline")).is_ok_and(|found| found == line.as_bytes())
        })
        .count()
}

fn wait_for(seconds: &str, count: usize) -> bool {
    let end = Instant::now() + LIMIT;
    while Instant::now() < end {
        if sleeping(seconds) == count {
            return true;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    false
}

/// Server that runs a command with three `sleep` processes, and is killed on drop.
struct Served(Child);

impl Served {
    fn start(scratch: &Scratch, seconds: &str) -> Self {
        let mut command = Command::new(PROGRAM.as_path());
        command
            .args([
                "serve",
                "--stdio",
                "--no-sandbox",
                "--approve",
                "all",
                "--workspace",
                ".",
            ])
            .current_dir(scratch.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut served = Self(command.spawn().unwrap());
        let client = json!({"name": "test", "version": "1"});
        let params =
            json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
        served.send(&json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}));
        let mut line = String::new();
        BufReader::new(served.0.stdout.as_mut().unwrap())
            .read_line(&mut line)
            .unwrap();
        served.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        let command = format!("setsid -f sleep {seconds}; sleep {seconds} & sleep {seconds}");
        let params = json!({"name": "bash", "arguments": {"command": command}});
        served.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}));
        served
    }

    fn send(&mut self, message: &serde_json::Value) {
        writeln!(self.0.stdin.as_mut().unwrap(), "{message}").unwrap();
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // An error means that it has exited.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn commands_end_with_server() {
    for (number, signal) in [
        None,
        Some(Signal::TERM),
        Some(Signal::INT),
        Some(Signal::KILL),
    ]
    .into_iter()
    .enumerate()
    {
        // Distinguishes the processes of concurrent test runs.
        let seconds = format!("{}.{number}", 100_000 + std::process::id());
        let scratch = Scratch::new();
        let mut served = Served::start(&scratch, &seconds);
        assert!(
            wait_for(&seconds, 3),
            "{signal:?}: {} started",
            sleeping(&seconds)
        );

        match signal {
            Some(signal) => kill_process(Pid::from_child(&served.0), signal).unwrap(),
            None => drop(served.0.stdin.take()),
        }
        served.0.wait().unwrap();

        assert!(
            wait_for(&seconds, 0),
            "{signal:?}: {} remain",
            sleeping(&seconds)
        );
    }
}
