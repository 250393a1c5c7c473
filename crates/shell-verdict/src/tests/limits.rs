//! Input over a limit, and the cost of the most expensive input.

#[path = "largest/texts.rs"]
mod texts;

use super::super::{
    CommandFilter, CommandRule, CommandVerdict, Finding, Grant, Judgement, MAX_FINDINGS,
};
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

/// Input over a limit other than those of the total work.
fn beyond_limits() -> Vec<String> {
    vec![
        repeat("env ", 70) + "ls",
        repeat("sh -c 'ls'\n", 1) + &repeat("eval ", 70) + "ls",
        repeat("ls a§;", 1001) + "ls",
    ]
}

fn has_limit(judgement: &Judgement) -> bool {
    let mut findings = judgement.findings().iter();
    findings.any(|finding| finding.rule() == CommandRule::Limit)
}

#[test]
fn each_limit_asks() {
    for text in beyond_limits() {
        let judgement = judge_on_small_stack(text.clone());

        assert!(
            has_limit(&judgement),
            "{text:.60} {:?}",
            judgement.findings()
        );
        assert_eq!(judgement.verdict(), CommandVerdict::Ask, "{text:.60}");
    }
    let arguments = vec![String::new(); 64 * 1024 + 1];
    assert!(has_limit(&filter().judge_argv(&arguments)));
}

#[test]
fn walk_goes_on_after_limit() {
    for text in beyond_limits() {
        let judgement = judge_on_small_stack(text.clone() + "; sudo id");

        assert!(has_limit(&judgement), "{text:.60}");
        assert_eq!(judgement.verdict(), CommandVerdict::Forbid, "{text:.60}");
    }
}

#[test]
fn end_beyond_total_work_asks() {
    for text in [
        "#".repeat(64 * 1024) + "\nsudo id",
        "ls;".repeat(4_000) + "sudo id",
    ] {
        let judgement = judge_on_small_stack(text.clone());

        assert!(has_limit(&judgement), "{text:.60}");
        assert_eq!(judgement.verdict(), CommandVerdict::Ask, "{text:.60}");
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
fn asks_for_invisible_characters_and_unusual_spaces() {
    let table = [
        '\0',
        '\r',
        '\u{7f}',
        '\u{9b}',
        '\u{a0}',
        '\u{ad}',
        '\u{34f}',
        '\u{61c}',
        '\u{115f}',
        '\u{1160}',
        '\u{17b4}',
        '\u{180e}',
        '\u{2003}',
        '\u{200b}',
        '\u{200d}',
        '\u{2028}',
        '\u{202e}',
        '\u{202f}',
        '\u{2060}',
        '\u{2066}',
        '\u{2800}',
        '\u{3000}',
        '\u{3164}',
        '\u{fe00}',
        '\u{feff}',
        '\u{ffa0}',
        '\u{fff9}',
        '\u{e0041}',
        '\u{e0100}',
    ];
    for letter in table {
        let name = format!("a{letter}b");
        for judgement in [
            filter().judge(&format!("ls {name}")),
            filter().judge_argv(&["ls".to_owned(), name.clone()]),
        ] {
            let worst = judgement.worst().unwrap();
            assert_eq!(worst.rule(), CommandRule::ControlCharacter, "{name:?}");
            assert_eq!(judgement.verdict(), CommandVerdict::Ask, "{name:?}");
        }
    }
}

#[test]
fn asks_for_broken_input() {
    for (text, rule) in [
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

#[test]
fn limit_can_be_forbidden() {
    let filter = |verdict| -> CommandFilter { filter().with_verdict(CommandRule::Limit, verdict) };
    let strict = filter(CommandVerdict::Forbid);

    for text in ["#".repeat(70_000), repeat("env ", 70) + "ls"] {
        assert_eq!(strict.judge(&text).verdict(), CommandVerdict::Forbid);
    }
}

/// Without optimization, the filter is about 20 times slower than its target of 20 ms. Other tests
/// run at the same time, so one of three attempts is enough, and it may take 5 times as long.
#[test]
fn most_expensive_input_takes_bounded_time() {
    // Hosts protect about 20 names.
    let names = (0..20).map(|number| format!("a/a{number}*"));
    let filter = names.fold(filter(), |filter, name| filter.with_protected_name(&name));
    let longest = std::cell::Cell::new((std::time::Duration::ZERO, String::new()));
    let is_fast = |text: &String| {
        let start = std::time::Instant::now();
        let _ = filter.judge(text);
        let time = start.elapsed();
        let before = longest.take();
        longest.set(before.max((time, text.chars().take(20).collect())));
        time.as_millis() < 2_000
    };
    let texts = texts::largest(64).into_iter();
    let slow: Vec<String> = texts
        .filter(|text| !(0..3).any(|_| is_fast(text)))
        .map(|text| text.chars().take(20).collect())
        .collect();

    println!("longest: {:?}", longest.take());
    assert_eq!(slow, Vec::<String>::new());
}
