//! Environment variables of programs.

use std::collections::BTreeMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::sync::Arc;

/// Variables that programs need and that contain no secrets.
const INHERITED: [&str; 11] = [
    "HOME",
    "LANG",
    "LANGUAGE",
    "LOGNAME",
    "PATH",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "TMPDIR",
    "TZ",
    "USER",
];

/// Disables prompts and pagers, because no user is present.
const FIXED: [(&str, &str); 4] = [
    ("GIT_PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("PAGER", "cat"),
    ("TERM", "dumb"),
];

/// Environment of the programs that tools run: a short list of inherited variables, and the
/// variables that the host adds.
///
/// All other variables, such as tokens and keys, are not inherited.
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
pub struct Environment(Arc<BTreeMap<OsString, OsString>>);

impl Environment {
    /// Creates an environment from the safe variables of this process.
    #[must_use]
    pub fn of_host() -> Self {
        Self::of(env::vars_os())
    }

    /// Creates an environment from the safe variables in `variables`.
    #[must_use]
    pub fn of(variables: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let inherited = variables
            .into_iter()
            .filter(|(name, _)| name.to_str().is_some_and(is_inherited));
        let fixed = FIXED
            .into_iter()
            .map(|(name, value)| (name.into(), value.into()));
        Self(Arc::new(inherited.chain(fixed).collect()))
    }

    /// Sets a variable.
    #[must_use]
    pub fn with(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        Arc::make_mut(&mut self.0).insert(name.into(), value.into());
        self
    }

    /// Removes a variable.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        Arc::make_mut(&mut self.0).remove(OsStr::new(name));
        self
    }

    /// Returns the value of a variable.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<&OsStr> {
        self.0.get(OsStr::new(name)).map(OsString::as_os_str)
    }

    pub(crate) fn variables(&self) -> impl Iterator<Item = (&OsString, &OsString)> {
        self.0.iter()
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Values may be secrets.
        f.debug_set().entries(self.0.keys()).finish()
    }
}

fn is_inherited(name: &str) -> bool {
    INHERITED.contains(&name) || name.starts_with("LC_")
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
            ("TERM", "xterm"),
        ];

        let environment = Environment::of(host.map(|(name, value)| (name.into(), value.into())));

        let names: Vec<_> = environment.variables().map(|(name, _)| name).collect();
        assert_eq!(
            names,
            [
                "GIT_PAGER",
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
