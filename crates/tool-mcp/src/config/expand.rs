//! Variables in configurations.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use tool_core::Secret;

/// Beginning of references to inputs.
const INPUT: &str = "input:";

const UNCLOSED: &str = "a variable has no closing brace. Write $${ for the characters ${.";
const NO_NAME: &str = "a variable has no name. Write $${ for the characters ${.";

type Lookup = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// Values for the variables of a configuration.
///
/// | text | value |
/// |---|---|
/// | `${NAME}`, `${env:NAME}` | environment variable |
/// | `${NAME:-default}` | environment variable, or the default if it is not set |
/// | `${input:id}` | input of the host |
/// | `${workspaceFolder}` | workspace of the host |
/// | `$${` | the characters `${` |
///
/// Other dollar signs are unchanged, as in the files of other clients.
///
/// A value is used as it is, even if it contains `${`, so that a secret can't refer to another one.
///
/// # Examples
/// ```
/// use tool_mcp::McpManager;
/// use tool_mcp::config::Variables;
///
/// let variables = Variables::default().with("workspaceFolder", "/project").with_input("token", "t1");
/// let manager = McpManager::builder().variables(variables).build();
/// ```
#[derive(Clone)]
#[must_use]
pub struct Variables {
    /// Values of the host by their references, such as `NAME` and `input:id`.
    own: BTreeMap<String, Secret<String>>,
    environment: Option<Lookup>,
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
    pub fn none() -> Self {
        Self {
            own: BTreeMap::new(),
            environment: None,
        }
    }

    /// Sets a variable, which overrides the environment.
    pub fn with(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.own.insert(name.into(), Secret::new(value.into()));
        self
    }

    /// Sets an input, which `${input:id}` refers to.
    pub fn with_input(self, id: impl fmt::Display, value: impl Into<String>) -> Self {
        self.with(format!("{INPUT}{id}"), value)
    }

    /// Returns `template` with its variables replaced.
    ///
    /// # Errors
    /// Returns a sentence if a variable is not set, or is incomplete.
    pub(crate) fn expand(&self, template: &str) -> Result<String, String> {
        let mut expanded = String::with_capacity(template.len());
        let mut rest = template;
        while let Some((before, after)) = rest.split_once('$') {
            expanded.push_str(before);
            rest = if let Some(after) = after.strip_prefix("${") {
                expanded.push_str("${");
                after
            } else if let Some(after) = after.strip_prefix('{') {
                let (name, after) = after.split_once('}').ok_or(UNCLOSED)?;
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

    fn value(&self, reference: &str) -> Result<String, String> {
        let own = |name: &str| self.own.get(name).map(|value| value.expose().clone());
        if let Some(id) = reference.strip_prefix(INPUT) {
            return own(reference).ok_or_else(|| {
                format!("the input {id} has no value. Provide it with `Variables::with_input`.")
            });
        }
        let reference = reference.strip_prefix("env:").unwrap_or(reference);
        let (name, default) = match reference.split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (reference, None),
        };
        if name.is_empty() {
            return Err(NO_NAME.to_owned());
        }
        own(name)
            .or_else(|| self.environment.as_ref()?(name))
            .or_else(|| default.map(str::to_owned))
            .ok_or_else(|| {
                format!("the variable {name} is not set. Set it, or write ${{{name}:-value}}.")
            })
    }
}

opaque_debug!(Variables);

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
            ("$$A $${A}", Ok("$$A ${A}")),
            ("pa$$word$$", Ok("pa$$word$$")),
            ("$$${A} $$$${A}", Ok("$${A} $$${A}")),
            ("cost: $5", Ok("cost: $5")),
            ("${input:key}", Ok("secret")),
            ("${workspaceFolder}/a", Ok("/project/a")),
            (
                "${B}",
                Err("the variable B is not set. Set it, or write ${B:-value}."),
            ),
            (
                "${input:other}",
                Err("the input other has no value. Provide it with `Variables::with_input`."),
            ),
            ("${A", Err(UNCLOSED)),
            ("${}", Err(NO_NAME)),
            ("${:-x}", Err(NO_NAME)),
            ("end$", Ok("end$")),
        ] {
            assert_eq!(
                variables.expand(template),
                expected.map(str::to_owned).map_err(str::to_owned),
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
