//! Measuring several things in one run, so that what the machine does meanwhile meets all of them alike.

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::hint::black_box;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use serde_json::Value;

/// How much time a measurement may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// Enough rounds for a median that two runs agree on.
    Full,
    /// A few short rounds, which only show that the bench still runs.
    Quick,
}

impl Effort {
    /// Rounds in which every case is measured once.
    #[must_use]
    pub fn rounds(self) -> usize {
        match self {
            Self::Full => 101,
            Self::Quick => 3,
        }
    }

    /// About how long one case runs in one round.
    #[must_use]
    pub fn round(self) -> Duration {
        match self {
            Self::Full => Duration::from_millis(1),
            Self::Quick => Duration::from_micros(20),
        }
    }
}

/// One thing to measure.
pub struct Case<'c> {
    name: String,
    run: Box<dyn FnMut(u32, Clock) -> Duration + 'c>,
}

impl<'c> Case<'c> {
    /// Names a thing to measure. What it returns is dropped within the time that is measured.
    pub fn new<R>(name: impl Into<String>, mut call: impl FnMut() -> R + 'c) -> Self {
        let run = move |calls, clock: Clock| {
            let since = clock();
            for _ in 0..calls {
                let answer = call();
                // Where it stands: moved once more, a large answer would be charged to whoever gives it.
                black_box(&answer);
            }
            clock().saturating_sub(since)
        };
        Self {
            name: name.into(),
            run: Box::new(run),
        }
    }

    /// Names a thing of which only parts are measured: those that it gives to the watch.
    pub fn in_parts(name: impl Into<String>, mut call: impl FnMut(&mut Watch) + 'c) -> Self {
        let run = move |calls, clock| {
            let mut watch = Watch {
                clock,
                measured: Duration::ZERO,
            };
            for _ in 0..calls {
                call(&mut watch);
            }
            watch.measured
        };
        Self {
            name: name.into(),
            run: Box::new(run),
        }
    }

    /// The same, and asks for the answer first.
    ///
    /// # Panics
    /// When the answer, as `read` finds it in what `call` returns, is not `expected`.
    pub fn checked<R>(
        name: impl Into<String>,
        expected: &Value,
        mut call: impl FnMut() -> R + 'c,
        read: impl FnOnce(R) -> Value,
    ) -> Self {
        let name = name.into();
        assert_eq!(&read(call()), expected, "{name} gives another answer");
        Self::new(name, call)
    }

    /// What this is.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Runs it so many times.
    pub fn run(&mut self, calls: u32) {
        self.time(calls, wall_time);
    }

    fn time(&mut self, calls: u32, clock: Clock) -> Duration {
        (self.run)(calls, clock)
    }

