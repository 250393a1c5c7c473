//! What a second thread brings: the same work on one thread and on two, against work that shares nothing.

use std::hint::black_box;
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use crate::measure::{Effort, median, shuffle};

/// What two threads do in the time of one, and what work that shares nothing does meanwhile.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scaling {
    /// Calls on two threads over calls on one, in the same time.
    pub work: f64,
    /// The same for arithmetic in registers.
    pub control: f64,
}

/// Compares one thread with two, and `work` with arithmetic, round after round.
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

/// From the moment that all threads have begun until the last one is done.
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
        let join = |other: thread::ScopedJoinHandle<'_, Duration>| other.join().expect("it ends");
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

/// About as long as a call, in registers alone.
fn arithmetic() {
    let mut state = black_box(0x9E37_79B9_7F4A_7C15_u64);
    for _ in 0..100 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
    }
    black_box(state);
}
