//! Memory use of a command with large output. Runs in its own process, whose memory is measured.

#![cfg(all(feature = "shell", target_os = "linux"))]

use serde_json::json;
use tool_core::{ToolContext, TypedTool};
use tool_test::Scratch;
use tools_builtin::Workspace;
use tools_builtin::shell::Bash;

#[tokio::test]
async fn output_of_100_mb_needs_constant_memory() {
    let scratch = Scratch::new();
    let engine = Bash::new(Workspace::open(scratch.path()).unwrap());
    let flood = |bytes: u64| {
        let script = format!("head -c {bytes} /dev/zero; echo; echo last");
        serde_json::from_value(json!({"command": script})).unwrap()
    };
    let cx = ToolContext::test();
    engine.run(&cx, flood(1_000_000)).await.unwrap();
    let before = peak_kilobytes();

    let output = engine.run(&cx, flood(100_000_000)).await.unwrap();

    assert!(output.stdout.ends_with("\nlast\n"));
    // The kernel adds up counters of the CPUs lazily, so that a later peak may be slightly lower.
    let growth = peak_kilobytes().saturating_sub(before);
    assert!(before > 0 && growth <= 1024, "{growth} kB");
}

/// Returns the peak memory of this process.
fn peak_kilobytes() -> u64 {
    std::fs::read_to_string("/proc/self/status")
        .ok()
        .and_then(|status| {
            let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
            line.split_ascii_whitespace().nth(1)?.parse().ok()
        })
        .unwrap_or_default()
}
