//! Wait for the end of programs whose tools are dropped.

use std::thread;
use std::time::Instant;

use super::super::*;

#[test]
fn last_drop_waits_until_programs_end() {
    let exit_barrier = ExitBarrier::default();
    let running = exit_barrier.running();
    let clone = exit_barrier.clone();
    let program = thread::spawn(move || {
        thread::sleep(Duration::from_millis(100));
        let ended = Instant::now();
        drop(running);
        ended
    });

    drop(clone);
    drop(exit_barrier);

    let dropped = Instant::now();
    assert!(program.join().unwrap() <= dropped);
}

#[test]
fn last_drop_waits_at_most_two_seconds() {
    let exit_barrier = ExitBarrier::default();
    let _running = exit_barrier.running();
    let since = Instant::now();

    drop(exit_barrier);

    assert!(since.elapsed() >= MAX_WAIT);
}
