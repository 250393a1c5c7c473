//! What judging costs, counted in commands and bytes.

use super::super::{Finding, Rule};
mod texts;

use texts::largest;

use super::filter;
use crate::shell::filter::limits::{MOST_STEPS, MOST_WORK};
use crate::shell::filter::walk::{Installed, Walk};

/// What judging a text takes: commands, and bytes of the words that are made.
struct Effort {
    steps: usize,
    work: usize,
    is_over_a_limit: bool,
}

fn effort(text: &str) -> Effort {
    let settings = filter().settings;
    let mut walk = Walk::new(&settings, Installed::Bash);
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
    let (too_much, unnoticed) = on_a_small_stack(|| {
        let efforts = largest(16).into_iter().map(|text| (effort(&text), text));
        let too_much = efforts
            .filter(|(effort, _)| effort.steps >= MOST_STEPS || effort.work > MOST_WORK)
            .collect::<Vec<_>>();
        let unnoticed = too_much
            .iter()
            .filter(|(effort, _)| !effort.is_over_a_limit);
        let unnoticed: Vec<String> = unnoticed.map(|(_, text)| text.clone()).collect();
        (too_much.len(), unnoticed)
    });

    assert_eq!(unnoticed, Vec::<String>::new());
    assert!(too_much >= 13, "{too_much}");
}

#[test]
fn twice_the_text_takes_about_twice_the_work() {
    let (compared, grows_faster) = on_a_small_stack(|| {
        let texts = largest(2).into_iter().zip(largest(4));
        let efforts = texts.map(|(half, whole)| (effort(&half), effort(&whole), whole));
        // Over a limit at half the size, it is so as a whole.
        let compared: Vec<_> = efforts
            .filter(|(half, _, _)| !half.is_over_a_limit)
            .collect();
        let faster = compared.iter().filter(|(half, whole, _)| {
            let steps = whole.steps * 2 > half.steps * 5 + 128;
            let work = whole.work * 2 > half.work * 5 + 8192;
            steps || work
        });
        let faster: Vec<String> = faster.map(|(_, _, text)| text.clone()).collect();
        (compared.len(), faster)
    });

    assert_eq!(grows_faster, Vec::<String>::new());
    assert!(compared >= 38, "{compared}");
}
