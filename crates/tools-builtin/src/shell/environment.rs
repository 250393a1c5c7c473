//! Environment variables of programs.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::sync::Arc;

/// Variables that programs and toolchains need and that contain no secrets.
const INHERITED: [&str; 24] = [
    "CARGO_HOME",
    "CONDA_PREFIX",
    "DOTNET_ROOT",
    "GOPATH",
    "GOROOT",
    "HOME",
    "JAVA_HOME",
    "LANG",
    "LANGUAGE",
    "LOGNAME",
    "NODE_ENV",
    "NVM_DIR",
    "PATH",
    "PYENV_ROOT",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "SHELL",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "TMPDIR",
    "TZ",
    "USER",
    "VIRTUAL_ENV",
];

/// Variables with the addresses of proxies, compared in uppercase. They may contain passwords, and only commands with
/// network access need them.
// Programs use both cases: curl, for example, only reads `http_proxy` in lowercase.
const PROXIES: [&str; 5] = [
    "ALL_PROXY",
    "FTP_PROXY",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "NO_PROXY",
];

/// Variables that shells set themselves.
// These don't count as removed: a command that mentions one of them isn't missing it.
const SET_BY_SHELLS: [&str; 4] = ["OLDPWD", "PWD", "SHLVL", "_"];

/// Disables prompts, pagers and editors, because no user is present, and bare repositories that are not
/// named explicitly: a tool may have written one whose configuration names programs.
const FIXED: [(&str, &str); 9] = [
    // In the environment and not as `-c`, so that it also reaches the Git that a script or a build starts.
    ("GIT_CONFIG_COUNT", "1"),
    ("GIT_CONFIG_KEY_0", "safe.bareRepository"),
    ("GIT_CONFIG_VALUE_0", "explicit"),
    // `true` accepts the prepared text, for example of a merge. Without these, `git rebase` waits for an editor that has no terminal.
    ("GIT_EDITOR", "true"),
    ("GIT_PAGER", "cat"),
    ("GIT_SEQUENCE_EDITOR", "true"),
    // Git reads credentials from `/dev/tty`, so an empty standard input wouldn't prevent the prompt.
    ("GIT_TERMINAL_PROMPT", "0"),
    ("PAGER", "cat"),
    ("TERM", "dumb"),
];

/// Environment of the programs that tools run: a short list of inherited variables, and the
/// variables that the host adds.
///
/// Programs inherit the search path, the home directory, the locale and the locations of toolchains,
/// and proxies if they have network access. Everything else, such as tokens, keys and
/// `SSH_AUTH_SOCK`, stays out unless the host [names](Self::inherit) it: a model that reads
/// `printenv` would otherwise learn it. Git ignores bare repositories unless you name them, because a
/// repository in the workspace could run programs.
///
/// # Examples
/// ```
/// use tools_builtin::shell::Environment;
///
/// let environment = Environment::of_host().with("CARGO_TERM_COLOR", "never");
/// assert_eq!(environment.value("TERM"), Some("dumb".as_ref()));
/// assert_eq!(environment.value("AWS_SECRET_ACCESS_KEY"), None);
/// ```
#[derive(Clone, PartialEq, Eq)]
#[must_use]
pub struct Environment {
    variables: Arc<BTreeMap<OsString, OsString>>,
    /// Variables for commands with network access.
    proxies: Arc<BTreeMap<OsString, OsString>>,
    /// Names of the variables that are not inherited.
    removed: Arc<BTreeSet<String>>,
}

impl Environment {
    /// Creates an environment from the variables of this process that programs may inherit.
    pub fn of_host() -> Self {
        Self::of(env::vars_os())
    }

    /// Creates an environment from the entries of `variables` that programs may inherit.
    pub fn of(variables: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let (proxies, others): (BTreeMap<_, _>, BTreeMap<_, _>) =
            variables.into_iter().partition(|(name, _)| is_proxy(name));
        let (inherited, removed): (BTreeMap<_, _>, BTreeMap<_, _>) = others
            .into_iter()
            .partition(|(name, _)| name.to_str().is_some_and(is_inherited));
        let removed = removed
            .into_keys()
            .filter_map(|name| name.into_string().ok());
        let fixed = FIXED
            .into_iter()
            .map(|(name, value)| (name.into(), value.into()));
        Self {
            variables: Arc::new(inherited.into_iter().chain(fixed).collect()),
            proxies: Arc::new(proxies),
            removed: Arc::new(
                removed
                    .filter(|name| !SET_BY_SHELLS.contains(&&**name))
                    .collect(),
            ),
        }
    }

    /// Sets a variable.
    pub fn with(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        Arc::make_mut(&mut self.variables).insert(name.into(), value.into());
        self
    }

