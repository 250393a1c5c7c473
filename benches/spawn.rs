//! Cost of running a program, compared with the standard library, and memory for large outputs.
//!
//! cargo bench --bench spawn -- [--quick]

use std::process::Command;
use std::time::{Duration, Instant};

use benches::bar::{self, Bar};
use benches::measure::{Effort, median, median_ratio, shuffle};
use benches::options::Options;
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tool_core::{TextLimit, ToolContext, TypedTool};
use tool_test::Scratch;
use tools_builtin::Workspace;
use tools_builtin::shell::{Bash, CommandOutput, RunCommand, Sandbox};

fn main() {
    let effort = Options::from_command_line().effort;
    let host = Host::new();
    // Measure first, because the peak memory of a process never decreases.
    let flood = flood(&host, effort);
    let mut bars = vec![programs(&host, effort), shells(&host, effort)];
    bars.extend(confined(&host, effort));
    bars.push(flood);
    bar::print(&bars);
}

/// Environment of an application that runs commands.
struct Host {
    runtime: Runtime,
    run_command: RunCommand,
    bash: Bash,
    /// `None` if the system cannot enforce the sandbox.
    confined: Option<Bash>,
    _scratch: Scratch,
}

impl Host {
    fn new() -> Self {
        let scratch = Scratch::new();
        let workspace = Workspace::open(scratch.path()).expect("the directory exists");
        Self {
            runtime: Runtime::new().expect("the system has threads"),
            run_command: RunCommand::new(workspace.clone()),
            confined: sandboxed(&workspace),
            bash: Bash::new(workspace),
            _scratch: scratch,
        }
    }

    fn run<E: TypedTool<Output = CommandOutput>>(
        &self,
        engine: &E,
        input: &Value,
    ) -> CommandOutput {
        let input = E::Input::deserialize_from(input);
        let (cx, limits) = (ToolContext::test(), TextLimit::default());
        let run = self.runtime.block_on(engine.run(&cx, input, &limits));
        run.expect("the command runs")
    }
}

fn sandboxed(workspace: &Workspace) -> Option<Bash> {
    let sandbox = Sandbox::workspace();
    if let Err(error) = sandbox.check() {
        println!("  not confined: {error}");
        return None;
    }
    Some(Bash::new(workspace.clone()).with_sandbox(sandbox))
}

/// Deserialization of inputs that a bench specifies as JSON.
trait FromJson {
    fn deserialize_from(value: &Value) -> Self;
}

impl<T: serde::de::DeserializeOwned> FromJson for T {
    fn deserialize_from(value: &Value) -> Self {
        serde_json::from_value(value.clone()).expect("the input is valid")
    }
}

fn programs(host: &Host, effort: Effort) -> Bar {
    let input = json!({"command": "true"});
    let ratio = ratio(
        effort,
        || {
            succeeded(
                Command::new("true")
                    .status()
                    .ok()
                    .and_then(|status| status.code()),
            );
        },
        || succeeded(host.run(&host.run_command, &input).exit_code),
        ["std: true", "run_command: true"],
    );
    Bar::ceiling("run_command true / std status()", ratio, 1.2, 1.1)
}

fn shells(host: &Host, effort: Effort) -> Bar {
    let input = json!({"command": "true"});
    let mut bare = Command::new("bash");
    bare.args(["-c", "true"]);
    let ratio = ratio(
        effort,
        || succeeded(bare.status().ok().and_then(|status| status.code())),
        || succeeded(host.run(&host.bash, &input).exit_code),
        ["std: bash -c true", "bash: true"],
    );
    Bar::ceiling("bash true / bash -c true", ratio, 1.15, 1.08)
}

fn confined(host: &Host, effort: Effort) -> Option<Bar> {
    let engine = host.confined.as_ref()?;
    let input = json!({"command": "true"});
    let mut bare = Command::new("bash");
    bare.args(["-c", "true"]);
    let ratio = ratio(
        effort,
        || succeeded(bare.status().ok().and_then(|status| status.code())),
        || succeeded(host.run(engine, &input).exit_code),
        ["std: bash -c true", "bash, confined: true"],
    );
    Some(Bar::ceiling(
        "bash true confined / bash -c true",
        ratio,
        1.25,
        1.15,
    ))
}

fn succeeded(exit_code: Option<i32>) {
    assert_eq!(exit_code, Some(0));
}

/// Returns the time of `ours` relative to `bare`, run alternately in random order.
fn ratio(effort: Effort, mut bare: impl FnMut(), mut ours: impl FnMut(), names: [&str; 2]) -> f64 {
    let rounds = match effort {
        Effort::Full => 600,
        Effort::Quick => 5,
    };
    let mut times = [Vec::new(), Vec::new()];
    let mut order = [0, 1];
    for round in 0..rounds {
        shuffle(&mut order, round);
        for which in order {
            let since = Instant::now();
            if which == 0 {
                bare();
            } else {
                ours();
            }
            times[which].push(since.elapsed().as_secs_f64());
        }
    }
    let [bare, ours] = &times;
    let ratio = median_ratio(ours, bare);
    for (name, times) in names.into_iter().zip(&mut times) {
        println!("  {name:24} {:9.1} µs", median(times) * 1e6);
    }
    ratio
}

/// Measures the additional memory for 100 MB of output, compared with 1 MB.
fn flood(host: &Host, effort: Effort) -> Bar {
    let megabytes = match effort {
        Effort::Full => 100,
        Effort::Quick => 10,
    };
    let run = |bytes: u64| {
        let input = json!({"command": format!("head -c {bytes} /dev/zero; echo; echo last")});
        let output = host.run(&host.bash, &input);
        assert!(output.stdout.ends_with("\nlast\n"));
    };
    run(1_000_000);
    let before = peak_kilobytes();
    let since = Instant::now();
    run(megabytes * 1_000_000);
    let taken: Duration = since.elapsed();
    println!("  {megabytes} MB of output in {} ms", taken.as_millis());
    let more = peak_kilobytes().saturating_sub(before);
    Bar::ceiling(
        format!("{megabytes} MB of output: MB of memory over the start"),
        f64::from(u32::try_from(more).unwrap_or(u32::MAX)) / 1024.0,
        1.0,
        0.5,
    )
}

/// Returns the peak memory of this process in kilobytes, or 0 if unknown.
fn peak_kilobytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    line.and_then(|line| line.split_ascii_whitespace().nth(1)?.parse().ok())
        .unwrap_or_default()
}
