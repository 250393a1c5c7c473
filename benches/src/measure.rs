//! Interleaved measurement of several cases, so that variations of the machine's speed affect all
//! of them equally.

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::hint::black_box;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use serde_json::Value;

/// Duration of a measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// Enough rounds for a reproducible median.
    Full,
    /// A few short rounds, to check that the bench still runs.
    Quick,
}

impl Effort {
    /// Returns the number of rounds, in each of which every case is measured once.
    #[must_use]
    pub fn rounds(self) -> usize {
        match self {
            Self::Full => 101,
            Self::Quick => 3,
        }
    }

    /// Returns the approximate duration of one case in one round.
    #[must_use]
    pub fn round(self) -> Duration {
        match self {
            Self::Full => Duration::from_millis(1),
            Self::Quick => Duration::from_micros(20),
        }
    }
}

/// Case to measure.
pub struct Case<'c> {
    name: String,
    run: Box<dyn FnMut(u32) -> Duration + 'c>,
}

impl<'c> Case<'c> {
    /// Creates a case. Dropping the return value is part of the measured time.
    pub fn new<R>(name: impl Into<String>, mut call: impl FnMut() -> R + 'c) -> Self {
        let run = move |calls| {
            let since = thread_time();
            for _ in 0..calls {
                let answer = call();
                // Do not move it: moving a large value would add to the measured time.
                black_box(&answer);
            }
            thread_time().saturating_sub(since)
        };
        Self {
            name: name.into(),
            run: Box::new(run),
        }
    }

    /// Like [`new`](Self::new), but checks the result first.
    ///
    /// # Panics
    /// Panics if the result of `call`, converted by `read`, is not `expected`.
    pub fn checked<R>(
        name: impl Into<String>,
        expected: &Value,
        mut call: impl FnMut() -> R + 'c,
        read: impl FnOnce(R) -> Value,
    ) -> Self {
        let name = name.into();
        assert_eq!(&read(call()), expected, "{name} returns a different result");
        Self::new(name, call)
    }

    /// Runs the case `calls` times.
    pub fn run(&mut self, calls: u32) -> Duration {
        (self.run)(calls)
    }

    /// Returns the number of calls that take about `time`.
    fn calls_in(&mut self, time: Duration) -> u32 {
        // The first call initializes lazy values.
        self.run(1);
        let mut calls = 1;
        while calls < 1 << 24 && self.run(calls) < time / 2 {
            calls *= 2;
        }
        calls
    }
}

impl fmt::Debug for Case<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Case")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// Measurements of one case, in nanoseconds per call.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// Name of the case.
    pub name: String,
    /// Median of the rounds.
    pub median: f64,
    /// All rounds, in order.
    rounds: Vec<f64>,
}

/// Measurements of one run, in the order of the cases.
#[derive(Debug, Clone, PartialEq)]
pub struct Measurements(Vec<Measured>);

impl Measurements {
    /// Prints one line per case: nanoseconds, and the ratio to the first case.
    pub fn print(&self) {
        let first = self.0.first().map_or(1.0, |first| first.median);
        for case in &self.0 {
            println!(
                "  {:44} {:11.0} ns {:8.2} x",
                case.name,
                case.median,
                case.median / first
            );
        }
    }

    /// Returns the slowest case.
    ///
    /// # Panics
    /// Panics if there are no cases.
    #[must_use]
    pub fn slowest(&self) -> &Measured {
        let by_median = |one: &&Measured, other: &&Measured| one.median.total_cmp(&other.median);
        self.0.iter().max_by(by_median).expect("there is a case")
    }

    /// Returns the measurement with this name.
    ///
    /// # Panics
    /// Panics if no case has the name.
    #[must_use]
    pub fn of(&self, name: &str) -> &Measured {
        let found = self.0.iter().find(|case| case.name == name);
        found.unwrap_or_else(|| panic!("no case is named {name}"))
    }

    /// Returns the time of `name` relative to `base`: the median of the ratios per round, which
    /// cancels out variations of the machine's speed.
    ///
    /// # Panics
    /// Panics if no case has one of the names.
    #[must_use]
    pub fn ratio(&self, name: &str, base: &str) -> f64 {
        median_ratio(&self.of(name).rounds, &self.of(base).rounds)
    }
}

/// Measures all cases in turn, in a different order in each round.
pub fn interleaved(cases: &mut [Case<'_>], effort: Effort) -> Measurements {
    interleaved_for(cases, effort, effort.rounds())
}

/// Like [`interleaved`], but with at most `rounds` rounds, for slow cases.
pub fn interleaved_for(cases: &mut [Case<'_>], effort: Effort, rounds: usize) -> Measurements {
    let rounds = rounds.min(effort.rounds());
    let calls: Vec<u32> = cases
        .iter_mut()
        .map(|case| case.calls_in(effort.round()))
        .collect();
    let mut times = vec![Vec::with_capacity(rounds); cases.len()];
    let mut order: Vec<usize> = (0..cases.len()).collect();
    for round in 0..rounds {
        shuffle(&mut order, round);
        for &index in &order {
            let time = cases[index].run(calls[index]);
            times[index].push(time.as_secs_f64() * 1e9 / f64::from(calls[index]));
        }
    }
    let measured = |(case, times): (&Case<'_>, Vec<f64>)| Measured {
        name: case.name.clone(),
        median: median(&mut times.clone()),
        rounds: times,
    };
    Measurements(cases.iter().zip(times).map(measured).collect())
}

/// Returns the median of the ratios of `times` to `bases`, round by round.
pub(crate) fn median_ratio(times: &[f64], bases: &[f64]) -> f64 {
    let pairs = times.iter().zip(bases);
    let mut ratios: Vec<f64> = pairs.map(|(time, base)| time / base).collect();
    median(&mut ratios)
}

/// Returns the median of at least one value.
pub(crate) fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Shuffles `order`; `round` makes the orders of one run independent.
pub(crate) fn shuffle(order: &mut [usize], round: usize) {
    let random = RandomState::new();
    order.sort_by_cached_key(|index| random.hash_one((round, index)));
}

/// Returns the output of a call that completes on the first poll, without the cost of a runtime.
///
/// # Panics
/// Panics if the call is pending.
#[expect(
    clippy::inline_always,
    reason = "awaited futures are constructed in place; a function call would move them"
)]
#[inline(always)]
pub fn at_once<F: Future>(call: F) -> F::Output {
    match pin!(call).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(answer) => answer,
        Poll::Pending => panic!("no tool waits here"),
    }
}

/// Returns the CPU time of this thread, which other processes hardly affect.
#[cfg(unix)]
fn thread_time() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(now).expect("CPU time is not negative")
}

#[cfg(not(unix))]
fn thread_time() -> Duration {
    use std::sync::LazyLock;
    use std::time::Instant;

    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed()
}
