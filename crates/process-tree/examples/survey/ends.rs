//! Ends of trees and of the process that started them.
#![expect(
    clippy::print_stdout,
    clippy::panic,
    reason = "an example prints, and panics on request"
)]

use std::fs;
use std::io;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use process_tree::{Mechanism, ProcessTrees, Started};

/// Name and script of each way; `{}` is a duration for `sleep` by which the process is found.
const DAEMONS: [(&str, &str); 16] = [
    ("child", "sleep {} & wait"),
    ("background subshell", "(sleep {} &); sleep 9"),
    ("setsid", "setsid sleep {} >/dev/null 2>&1 & sleep 9"),
    (
        "setsid --fork",
        "setsid -f sleep {} >/dev/null 2>&1; sleep 9",
    ),
    (
        "double fork",
        "setsid sh -c '(sleep {} &)' </dev/null >/dev/null 2>&1; sleep 9",
    ),
    (
        "triple fork",
        "setsid sh -c '(sh -c \"(sleep {} &)\" &)' >/dev/null 2>&1; sleep 9",
    ),
    ("nohup", "nohup sleep {} >/dev/null 2>&1 & sleep 9"),
    (
        "disown",
        "bash -c 'set -m; sleep {} >/dev/null 2>&1 & disown'; sleep 9",
    ),
    (
        "unset cookie",
        "unset TOOL_CALL_ID; setsid -f sleep {}; sleep 9",
    ),
    ("empty environment", "env -i setsid -f sleep {}; sleep 9"),
    (
        "closed descriptors",
        "setsid -f sleep {} <&- >&- 2>&-; sleep 9",
    ),
    (
        "unset cookie, output to a file",
        "unset TOOL_CALL_ID; setsid -f sleep {} </dev/null >/dev/null 2>&1; sleep 9",
    ),
    (
        "unset cookie, closed descriptors, double fork",
        "env -i sh -c '(setsid sh -c \"(sleep {} &)\" &)' <&- >&- 2>&-; sleep 9",
    ),
    (
        "chain of exec",
        "setsid sh -c 'exec env -i sh -c \"exec sleep {}\"' >/dev/null 2>&1 & sleep 9",
    ),
    (
        "unset cookie, closed descriptors, setsid between two forks",
        "(setsid sh -c \"(exec env -i sleep {} <&- >&- 2>&- &)\" &); sleep 9",
    ),
    (
        "ignores signals",
        "trap '' TERM HUP INT; setsid -f sleep {} >/dev/null 2>&1; sleep 9",
    ),
];

/// Ways to end a tree without the end of this process.
const ENDS: [&str; 4] = ["timeout", "cancel", "drop", "finish"];

/// Starts the daemons with one of `cookie`, `subreaper` and `cgroup`, and ends their trees or this
/// process. The daemons of a process that ends are `sleep` commands with the duration `marker`.
///
/// # Errors
/// Returns an error if a daemon does not start.
pub(crate) fn run(mechanism: &str, end: &str, marker: &str) -> io::Result<()> {
    let strongest = match mechanism {
        "cookie" => Mechanism::Cookie,
        "subreaper" => {
            ProcessTrees::adopt_orphans()?;
            Mechanism::Subreaper
        }
        _ => Mechanism::Cgroup,
    };
    println!("mechanism: {}", ProcessTrees::start(strongest).as_str());
    let runtime = tokio::runtime::Runtime::new()?;
    match end {
        "none" => Ok(()),
        _ if ENDS.contains(&end) => runtime.block_on(survey(end)),
        _ => host_end(&runtime, end, marker),
    }
}

/// Ends each tree while this process continues.
async fn survey(end: &str) -> io::Result<()> {
    let mut survivors = 0;
    for (name, script) in DAEMONS {
        let marker = marker();
        let script = script.replace("{}", &marker);
        // A program that finishes does so when its standard input closes.
        let script = match end {
            "finish" => script
                .replace("sleep 9", "read x")
                .replace("& wait", "& read x"),
            _ => script,
        };
        let started = start(&script)?;
        let mechanism = started.tree.mechanism().as_str();
        wait_for(1, &marker).map_err(|error| io::Error::other(format!("{name}: {error}")))?;
        end_tree(started, end).await?;
        let left = running(&marker);
        if !left.is_empty() {
            println!("{end}: {name}: {} ({mechanism})", left.len());
        }
        survivors += left.len();
        for process in left {
            Command::new("kill").args(["-9", &process]).status()?;
        }
    }
    println!("{end}: {survivors} survivors");
    Ok(())
}

