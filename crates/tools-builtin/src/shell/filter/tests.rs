//! Verdicts of commands, one table for each, and laws that hold for all of them.

mod commands;
mod largest;
mod laws;
mod reading;
mod sessions;
mod verdicts;

use super::{CommandFilter, Verdict};

fn filter() -> CommandFilter {
    CommandFilter::standard(["/home/dev/project"]).with_home("/home/dev")
}

/// The commands of `table` that get another verdict than `expected`.
fn wrong(table: &[&str], expected: Verdict) -> Vec<String> {
    let filter = filter();
    table
        .iter()
        .map(|command| (command, filter.judge(command)))
        .filter(|(_, judgement)| judgement.verdict() != expected)
        .map(|(command, judgement)| {
            let findings: Vec<_> = judgement
                .findings()
                .iter()
                .map(ToString::to_string)
                .collect();
            format!("{command:?} -> {:?} {findings:?}", judgement.verdict())
        })
        .collect()
}
