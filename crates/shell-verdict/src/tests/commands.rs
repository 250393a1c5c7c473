//! Commands for the tests of the filter and the parser oracles.

mod disguise;
mod doubtful;
mod evaluated;
mod forbidden;
mod ordinary;

pub(crate) use doubtful::DOUBTFUL;
pub(crate) use evaluated::EVALUATED;
pub(crate) use forbidden::FORBIDDEN;
pub(crate) use ordinary::ORDINARY;

/// Attacks, one command per line; `⏎` is a newline within a command.
pub(crate) const HARMFUL: &[&str] = &[
    include_str!("commands/harmful.txt"),
    include_str!("commands/harmful_rare.txt"),
    include_str!("commands/harmful_decoded.txt"),
    include_str!("commands/harmful_within.txt"),
    include_str!("commands/harmful_flow.txt"),
];
/// Everyday commands of developers, in the same format.
pub(crate) const HARMLESS: &[&str] = &[
    include_str!("commands/harmless.txt"),
    include_str!("commands/harmless_everyday.txt"),
    include_str!("commands/harmless_tools.txt"),
    include_str!("commands/harmless_flow.txt"),
];

/// Harmful commands after a line that bash leaves because of a failed expansion.
pub(crate) const HARMFUL_LINES: &[&str] = &[include_str!("commands/harmful_lines.txt")];
/// Harmful commands with the verdict `confine`, in groups with the reason why a sandbox stops them.
pub(crate) const HARMFUL_CONFINED: &str = include_str!("commands/harmful_confined.txt");
/// Everyday commands that need network, install software or lose work, in groups.
pub(crate) const EVERYDAY_ASKED: &str = include_str!("commands/everyday_asked.txt");
/// Examples with their former and present verdicts.
pub(crate) const EXAMPLES: &str = include_str!("commands/examples.txt");

/// Returns the commands of a table with the reasons of their groups, which are lines that begin
/// with `## `.
pub(crate) fn grouped(table: &str) -> Vec<(String, String)> {
    let mut reason = "";
    let mut commands = Vec::new();
    for line in table.lines().filter(|line| !line.is_empty()) {
        match line.strip_prefix("## ") {
            Some(next) => reason = next,
            None => commands.push((reason.to_owned(), line.replace('⏎', "\n"))),
        }
    }
    commands
}

/// Returns the command within other commands and constructs.
pub(crate) fn wrapped(command: &str) -> Vec<String> {
    disguise::wrapped(command)
}

pub(crate) fn lines(tables: &[&str]) -> Vec<String> {
    let lines = tables.iter().flat_map(|table| table.lines());
    let lines = lines.filter(|line| !line.is_empty());
    lines.map(|line| line.replace('⏎', "\n")).collect()
}

/// Returns each command in one of `every` forms. The forms rotate, so each one is tried with many
/// commands.
pub(crate) fn in_disguise(tables: &[&str], every: usize) -> Vec<String> {
    let commands = lines(tables);
    let some = commands.iter().enumerate().flat_map(|(at, command)| {
        let texts = disguise::disguised(command).into_iter().skip(at % every);
        texts.step_by(every)
    });
    some.collect()
}
