//! Golden files of converted definitions.

use std::path::{Path, PathBuf};
use std::{env, fmt, fs, io};

use serde_json::{Value, json};
use similar::TextDiff;
use tool_core::{Dialect, ProviderTools, Registry};

#[cfg(test)]
mod tests;

/// Environment variable that updates the files instead of comparing them.
const UPDATE: &str = "UPDATE_GOLDEN";

/// Maximum size of a shown diff, in bytes.
const MAX_SHOWN: usize = 20_000;

/// Golden file that differs from the converted definitions.
///
/// # Examples
/// ```
/// use tool_core::Registry;
/// use tool_test::{Golden, Scratch};
///
/// let scratch = Scratch::new();
/// let differences = Golden::of(&Registry::new()).compare(&[], scratch.path())?;
/// assert_eq!(differences, []);
/// # Ok::<_, std::io::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    file: PathBuf,
    diff: String,
}

impl Difference {
    /// Returns the path of the golden file.
    #[must_use]
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Returns a unified diff from the file (`-`) to the current definitions (`+`).
    #[must_use]
    pub fn diff(&self) -> &str {
        &self.diff
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n{}", self.file.display(), self.diff)
    }
}

/// Golden files of a registry's definitions, one for each provider.
///
/// # Examples
/// ```
/// use tool_core::Registry;
/// use tool_test::{Golden, Scratch};
///
/// let scratch = Scratch::new();
/// let golden = Golden::of(&Registry::new());
/// golden.write(&[], scratch.path())?;
/// # Ok::<_, std::io::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Golden {
    registry: Registry,
}

impl Golden {
    /// Creates the golden files of `registry`.
    #[must_use]
    pub fn of(registry: &Registry) -> Self {
        Self {
            registry: registry.clone(),
        }
    }

    /// Returns every file in `folder` that is missing or differs from the converted definitions.
    ///
    /// # Errors
    /// Returns an error if an existing file cannot be read or is not valid UTF-8.
    pub fn compare(&self, dialects: &[&dyn Dialect], folder: &Path) -> io::Result<Vec<Difference>> {
        let mut differences = Vec::new();
        for dialect in dialects {
            let file = place(folder, &dialect.id());
            let expected = match fs::read_to_string(&file) {
                // A Git checkout may convert line endings.
                Ok(text) => text.replace("\r\n", "\n"),
                Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
                Err(error) => return Err(error),
            };
            let current = self.current(*dialect);
            if current != expected {
                let diff = diff(&expected, &current);
                differences.push(Difference { file, diff });
            }
        }
        Ok(differences)
    }

    /// Writes the converted definitions, and creates `folder` if it is missing.
    ///
    /// # Errors
    /// Returns an error if the directory or a file cannot be written.
    pub fn write(&self, dialects: &[&dyn Dialect], folder: &Path) -> io::Result<()> {
        fs::create_dir_all(folder)?;
        for dialect in dialects {
            fs::write(place(folder, &dialect.id()), self.current(*dialect))?;
        }
        Ok(())
    }

    fn current(&self, dialect: &dyn Dialect) -> String {
        let converted = self.registry.definitions(dialect);
        let mut text = format!("{:#}", as_value(&converted));
        text.push('\n');
        text
    }
}

/// Returns the complete conversion, including losses and rejected tools.
fn as_value(converted: &ProviderTools) -> Value {
    sorted(&json!(converted))
}

/// Returns the value with sorted keys, which does not depend on the `preserve_order` feature.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by_key(|(name, _)| *name);
            let sorted_member = |(name, member): (&String, &Value)| (name.clone(), sorted(member));
            Value::Object(members.into_iter().map(sorted_member).collect())
        }
        Value::Array(items) => items.iter().map(sorted).collect(),
        other => other.clone(),
    }
}

/// Returns the file of a dialect. Characters that are not allowed in file names become `_`.
fn place(folder: &Path, id: &str) -> PathBuf {
    let safe = |character: char| {
        if character.is_ascii_alphanumeric() || matches!(character, '-' | '_') {
            character
        } else {
            '_'
        }
    };
    let name: String = id.chars().map(safe).collect();
    folder.join(format!("{name}.json"))
}

fn diff(expected: &str, current: &str) -> String {
    let diff = TextDiff::from_lines(expected, current);
    let mut text = diff.unified_diff().context_radius(3).to_string();
    if text.len() > MAX_SHOWN {
        text.truncate(text.floor_char_boundary(MAX_SHOWN));
        text.push_str("…\n");
    }
    text
}

/// Asserts that the golden files in `folder` match the converted definitions. If the environment
/// variable `UPDATE_GOLDEN` is set and not `0`, writes the files instead.
///
/// Each file is named after the dialect's ID and contains the definitions, losses, rejected tools
/// and names as JSON with sorted keys.
///
/// # Panics
/// Panics with a diff if a file differs, or if a file cannot be read or written.
///
/// # Examples
/// ```no_run
/// use tool_core::Registry;
/// use tool_test::golden;
///
/// let registry = Registry::new();
/// golden(&registry, &[], "tests/golden");
/// ```
#[track_caller]
pub fn golden(registry: &Registry, dialects: &[&dyn Dialect], folder: impl AsRef<Path>) {
    let update = env::var_os(UPDATE).is_some_and(|value| !value.is_empty() && value != "0");
    panic_with(failure(registry, dialects, folder.as_ref(), update));
}

#[track_caller]
fn panic_with(failure: Option<String>) {
    assert!(failure.is_none(), "{}", failure.unwrap_or_default());
}

/// Returns the panic message, or `None` if the assertion holds.
fn failure(
    registry: &Registry,
    dialects: &[&dyn Dialect],
    folder: &Path,
    update: bool,
) -> Option<String> {
    let golden = Golden::of(registry);
    let outcome = if update {
        golden.write(dialects, folder).map(|()| Vec::new())
    } else {
        golden.compare(dialects, folder)
    };
    match outcome {
        Ok(differences) if differences.is_empty() => None,
        Ok(differences) => {
            let listed: Vec<String> = differences.iter().map(ToString::to_string).collect();
            let listed = listed.join("\n");
            Some(format!(
                "the converted definitions differ from the golden files; to accept the changes, run again with {UPDATE}=1\n{listed}"
            ))
        }
        Err(error) => Some(format!("cannot read or write the golden files: {error}")),
    }
}
