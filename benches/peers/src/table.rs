//! Measurements of all cases as a Markdown table.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use benches::measure::Measurements;

use crate::subjects::SUBJECTS;

/// Measurements of each case, by its name.
pub type Cases = BTreeMap<&'static str, Measurements>;

/// Creates a table with a line per subject and a column per case: nanoseconds of CPU time per call.
#[must_use]
pub fn table(cases: &Cases) -> String {
    let mut text = "| ns per call |".to_owned();
    for case in cases.keys() {
        let _ = write!(text, " {case} |");
    }
    text.push_str("\n|---|");
    text.push_str(&"---:|".repeat(cases.len()));
    for (subject, name) in SUBJECTS {
        let _ = write!(text, "\n| {name} |");
        for measured in cases.values() {
            let median = measured.of(subject).median;
            let digits = usize::from(median < 10.0);
            let _ = write!(text, " {median:.digits$} |");
        }
    }
    text
}
