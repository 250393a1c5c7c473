//! Allocations of calls and of registries, counted by the allocator of the process.

#![cfg(feature = "validate")]

mod call;
mod registry;

use std::alloc::System;

use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

// One test, because the counter is global to the process: a second test would start its thread while this one counts.
#[test]
fn allocations_stay_within_their_numbers() {
    call::allocates_result_and_future();
    registry::reads_do_not_allocate();
}
