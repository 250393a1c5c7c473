//! Warnings about what a command shows: processes left behind, a denied operation, a missing variable.

use shell_verdict::Grant;
use tool_core::ToolContext;

use super::command_output::{named, reason_of};
use super::environment::Environment;
use super::process::{Outcome, RunEnd};
use super::sandbox::Network;

/// Maximum characters of the end of the output that are searched.
const SEARCHED: usize = 16 * 1024;

/// Messages of programs without network access, in lowercase.
const NETWORK: [&str; 20] = [
    "could not resolve",
    "couldn't resolve",
    "connection error",
    "dns error",
    "eai_again",
    "econnrefused",
    "enetunreach",
    "enotfound",
    "failed to establish a new connection",
    "failed to lookup address",
    "getaddrinfo",
    "name or service not known",
    "network is unreachable",
    "network unreachable",
    "no such host",
    "socket: operation not permitted",
    "connect: operation not permitted",
    "temporary failure in name resolution",
    "temporary failure resolving",
    "unable to resolve host",
];

/// Messages of programs that were denied something else than a file, in lowercase: files are denied with "permission denied".
const NO_FILE: [&str; 3] = ["eperm", "errno 1]", "operation not permitted"];

/// Messages of programs that were denied another operation, in lowercase.
const ACCESS: [&str; 6] = [
    "eacces",
    "eperm",
    "errno 1]",
    "errno 13]",
    "operation not permitted",
    "permission denied",
];

/// Warns the model if the output of a confined command shows a denied operation. If the command
/// succeeded, only standard error counts: a pipeline hides the failure of its first command.
pub(crate) fn report_denial(
    outcome: &Outcome,
    grants: &[Grant],
    network: Network,
    cx: &ToolContext,
) {
    let searched = match (outcome.end, outcome.exit_code()) {
        (RunEnd::Cancelled, _) => return,
        // A successful program may print such words as data, for example `grep -r EPERM`.
        (_, Some(0)) => &outcome.stderr,
        _ => &outcome.combined,
    };
    let is_directory = |grant: &Grant| matches!(grant, Grant::Write(path) if path.ends_with('/'));
    let directory = grants.iter().any(is_directory);
    if let Some(warning) = warning(&searched.to_text(), network, directory) {
        cx.warn(warning);
    }
}

fn warning(output: &str, network: Network, allows_directory: bool) -> Option<&'static str> {
    let end = end_of(output).to_lowercase();
    let contains = |messages: &[&str]| messages.iter().any(|message| end.contains(message));
    // With network access, "could not resolve" has another cause, and requesting access again would be bad advice.
    let is_confined = network != Network::Open;
    // The network first, because some of its messages contain "operation not permitted" too.
    if is_confined && contains(&NETWORK) {
        Some(
            "The sandbox denied network access. Pass `needs` as `[\"network\"]`, with a `reason`, to request it.",
        )
    } else if network == Network::Private && contains(&["connection refused"]) {
        Some(
            "In the sandbox, a command reaches only servers that it has started itself. Pass `needs` as `[\"network\"]`, with a `reason`, to request others, also those of this machine.",
        )
    } else if network == Network::Refused && contains(&NO_FILE) {
        Some(
            "The sandbox may have denied an operation. It allows no sockets, not even those of a local server that a test starts. Pass `needs` as `[\"network\"]`, with a `reason`, to request them.",
        )
    } else if contains(&ACCESS) && allows_directory {
        Some(
            "The sandbox may have denied access. Write access to a directory does not include reading it, which programs that replace files, such as `sed -i` and `git`, need. Write the file in place with `cp` or `>`, or tell the user.",
        )
    } else if contains(&ACCESS) {
        Some(
            "The sandbox may have denied access: commands write only in the workspace and `$TMPDIR`, and read no private files. Pass `needs` as `[\"write:<path>\"]`, with a `reason`, to request write access to a path.",
        )
    } else {
        None
    }
}

