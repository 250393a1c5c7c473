//! Scaling from one thread to two, compared with work that shares nothing.

use std::hint::black_box;
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use crate::measure::{Effort, median, shuffle};

/// Speedup of two threads over one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scaling {
    /// Speedup of the measured work; 2 is ideal.
    pub work: f64,
    /// Speedup of arithmetic in registers.
    pub control: f64,
}

/// Measures `work` and arithmetic on one thread and on two, interleaved.
pub fn scaling(work: impl Fn() + Sync, effort: Effort) -> Scaling {
    let works: [&(dyn Fn() + Sync); 2] = [&work, &arithmetic];
    let calls = works.map(|work| calls_in(work, effort.round() * 2));
    let mut times = [const { Vec::new() }; 4];
    let mut order = [0, 1, 2, 3];
    for round in 0..effort.rounds() {
        shuffle(&mut order, round);
        for place in order {
            let (which, threads) = (place / 2, place % 2 + 1);
            let time = time_of(works[which], calls[which], threads);
            times[place].push(time.as_secs_f64());
        }
    }
    let [work_on_one, work_on_two, control_on_one, control_on_two] =
        times.each_mut().map(|times| median(times));
    Scaling {
        work: 2.0 * work_on_one / work_on_two,
        control: 2.0 * control_on_one / control_on_two,
    }
}

/// Returns the time from the start of all threads to the end of the last one.
fn time_of(work: &(dyn Fn() + Sync), calls: u32, threads: usize) -> Duration {
    let barrier = Barrier::new(threads);
    let one = || {
        barrier.wait();
        let since = Instant::now();
        for _ in 0..calls {
            work();
        }
        since.elapsed()
    };
    thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(one)).collect();
        let mine = one();
        let join = |other: thread::ScopedJoinHandle<'_, Duration>| {
            other.join().expect("the thread finishes")
        };
        others.into_iter().map(join).fold(mine, Duration::max)
    })
}

fn calls_in(work: &(dyn Fn() + Sync), time: Duration) -> u32 {
    let mut calls = 1;
    while calls < 1 << 24 && time_of(work, calls, 1) < time / 2 {
        calls *= 2;
    }
    calls
}

/// Runs for about as long as a call, without memory access.
fn arithmetic() {
    let mut state = black_box(0x9E37_79B9_7F4A_7C15_u64);
    for _ in 0..100 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
    }
    black_box(state);
}
