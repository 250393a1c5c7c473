//! Input over a limit, and the cost of the most expensive input.

#[path = "largest/texts.rs"]
mod texts;

use super::super::{CommandRule, CommandVerdict, Finding, Grant, Judgement, MAX_FINDINGS};
use super::{filter, repeat};

/// Threads have 2 MiB of stack by default.
fn judge_on_small_stack(text: String) -> Judgement {
    let thread = std::thread::Builder::new().stack_size(2 * 1024 * 1024);
    thread
        .spawn(move || filter().judge(&text))
        .unwrap()
        .join()
        .unwrap()
}

#[test]
fn asks_for_input_over_limits() {
    let deep = |opening: &str, inner: &str, closing: &str| {
        opening.repeat(10_000) + inner + &closing.repeat(10_000)
    };
    for text in [
        "#".repeat(64 * 1024 + 1),
        deep("( ", "ls", " )"),
        deep("$(", "ls", ")"),
        deep("{ ", "ls", "}"),
        "if ls; then ".repeat(70) + "ls" + &"; fi".repeat(70),
        deep("${x:-", "y", "}").replace("${x:-", "${x-"),
        deep("<(", "ls", ")"),
        "ls;".repeat(21_000),
    ] {
        let shown: String = text.chars().take(20).collect();
        let judgement = judge_on_small_stack(text);

        let worst = judgement.worst().unwrap();
        assert_eq!(
            (worst.rule(), worst.verdict()),
            (CommandRule::Limit, CommandVerdict::Ask),
            "{shown}"
        );
    }
}

#[test]
fn omitted_findings_change_nothing() {
    let many = repeat("wget h§;", 2 * MAX_FINDINGS);
    let judgement = filter().judge(&format!(
        "{many} cp a /opt/x; cp a /opt/y; pkill a; git stash drop"
    ));

    let rules: Vec<CommandRule> = judgement.findings().iter().map(Finding::rule).collect();
    assert!(rules.len() < MAX_FINDINGS + 10);
    assert!(rules.contains(&CommandRule::Discard), "{rules:?}");
    assert_eq!(
        judgement.grants(),
        [
            Grant::Network,
            Grant::Write("/opt/x".to_owned()),
            Grant::Write("/opt/y".to_owned()),
            Grant::Unconfined
        ]
    );
    let forbidden = filter().judge(&format!("{many} cp a /opt/x; sudo id"));
    assert_eq!(forbidden.verdict(), CommandVerdict::Forbid);
    assert!(
        forbidden
            .grants()
            .contains(&Grant::Write("/opt/x".to_owned()))
    );
}

#[test]
fn asks_for_broken_input() {
    for (text, rule) in [
        ("ls\u{0}x", CommandRule::ControlCharacter),
        ("ls\rx", CommandRule::ControlCharacter),
        ("ls \u{202e}x", CommandRule::ControlCharacter),
        ("echo 'unfinished", CommandRule::Syntax),
        ("echo \"unfinished", CommandRule::Syntax),
        ("echo $(ls", CommandRule::Syntax),
        ("cat <<E", CommandRule::Syntax),
        ("if true; then", CommandRule::Syntax),
        ("ls )", CommandRule::Syntax),
    ] {
        let judgement = filter().judge(text);

        let worst = judgement.worst().unwrap();
        assert_eq!(
            (worst.rule(), judgement.verdict()),
            (rule, CommandVerdict::Ask),
            "{text:?}"
        );
    }
}

#[test]
fn allows_empty_input() {
    for text in ["", "  ", "\n\n", "# nothing"] {
        assert_eq!(
            filter().judge(text).verdict(),
            CommandVerdict::Allow,
            "{text:?}"
        );
    }
    assert_eq!(filter().judge_argv(&[]).verdict(), CommandVerdict::Allow);
}

#[test]
fn limit_cannot_be_lifted() {
    let lifted = filter().with_verdict(CommandRule::Limit, CommandVerdict::Allow);

    assert_eq!(
        lifted.judge(&"#".repeat(70_000)).verdict(),
        CommandVerdict::Ask
    );
}

/// Without optimization, the filter is about 20 times slower than its target of 20 ms.
#[test]
fn most_expensive_input_takes_bounded_time() {
    let mut slowest = (std::time::Duration::ZERO, String::new());
    for text in texts::largest(64) {
        let shown: String = text.chars().take(20).collect();
        let start = std::time::Instant::now();
        judge_on_small_stack(text);
        slowest = slowest.max((start.elapsed(), shown));
    }

    assert!(slowest.0.as_millis() < 1_000, "{slowest:?}");
}
