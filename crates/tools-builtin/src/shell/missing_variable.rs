//! Warning about a variable that commands do not inherit.

use tool_core::ToolContext;

use super::environment::{Environment, MissingReason};
use super::process::{Outcome, RunEnd};

/// Maximum bytes of the end of the output that are searched.
const SEARCHED: usize = 16 * 1024;

/// Maximum number of variables that are named.
const MAX_NAMED: usize = 3;

/// Words of messages about variables, in lowercase. Names such as `DEBUG` are also ordinary words.
const ABOUT_VARIABLES: [&str; 6] = [
    "environment",
    "not defined",
    "not set",
    "unbound",
    "undefined",
    "variable",
];

/// Warns the model if a command failed and its output mentions a variable of the host that commands
/// do not inherit.
pub(crate) fn report(
    outcome: &Outcome,
    environment: impl FnOnce() -> Environment,
    cx: &ToolContext,
) {
    if matches!(outcome.end, RunEnd::Exited(status) if !status.success()) {
        for warning in warnings(&outcome.combined.to_text(), &environment()) {
            cx.warn(warning);
        }
    }
}

fn warnings(output: &str, environment: &Environment) -> Vec<String> {
    let start = output.ceil_char_boundary(output.len().saturating_sub(SEARCHED));
    let (_, end) = output.split_at(start);
    let mut named: Vec<(&str, MissingReason)> = Vec::new();
    let words = end.lines().flat_map(mentioned);
    for missing in words.filter_map(|name| Some((name, environment.missing_reason(name)?))) {
        if named.len() < MAX_NAMED && !named.contains(&missing) {
            named.push(missing);
        }
    }
    named.into_iter().map(warning).collect()
}

/// Returns the words of a line that may be names of variables.
fn mentioned(line: &str) -> impl Iterator<Item = &str> {
    let lowercase = line.to_ascii_lowercase();
    let is_about_variables = ABOUT_VARIABLES.iter().any(|word| lowercase.contains(word));
    line.split(|character: char| !character.is_ascii_alphanumeric() && character != '_')
        .filter(move |word| is_about_variables || word.trim_matches('_').contains('_'))
}

fn warning((name, missing_reason): (&str, MissingReason)) -> String {
    match missing_reason {
        MissingReason::Removed => format!(
            "Commands do not inherit the host's variable `{name}`. Set it in the command, or ask the user to pass it with \
             `Environment::inherit(\"{name}\")` or `toolbox --env {name}`."
        ),
        MissingReason::NeedsNetwork => format!(
            "Only commands with network access inherit `{name}`. Pass `needs` as `[\"network\"]`, with a `reason`, to request it."
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            ("DEBUG: connected", &[]),
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
    fn proxy_requires_network_access() {
        let output = "HTTPS_PROXY is not set";

        let confined = warnings(output, &environment());

        assert_eq!(
            confined,
            [
                "Only commands with network access inherit `HTTPS_PROXY`. Pass `needs` as `[\"network\"]`, with a `reason`, to request it."
            ]
        );
        assert!(warnings(output, &environment().with_proxies()).is_empty());
    }

    #[test]
    fn passed_variable_causes_no_warning() {
        let environment = environment().with("GITHUB_TOKEN", "mine");

        assert!(warnings("GITHUB_TOKEN is invalid", &environment).is_empty());
    }
}