    /// Inherits a variable of this process, such as `SSH_AUTH_SOCK`, if it is set.
    ///
    /// # Examples
    /// ```
    /// use tools_builtin::shell::Environment;
    ///
    /// let environment = Environment::of_host().inherit("SSH_AUTH_SOCK");
    /// assert_eq!(
    ///     environment.value("SSH_AUTH_SOCK").map(ToOwned::to_owned),
    ///     std::env::var_os("SSH_AUTH_SOCK"),
    /// );
    /// ```
    pub fn inherit(self, name: &str) -> Self {
        match env::var_os(name) {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// Removes a variable.
    pub fn without(mut self, name: &str) -> Self {
        for variables in [&mut self.variables, &mut self.proxies] {
            Arc::make_mut(variables).remove(OsStr::new(name));
        }
        self
    }

    /// Returns the value of a variable.
    pub fn value(&self, name: &str) -> Option<&OsStr> {
        self.variables
            .get(OsStr::new(name))
            .map(OsString::as_os_str)
    }

    /// Returns whether commands do not inherit this variable of the host.
    pub(crate) fn removes(&self, name: &str) -> bool {
        self.removed.contains(name) && self.value(name).is_none()
    }

    /// Adds the inherited proxies, for a command with network access. Variables of the host stay.
    pub(crate) fn with_proxies(mut self) -> Self {
        let variables = Arc::make_mut(&mut self.variables);
        for (name, value) in self.proxies.iter() {
            let entry = variables.entry(name.clone());
            entry.or_insert_with(|| value.clone());
        }
        self
    }

    pub(crate) fn variables(&self) -> impl Iterator<Item = (&OsString, &OsString)> {
        self.variables.iter()
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Values may be secrets.
        f.debug_set().entries(self.variables.keys()).finish()
    }
}

fn is_inherited(name: &str) -> bool {
    INHERITED.contains(&name) || name.starts_with("LC_")
}

fn is_proxy(name: &OsStr) -> bool {
    name.to_str()
        .is_some_and(|name| PROXIES.contains(&name.to_ascii_uppercase().as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inherits_only_listed_variables() {
        let host = [
            ("PATH", "/bin"),
            ("LC_ALL", "C.UTF-8"),
            ("GITHUB_TOKEN", "secret"),
            ("LD_PRELOAD", "evil.so"),
            ("SSH_AUTH_SOCK", "/run/agent"),
            ("CARGO_HOME", "/opt/cargo"),
            ("CARGO_REGISTRY_TOKEN", "secret"),
            ("EDITOR", "vim"),
            ("VISUAL", "vim"),
            ("https_proxy", "http://user:secret@proxy"),
            ("TERM", "xterm"),
        ];

        let environment = Environment::of(host.map(|(name, value)| (name.into(), value.into())));

        let names: Vec<_> = environment.variables().map(|(name, _)| name).collect();
        assert_eq!(
            names,
            [
                "CARGO_HOME",
                "GIT_CONFIG_COUNT",
                "GIT_CONFIG_KEY_0",
                "GIT_CONFIG_VALUE_0",
                "GIT_EDITOR",
                "GIT_PAGER",
                "GIT_SEQUENCE_EDITOR",
                "GIT_TERMINAL_PROMPT",
                "LC_ALL",
                "PAGER",
                "PATH",
                "TERM"
            ]
        );
        assert_eq!(environment.value("TERM"), Some(OsStr::new("dumb")));
    }

    #[test]
    fn proxies_are_for_commands_with_network_access() {
        let host = [("HTTP_PROXY", "host"), ("no_proxy", "localhost")];
        let environment = Environment::of(host.map(|(name, value)| (name.into(), value.into())));

        let own = environment.clone().with("HTTP_PROXY", "own").with_proxies();
        let without = environment.clone().without("HTTP_PROXY").with_proxies();

        assert_eq!(environment.value("no_proxy"), None);
        assert_eq!(own.value("HTTP_PROXY"), Some(OsStr::new("own")));
        assert_eq!(own.value("no_proxy"), Some(OsStr::new("localhost")));
        assert_eq!(without.value("HTTP_PROXY"), None);
    }

    #[test]
    fn debug_output_omits_values() {
        let environment = Environment::of([]).with("TOKEN", "hunter2");

        let text = format!("{environment:?}");

        assert!(
            text.contains("TOKEN") && !text.contains("hunter2"),
            "{text}"
        );
    }

    #[test]
    fn sets_and_removes_variables() {
        let environment = Environment::of([]).with("TOKEN", "chosen").without("PAGER");

        assert_eq!(environment.value("TOKEN"), Some(OsStr::new("chosen")));
        assert_eq!(environment.value("PAGER"), None);
    }
}
