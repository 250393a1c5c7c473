//! Tests of verdicts: tables of commands, generated attacks and limits.

mod attacks;
mod bounds;
mod commands;
mod grants;
mod laws;
mod limits;
mod listing;
mod sentences;
mod tables;

use super::{CommandFilter, CommandVerdict};

fn filter() -> CommandFilter {
    CommandFilter::standard(["/home/dev/project"]).with_home("/home/dev")
}

/// Returns `count` parts, in which `§` is their number.
fn repeat(part: &str, count: usize) -> String {
    let parts = (0..count).map(|number| part.replace('§', &number.to_string()));
    parts.collect()
}

/// Returns the commands whose verdict `is_wrong`, with their findings.
fn wrong<'c>(
    commands: impl IntoIterator<Item = &'c str>,
    is_wrong: impl Fn(CommandVerdict) -> bool,
) -> Vec<String> {
    let filter = filter();
    let judged = commands
        .into_iter()
        .map(|command| (command, filter.judge(command)));
    let wrong = judged.filter(|(_, judgement)| is_wrong(judgement.verdict()));
    wrong
        .map(|(command, judgement)| {
            let worst = judgement.worst().map(ToString::to_string);
            format!("{command:?} -> {} {worst:?}", judgement.verdict().as_str())
        })
        .collect()
}
