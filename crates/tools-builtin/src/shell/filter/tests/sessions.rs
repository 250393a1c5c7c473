//! Commands as they come up in sessions of developers and of attackers, one a line, under every wrapping.

use super::super::Verdict;
use super::filter;
use crate::shell::words;

const HARMFUL: &[&str] = &[
    include_str!("harmful.txt"),
    include_str!("harmful_rare.txt"),
];
const HARMLESS: &[&str] = &[
    include_str!("harmless.txt"),
    include_str!("harmless_everyday.txt"),
];

/// What may stand around any commands.
const AROUND: &[(&str, &str)] = &[
    ("", "\n"),
    ("( ", "\n)"),
    ("{ ", "\n}"),
    ("true && ", ""),
    ("(cd src && ls); ", ""),
    ("echo \"$( ", "\n)\""),
    ("x=$( ", "\n)"),
    ("if true; then ", "\nfi"),
    ("if ls; then :; else ", "\nfi"),
    ("for i in 1 2; do ", "\ndone"),
    ("while ls x; do ", "\ndone"),
    ("f() { ", "\n}; f"),
    ("case x in x) ", "\n;; esac"),
    ("! ", ""),
    ("ls\n", "\nls"),
    ("ls & ", ""),
    ("x=1; y='a b'; ", ""),
    ("cat <( ", "\n)"),
    ("bash <<'END'\n", "\nEND"),
    ("cat <<'END' | sh\n", "\nEND"),
];

/// What may stand in front of one program with its arguments.
const IN_FRONT: &[&str] = &[
    "env ",
    "env -i A=b ",
    "A=b ",
    "nohup ",
    "nice -n 5 ",
    "timeout 10 ",
    "time ",
    "stdbuf -oL ",
    "command ",
    "exec ",
    "echo | xargs -r ",
    "find . -maxdepth 0 -exec env ",
    "watch ",
];

/// One in so many disguises of a command is tried; all of them would take minutes.
const EVERY: usize = 7;

fn lines(tables: &[&str]) -> Vec<String> {
    let lines = tables.iter().flat_map(|table| table.lines());
    let lines = lines.filter(|line| !line.is_empty());
    lines.map(|line| line.replace('⏎', "\n")).collect()
}

/// The command in every disguise that leaves what it does as it is.
fn disguised(command: &str) -> Vec<String> {
    let around = AROUND
        .iter()
        .map(|(before, after)| format!("{before}{command}{after}"));
    let mut texts: Vec<String> = around.collect();
    let quoted = words::join([command]);
    for shell in [
        "sh -c",
        "bash -c",
        "/bin/sh -ec",
        "env sh -c",
        "eval",
        "trap",
    ] {
        let end = if shell == "trap" { " EXIT" } else { "" };
        texts.push(format!("{shell} {quoted}{end}"));
    }
    texts.push(format!("x={quoted}; eval \"$x\""));
    if is_one_program(command) {
        texts.extend(IN_FRONT.iter().map(|front| {
            let end = if front.starts_with("find") {
                " \\;"
            } else {
                ""
            };
            format!("{front}{command}{end}")
        }));
        texts.extend(respelled(command));
    }
    texts
}

/// Every command in some disguises, each in its turn, and every disguise with many commands.
fn all_disguised(tables: &[&str]) -> Vec<String> {
    let commands = lines(tables);
    let some = commands.iter().enumerate().flat_map(|(at, command)| {
        let texts = disguised(command).into_iter().skip(at % EVERY);
        texts.step_by(EVERY)
    });
    some.collect()
}

/// Whether the text is a program with plain arguments, which a wrapper can take as they are.
fn is_one_program(command: &str) -> bool {
    const OF_THE_SHELL: &str = " cd pushd export set source . exec eval wait jobs history alias while if for mapfile type command time nohup ";
    let name = command.split(' ').next().unwrap_or_default();
    !command.contains([
        ';', '&', '|', '<', '>', '(', '{', '[', '\n', '=', '*', '?', '~', '$', '`', '\\',
    ]) && !name.contains(['"', '\''])
        && !OF_THE_SHELL.contains(&format!(" {name} "))
}

/// The same with the name of the program written otherwise.
fn respelled(command: &str) -> Vec<String> {
    let (name, rest) = command.split_at(command.find(' ').unwrap_or(command.len()));
    let (first, others) = name.split_at(1);
    vec![
        format!("'{name}'{rest}"),
        format!("{first}\"{others}\"{rest}"),
        format!("{first}\\{others}{rest}"),
        format!("{first}''{others}{rest}"),
        format!("$'{name}'{rest}"),
        format!("x={name}; $x{rest}"),
        format!("x={others}; {first}${{x}}{rest}"),
        format!("$(echo {name}){rest}"),
        format!("{first}\\\n{others}{rest}"),
    ]
}

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
    let texts = all_disguised(HARMFUL);

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
    let texts = all_disguised(HARMLESS);

    let refused: Vec<_> = judged(&texts)
        .into_iter()
        .filter(|(_, verdict)| *verdict == Verdict::Forbid)
        .collect();

    assert_eq!(refused, []);
}