/// Ends one tree and waits until the library has completed the work.
async fn end_tree(mut started: Started, end: &str) -> io::Result<()> {
    match end {
        "drop" => {
            let (done, ended) = mpsc::channel::<()>();
            started.tree.after_exit(move || drop(done));
            drop(started);
            // An error means that the sender was dropped, after all processes have exited.
            let _ = ended.recv_timeout(LONGEST_WAIT);
        }
        "finish" => {
            drop(started.stdin.take());
            started.tree.wait().await?;
            started.tree.end().await;
        }
        "cancel" => {
            tokio::select! {
                _ = started.tree.wait() => {}
                () = tokio::time::sleep(Duration::from_millis(20)) => {}
            }
            started.tree.end().await;
        }
        _ => {
            let _ = tokio::time::timeout(Duration::from_millis(300), started.tree.wait()).await;
            started.tree.end().await;
        }
    }
    Ok(())
}

/// Starts all daemons with one marker and then ends this process in one way.
fn host_end(runtime: &tokio::runtime::Runtime, end: &str, marker: &str) -> io::Result<()> {
    let trees: io::Result<Vec<_>> = runtime.block_on(async {
        let scripts = DAEMONS.map(|(_, script)| script.replace("{}", marker));
        scripts.iter().map(|script| start(script)).collect()
    });
    let trees = trees?;
    let scripts = std::env::var("HOST_END_SCRIPTS").unwrap_or_default();
    let scripts = scripts.split_whitespace().map(ProcessTrees::at_host_end);
    // Only the first one stays: the others are dropped.
    let scripts = scripts.collect::<io::Result<Vec<_>>>()?;
    std::mem::forget(scripts.into_iter().next());
    wait_for(DAEMONS.len(), marker)?;
    let is_weaker = |tree: &&Started| tree.tree.mechanism() != ProcessTrees::mechanism();
    println!("weaker: {}", trees.iter().filter(is_weaker).count());
    println!("watcher: {}", watcher().unwrap_or_default());
    println!("running: {}", running(marker).len());
    match end {
        "exit" => std::process::exit(0),
        "panic" => panic!("ends the process"),
        "return" => drop(trees),
        // Another process ends this one.
        _ => std::thread::sleep(Duration::from_secs(30)),
    }
    Ok(())
}

/// Maximum time for daemons to start, and for a dropped tree to end, on a busy system.
const LONGEST_WAIT: Duration = Duration::from_mins(1);

/// Waits until `count` daemons are running. Returns an error if some do not start, because they would
/// not be counted as survivors.
fn wait_for(count: usize, marker: &str) -> io::Result<()> {
    let began = Instant::now();
    loop {
        let started = running(marker).len();
        if started >= count {
            return Ok(());
        }
        if began.elapsed() > LONGEST_WAIT {
            let reason = format!("only {started} of {count} daemons started");
            return Err(io::Error::new(io::ErrorKind::TimedOut, reason));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Returns the id of the shell that waits for the end of this process.
fn watcher() -> Option<String> {
    let threads = fs::read_dir("/proc/self/task").ok()?.flatten();
    let lists =
        threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    let ids = lists.collect::<String>();
    let mut ids = ids.split_ascii_whitespace();
    let is_watcher = |id: &&str| {
        let line = fs::read_to_string(format!("/proc/{id}/cmdline"));
        line.is_ok_and(|line| line.contains("\0process-tree\0"))
    };
    ids.find(is_watcher).map(str::to_owned)
}

fn start(script: &str) -> io::Result<Started> {
    let mut command = Command::new("/bin/bash");
    command
        .args(["-c", script])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    ProcessTrees::prepare().start(command, &["/".as_ref()])
}

/// Returns a unique duration.
fn marker() -> String {
    use std::sync::atomic::{AtomicU32, Ordering};

    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("4{}.{number}", std::process::id())
}

/// Returns the ids of the `sleep` processes with this duration.
pub(crate) fn running(marker: &str) -> Vec<String> {
    let line = format!("sleep\0{marker}\0");
    fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| {
            fs::read(entry.path().join("cmdline")).is_ok_and(|found| found == line.as_bytes())
        })
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect()
}
