//! Limits and goals for the cost of a call, relative to other crates.

use std::collections::BTreeMap;

use benches::bar::Bar;
use benches::measure::Measurements;

use crate::table::{Count, count};

/// Creates the bars of a call from the measurements of each case.
///
/// # Panics
/// Panics if a case was not measured.
#[must_use]
pub fn of_dispatch(measured: &BTreeMap<&str, Measurements>, counts: &[Count]) -> Vec<Bar> {
    let ratio = |case, subject, base| {
        let bar = format!("{case}: {subject} / {base}");
        let value = measured[case].ratio(subject, base);
        move |at_least, aim| Bar::ceiling(bar, value, at_least, aim)
    };
    let allocations = |case, subject| f64::from(small(count(counts, case, subject)));
    let beyond = allocations("todo", "text") - allocations("todo", "own");
    vec![
        ratio("add", "text", "rig")(0.30, 0.20),
        ratio("add", "text", "rig_inner")(0.65, 0.42),
        ratio("read_file", "text", "rig")(0.30, 0.18),
        ratio("todo", "text", "rig")(0.65, 0.47),
        ratio("add", "text", "swiftide")(4.0, 3.1),
        ratio("read_file", "text", "swiftide")(2.8, 2.1),
        ratio("todo", "text", "swiftide")(1.8, 1.35),
        ratio("add", "value", "rmcp")(1.26, 1.0),
        Bar::ceiling(
            "add: allocations from text",
            allocations("add", "text"),
            6.0,
            4.0,
        ),
        Bar::ceiling("todo: allocations over its struct's own", beyond, 6.0, 3.0),
    ]
}

fn small(count: u64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
