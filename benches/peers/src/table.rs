//! Measurements of one run as rows and as a Markdown table.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use benches::measure::Measurements;
use serde::{Deserialize, Serialize};

/// Cost of one call for one subject and case.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// Name of the workload.
    pub case: String,
    /// Name of the subject.
    pub subject: String,
    /// Median of the rounds, in nanoseconds of CPU time.
    pub median_ns: f64,
    /// Fastest round.
    pub min_ns: f64,
    /// Allocations and reallocations per call.
    pub allocations: u64,
}

/// Number of allocations of one subject in one call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Count {
    /// Name of the workload.
    pub case: String,
    /// Name of the subject.
    pub subject: String,
    /// Allocations and reallocations per call.
    pub allocations: u64,
}

/// Counts allocations in a separate process, because counting slows down subjects that allocate
/// more.
///
/// # Panics
/// Panics if `program` cannot be run or does not print counts.
#[must_use]
pub fn counts(program: &str) -> Vec<Count> {
    let output = Command::new(program).output().expect("the program runs");
    assert!(output.status.success(), "{program} failed");
    serde_json::from_slice(&output.stdout).expect("the program prints counts")
}

/// Returns the count of one subject.
///
/// # Panics
/// Panics if the subject was not counted.
#[must_use]
pub fn count(counts: &[Count], case: &str, subject: &str) -> u64 {
    let found = counts
        .iter()
        .find(|count| count.case == case && count.subject == subject);
    found.expect("all subjects are counted").allocations
}

/// Converts the measurements of one case to rows.
///
/// # Panics
/// Panics if the allocations of a subject were not counted.
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

/// Returns the row of one subject.
///
/// # Panics
/// Panics if the row does not exist.
#[must_use]
pub fn row<'r>(rows: &'r [Row], case: &str, subject: &str) -> &'r Row {
    let found = rows
        .iter()
        .find(|row| row.case == case && row.subject == subject);
    found.expect("all subjects are measured")
}

/// Creates a table with a line per subject and a column per case: nanoseconds, and allocations in
/// parentheses.
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
/// Panics if the file cannot be written.
pub fn write_json(rows: &[Row], file: &Path) {
    let mut text = serde_json::to_string_pretty(rows).expect("rows are JSON");
    text.push('\n');
    std::fs::write(file, text).expect("the file is writable");
}
