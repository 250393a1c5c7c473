//! Measuring several things in one run, so that what the machine does meanwhile meets all of them alike.

use std::time::{Duration, Instant};

/// Rounds in which every case is measured once.
const ROUNDS: usize = 41;
/// How long one case runs in one round.
const ROUND: Duration = Duration::from_millis(5);

/// One thing to measure.
pub struct Case<'c> {
    name: String,
    run: Box<dyn FnMut() + 'c>,
}

impl<'c> Case<'c> {
    /// Names a thing to measure.
    pub fn new(name: impl Into<String>, run: impl FnMut() + 'c) -> Self {
        Self {
            name: name.into(),
            run: Box::new(run),
        }
    }

    /// Nanoseconds per call over one round.
    fn round(&mut self) -> f64 {
        let mut calls = 0_u32;
        let since = Instant::now();
        while since.elapsed() < ROUND {
            for _ in 0..16 {
                (self.run)();
            }
            calls += 16;
        }
        since.elapsed().as_secs_f64() * 1e9 / f64::from(calls)
    }
}

/// The medians of one run.
#[must_use]
pub struct Medians(Vec<(String, f64)>);

impl Medians {
    /// Prints a line for each case: nanoseconds, and the ratio to the first.
    pub fn print(&self) {
        let first = self.0.first().map_or(1.0, |(_, nanoseconds)| *nanoseconds);
        for (name, nanoseconds) in &self.0 {
            println!(
                "  {name:32} {nanoseconds:10.0} ns {:8.2} x",
                nanoseconds / first
            );
        }
    }
}

/// Measures all cases in turn, round after round.
pub fn interleaved(cases: &mut [Case<'_>]) -> Medians {
    let mut times: Vec<Vec<f64>> = cases.iter_mut().map(|case| vec![case.round()]).collect();
    for _ in 0..ROUNDS {
        for (case, times) in cases.iter_mut().zip(&mut times) {
            times.push(case.round());
        }
    }
    let median = |times: &mut Vec<f64>| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    };
    Medians(
        cases
            .iter()
            .map(|case| case.name.clone())
            .zip(times.iter_mut().map(median))
            .collect(),
    )
}