    /// How many calls fill about so much time.
    fn calls_in(&mut self, time: Duration, clock: Clock) -> u32 {
        let mut calls = 1;
        while calls < 1 << 24 && self.time(calls, clock) < time / 2 {
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

/// A time that grows.
type Clock = fn() -> Duration;

/// Measures the parts of a case that are in question.
#[derive(Debug)]
pub struct Watch {
    clock: Clock,
    measured: Duration,
}

impl Watch {
    /// Counts the time that this part takes. What it returns is dropped outside of that.
    pub fn time<R>(&mut self, part: impl FnOnce() -> R) -> R {
        let since = (self.clock)();
        let outcome = part();
        self.measured += (self.clock)().saturating_sub(since);
        outcome
    }
}

/// What one case takes, in nanoseconds per call.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// The name of the case.
    pub name: String,
    /// The median of the rounds.
    pub median: f64,
    /// The fastest round.
    pub least: f64,
    /// All rounds, in their order.
    rounds: Vec<f64>,
}

/// The measurements of one run, in the order of the cases.
#[derive(Debug, Clone, PartialEq)]
pub struct Measurements(Vec<Measured>);

impl Measurements {
    /// One line for each case: nanoseconds, and the ratio to the first.
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

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Measured> {
        self.0.iter()
    }

    /// The measurement of this name.
    ///
    /// # Panics
    /// When no case has the name.
    #[must_use]
    pub fn of(&self, name: &str) -> &Measured {
        let found = self.0.iter().find(|case| case.name == name);
        found.unwrap_or_else(|| panic!("no case is named {name}"))
    }

    /// How many times as long as `base` `name` takes: the median of what both took in the same round, because a machine that is
    /// slower for a while is so for both.
    ///
    /// # Panics
    /// When no case has one of the names.
    #[must_use]
    pub fn ratio(&self, name: &str, base: &str) -> f64 {
        median_ratio(&self.of(name).rounds, &self.of(base).rounds)
    }
}

/// Measures all cases in turn, round after round, each round in another order.
pub fn interleaved(cases: &mut [Case<'_>], effort: Effort) -> Measurements {
    measured_by(thread_time, cases, effort, effort.rounds())
}

/// The same with so many rounds at most, for cases that take longer than a round should.
pub fn interleaved_for(cases: &mut [Case<'_>], effort: Effort, rounds: usize) -> Measurements {
    measured_by(thread_time, cases, effort, rounds.min(effort.rounds()))
}

/// The same in time that passes on the wall, for work that is done by other threads and processes, and by the disk.
pub fn interleaved_on_the_wall(
    cases: &mut [Case<'_>],
    effort: Effort,
    rounds: usize,
) -> Measurements {
    measured_by(wall_time, cases, effort, rounds.min(effort.rounds()))
}

fn measured_by(
    clock: Clock,
    cases: &mut [Case<'_>],
    effort: Effort,
    rounds: usize,
) -> Measurements {
    let calls: Vec<u32> = cases
        .iter_mut()
        .map(|case| case.calls_in(effort.round(), clock))
        .collect();
    let mut times = vec![Vec::with_capacity(rounds); cases.len()];
    let mut order: Vec<usize> = (0..cases.len()).collect();
    for round in 0..rounds {
        shuffle(&mut order, round);
        for &index in &order {
            let time = cases[index].time(calls[index], clock);
            times[index].push(time.as_secs_f64() * 1e9 / f64::from(calls[index]));
        }
    }
    let measured = |(case, times): (&Case<'_>, Vec<f64>)| Measured {
        name: case.name.clone(),
        median: median(&mut times.clone()),
        least: times.iter().copied().fold(f64::INFINITY, f64::min),
        rounds: times,
    };
    Measurements(cases.iter().zip(times).map(measured).collect())
}

/// The median of what `times` are of `bases`, each of the base of its own round.
///
/// # Panics
/// Without rounds.
#[must_use]
pub fn median_ratio(times: &[f64], bases: &[f64]) -> f64 {
    let pairs = times.iter().zip(bases);
    let mut ratios: Vec<f64> = pairs.map(|(time, base)| time / base).collect();
    median(&mut ratios)
}

/// The value in the middle.
///
/// # Panics
/// Without values.
#[must_use]
pub fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Another order each time; `round` keeps the orders of one run apart.
pub fn shuffle(order: &mut [usize], round: usize) {
    let random = RandomState::new();
    order.sort_by_cached_key(|index| random.hash_one((round, index)));
}

/// What a call answers that does not wait; without a runtime, whose own cost is not in question here.
///
/// # Panics
/// When the call waits.
#[expect(
    clippy::inline_always,
    reason = "where a call is awaited, its future is made in place; as a function of its own this would move it"
)]
#[inline(always)]
pub fn at_once<F: Future>(call: F) -> F::Output {
    match pin!(call).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(answer) => answer,
        Poll::Pending => panic!("no tool waits here"),
    }
}

/// Processor time of this thread, to which other processes add little.
#[cfg(unix)]
fn thread_time() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(now).expect("processor time only grows")
}

#[cfg(not(unix))]
fn thread_time() -> Duration {
    wall_time()
}

fn wall_time() -> Duration {
    use std::sync::LazyLock;
    use std::time::Instant;

    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed()
}
