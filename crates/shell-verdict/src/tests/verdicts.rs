//! Tables of short commands with one verdict each.

use super::commands::{DOUBTFUL, EVALUATED, FORBIDDEN, ORDINARY, lines};
use super::{CommandVerdict, filter, wrong};

/// Unknown text that is run.
const DOUBTFUL_INPUT: &[&str] = &[include_str!("commands/doubtful_input.txt")];
/// Commands within other programs that are not known well enough.
const DOUBTFUL_WITHIN: &[&str] = &[include_str!("commands/doubtful_within.txt")];
/// Infinite loops, and awk programs that do more than print.
const DOUBTFUL_FLOW: &[&str] = &[include_str!("commands/doubtful_flow.txt")];

/// Harmful commands after a line that bash leaves because of a failed expansion.
const HARMFUL_LINES: &[&str] = &[include_str!("commands/harmful_lines.txt")];
/// Values that may expand to several words, before a command or a write.
const DOUBTFUL_VALUES: &[&str] = &[include_str!("commands/doubtful_values.txt")];

#[test]
fn allows_ordinary_commands() {
    let wrong = wrong(ORDINARY, CommandVerdict::Allow);

    assert!(ORDINARY.len() >= 120);
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn requires_approval_for_doubtful_commands() {
    let wrong = wrong(DOUBTFUL, CommandVerdict::Ask);

    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn requires_approval_for_unknown_input_from_any_source() {
    assert_eq!(wrong_lines(DOUBTFUL_INPUT), Vec::<String>::new());
}

#[test]
fn failed_expansion_ends_only_its_line() {
    let commands = lines(HARMFUL_LINES);
    let in_shells = commands.iter().flat_map(|command| {
        let fed = format!("bash <<'END'\n{command}\nEND");
        [format!("ls\n{command}\nls"), fed]
    });
    let texts: Vec<String> = in_shells.chain(commands.clone()).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();

    assert_eq!(wrong(&texts, CommandVerdict::Forbid), Vec::<String>::new());
}

#[test]
fn requires_approval_for_unknown_commands_within_programs() {
    assert_eq!(wrong_lines(DOUBTFUL_WITHIN), Vec::<String>::new());
}

#[test]
fn requires_approval_for_infinite_loops_and_awk_side_effects() {
    assert_eq!(wrong_lines(DOUBTFUL_FLOW), Vec::<String>::new());
}

#[test]
fn requires_approval_for_values_that_may_be_several_words() {
    assert_eq!(wrong_lines(DOUBTFUL_VALUES), Vec::<String>::new());
}

fn wrong_lines(tables: &[&str]) -> Vec<String> {
    let commands = lines(tables);
    let commands: Vec<&str> = commands.iter().map(String::as_str).collect();
    wrong(&commands, CommandVerdict::Ask)
}

#[test]
fn named_descriptor_keeps_open_pipes() {
    let harmless = [
        "bash <(echo ls) {log}> run.log",
        "exec {log}> run.log; bash <(echo ls)",
    ];

    assert_eq!(
        wrong(&harmless, CommandVerdict::Allow),
        Vec::<String>::new()
    );
}

#[test]
fn allows_unexecuted_text_in_descriptors() {
    let harmless = ["exec 3<<< 'rm -rf /'; cat <&3", "cat 3<<< 'sudo id' <&3"];

    assert_eq!(
        wrong(&harmless, CommandVerdict::Allow),
        Vec::<String>::new()
    );
}

#[test]
fn forbids_harmful_commands() {
    let wrong = wrong(FORBIDDEN, CommandVerdict::Forbid);

    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn forbids_harmful_commands_that_are_expanded_again() {
    let wrong = wrong(EVALUATED, CommandVerdict::Forbid);

    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn forbids_input_over_size_depth_and_step_limits() {
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

        assert_eq!(judgement.verdict(), CommandVerdict::Forbid, "{text:.30}");
    }
}

/// A large input is not walked for each shell, so input that depends on the shell requires
/// approval.
#[test]
fn requires_approval_for_large_input_that_depends_on_the_shell() {
    let harmless = "sh -c 'ls {a,b}'; ";
    let differs = "sh -c \"echo '#\\nsudo id' | sh\"";
    let verdict = |text: &str| filter().judge(text).verdict();

    assert_eq!(verdict(&harmless.repeat(10)), CommandVerdict::Allow);
    assert_eq!(verdict(differs), CommandVerdict::Forbid);
    assert_eq!(verdict(&harmless.repeat(3_000)), CommandVerdict::Ask);
    assert_ne!(
        verdict(&(harmless.repeat(3_000) + differs)),
        CommandVerdict::Allow
    );
}
