//! Tables of harmful and everyday commands.

use std::collections::BTreeSet;

use super::super::{CommandRule, Finding};
use super::commands::{
    DOUBTFUL, EVALUATED, EVERYDAY_ASKED, EXAMPLES, FORBIDDEN, HARMFUL, HARMFUL_CONFINED,
    HARMFUL_LINES, HARMLESS, ORDINARY, grouped, in_disguise, lines,
};
use super::{CommandVerdict, filter, wrong};

/// Testing every form would take minutes, so test one in seven.
const EVERY: usize = 7;

fn harmful() -> Vec<String> {
    let short = [FORBIDDEN, EVALUATED].concat();
    let mut commands: Vec<String> = short.into_iter().map(str::to_owned).collect();
    commands.extend(lines(HARMFUL));
    commands.extend(lines(HARMFUL_LINES));
    commands
}

fn everyday() -> Vec<String> {
    let mut commands: Vec<String> = ORDINARY
        .iter()
        .map(|command| (*command).to_owned())
        .collect();
    commands.extend(lines(HARMLESS));
    commands
}

fn texts(commands: &[String]) -> impl Iterator<Item = &str> {
    commands.iter().map(String::as_str)
}

#[test]
fn never_allows_harmful_commands() {
    let commands = harmful();
    assert!(commands.len() >= 3_000);

    assert_eq!(
        wrong(texts(&commands), |verdict| verdict == CommandVerdict::Allow),
        Vec::<String>::new()
    );
}

#[test]
fn confines_only_listed_harmful_commands() {
    let listed: BTreeSet<String> = grouped(HARMFUL_CONFINED)
        .into_iter()
        .map(|(_, command)| command)
        .collect();
    let filter = filter();
    let commands = harmful().into_iter();
    let confined: BTreeSet<String> = commands
        .filter(|command| filter.judge(command).verdict() == CommandVerdict::Confine)
        .collect();

    let unlisted: Vec<_> = confined.difference(&listed).collect();
    let outdated: Vec<_> = listed.difference(&confined).collect();

    assert_eq!((unlisted, outdated), (vec![], vec![]));
}

#[test]
fn never_allows_harmful_commands_in_disguise() {
    let commands = in_disguise(HARMFUL, EVERY);

    assert_eq!(
        wrong(texts(&commands), |verdict| verdict == CommandVerdict::Allow),
        Vec::<String>::new()
    );
}

#[test]
fn never_forbids_everyday_commands() {
    let commands = everyday();
    assert!(commands.len() >= 2_000);

    assert_eq!(
        wrong(texts(&commands), |verdict| verdict
            == CommandVerdict::Forbid),
        Vec::<String>::new()
    );
}

#[test]
fn never_forbids_everyday_commands_in_disguise() {
    let commands = in_disguise(HARMLESS, EVERY);

    assert_eq!(
        wrong(texts(&commands), |verdict| verdict
            == CommandVerdict::Forbid),
        Vec::<String>::new()
    );
}

#[test]
fn asks_for_at_most_2_percent_of_everyday_commands() {
    let listed: BTreeSet<String> = grouped(EVERYDAY_ASKED)
        .into_iter()
        .map(|(_, command)| command)
        .collect();
    let commands: Vec<String> = everyday()
        .into_iter()
        .filter(|command| !listed.contains(command))
        .collect();

    let asked = wrong(texts(&commands), |verdict| verdict >= CommandVerdict::Ask);

    assert!(
        asked.len() * 50 <= commands.len(),
        "{} of {}: {asked:#?}",
        asked.len(),
        commands.len()
    );
}

#[test]
fn asks_for_listed_everyday_commands() {
    let listed: Vec<String> = grouped(EVERYDAY_ASKED)
        .into_iter()
        .map(|(_, command)| command)
        .collect();

    assert_eq!(
        wrong(texts(&listed), |verdict| verdict != CommandVerdict::Ask),
        Vec::<String>::new()
    );
}

#[test]
fn every_group_has_a_reason() {
    for table in [HARMFUL_CONFINED, EVERYDAY_ASKED] {
        let empty: Vec<_> = grouped(table)
            .into_iter()
            .filter(|(reason, _)| reason.len() < 20)
            .collect();

        assert_eq!(empty, []);
    }
}

#[test]
fn examples_have_new_verdicts() {
    let filter = filter();
    for row in EXAMPLES.lines() {
        let mut cells = row.splitn(3, '\t');
        let (_old, new, command) = (
            cells.next().unwrap(),
            cells.next().unwrap(),
            cells.next().unwrap(),
        );

        let judgement = filter.judge(&command.replace('⏎', "\n"));

        assert_eq!(
            judgement.verdict().as_str(),
            new,
            "{command} {:?}",
            judgement.findings()
        );
    }
}

#[test]
fn doubtful_commands_are_seldom_allowed() {
    let allowed = wrong(DOUBTFUL.iter().copied(), |verdict| {
        verdict == CommandVerdict::Allow
    });

    assert_eq!(allowed, Vec::<String>::new());
}

#[test]
fn addresses_of_the_web_are_not_paths() {
    let filter = filter();
    for (command, expected) in [
        ("curl https://example.com/a", vec![CommandRule::Network]),
        ("curl http://example.com", vec![CommandRule::Network]),
        (
            "curl https:/etc/passwd",
            vec![CommandRule::Network, CommandRule::ReadOutside],
        ),
        (
            "curl file:///etc/passwd",
            vec![CommandRule::Network, CommandRule::ReadOutside],
        ),
    ] {
        let judgement = filter.judge(command);
        let rules: Vec<_> = judgement.findings().iter().map(Finding::rule).collect();

        assert_eq!(rules, expected, "{command}");
    }
}
