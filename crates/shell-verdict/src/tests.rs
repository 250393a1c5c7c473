//! Tests of verdicts: tables of commands, and properties of all commands.

mod commands;
mod largest;
mod laws;
mod reading;
mod sessions;
mod verdicts;

use super::{CommandFilter, CommandVerdict};

fn filter() -> CommandFilter {
    CommandFilter::standard(["/home/dev/project"]).with_home("/home/dev")
}

fn wrong(table: &[&str], expected: CommandVerdict) -> Vec<String> {
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
