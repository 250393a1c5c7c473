//! The bars that the project has set itself, and how high it jumps.

use std::fmt;

use crate::table::{Count, Row, count, row};

/// A figure that must stay below a bar.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// What is compared.
    pub name: String,
    /// What was measured.
    pub value: f64,
    /// What it must not exceed.
    pub at_least: f64,
    /// What it should not exceed.
    pub aim: f64,
}

impl Bar {
    /// Sets a bar.
    #[must_use]
    pub fn new(name: impl Into<String>, value: f64, at_least: f64, aim: f64) -> Self {
        Self {
            name: name.into(),
            value,
            at_least,
            aim,
        }
    }

    fn verdict(&self) -> &'static str {
        if self.value <= self.aim {
            "aim met"
        } else if self.value <= self.at_least {
            "met"
        } else {
            "MISSED"
        }
    }
}

impl fmt::Display for Bar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            name,
            value,
            at_least,
            aim,
        } = self;
        let verdict = self.verdict();
        // Ratios need two digits more where they are small.
        let digits = if *aim < 0.01 { 6 } else { 2 };
        write!(
            f,
            "| {name} | {value:.digits$} | {at_least} | {aim} | {verdict} |"
        )
    }
}

/// The heading of a table of bars.
pub const HEADING: &str = "| bar | measured | at least | aim | |\n|---|---:|---:|---:|---|";

/// The bars of a call.
#[must_use]
pub fn of_dispatch(rows: &[Row], counts: &[Count]) -> Vec<Bar> {
    let ratio = |case, subject, base| {
        let bar = format!("{case}: {subject} / {base}");
        let value = row(rows, case, subject).median_ns / row(rows, case, base).median_ns;
        move |at_least, aim| Bar::new(bar, value, at_least, aim)
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
        Bar::new(
            "add: allocations from text",
            allocations("add", "text"),
            6.0,
            4.0,
        ),
        Bar::new("todo: allocations over its struct's own", beyond, 6.0, 3.0),
    ]
}

fn small(count: u64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
