//! Measuring this library and another program side by side.

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::measure::median_ratio;

/// How long two ways to do one thing take.
#[derive(Debug, Clone, Copy)]
pub struct Contest {
    /// The median time of ours.
    pub ours: Duration,
    /// The median time of theirs.
    pub theirs: Duration,
    /// The time of ours over theirs: the median of all turns, because a machine that is slower for a while is so for both.
    pub wall: f64,
    /// Processor time of ours over theirs, in all rounds together.
    pub cpu: f64,
}

impl Contest {
    /// Runs both in turn so many times, ours in this process and theirs in processes of their own.
    pub fn run(rounds: usize, mut ours: impl FnMut(), mut theirs: impl FnMut()) -> Self {
        let mut times = [Vec::new(), Vec::new()];
        let mut ticks = [0, 0];
        for round in 0..rounds * 2 {
            // Ours, theirs, theirs, ours: neither always follows the other.
            let who = usize::from(matches!(round % 4, 1 | 2));
            let before = processor_ticks();
            let since = Instant::now();
            if who == 0 {
                ours();
            } else {
                theirs();
            }
            times[who].push(since.elapsed());
            ticks[who] += processor_ticks()[who] - before[who];
        }
        let wall = wall(&times);
        let [ours, theirs] = times.map(median);
        Self {
            ours,
            theirs,
            wall,
            #[expect(clippy::cast_precision_loss, reason = "ticks are few")]
            cpu: ticks[0] as f64 / (ticks[1] as f64).max(1.0),
        }
    }
}

fn wall([ours, theirs]: &[Vec<Duration>; 2]) -> f64 {
    let [ours, theirs] = [ours, theirs].map(|times| seconds(times));
    median_ratio(&ours, &theirs)
}

fn seconds(times: &[Duration]) -> Vec<f64> {
    times.iter().map(Duration::as_secs_f64).collect()
}

/// The middle one.
///
/// # Panics
/// When there is none.
#[must_use]
pub fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

/// Processor time of this process, and of those that it has waited for.
fn processor_ticks() -> [u64; 2] {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name in front may hold blanks, and ends with the last parenthesis.
    let fields: Vec<u64> = stat
        .rsplit(')')
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .map(|field| field.parse().unwrap_or_default())
        .collect();
    let sum = |first: usize| fields.iter().skip(first).take(2).sum();
    [sum(11), sum(13)]
}

/// A number from `/proc/self/status`, such as `VmHWM` in kilobytes.
#[must_use]
pub fn status(name: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    line.and_then(|rest| rest.split_whitespace().next()?.parse().ok())
        .unwrap_or_default()
}

/// Whether a program is there; says so when it is not.
#[must_use]
pub fn is_installed(program: &str) -> bool {
    let outcome = Command::new(program)
        .arg("--version")
        .stdout(Stdio::null())
        .status();
    let installed = outcome.is_ok_and(|status| status.success());
    if !installed {
        println!("skipped: `{program}` is not installed");
    }
    installed
}

/// The whole output of a command.
///
/// # Panics
/// When it cannot be run.
#[must_use]
pub fn output_of(command: &mut Command) -> String {
    let output = command
        .stderr(Stdio::null())
        .output()
        .expect("the command runs");
    String::from_utf8_lossy(&output.stdout).into_owned()
}
