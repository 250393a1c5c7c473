//! Commands and what they look like in disguise: data for the tests of the filter and for the oracles of its parser.

mod disguise;
mod doubtful;
mod evaluated;
mod forbidden;
mod ordinary;

pub(crate) use doubtful::DOUBTFUL;
pub(crate) use evaluated::EVALUATED;
pub(crate) use forbidden::FORBIDDEN;
pub(crate) use ordinary::ORDINARY;

/// What attackers run, one command a line; `⏎` stands for the end of a line within a command.
pub(crate) const HARMFUL: &[&str] = &[
    include_str!("harmful.txt"),
    include_str!("harmful_rare.txt"),
    include_str!("harmful_decoded.txt"),
    include_str!("harmful_within.txt"),
    include_str!("harmful_flow.txt"),
];
/// What developers run, in the same form.
pub(crate) const HARMLESS: &[&str] = &[
    include_str!("harmless.txt"),
    include_str!("harmless_everyday.txt"),
    include_str!("harmless_tools.txt"),
    include_str!("harmless_flow.txt"),
];

/// The commands of `tables`.
pub(crate) fn lines(tables: &[&str]) -> Vec<String> {
    let lines = tables.iter().flat_map(|table| table.lines());
    let lines = lines.filter(|line| !line.is_empty());
    lines.map(|line| line.replace('⏎', "\n")).collect()
}

/// Every command in one of `every` disguises, each in its turn, so that every disguise is tried with many commands.
pub(crate) fn in_disguise(tables: &[&str], every: usize) -> Vec<String> {
    let commands = lines(tables);
    let some = commands.iter().enumerate().flat_map(|(at, command)| {
        let texts = disguise::disguised(command).into_iter().skip(at % every);
        texts.step_by(every)
    });
    some.collect()
}
