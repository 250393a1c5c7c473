//! Variables in configurations.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use tool_core::Secret;

/// Beginning of references to inputs.
const INPUT: &str = "input:";

type Lookup = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// Values for the variables of a configuration.
///
/// | text | value |
/// |---|---|
/// | `${NAME}`, `${env:NAME}` | environment variable |
/// | `${NAME:-default}` | environment variable, or the default if it is not set |
/// | `${input:id}` | input of the host |
/// | `${workspaceFolder}` | workspace of the host |
/// | `$$` | a dollar sign |
///
/// A value is used as it is, even if it contains `${`, so that a secret can't refer to another one.
///
/// # Examples
/// ```
/// use tool_mcp::config::Variables;
///
/// let variables = Variables::none().with("KEY", "k1").with_input("token", "t1");
/// assert_eq!(variables.expand("${KEY} ${input:token} ${PORT:-80} $$5")?, "k1 t1 80 $5");
/// # Ok::<_, tool_mcp::config::ExpandError>(())
/// ```
#[derive(Clone)]
pub struct Variables {
    /// Values of the host by their references, such as `NAME` and `input:id`.
    own: BTreeMap<String, Secret<String>>,
    environment: Option<Lookup>,
}

/// Error of an expansion.
///
/// # Examples
/// ```
/// use tool_mcp::config::Variables;
///
/// let error = Variables::none().expand("${SEARCH_KEY}").unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "the variable SEARCH_KEY is not set. Set it, or write ${SEARCH_KEY:-value}."
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExpandError {
    /// The variable is not set and has no default.
    #[error("the variable {0} is not set. Set it, or write ${{{0}:-value}}.")]
    Unset(String),
    /// The host has no value for the input.
    #[error("the input {0} has no value. Provide it with `Variables::with_input`.")]
    NoInput(String),
    /// The closing brace is missing.
    #[error("a variable has no closing brace. Write $$ for a dollar sign.")]
    Unclosed,
    /// The name of the variable is empty.
    #[error("a variable has no name. Write $$ for a dollar sign.")]
    NoName,
}

impl Default for Variables {
    /// Creates values from the environment of this process.
    fn default() -> Self {
        Self {
            environment: Some(Arc::new(|name| std::env::var(name).ok())),
            ..Self::none()
        }
    }
}

impl Variables {
    /// Creates values without the environment of this process.
    #[must_use]
    pub fn none() -> Self {
        Self {
            own: BTreeMap::new(),
            environment: None,
        }
    }

    /// Sets a variable, which overrides the environment.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.own.insert(name.into(), Secret::new(value.into()));
        self
    }

    /// Sets an input, which `${input:id}` refers to.
    #[must_use]
    pub fn with_input(self, id: impl fmt::Display, value: impl Into<String>) -> Self {
        self.with(format!("{INPUT}{id}"), value)
    }

    /// Returns `template` with its variables replaced.
    ///
    /// # Errors
    /// Returns [`ExpandError`] if a variable is not set, or is incomplete.
    pub fn expand(&self, template: &str) -> Result<String, ExpandError> {
        let mut expanded = String::with_capacity(template.len());
        let mut rest = template;
        while let Some((before, after)) = rest.split_once('$') {
            expanded.push_str(before);
            rest = if let Some(after) = after.strip_prefix('$') {
                expanded.push('$');
                after
            } else if let Some(after) = after.strip_prefix('{') {
                let (name, after) = after.split_once('}').ok_or(ExpandError::Unclosed)?;
                expanded.push_str(&self.value(name)?);
                after
            } else {
                expanded.push('$');
                after
            };
        }
        expanded.push_str(rest);
        Ok(expanded)
    }

    fn value(&self, reference: &str) -> Result<String, ExpandError> {
        let own = |name| self.own.get(name).map(|value| value.expose().clone());
        if let Some(id) = reference.strip_prefix(INPUT) {
            return own(reference).ok_or_else(|| ExpandError::NoInput(id.to_owned()));
        }
        let reference = reference.strip_prefix("env:").unwrap_or(reference);
        let (name, default) = match reference.split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (reference, None),
        };
        if name.is_empty() {
            return Err(ExpandError::NoName);
        }
        own(name)
            .or_else(|| self.environment.as_ref()?(name))
            .or_else(|| default.map(str::to_owned))
            .ok_or_else(|| ExpandError::Unset(name.to_owned()))
    }
}

impl fmt::Debug for Variables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Variables")
            .field("own", &self.own)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expands_in_one_pass() {
        let variables = Variables::none()
            .with("A", "1")
            .with("NESTED", "${A}")
            .with("EMPTY", "")
            .with("workspaceFolder", "/project")
            .with_input("key", "secret");
        for (template, expected) in [
            ("", Ok("")),
            ("plain", Ok("plain")),
            ("${A}${A}", Ok("11")),
            ("x${env:A}y", Ok("x1y")),
            ("${NESTED}", Ok("${A}")),
            ("${B:-2}", Ok("2")),
            ("${B:-}", Ok("")),
            ("${EMPTY:-3}", Ok("")),
            ("${B:-a:-b}", Ok("a:-b")),
            ("$$A $${A}", Ok("$A ${A}")),
            ("cost: $5", Ok("cost: $5")),
            ("${input:key}", Ok("secret")),
            ("${workspaceFolder}/a", Ok("/project/a")),
            ("${B}", Err(ExpandError::Unset("B".into()))),
            ("${input:other}", Err(ExpandError::NoInput("other".into()))),
            ("${A", Err(ExpandError::Unclosed)),
            ("${}", Err(ExpandError::NoName)),
            ("${:-x}", Err(ExpandError::NoName)),
            ("end$", Ok("end$")),
        ] {
            assert_eq!(
                variables.expand(template),
                expected.map(str::to_owned),
                "{template}"
            );
        }
    }

    #[test]
    fn debug_output_hides_values() {
        let variables = Variables::none()
            .with("A", "hidden1")
            .with_input("b", "hidden2");

        assert!(!format!("{variables:?}").contains("hidden"));
    }
}