/// Warns the model if a command that exited left processes, which no longer run. A server would otherwise
/// seem to be available.
pub(crate) fn report_left(outcome: &Outcome, has_background: bool, cx: &ToolContext) {
    // At a timeout and after a cancellation, everything is killed, as the result says.
    if matches!(outcome.end, RunEnd::Exited(_)) && outcome.left > 0 {
        cx.warn(left_warning(outcome.left, has_background));
    }
}

fn left_warning(left: usize, has_background: bool) -> String {
    let processes = match left {
        1 => "1 process was still running and was terminated".to_owned(),
        more => format!("{more} processes were still running and were terminated"),
    };
    let suggestion = if has_background {
        " Pass `background` as `true` for a command that must keep running."
    } else {
        " Commands can't leave anything running."
    };
    format!("{processes} when the command exited.{suggestion}")
}

/// Messages of a shell about a program that can't be started, in lowercase, and why. The first one that fits counts.
const NOT_STARTED: [(&str, &str); 5] = [
    (
        "\\r': no such file",
        "The first line of the script ends with a carriage return. Remove it with `sed -i 's/\\r$//'`.",
    ),
    ("bad interpreter", NO_INTERPRETER),
    ("required file not found", NO_INTERPRETER),
    ("env: ", NO_INTERPRETER),
    (
        "not found",
        "The program is not installed, or not in `PATH`: commands read no startup files.",
    ),
];
const NO_INTERPRETER: &str = "The interpreter in the first line of the script is not installed. Name an installed one in the command, as in `python3 script.py`.";

/// Tells the model why a command ended, if only its exit status shows it.
pub(crate) fn report_end(outcome: &Outcome, cx: &ToolContext) {
    let (code, signal) = (outcome.exit_code(), outcome.signal());
    // A shell reports the signal of its last program in its own exit code.
    let of_code = code.and_then(|code| code.checked_sub(128));
    if let Some(number) = signal.or(of_code)
        && let Some(reason) = reason_of(number)
    {
        let signal = named(number);
        cx.warn(match code {
            Some(code) => format!("Exit code {code} stands for {signal}: {reason}."),
            None => format!("It was killed by {signal}: {reason}."),
        });
    }
    if matches!(code, Some(126 | 127))
        && let Some(reason) = not_started(&outcome.combined.to_text())
    {
        cx.warn(reason);
    }
}

fn not_started(output: &str) -> Option<&'static str> {
    let last = output.lines().rev().find(|line| !line.trim().is_empty())?;
    // GNU programs quote by the locale.
    let last = last
        .to_lowercase()
        .replace(['‘', '’'], "'")
        .replace('\r', "\\r");
    let found = NOT_STARTED
        .iter()
        .find(|(message, _)| last.contains(message));
    found.map(|(_, reason)| *reason)
}

/// Maximum number of variables that are named.
const MAX_NAMED: usize = 3;

/// Warns the model if a command failed and its output mentions a variable of the host that commands
/// do not inherit.
pub(crate) fn report_missing_variable(
    outcome: &Outcome,
    environment: &Environment,
    cx: &ToolContext,
) {
    if matches!(outcome.end, RunEnd::Exited(status) if !status.success()) {
        for warning in warnings(&outcome.combined.to_text(), environment) {
            cx.warn(warning);
        }
    }
}

fn warnings(output: &str, environment: &Environment) -> Vec<String> {
    let mut removed: Vec<&str> = Vec::new();
    let words = end_of(output)
        .split(|character: char| !character.is_ascii_alphanumeric() && character != '_');
    for name in words.filter(|name| environment.removes(name)) {
        if removed.len() < MAX_NAMED && !removed.contains(&name) {
            removed.push(name);
        }
    }
    let warning = |name| {
        format!(
            "Commands do not inherit the host's variable `{name}`. Set it in the command, or ask the user to pass it with \
             `Environment::inherit(\"{name}\")` or `toolbox --env {name}`."
        )
    };
    removed.into_iter().map(warning).collect()
}

