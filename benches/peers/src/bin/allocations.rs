//! Counts the allocations of each subject in one call and prints them as JSON.
//!
//! The benches run this program as a separate process, because counting would affect measured
//! times.

use std::alloc::System;

use benches::measure::Case;
use peers::table::Count;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Number of calls before counting starts, to exclude one-time allocations.
const WARM: u32 = 16;
const CALLS: u32 = 64;

fn main() {
    let mut counts = Vec::new();
    for mut contest in peers::subjects::contests() {
        counts.extend(
            contest
                .subjects
                .iter_mut()
                .map(|case| counted(contest.case, case)),
        );
        counts.push(counted(contest.case, &mut contest.own));
    }
    for case in &mut peers::definitions::subjects() {
        counts.push(counted("definitions", case));
    }
    let text = serde_json::to_string(&counts).expect("counts are JSON");
    println!("{text}");
}

fn counted(name: &str, case: &mut Case<'_>) -> Count {
    case.run(WARM);
    let region = Region::new(ALLOCATOR);
    case.run(CALLS);
    let change = region.change();
    let allocations = (change.allocations + change.reallocations) as u64;
    Count {
        case: name.to_owned(),
        subject: case.name().to_owned(),
        allocations: allocations.div_ceil(CALLS.into()),
    }
}
