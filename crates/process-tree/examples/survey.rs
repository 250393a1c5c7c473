//! Starts daemons in many ways, ends their trees in one way and prints the surviving processes.
//!
//! cargo run -p process-tree --example survey -- [cookie|subreaper|cgroup [END]]
//!
//! END is one of timeout, cancel, drop and finish, or an end of this process: exit, panic, return or
//! wait.
#![expect(
    clippy::print_stdout,
    clippy::panic,
    reason = "an example prints, and panics on request"
)]

use std::io;
use std::process::{Command, Stdio};
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
        "python daemon",
        "python3 -c 'import os,sys\nif os.fork(): sys.exit()\nos.setsid()\nif os.fork(): sys.exit()\n\
         os.closerange(0, 99)\nos.execve(\"/bin/sleep\", [\"sleep\", \"{}\"], {})'; sleep 9",
    ),
    (
        "ignores signals",
        "trap '' TERM HUP INT; setsid -f sleep {} >/dev/null 2>&1; sleep 9",
    ),
];

/// Ways to end a tree without the end of this process.
const ENDS: [&str; 4] = ["timeout", "cancel", "drop", "finish"];

fn main() -> io::Result<()> {
    let mut words = std::env::args().skip(1);
    let mechanism = words.next().unwrap_or_default();
    let strongest = match mechanism.as_str() {
        "cookie" => Mechanism::Cookie,
        "subreaper" => {
            ProcessTrees::adopt_orphans()?;
            Mechanism::Subreaper
        }
        _ => Mechanism::Cgroup,
    };
    println!("mechanism: {}", ProcessTrees::start(strongest));
    let runtime = tokio::runtime::Runtime::new()?;
    let end = words.next().unwrap_or_else(|| "drop".to_owned());
    if ENDS.contains(&end.as_str()) {
        return runtime.block_on(survey(&end));
    }
    if end == "none" {
        return Ok(());
    }
    host_end(&runtime, &end, words.next().as_deref())
}

/// Ends each tree while this process continues.
async fn survey(end: &str) -> io::Result<()> {
    let mut survivors = 0;
    for (name, script) in DAEMONS {
        let marker = marker();
        let script = script.replace("{}", &marker);
        // A program that finishes does not stop its daemon.
        let script = if end == "finish" {
            script
                .replace("; sleep 9", "")
                .replace("& sleep 9", "&")
                .replace("& wait", "&")
        } else {
            script
        };
        let mut started = start(&script)?;
        let mechanism = started.tree.mechanism();
        let began = Instant::now();
        while end != "finish" && running(&marker).is_empty() && began.elapsed() < LONGEST_START {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        match end {
            "drop" => drop(started),
            "finish" => {
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
        tokio::time::sleep(Duration::from_millis(if end == "drop" { 400 } else { 60 })).await;
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

/// Starts all daemons with one marker and then ends this process in one way.
fn host_end(runtime: &tokio::runtime::Runtime, end: &str, marker: Option<&str>) -> io::Result<()> {
    let marker = marker.unwrap_or("4999.1");
    let trees: io::Result<Vec<_>> = runtime.block_on(async {
        let scripts = DAEMONS.map(|(_, script)| script.replace("{}", marker));
        scripts.iter().map(|script| start(script)).collect()
    });
    let trees = trees?;
    let began = Instant::now();
    // The daemons and the programs that wait for them.
    while running(marker).len() < DAEMONS.len() && began.elapsed() < LONGEST_START {
        std::thread::sleep(Duration::from_millis(20));
    }
    let is_weaker = |tree: &&Started| tree.tree.mechanism() != ProcessTrees::mechanism();
    println!("weaker: {}", trees.iter().filter(is_weaker).count());
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

/// Maximum time for a script to start its daemon.
const LONGEST_START: Duration = Duration::from_secs(8);

fn start(script: &str) -> io::Result<Started> {
    let mut command = Command::new("/bin/bash");
    command
        .args(["-c", script])
        .stdin(Stdio::null())
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
fn running(marker: &str) -> Vec<String> {
    let line = format!("sleep\0{marker}\0");
    std::fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| {
            std::fs::read(entry.path().join("cmdline")).is_ok_and(|found| found == line.as_bytes())
        })
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect()
}
