//! What judging costs, counted in commands and bytes.

use super::super::{Finding, Rule};
mod texts;

use texts::largest;

use super::filter;
use crate::shell::filter::limits::{MOST_STEPS, MOST_WORK};
use crate::shell::filter::walk::Walk;

/// What judging a text takes: commands, and bytes of the words that are made.
struct Effort {
    steps: usize,
    work: usize,
    is_over_a_limit: bool,
}

fn effort(text: &str) -> Effort {
    let settings = filter().settings;
    let mut walk = Walk::new(&settings);
    walk.text(text, Some("/home/dev/project"));
    let (steps, work) = walk.effort();
    let findings = walk.finish();
    let mut rules = findings.findings().iter().map(Finding::rule);
    Effort {
        steps,
        work,
        is_over_a_limit: rules.any(|rule| rule == Rule::Limit),
    }
}

/// Runs `work` with as much stack as a thread gets.
fn on_a_small_stack<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let thread = std::thread::Builder::new().stack_size(2 * 1024 * 1024);
    thread.spawn(work).unwrap().join().unwrap()
}

#[test]
fn a_text_that_takes_too_much_work_is_over_a_limit() {
    let unnoticed = on_a_small_stack(|| {
        let efforts = largest(16).into_iter().map(|text| (effort(&text), text));
        let too_much = efforts.filter(|(effort, _)| {
            (effort.steps >= MOST_STEPS || effort.work > MOST_WORK) && !effort.is_over_a_limit
        });
        too_much.map(|(_, text)| text).collect::<Vec<_>>()
    });

    assert_eq!(unnoticed, Vec::<String>::new());
}

#[test]
fn twice_the_text_takes_about_twice_the_work() {
    let grows_faster = on_a_small_stack(|| {
        let texts = largest(2).into_iter().zip(largest(4));
        let efforts = texts.filter_map(|(half, whole)| {
            // Over a limit at half the size, it is so as a whole.
            let half = Some(effort(&half)).filter(|effort| !effort.is_over_a_limit)?;
            Some((half, effort(&whole), whole))
        });
        let faster = efforts.filter(|(half, whole, _)| {
            let steps = whole.steps * 2 > half.steps * 5 + 128;
            let work = whole.work * 2 > half.work * 5 + 8192;
            (steps || work) && !whole.is_over_a_limit
        });
        faster.map(|(_, _, text)| text).collect::<Vec<_>>()
    });

    assert_eq!(grows_faster, Vec::<String>::new());
}
