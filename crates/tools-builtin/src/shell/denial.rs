//! Warning about an operation that the sandbox denied.

use shell_verdict::Grant;
use tool_core::ToolContext;

use super::process::{Outcome, RunEnd};

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
pub(crate) fn report(outcome: &Outcome, grants: &[Grant], network: bool, cx: &ToolContext) {
    let searched = match (outcome.end, outcome.exit_code()) {
        (RunEnd::Cancelled, _) => return,
        // A successful program may print such words as data, for example `grep -r EPERM`.
        (_, Some(0)) => &outcome.stderr,
        _ => &outcome.combined,
    };
    // With network access, "could not resolve" has another cause, and requesting access again would be bad advice.
    let network = network || grants.contains(&Grant::Network);
    let is_directory = |grant: &Grant| matches!(grant, Grant::Write(path) if path.ends_with('/'));
    let directory = grants.iter().any(is_directory);
    if let Some(warning) = warning(&searched.to_text(), network, directory) {
        cx.warn(warning);
    }
}

fn warning(output: &str, allows_network: bool, allows_directory: bool) -> Option<&'static str> {
    let start = output.ceil_char_boundary(output.len().saturating_sub(SEARCHED));
    let end = output.split_at(start).1.to_lowercase();
    let contains = |messages: &[&str]| messages.iter().any(|message| end.contains(message));
    // The network first, because some of its messages contain "operation not permitted" too.
    if !allows_network && contains(&NETWORK) {
        Some(
            "The sandbox denied network access. Pass `needs` as `[\"network\"]`, with a `reason`, to request it.",
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_grant_for_denied_operation() {
        for (output, network, access) in [
            ("curl: (6) Could not resolve host: example.com", true, false),
            ("ping: connect: Network is unreachable", true, false),
            ("npm error code EAI_AGAIN", true, false),
            ("ssh: connect: Operation not permitted", true, true),
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
                warning(output, false, false).filter(|text| text.contains("network"));
            assert_eq!(network_warning.is_some(), network, "{output}");

            let granted = warning(output, true, false);
            assert_eq!(granted.is_some(), access, "{output}");

            let directory = warning(output, true, true);
            let names_reading = directory.is_some_and(|text| text.contains("reading it"));
            assert_eq!(names_reading, access, "{output}");
        }
    }

    #[test]
    fn searches_end_of_long_output() {
        let long = "ü".repeat(SEARCHED);

        assert!(warning(&format!("{long}\nPermission denied"), false, false).is_some());
        assert!(warning(&format!("Permission denied\n{long}"), false, false).is_none());
    }
}
