//! Resource leaks of thousands of calls. Runs in its own process, whose resources are counted.

#![cfg(all(feature = "shell", target_os = "linux"))]
#![expect(clippy::unwrap_used, reason = "a failing helper fails the test")]

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinSet;
use tool_core::approval::{Answer, approver_fn};
use tool_core::{CallOptions, Registry, ToolCall};
use tool_test::Scratch;
use tools_builtin::toolsets::{self, ToolGroup};
use tools_builtin::{Kit, Workspace};

/// Number of calls after which intentionally kept data, such as the changes for undo, has its final
/// size.
const FIRST_CALLS: usize = 2000;
/// Maximum growth of memory in bytes. The allocator does not return all memory.
const MORE_MEMORY: usize = 24 * 1024 * 1024;
const AT_ONCE: usize = 16;

/// Number of calls. A leak in every call shows in these already; `.ci/full` sets `SOAK_CALLS` to find rarer ones.
fn calls() -> usize {
    let set = std::env::var("SOAK_CALLS").ok();
    set.map_or(4000, |calls| calls.parse().unwrap())
}
/// Maximum number of descriptors of cgroups that are kept: three for each of eight cgroups.
const MAX_CGROUP_DESCRIPTORS: usize = 24;

/// Command that runs until it is killed, with the process id to distinguish it from other programs.
fn endless() -> String {
    format!("sleep 60.{}", std::process::id())
}

/// Resources that a process may leak.
#[derive(Debug, PartialEq, Eq)]
struct Held {
    descriptors: usize,
    threads: usize,
    processes: usize,
}

impl Held {
    fn now() -> Self {
        let (_, descriptors) = descriptors();
        Self {
            descriptors,
            threads: fs::read_dir("/proc/self/task").unwrap().count(),
            processes: processes(),
        }
    }
}

/// Returns the number of descriptors of cgroups, which `process-tree` keeps for further programs,
/// and of all others.
fn descriptors() -> (usize, usize) {
    let entries = fs::read_dir("/proc/self/fd").unwrap();
    let is_cgroup = |path: &Path| {
        let target = fs::read_link(path).unwrap_or_default();
        target.to_string_lossy().contains("/process-tree-")
    };
    let (cgroups, others): (Vec<_>, Vec<_>) = entries
        .map(|entry| entry.unwrap().path())
        .partition(|path| is_cgroup(path));
    (cgroups.len(), others.len())
}

/// Returns the number of children of this process, including zombies, and of endless programs on
/// the system.
fn processes() -> usize {
    let own = std::process::id().to_string();
    let endless = endless().replace(' ', "\0");
    let entries = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    entries
        .filter(|entry| {
            let read = |name: &str| fs::read_to_string(entry.path().join(name)).unwrap_or_default();
            let stat = read("stat");
            let parent = stat
                .rsplit_once(')')
                .and_then(|(_, rest)| rest.split_whitespace().nth(1));
            parent == Some(&own) || read("cmdline").contains(&endless)
        })
        .count()
}

/// Returns the resident memory of this process in bytes.
fn resident_memory() -> usize {
    let pages = fs::read_to_string("/proc/self/statm").unwrap();
    let pages = pages.split_whitespace().nth(1).unwrap().parse::<usize>();
    pages.unwrap() * 4096
}

fn call(number: usize) -> (&'static str, Value) {
    let file = format!("made/{}.txt", number % 50);
    match number % 20 {
        0 => ("read", json!({"path": "../../etc/passwd"})),
        1 => hostile(number / 20),
        2 | 3 => ("list", json!({"depth": 5})),
        4 | 5 => ("list", json!({"path": "src", "all": true})),
        6 => ("write", json!({"path": file, "content": "one\ntwo\n"})),
        7 => (
            "edit",
            json!({"path": format!("new/{number}"), "edits": [{"old": "", "new": "x"}]}),
        ),
        8 => ("edit", edit("needle", "needle")),
        9 => ("edit", edit("x needle", "x  needle")),
        10 | 11 => ("search", json!({"pattern": "needle", "context": 2})),
        12 => (
            "plan",
            json!({"items": [{"content": "a", "status": "pending"}]}),
        ),
        13 if number.is_multiple_of(3) => ("bash", json!({"command": "echo hello"})),
        14 => ("search", json!({"pattern": "", "glob": "*.txt"})),
        15 => (
            "write",
            json!({"path": format!("folders/{}/a", number % 200), "content": "x"}),
        ),
        16 => ("write", json!({"path": ".git/config", "content": "x"})),
        _ => ("read", json!({"path": "src/a.txt", "start_line": 2})),
    }
}

