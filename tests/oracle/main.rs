//! Whether brush-parser and tree-sitter-bash read shell text as the command filter does.
//!
//! Where brush and the filter's parser both accept a text, they must find the same commands in it. What the filter allows, both
//! oracles must accept. The classes of texts in which brush errs stand in `differences`, each with its reason.

mod ansi;
mod brush;
#[path = "../../crates/tools-builtin/src/shell/filter/tests/commands/mod.rs"]
mod commands;
mod differences;
mod grammar;
mod outline;
mod scripts;
mod shell;

use std::thread;

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use tools_builtin::shell::{CommandFilter, Verdict};

use commands::{DOUBTFUL, EVALUATED, FORBIDDEN, HARMFUL, HARMLESS, ORDINARY};
use outline::Outline;

/// One in so many disguises of a command is read.
const EVERY: usize = 41;
/// How many scripts are made up.
const SCRIPTS: usize = 400;

/// All commands of the tables, and some of their disguises.
fn table() -> Vec<String> {
    let short = [DOUBTFUL, EVALUATED, FORBIDDEN, ORDINARY].concat();
    let mut texts: Vec<String> = short.into_iter().map(str::to_owned).collect();
    for sessions in [HARMFUL, HARMLESS] {
        texts.extend(commands::lines(sessions));
        texts.extend(commands::in_disguise(sessions, EVERY));
    }
    texts
}

/// The same scripts in every run: a new one may meet an error of brush that nobody has looked at yet.
fn made_up() -> Vec<String> {
    let mut runner = TestRunner::deterministic();
    let scripts = scripts::scripts();
    let mut script = || scripts.new_tree(&mut runner).unwrap().current();
    (0..SCRIPTS).map(|_| script()).collect()
}

/// Runs `work` with room for brush, which recurses by the text.
fn with_a_large_stack<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let thread = thread::Builder::new().stack_size(256 * 1024 * 1024);
    thread.spawn(work).unwrap().join().unwrap()
}

/// What the filter's parser and brush find in a text that both accept, as it stands, where that differs.
fn difference(text: &str) -> Option<(Outline, Outline)> {
    let ours = shell::filter::outline(text).ok()?;
    let brush = brush::outline(text).ok()?;
    (ours != brush).then_some((ours, brush))
}

/// The texts in which brush finds something else than the filter's parser, and no known difference explains it.
fn read_otherwise(texts: &[String]) -> Vec<String> {
    let mut otherwise = Vec::new();
    for text in texts {
        let Some((ours, brush)) = difference(text) else {
            continue;
        };
        if brush::outline(&differences::rewritten(text)).as_ref() != Ok(&ours) {
            otherwise.push(format!("{text:?}\n  filter: {ours}\n  brush:  {brush}\n"));
        }
    }
    otherwise
}

/// The texts that the filter allows though an oracle does not understand them.
fn allowed_and_refused(texts: &[String]) -> Vec<String> {
    let filter = CommandFilter::standard(["/home/dev/project"]).with_home("/home/dev");
    let mut grammar = grammar::parser();
    let mut refused = Vec::new();
    for text in texts {
        if filter.judge(text).verdict() != Verdict::Allow {
            continue;
        }
        if brush::outline(text).is_err() {
            refused.push(format!("brush: {text:?}"));
        }
        if !grammar::accepts(&mut grammar, text) {
            refused.push(format!("tree-sitter: {text:?}"));
        }
    }
    refused
}

/// All texts at once, because one fault shows in many.
#[track_caller]
fn assert_none(texts: &[String]) {
    assert!(
        texts.is_empty(),
        "{} texts\n{}",
        texts.len(),
        texts.join("\n")
    );
}

#[test]
fn brush_finds_the_same_commands_in_every_table() {
    let otherwise = with_a_large_stack(|| read_otherwise(&table()));

    assert_none(&otherwise);
}

#[test]
fn brush_finds_the_same_commands_in_scripts_that_are_made_up() {
    let otherwise = with_a_large_stack(|| read_otherwise(&made_up()));

    assert_none(&otherwise);
}

#[test]
fn what_is_allowed_is_understood_by_both_oracles() {
    let refused = with_a_large_stack(|| allowed_and_refused(&table()));

    assert_none(&refused);
}

#[test]
fn most_scripts_that_are_made_up_are_read_by_both() {
    let read = with_a_large_stack(|| {
        let is_read =
            |text: &&String| shell::filter::outline(text).is_ok() && brush::outline(text).is_ok();
        made_up().iter().filter(is_read).count()
    });

    assert!(read * 10 >= SCRIPTS * 8, "{read} of {SCRIPTS}");
}

#[test]
fn brush_errs_in_every_known_difference_as_it_is_said() {
    for known in differences::KNOWN {
        let filter = shell::filter::outline(known.example).unwrap();

        let as_it_stands = brush::outline(known.example).unwrap();
        let rewritten = brush::outline(&differences::rewritten(known.example)).unwrap();

        assert_ne!(as_it_stands, filter, "{}", known.reason);
        assert_eq!(rewritten, filter, "{}", known.reason);
    }
}
