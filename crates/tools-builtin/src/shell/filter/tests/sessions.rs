//! Commands as they come up in sessions of developers and of attackers, one a line, under every wrapping.

use super::super::Verdict;
use super::commands::{HARMFUL, HARMLESS, in_disguise, lines};
use super::filter;

/// One in so many disguises of a command is tried; all of them would take minutes.
const EVERY: usize = 7;

fn judged(commands: &[String]) -> Vec<(String, Verdict)> {
    let filter = filter();
    let judge = |command: &String| (command.clone(), filter.judge(command).verdict());
    commands.iter().map(judge).collect()
}

#[test]
fn what_does_harm_is_forbidden() {
    let commands = lines(HARMFUL);
    assert!(commands.len() >= 200);

    let missed: Vec<_> = judged(&commands)
        .into_iter()
        .filter(|(_, verdict)| *verdict != Verdict::Forbid)
        .collect();

    assert_eq!(missed, []);
}

#[test]
fn ordinary_work_is_never_forbidden_and_seldom_asked_about() {
    let commands = lines(HARMLESS);
    assert!(commands.len() >= 200);

    let judged = judged(&commands);

    let with = |wanted| -> Vec<_> {
        let those = judged.iter().filter(|(_, verdict)| *verdict == wanted);
        those.map(|(command, _)| command).collect()
    };
    assert_eq!(with(Verdict::Forbid), Vec::<&String>::new());
    let asked = with(Verdict::Ask);
    assert!(asked.len() * 20 <= commands.len(), "{asked:#?}");
}

#[test]
fn no_disguise_gets_harm_through() {
    let texts = in_disguise(HARMFUL, EVERY);

    let judged = judged(&texts);

    let with = |wanted| -> Vec<_> {
        let those = judged.iter().filter(|(_, verdict)| *verdict == wanted);
        those.map(|(command, _)| command).collect()
    };
    assert_eq!(with(Verdict::Allow), Vec::<&String>::new());
    let weak = with(Verdict::Ask);
    assert!(
        weak.len() * 100 <= texts.len(),
        "{} of {}: {weak:#?}",
        weak.len(),
        texts.len()
    );
}

#[test]
fn no_disguise_makes_ordinary_work_forbidden() {
    let texts = in_disguise(HARMLESS, EVERY);

    let refused: Vec<_> = judged(&texts)
        .into_iter()
        .filter(|(_, verdict)| *verdict == Verdict::Forbid)
        .collect();

    assert_eq!(refused, []);
}