fn edit(old: &str, new: &str) -> Value {
    json!({"path": "src/b.txt", "edits": [{"old": old, "new": new}]})
}

fn hostile(number: usize) -> (&'static str, Value) {
    let (long, deep) = ("{".repeat(500), "n/".repeat(3000));
    let endless = endless();
    let script = format!("setsid {endless} & {endless} & echo started");
    match number % 8 {
        0 => ("read", json!({"path": "pipe"})),
        1 => ("write", json!({"path": "out/evil", "content": "x"})),
        2 => ("search", json!({"pattern": "(a|aa)+(b|bb)+$"})),
        3 => ("search", json!({"pattern": "", "glob": long})),
        4 => ("write", json!({"path": deep, "content": "x"})),
        5 => ("bash", json!({"command": script})),
        6 => ("bash", json!({"command": "no-such-program"})),
        _ => ("edit", json!({"path": 5, "edits": [[]]})),
    }
}

/// Makes a call, and abandons some calls before they finish.
async fn make(registry: Registry, number: usize) -> bool {
    let (name, arguments) = call(number);
    let call = ToolCall::new(name, arguments).with_id(number.to_string());
    let options = CallOptions::default();
    let answer = registry.execute_call(&call, &options);
    let patience = if number.is_multiple_of(13) { 1 } else { 60_000 };
    let result = tokio::time::timeout(Duration::from_millis(patience), answer).await;
    result.is_ok_and(|result| result.success)
}

/// Returns the number of successful calls.
async fn make_all(registry: &Registry, numbers: std::ops::Range<usize>) -> usize {
    let mut running = JoinSet::new();
    let mut succeeded = 0;
    for number in numbers {
        if running.len() == AT_ONCE {
            succeeded += usize::from(running.join_next().await.unwrap().unwrap());
        }
        running.spawn(make(registry.clone(), number));
    }
    let rest = running.join_all().await;
    succeeded + rest.into_iter().filter(|success| *success).count()
}

fn runtime() -> Runtime {
    let mut builder = Builder::new_multi_thread();
    builder
        .worker_threads(2)
        .thread_keep_alive(Duration::from_millis(50));
    builder.enable_all().build().unwrap()
}

fn project() -> Scratch {
    let scratch = Scratch::new()
        .file("src/a.txt", "one\ntwo\nthree\n")
        .file("src/b.txt", "x needle x\n")
        .file("src/log.txt", "")
        .link("out", "..");
    let pipe = scratch.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(pipe).status();
    assert!(made.unwrap().success());
    scratch
}

#[test]
fn thousands_of_calls_leak_nothing() {
    let scratch = project();
    let state = Scratch::new();
    let workspace = Workspace::builder().root(scratch.path());
    let workspace = workspace.checkpoints_in(state.path()).build().unwrap();
    let kit = Kit::new(workspace);
    let toolset = toolsets::standard(&kit).unwrap();
    let registry = Registry::builder()
        .toolset(&ToolGroup::Plan.add_to(toolset, &kit).unwrap())
        .unwrap()
        .approver(approver_fn(|_request| Answer::Approve))
        .build();
    let runtime = runtime();
    // Create lasting state, such as the signal handler and the store of checkpoints, before counting.
    runtime.block_on(make_all(&registry, 0..60));
    let first = registry.execute("bash", json!({"command": "touch src/first.txt"}));
    assert!(runtime.block_on(first).success);
    std::thread::sleep(Duration::from_secs(1));
    let before = Held::now();

    let calls = calls();
    let mut succeeded = runtime.block_on(make_all(&registry, 60..60 + FIRST_CALLS));
    let memory = resident_memory();
    succeeded += runtime.block_on(make_all(&registry, 60 + FIRST_CALLS..60 + calls));

    assert!(
        (calls / 2..calls * 9 / 10).contains(&succeeded),
        "{succeeded}"
    );
    let taken = resident_memory().saturating_sub(memory);
    assert!(taken < MORE_MEMORY, "{taken}");
    let start = Instant::now();
    while Held::now() != before && start.elapsed() < Duration::from_secs(5) {
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(Held::now(), before);
    let (cgroups, _) = descriptors();
    assert!(cgroups <= MAX_CGROUP_DESCRIPTORS, "{cgroups}");
    // The watcher of `process-tree` runs as long as the host.
    assert!(before.processes <= 1, "{}", before.processes);
}
