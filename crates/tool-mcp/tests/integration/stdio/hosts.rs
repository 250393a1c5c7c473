//! Ends of the host process: no program survives.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use std::{env, process};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use tool_mcp::McpManager;
use tool_mcp::client::ServerState;

use crate::stdio::ends::{assert_gone, marked, servers};
use crate::stdio::open_registry;

/// Variables with the end of a host, and with the mark of its programs.
const END: &str = "HOST_END";
const MARK: &str = "HOST_MARK";

/// Line of a host whose servers are ready and run a call.
const READY: &str = "host is ready";

/// Not a test without the variable.
#[test]
fn host() {
    let (Ok(end), Ok(mark)) = (env::var(END), env::var(MARK)) else {
        return;
    };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let registry = open_registry();
        let manager = McpManager::builder()
            .servers(servers(&mark))
            .registry(&registry)
            .build();
        let report = manager.connect().await;
        let are_ready = report
            .iter()
            .all(|server| server.state == ServerState::Ready);
        assert!(are_ready, "{report:?}");
        let call = registry.clone();
        tokio::spawn(async move { call.execute("behaves__hang", json!({})).await });
        tokio::time::sleep(Duration::from_millis(50)).await;
        println!("\n{READY}");
        match end.as_str() {
            "exit" => process::exit(0),
            "panic" => panic!("the host panics"),
            "return" => {}
            _ => std::future::pending().await,
        }
    });
}

/// Host that is killed on drop.
struct Host(Child);

impl Host {
    fn start(end: &str, mark: &str) -> Self {
        // Under `nohup` it would ignore SIGHUP, and in the background of a script SIGINT.
        let mut command = Command::new("env");
        command
            .arg("--default-signal=HUP,INT")
            .arg(env::current_exe().unwrap())
            .args(["--exact", "stdio::hosts::host", "--nocapture"])
            .env(END, end)
            .env(MARK, mark)
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut host = Self(command.spawn().unwrap());
        let output = BufReader::new(host.0.stdout.take().unwrap());
        let is_ready = output.lines().any(|line| line.unwrap() == READY);
        assert!(is_ready, "{end}");
        host
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        // An error means that it has exited.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

async fn assert_end(end: &str, signal: Option<Signal>) {
    let mark = format!("host-{end}-{}", process::id());
    let mut host = Host::start(end, &mark);
    // The own ends may already have begun.
    assert!(signal.is_none() || marked(&mark).len() >= 6, "{end}");

    if let Some(signal) = signal {
        kill_process(Pid::from_child(&host.0), signal).unwrap();
    }
    host.0.wait().unwrap();

    assert_gone(&mark).await;
}

#[tokio::test]
async fn programs_end_with_host_that_returns() {
    assert_end("return", None).await;
}

#[tokio::test]
async fn programs_end_with_host_that_panics() {
    assert_end("panic", None).await;
}

#[tokio::test]
async fn programs_end_with_host_that_exits() {
    assert_end("exit", None).await;
}

#[tokio::test]
async fn programs_end_with_host_that_is_signaled() {
    for (end, signal) in [
        ("SIGTERM", Signal::TERM),
        ("SIGINT", Signal::INT),
        ("SIGHUP", Signal::HUP),
        ("SIGKILL", Signal::KILL),
    ] {
        assert_end(end, Some(signal)).await;
    }
}
