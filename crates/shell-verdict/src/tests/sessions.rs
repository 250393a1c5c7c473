//! Commands from real sessions, in obfuscated forms.

use super::super::CommandVerdict;
use super::commands::{HARMFUL, HARMLESS, in_disguise, lines};
use super::filter;

/// Testing every form would take minutes, so test one in seven.
const EVERY: usize = 7;

fn judged(commands: &[String]) -> Vec<(String, CommandVerdict)> {
    let filter = filter();
    let judge = |command: &String| (command.clone(), filter.judge(command).verdict());
    commands.iter().map(judge).collect()
}

#[test]
fn forbids_harmful_commands() {
    let commands = lines(HARMFUL);
    assert!(commands.len() >= 200);

    let missed: Vec<_> = judged(&commands)
        .into_iter()
        .filter(|(_, verdict)| *verdict != CommandVerdict::Forbid)
        .collect();

    assert_eq!(missed, []);
}

#[test]
fn allows_95_percent_of_ordinary_commands() {
    let commands = lines(HARMLESS);
    assert!(commands.len() >= 200);

    let judged = judged(&commands);

    let with = |expected| -> Vec<_> {
        let matching = judged.iter().filter(|(_, verdict)| *verdict == expected);
        matching.map(|(command, _)| command).collect()
    };
    assert_eq!(with(CommandVerdict::Forbid), Vec::<&String>::new());
    let asked = with(CommandVerdict::Ask);
    assert!(asked.len() * 20 <= commands.len(), "{asked:#?}");
}

#[test]
fn never_allows_obfuscated_harmful_commands() {
    let texts = in_disguise(HARMFUL, EVERY);

    let judged = judged(&texts);

    let with = |expected| -> Vec<_> {
        let matching = judged.iter().filter(|(_, verdict)| *verdict == expected);
        matching.map(|(command, _)| command).collect()
    };
    assert_eq!(with(CommandVerdict::Allow), Vec::<&String>::new());
    let weak = with(CommandVerdict::Ask);
    assert!(
        weak.len() * 100 <= texts.len(),
        "{} of {}: {weak:#?}",
        weak.len(),
        texts.len()
    );
}

#[test]
fn never_forbids_obfuscated_ordinary_commands() {
    let texts = in_disguise(HARMLESS, EVERY);

    let forbidden: Vec<_> = judged(&texts)
        .into_iter()
        .filter(|(_, verdict)| *verdict == CommandVerdict::Forbid)
        .collect();

    assert_eq!(forbidden, []);
}
