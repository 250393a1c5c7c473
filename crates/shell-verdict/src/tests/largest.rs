//! Cost of checks, in commands and bytes.

use super::super::{CommandRule, Finding};
mod texts;

use texts::largest;

use super::filter;
use crate::limits::{MOST_STEPS, MOST_WORK};
use crate::walk::{Installed, Walk};

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
        is_over_a_limit: rules.any(|rule| rule == CommandRule::Limit),
    }
}

/// Threads have 2 MiB of stack by default.
fn on_a_small_stack<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let thread = std::thread::Builder::new().stack_size(2 * 1024 * 1024);
    thread.spawn(work).unwrap().join().unwrap()
}

#[test]
fn reports_limit_for_excessive_work() {
    let (too_much, unreported) = on_a_small_stack(|| {
        let efforts = largest(16).into_iter().map(|text| (effort(&text), text));
        let too_much = efforts
            .filter(|(effort, _)| effort.steps >= MOST_STEPS || effort.work > MOST_WORK)
            .collect::<Vec<_>>();
        let unreported = too_much
            .iter()
            .filter(|(effort, _)| !effort.is_over_a_limit);
        let unreported: Vec<String> = unreported.map(|(_, text)| text.clone()).collect();
        (too_much.len(), unreported)
    });

    assert_eq!(unreported, Vec::<String>::new());
    assert!(too_much >= 13, "{too_much}");
}

#[test]
fn work_is_linear_in_input_size() {
    let (compared, grows_faster) = on_a_small_stack(|| {
        let texts = largest(2).into_iter().zip(largest(4));
        let efforts = texts.map(|(half, whole)| (effort(&half), effort(&whole), whole));
        // Skip input that exceeds a limit at half its size.
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
