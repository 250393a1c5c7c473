//! Counts of calls by their outcome.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::time::Duration;

/// A finished call.
pub(crate) struct Call {
    pub(crate) number: u64,
    pub(crate) tool: &'static str,
    pub(crate) time: Duration,
    /// Error code, or `done`.
    pub(crate) code: String,
}

/// Result of a run of the program.
pub(crate) struct Tally {
    calls: usize,
    killed: usize,
    /// Number of calls per tool and code.
    outcomes: BTreeMap<(&'static str, String), usize>,
    /// Calls that neither succeeded nor have an unknown outcome, or that succeeded without a run.
    lost: usize,
    /// Calls of the tool that is not idempotent with more than one run.
    repeated: usize,
    /// Calls with an unknown outcome whose tool is idempotent or only reads.
    wrongly_unknown: usize,
    /// Runs of idempotent and reading calls after the first.
    further_runs: u64,
    slowest: Duration,
}

impl Tally {
    pub(crate) fn new(calls: Vec<Call>, runs: &HashMap<u64, u64>, killed: usize) -> Self {
        let mut tally = Self {
            calls: calls.len(),
            killed,
            outcomes: BTreeMap::new(),
            lost: 0,
            repeated: 0,
            wrongly_unknown: 0,
            further_runs: 0,
            slowest: Duration::ZERO,
        };
        for call in calls {
            tally.add(call, runs);
        }
        tally
    }

    fn add(&mut self, call: Call, runs: &HashMap<u64, u64>) {
        let runs = runs.get(&call.number).copied().unwrap_or_default();
        let is_once_only = call.tool == "pay";
        match call.code.as_str() {
            "done" if runs > 0 => {}
            "outcome_unknown" => self.wrongly_unknown += usize::from(!is_once_only),
            _ => self.lost += 1,
        }
        if is_once_only {
            self.repeated += usize::from(runs > 1);
        } else {
            self.further_runs += runs.saturating_sub(1);
        }
        self.slowest = self.slowest.max(call.time);
        *self.outcomes.entry((call.tool, call.code)).or_default() += 1;
    }

    /// Returns `true` if nothing was lost or ran twice, and every call ended within `limit`.
    pub(crate) fn is_clean(&self, limit: Duration) -> bool {
        self.calls > 0
            && self.killed > 0
            && self.lost + self.repeated + self.wrongly_unknown == 0
            && self.slowest <= limit
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} calls, {} workers killed", self.calls, self.killed)?;
        for ((tool, code), count) in &self.outcomes {
            writeln!(f, "  {tool} {code}: {count}")?;
        }
        writeln!(f, "lost: {}", self.lost)?;
        writeln!(f, "not idempotent and run twice: {}", self.repeated)?;
        writeln!(f, "idempotent and unknown: {}", self.wrongly_unknown)?;
        writeln!(f, "further runs of idempotent calls: {}", self.further_runs)?;
        write!(f, "slowest call: {:.2} s", self.slowest.as_secs_f64())
    }
}
