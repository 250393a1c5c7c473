//! The measurements of one run as rows, and as a table to read.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use benches::measure::Measurements;
use serde::{Deserialize, Serialize};

/// What one subject takes for a call of one case.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// The name of the workload.
    pub case: String,
    /// The name of the subject.
    pub subject: String,
    /// The median of the rounds, in nanoseconds of processor time.
    pub median_ns: f64,
    /// The fastest round.
    pub min_ns: f64,
    /// Allocations and reallocations of one call.
    pub allocations: u64,
}

/// How often one subject allocates in one call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Count {
    /// The name of the workload.
    pub case: String,
    /// The name of the subject.
    pub subject: String,
    /// Allocations and reallocations of one call.
    pub allocations: u64,
}

/// Counts allocations in a process of their own: counting takes time, and more of it from those who allocate more.
///
/// # Panics
/// When `program` cannot be run or does not print counts.
#[must_use]
pub fn counts(program: &str) -> Vec<Count> {
    let output = Command::new(program).output().expect("the program runs");
    assert!(output.status.success(), "{program} failed");
    serde_json::from_slice(&output.stdout).expect("the program prints counts")
}

/// The count of one subject.
///
/// # Panics
/// When it was not counted.
#[must_use]
pub fn count(counts: &[Count], case: &str, subject: &str) -> u64 {
    let found = counts
        .iter()
        .find(|count| count.case == case && count.subject == subject);
    found.expect("all subjects are counted").allocations
}

/// What was measured of the subjects of one case, as rows.
///
/// # Panics
/// When their allocations were not counted.
#[must_use]
pub fn rows(case: &str, measured: &Measurements, counts: &[Count]) -> Vec<Row> {
    let tenth = |nanoseconds: f64| (nanoseconds * 10.0).round() / 10.0;
    measured
        .iter()
        .map(|measured| Row {
            case: case.to_owned(),
            allocations: count(counts, case, &measured.name),
            median_ns: tenth(measured.median),
            min_ns: tenth(measured.least),
            subject: measured.name.clone(),
        })
        .collect()
}

/// The row of one subject.
///
/// # Panics
/// When there is none.
#[must_use]
pub fn row<'r>(rows: &'r [Row], case: &str, subject: &str) -> &'r Row {
    let found = rows
        .iter()
        .find(|row| row.case == case && row.subject == subject);
    found.expect("all subjects are measured")
}

/// A line for each subject, a column for each case: nanoseconds, and allocations in parentheses.
#[must_use]
pub fn table(rows: &[Row], cases: &[&str], subjects: &[(&str, &str)]) -> String {
    let mut text = format!(
        "| ns per call (allocations) | {} |\n|---|",
        cases.join(" | ")
    );
    text.push_str(&"---:|".repeat(cases.len()));
    for (subject, name) in subjects {
        let _ = write!(text, "\n| {name} |");
        for case in cases {
            let row = row(rows, case, subject);
            let digits = usize::from(row.median_ns < 10.0);
            let _ = write!(text, " {:.digits$} ({}) |", row.median_ns, row.allocations);
        }
    }
    text
}

/// Writes the rows as JSON.
///
/// # Panics
/// When the file cannot be written.
pub fn write_json(rows: &[Row], file: &Path) {
    let mut text = serde_json::to_string_pretty(rows).expect("rows are JSON");
    text.push('\n');
    std::fs::write(file, text).expect("the file can be written");
}
