//! Comparison of the filter's parser with brush-parser and tree-sitter-bash.
//!
//! If brush and the filter both accept an input, they must find the same commands. Both oracles
//! must accept every command that the filter allows. Known bugs of brush are listed in
//! `differences`.

mod ansi;
mod brush;
mod differences;
mod grammar;
mod outline;
mod reading;
mod scripts;

// The parser and the tables are private to `shell-verdict`, so compile their files here.
#[path = "../../crates/shell-verdict/src"]
#[allow(dead_code, unused_imports, reason = "only the parser is used")]
mod filter {
    mod limits;
    pub(crate) mod parse;
    pub(crate) mod syntax;
}
#[path = "../../crates/shell-verdict/src/tests"]
#[allow(dead_code, reason = "only some of the tables are used")]
mod tables {
    pub(crate) mod commands;
}
use std::thread;

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use shell_verdict::{CommandFilter, CommandVerdict};

use outline::Outline;
use tables::commands::{self, DOUBTFUL, EVALUATED, FORBIDDEN, HARMFUL, HARMLESS, ORDINARY};

/// Test one in 41 obfuscated forms.
const EVERY: usize = 41;
/// Number of generated scripts.
const SCRIPTS: usize = 400;

fn table() -> Vec<String> {
    let short = [DOUBTFUL, EVALUATED, FORBIDDEN, ORDINARY].concat();
    let mut texts: Vec<String> = short.into_iter().map(str::to_owned).collect();
    for sessions in [HARMFUL, HARMLESS] {
        texts.extend(commands::lines(sessions));
        texts.extend(commands::in_disguise(sessions, EVERY));
    }
    texts
}

/// Returns the same scripts in every run, because new ones may hit unknown bugs of brush.
fn generated() -> Vec<String> {
    let mut runner = TestRunner::deterministic();
    let scripts = scripts::scripts();
    let mut script = || scripts.new_tree(&mut runner).unwrap().current();
    (0..SCRIPTS).map(|_| script()).collect()
}

/// brush recurses with the nesting of its input.
fn with_a_large_stack<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let thread = thread::Builder::new().stack_size(256 * 1024 * 1024);
    thread.spawn(work).unwrap().join().unwrap()
}

fn difference(text: &str) -> Option<(Outline, Outline)> {
    let ours = reading::outline(text).ok()?;
    let brush = brush::outline(text).ok()?;
    (ours != brush).then_some((ours, brush))
}

/// Returns the inputs with differences that are not listed as known.
fn unexplained_differences(texts: &[String]) -> Vec<String> {
    let mut differences_found = Vec::new();
    for text in texts {
        let Some((ours, brush)) = difference(text) else {
            continue;
        };
        if brush::outline(&differences::rewritten(text)).as_ref() != Ok(&ours) {
            differences_found.push(format!("{text:?}\n  filter: {ours}\n  brush:  {brush}\n"));
        }
    }
    differences_found
}

fn allowed_but_rejected(texts: &[String]) -> Vec<String> {
    let filter = CommandFilter::standard(["/home/dev/project"]).with_home("/home/dev");
    let mut grammar = grammar::parser();
    let mut rejected = Vec::new();
    for text in texts {
        if filter.judge(text).verdict() != CommandVerdict::Allow {
            continue;
        }
        if brush::outline(text).is_err() {
            rejected.push(format!("brush: {text:?}"));
        }
        if !grammar::accepts(&mut grammar, text) {
            rejected.push(format!("tree-sitter: {text:?}"));
        }
    }
    rejected
}

/// Print all failures, because one bug affects many inputs.
#[track_caller]
fn assert_none(texts: &[String]) {
    assert!(
        texts.is_empty(),
        "{} inputs\n{}",
        texts.len(),
        texts.join("\n")
    );
}

#[test]
fn brush_finds_same_commands_in_tables() {
    let differences_found = with_a_large_stack(|| unexplained_differences(&table()));

    assert_none(&differences_found);
}

#[test]
fn brush_finds_same_commands_in_generated_scripts() {
    let differences_found = with_a_large_stack(|| unexplained_differences(&generated()));

    assert_none(&differences_found);
}

#[test]
fn oracles_accept_allowed_commands() {
    let rejected = with_a_large_stack(|| allowed_but_rejected(&table()));

    assert_none(&rejected);
}

#[test]
fn brush_and_filter_accept_most_generated_scripts() {
    let read = with_a_large_stack(|| {
        let is_read =
            |text: &&String| reading::outline(text).is_ok() && brush::outline(text).is_ok();
        generated().iter().filter(is_read).count()
    });

    assert!(read * 10 >= SCRIPTS * 8, "{read} of {SCRIPTS}");
}

#[test]
fn known_differences_are_reproducible() {
    for known in differences::KNOWN {
        let filter = reading::outline(known.example).unwrap();

        let original = brush::outline(known.example).unwrap();
        let rewritten = brush::outline(&differences::rewritten(known.example)).unwrap();

        assert_ne!(original, filter, "{}", known.reason);
        assert_eq!(rewritten, filter, "{}", known.reason);
    }
}
