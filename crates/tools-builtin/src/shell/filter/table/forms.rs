//! Programs that do harm only in some forms.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::shell::filter::verdict::Rule;

/// Words that must be among the arguments, and what that comes under.
type Form = (&'static str, Rule);

/// Names of programs, words that must be among the arguments, and what they come under. A word with a star behind it is a beginning.
const FORMS: &[(&str, &str, Rule)] = &[
    ("gpg gpg2", "--export-secret*", Rule::Secret),
    ("gpg gpg2", "--delete-secret*", Rule::Secret),
    ("gh", "auth token", Rule::Secret),
    ("gh", "auth status -t", Rule::Secret),
    ("gh", "auth status --show-token", Rule::Secret),
    ("gcloud", "auth print-*", Rule::Secret),
    ("aws", "configure export-credentials", Rule::Secret),
    ("aws", "configure get", Rule::Secret),
    ("az", "account get-access-token", Rule::Secret),
    ("kubectl", "config view --raw", Rule::Secret),
    ("git", "credential", Rule::Secret),
    ("security", "find-*", Rule::Secret),
    ("security", "dump-keychain", Rule::Secret),
    ("security", "export", Rule::Secret),
    ("vault", "kv get", Rule::Secret),
    ("op", "read", Rule::Secret),
    ("getent", "shadow", Rule::Secret),
    ("getent", "gshadow", Rule::Secret),
    ("date gdate", "-s*", Rule::SystemControl),
    ("date gdate", "--set*", Rule::SystemControl),
    (
        "timedatectl hostnamectl localectl",
        "set-*",
        Rule::SystemControl,
    ),
    ("pkill killall skill slay", "-u root", Rule::SystemControl),
    ("pkill killall skill slay", "-u 0", Rule::SystemControl),
    ("pkill killall skill slay", "-U root", Rule::SystemControl),
    ("pkill killall skill slay", "-uroot", Rule::SystemControl),
    (
        "pkill killall skill slay",
        "--euid root",
        Rule::SystemControl,
    ),
    ("pkill killall skill slay", "init", Rule::SystemControl),
    ("pkill killall skill slay", "systemd", Rule::SystemControl),
    ("pkill killall skill slay", "-1", Rule::SystemControl),
    ("pkill killall", "-f .", Rule::SystemControl),
    ("pkill killall", "-f .*", Rule::SystemControl),
    ("ip", "set", Rule::SystemControl),
    ("ip", "add", Rule::SystemControl),
    ("ip", "del", Rule::SystemControl),
    ("ip", "delete", Rule::SystemControl),
    ("ip", "flush", Rule::SystemControl),
    ("ip", "replace", Rule::SystemControl),
    ("ip", "change", Rule::SystemControl),
    ("ip", "netns exec", Rule::SystemControl),
    ("ifconfig", "up", Rule::SystemControl),
    ("ifconfig", "down", Rule::SystemControl),
    ("ifconfig", "netmask", Rule::SystemControl),
    ("route", "add", Rule::SystemControl),
    ("route", "del", Rule::SystemControl),
    ("tc", "qdisc add", Rule::SystemControl),
    ("tc", "qdisc del", Rule::SystemControl),
    ("tc", "qdisc replace", Rule::SystemControl),
    ("dmesg", "-C", Rule::SystemControl),
    ("dmesg", "-c", Rule::SystemControl),
    ("dmesg", "-n", Rule::SystemControl),
    ("dmesg", "-D", Rule::SystemControl),
    ("dmesg", "--clear", Rule::SystemControl),
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

/// The rule that a program with these arguments comes under, if that is a form that does harm.
pub(in super::super) fn harmful_form(name: &str, arguments: &[String]) -> Option<Rule> {
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
