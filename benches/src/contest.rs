//! Comparison of this library with another program.

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::measure::median_ratio;

/// Times of two ways to perform one task.
#[derive(Debug, Clone, Copy)]
pub struct Contest {
    /// Median time of our implementation.
    pub ours: Duration,
    /// Median time of the other program.
    pub theirs: Duration,
    /// Our time relative to the other program: the median of the ratios per round, which cancels
    /// out variations of the machine's speed.
    pub wall: f64,
    /// Our CPU time relative to the other program, in all rounds together.
    pub cpu: f64,
}

impl Contest {
    /// Runs both alternately, `rounds` times: ours in this process, the other in child processes.
    pub fn run(rounds: usize, mut ours: impl FnMut(), mut theirs: impl FnMut()) -> Self {
        let mut times = [Vec::new(), Vec::new()];
        let mut ticks = [0, 0];
        for round in 0..rounds * 2 {
            // Ours, theirs, theirs, ours: so that neither always runs second.
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

/// Returns the median.
///
/// # Panics
/// Panics if `times` is empty.
#[must_use]
pub fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

/// Returns the CPU time of this process and of its waited-for children.
fn processor_ticks() -> [u64; 2] {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The program name may contain spaces and ends at the last parenthesis.
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

/// Returns `true` if a program is installed; prints a message otherwise.
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

/// Returns the output of a command.
///
/// # Panics
/// Panics if the command cannot be run.
#[must_use]
pub fn output_of(command: &mut Command) -> String {
    let output = command
        .stderr(Stdio::null())
        .output()
        .expect("the command runs");
    String::from_utf8_lossy(&output.stdout).into_owned()
}
