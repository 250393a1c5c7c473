//! The tables of short commands, each with one verdict.

use super::commands::{DOUBTFUL, EVALUATED, FORBIDDEN, ORDINARY, lines};
use super::{Verdict, filter, wrong};

/// What runs a text that nobody has read, in the form of the tables of harm.
const DOUBTFUL_INPUT: &[&str] = &[include_str!("commands/doubtful_input.txt")];
/// What runs within other programs and is not known well enough.
const DOUBTFUL_WITHIN: &[&str] = &[include_str!("commands/doubtful_within.txt")];
/// Loops without an end and programs of awk that do more than to print.
const DOUBTFUL_FLOW: &[&str] = &[include_str!("commands/doubtful_flow.txt")];

/// Harm behind a line that bash leaves in the middle, because an expansion failed.
const HARMFUL_LINES: &[&str] = &[include_str!("commands/harmful_lines.txt")];
/// Words that may be several, in front of what is run or written.
const DOUBTFUL_VALUES: &[&str] = &[include_str!("commands/doubtful_values.txt")];

#[test]
fn ordinary_commands_are_allowed() {
    let wrong = wrong(ORDINARY, Verdict::Allow);

    assert!(ORDINARY.len() >= 120);
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn doubtful_commands_are_asked_about() {
    let wrong = wrong(DOUBTFUL, Verdict::Ask);

    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn a_text_that_nobody_has_read_is_asked_about_wherever_it_comes_from() {
    assert_eq!(wrong_lines(DOUBTFUL_INPUT), Vec::<String>::new());
}

#[test]
fn an_expansion_that_fails_ends_its_line_and_not_the_text() {
    let commands = lines(HARMFUL_LINES);
    let in_shells = commands.iter().flat_map(|command| {
        let fed = format!("bash <<'END'\n{command}\nEND");
        [format!("ls\n{command}\nls"), fed]
    });
    let texts: Vec<String> = in_shells.chain(commands.clone()).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();

    assert_eq!(wrong(&texts, Verdict::Forbid), Vec::<String>::new());
}

#[test]
fn what_runs_within_other_programs_is_asked_about_unless_it_is_known() {
    assert_eq!(wrong_lines(DOUBTFUL_WITHIN), Vec::<String>::new());
}

#[test]
fn loops_without_an_end_and_awk_that_does_more_than_to_print_are_asked_about() {
    assert_eq!(wrong_lines(DOUBTFUL_FLOW), Vec::<String>::new());
}

#[test]
fn words_that_may_be_several_are_asked_about_where_others_are_run_or_assigned() {
    assert_eq!(wrong_lines(DOUBTFUL_VALUES), Vec::<String>::new());
}

/// The lines of `tables` that are not asked about.
fn wrong_lines(tables: &[&str]) -> Vec<String> {
    let commands = lines(tables);
    let commands: Vec<&str> = commands.iter().map(String::as_str).collect();
    wrong(&commands, Verdict::Ask)
}

#[test]
fn a_descriptor_that_the_shell_chooses_takes_no_pipe_away() {
    let harmless = [
        "bash <(echo ls) {log}> run.log",
        "exec {log}> run.log; bash <(echo ls)",
    ];

    assert_eq!(wrong(&harmless, Verdict::Allow), Vec::<String>::new());
}

#[test]
fn a_text_that_nothing_runs_does_no_harm_in_another_descriptor() {
    let harmless = ["exec 3<<< 'rm -rf /'; cat <&3", "cat 3<<< 'sudo id' <&3"];

    assert_eq!(wrong(&harmless, Verdict::Allow), Vec::<String>::new());
}

#[test]
fn harmful_commands_are_forbidden() {
    let wrong = wrong(FORBIDDEN, Verdict::Forbid);

    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn what_is_forbidden_stays_so_in_a_text_that_is_expanded_again() {
    let wrong = wrong(EVALUATED, Verdict::Forbid);

    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn what_is_too_large_too_deep_or_too_long_is_forbidden() {
    let deep = |opening: &str, inner: &str, closing: &str| {
        opening.repeat(70) + inner + &closing.repeat(70)
    };
    for text in [
        "#".repeat(64 * 1024 + 1),
        deep("( ", "ls", " )"),
        deep("echo $(", "ls", ")"),
        deep("{ ", "ls", "; }"),
        deep("if ls; then ", "ls", "; fi"),
        deep("echo ${x:-", "y", "}"),
        deep("cat <(", "ls", ")"),
        deep("f() { ", "ls", "; }"),
        "ls;".repeat(21_000),
    ] {
        let judgement = filter().judge(&text);

        assert_eq!(judgement.verdict(), Verdict::Forbid, "{text:.30}");
    }
}