/// Returns the end of an output, which usually says why a command failed.
fn end_of(output: &str) -> &str {
    let start = output.ceil_char_boundary(output.len().saturating_sub(SEARCHED));
    output.split_at(start).1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn explains_programs_that_cannot_be_started() {
        for (output, part) in [
            ("bash: line 1: frobnicate: command not found\n", "`PATH`"),
            (
                "./a.py: cannot execute: required file not found",
                "interpreter",
            ),
            (
                "bash: ./a: /opt/x: bad interpreter: No such file or directory",
                "interpreter",
            ),
            (
                "/usr/bin/env: ‘python’: No such file or directory",
                "interpreter",
            ),
            (
                "/usr/bin/env: 'bash\\r': No such file or directory",
                "carriage return",
            ),
            ("bash: ./a: Permission denied", ""),
        ] {
            let reason = not_started(output).unwrap_or_default();

            assert!(
                reason.contains(part) && reason.is_empty() == part.is_empty(),
                "{output}: {reason}"
            );
        }
    }

    #[test]
    fn names_grant_for_denied_operation() {
        for (output, network, access) in [
            ("curl: (6) Could not resolve host: example.com", true, false),
            ("ping: connect: Network is unreachable", true, false),
            ("npm error code EAI_AGAIN", true, false),
            ("ssh: connect: Operation not permitted", true, true),
            (
                "Error: listen EPERM: operation not permitted 127.0.0.1",
                true,
                true,
            ),
            (
                "Os { code: 1, kind: PermissionDenied, message: \"Operation not permitted\" }",
                true,
                true,
            ),
            (
                "touch: cannot touch '/etc/x': Permission denied",
                false,
                true,
            ),
            ("[Errno 13] cannot write", false, true),
            ("error[E0308]: mismatched types", false, false),
            ("", false, false),
        ] {
            let network_warning =
                warning(output, Network::Refused, false).filter(|text| text.contains("network"));
            assert_eq!(network_warning.is_some(), network, "{output}");

            let granted = warning(output, Network::Open, false);
            assert_eq!(granted.is_some(), access, "{output}");

            let directory = warning(output, Network::Open, true);
            let names_reading = directory.is_some_and(|text| text.contains("reading it"));
            assert_eq!(names_reading, access, "{output}");
        }
    }

    #[test]
    fn searches_end_of_long_output() {
        let long = "ü".repeat(SEARCHED);

        assert!(warning(&format!("{long}\nPermission denied"), Network::Open, false).is_some());
        assert!(warning(&format!("Permission denied\n{long}"), Network::Open, false).is_none());
    }

    fn environment() -> Environment {
        let host = [
            ("GITHUB_TOKEN", "hunter2"),
            ("DEBUG", "1"),
            ("SSH_AUTH_SOCK", "/run/agent"),
            ("HTTPS_PROXY", "http://proxy"),
            ("JAVA_HOME", "/opt/java"),
            ("PWD", "/"),
        ];
        Environment::of(host.map(|(name, value)| (name.into(), value.into())))
    }

    #[test]
    fn names_removed_variables_in_output() {
        for (output, names) in [
            ("KeyError: 'GITHUB_TOKEN'", &["GITHUB_TOKEN"][..]),
            ("bash: line 1: DEBUG: unbound variable", &["DEBUG"]),
            ("MY_GITHUB_TOKEN, GITHUB_TOKENS and github_token", &[]),
            ("JAVA_HOME is not set", &[]),
            ("PWD is not set", &[]),
            (
                "$SSH_AUTH_SOCK, $GITHUB_TOKEN\n$SSH_AUTH_SOCK",
                &["SSH_AUTH_SOCK", "GITHUB_TOKEN"],
            ),
            ("", &[]),
        ] {
            let found = warnings(output, &environment());

            assert_eq!(found.len(), names.len(), "{output}: {found:?}");
            for (warning, name) in found.iter().zip(names) {
                let way = format!("`toolbox --env {name}`");
                assert!(warning.contains(&way), "{warning}");
                assert!(!warning.contains("hunter2"), "{warning}");
            }
        }
    }

    #[test]
    fn passed_variable_causes_no_warning() {
        let environment = environment().with("GITHUB_TOKEN", "mine");

        assert!(warnings("GITHUB_TOKEN is invalid", &environment).is_empty());
    }
}
