//! How many allocations do a call and a request for unchanged definitions need, and how large is an index of tools?
//!
//! cargo bench -p benches --bench allocations -- [--quick]

use std::alloc::System;

use benches::bar::{self, Bar};
use benches::measure::{Case, Effort, at_once, interleaved};
use benches::options::Options;
use benches::tools::{registry, registry_of};
use benches::workload::{Add, Todo, Workload, parsed};
use provider_adapters::Provider;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use tool_core::search::ToolIndex;

/// Counting slows allocations down, so other benches use the plain allocator.
#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Calls before counting starts, to exclude one-time allocations.
const WARM: u32 = 16;
const CALLS: u32 = 64;

fn main() {
    let effort = Options::from_command_line().effort;
    let plan: Todo = parsed(&Todo::text());
    let own = counted(|| plan.clone());
    bar::print(&[
        Bar::ceiling("add from text", call::<Add>(), 4.0).goal(3.0),
        Bar::ceiling("todo from text, over its struct", call::<Todo>() - own, 6.0).goal(3.0),
        definitions(effort),
        Bar::ceiling("index of 10,000 tools: bytes per tool", index(), 4096.0),
    ]);
}

/// Returns the allocations of a call from text.
fn call<W: Workload>() -> f64 {
    let tools = registry();
    let text = W::text();
    counted(|| at_once(tools.execute(W::NAME, &text)))
}

/// Returns the bytes that an index keeps for each tool.
fn index() -> f64 {
    let tools = benches::collected::definitions(10_000);
    let region = Region::new(ALLOCATOR);
    let index = ToolIndex::new(&tools);
    let change = region.change();
    let kept = u32::try_from(change.bytes_allocated - change.bytes_deallocated);
    drop(index);
    kept.map_or(f64::INFINITY, f64::from) / 10_000.0
}

/// Also prints the time, which counting does not change if nothing is allocated.
fn definitions(effort: Effort) -> Bar {
    let tools = registry_of(100);
    let request = || tools.definitions(&Provider::OpenAi);
    interleaved(
        &mut [Case::new("definitions of 100 unchanged tools", request)],
        effort,
    )
    .print();
    Bar::ceiling("definitions of 100 unchanged tools", counted(request), 0.0)
}

/// Returns the allocations of one call, including reallocations.
fn counted<R>(call: impl FnMut() -> R) -> f64 {
    let mut case = Case::new("counted", call);
    case.run(WARM);
    let region = Region::new(ALLOCATOR);
    case.run(CALLS);
    let change = region.change();
    let allocations = u32::try_from(change.allocations + change.reallocations);
    allocations.map_or(f64::INFINITY, f64::from) / f64::from(CALLS)
}
