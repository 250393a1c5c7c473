//! Argument patterns that are harmful.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::verdict::CommandRule;

/// Required words among the arguments, and the rule.
type Form = (&'static str, CommandRule);

/// Program names, required words and the rule. A trailing star matches a prefix.
const FORMS: &[(&str, &str, CommandRule)] = &[
    ("gpg gpg2", "--export-secret*", CommandRule::Secret),
    ("gpg gpg2", "--delete-secret*", CommandRule::Secret),
    ("gh", "auth token", CommandRule::Secret),
    ("gh", "auth status -t", CommandRule::Secret),
    ("gh", "auth status --show-token", CommandRule::Secret),
    ("gcloud", "auth print-*", CommandRule::Secret),
    ("aws", "configure export-credentials", CommandRule::Secret),
    ("aws", "configure get", CommandRule::Secret),
    ("az", "account get-access-token", CommandRule::Secret),
    ("kubectl", "config view --raw", CommandRule::Secret),
    ("git", "credential", CommandRule::Secret),
    ("security", "find-*", CommandRule::Secret),
    ("security", "dump-keychain", CommandRule::Secret),
    ("security", "export", CommandRule::Secret),
    ("vault", "kv get", CommandRule::Secret),
    ("op", "read", CommandRule::Secret),
    ("getent", "shadow", CommandRule::Secret),
    ("getent", "gshadow", CommandRule::Secret),
    ("date gdate", "-s*", CommandRule::SystemControl),
    ("date gdate", "--set*", CommandRule::SystemControl),
    (
        "timedatectl hostnamectl localectl",
        "set-*",
        CommandRule::SystemControl,
    ),
    (
        "pkill killall skill slay",
        "-u root",
        CommandRule::SystemControl,
    ),
    (
        "pkill killall skill slay",
        "-u 0",
        CommandRule::SystemControl,
    ),
    (
        "pkill killall skill slay",
        "-U root",
        CommandRule::SystemControl,
    ),
    (
        "pkill killall skill slay",
        "-uroot",
        CommandRule::SystemControl,
    ),
    (
        "pkill killall skill slay",
        "--euid root",
        CommandRule::SystemControl,
    ),
    (
        "pkill killall skill slay",
        "init",
        CommandRule::SystemControl,
    ),
    (
        "pkill killall skill slay",
        "systemd",
        CommandRule::SystemControl,
    ),
    ("pkill killall skill slay", "-1", CommandRule::SystemControl),
    ("pkill killall", "-f .", CommandRule::SystemControl),
    ("pkill killall", "-f .*", CommandRule::SystemControl),
    ("ip", "set", CommandRule::SystemControl),
    ("ip", "add", CommandRule::SystemControl),
    ("ip", "del", CommandRule::SystemControl),
    ("ip", "delete", CommandRule::SystemControl),
    ("ip", "flush", CommandRule::SystemControl),
    ("ip", "replace", CommandRule::SystemControl),
    ("ip", "change", CommandRule::SystemControl),
    ("ip", "netns exec", CommandRule::SystemControl),
    ("ifconfig", "up", CommandRule::SystemControl),
    ("ifconfig", "down", CommandRule::SystemControl),
    ("ifconfig", "netmask", CommandRule::SystemControl),
    ("route", "add", CommandRule::SystemControl),
    ("route", "del", CommandRule::SystemControl),
    ("tc", "qdisc add", CommandRule::SystemControl),
    ("tc", "qdisc del", CommandRule::SystemControl),
    ("tc", "qdisc replace", CommandRule::SystemControl),
    ("dmesg", "-C", CommandRule::SystemControl),
    ("dmesg", "-c", CommandRule::SystemControl),
    ("dmesg", "-n", CommandRule::SystemControl),
    ("dmesg", "-D", CommandRule::SystemControl),
    ("dmesg", "--clear", CommandRule::SystemControl),
];

static INDEX: LazyLock<HashMap<&'static str, Vec<Form>>> = LazyLock::new(|| {
    let mut index: HashMap<&str, Vec<Form>> = HashMap::new();
    for (names, words, rule) in FORMS {
        for name in names.split(' ') {
            index.entry(name).or_default().push((words, *rule));
        }
    }
    index
});

pub(in super::super) fn harmful_form(name: &str, arguments: &[String]) -> Option<CommandRule> {
    let has = |wanted: &str| {
        arguments
            .iter()
            .any(|argument| match wanted.strip_suffix('*') {
                Some(start) if !start.ends_with('.') => argument.starts_with(start),
                _ => argument == wanted,
            })
    };
    let forms = INDEX.get(name)?;
    let form = forms.iter().find(|(words, _)| words.split(' ').all(has));
    form.map(|(_, rule)| *rule)
}
