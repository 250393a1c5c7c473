//! What providers are told about tools, compared with files that are reviewed.

use std::path::{Path, PathBuf};
use std::{env, fmt, fs, io};

use serde_json::{Value, json};
use similar::TextDiff;
use tool_core::{Dialect, ProviderTools, Registry};

#[cfg(test)]
mod tests;

/// The variable that rewrites the files instead of comparing.
const UPDATE: &str = "UPDATE_GOLDEN";

/// Bytes of a difference that are shown.
const LONGEST_SHOWN: usize = 20_000;

/// A golden file that is not what it should be.
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
    /// The file.
    #[must_use]
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// The lines that differ: `-` is in the file, `+` is what a provider is told now.
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

/// What providers are told about the tools of a registry, one file for each provider.
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
    /// Takes the tools that the registry has.
    #[must_use]
    pub fn of(registry: &Registry) -> Self {
        Self {
            registry: registry.clone(),
        }
    }

    /// Every file in `folder` that is missing or differs from what its provider is told.
    ///
    /// # Errors
    /// A file is there and cannot be read as text.
    pub fn compare(&self, dialects: &[&dyn Dialect], folder: &Path) -> io::Result<Vec<Difference>> {
        let mut differences = Vec::new();
        for dialect in dialects {
            let file = place(folder, &dialect.id());
            let expected = match fs::read_to_string(&file) {
                // A checkout may give every line another end.
                Ok(text) => text.replace("\r\n", "\n"),
                Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
                Err(error) => return Err(error),
            };
            let told = self.told(*dialect);
            if told != expected {
                let diff = diff(&expected, &told);
                differences.push(Difference { file, diff });
            }
        }
        Ok(differences)
    }

    /// Writes what each provider is told, and the folder where it is missing.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn write(&self, dialects: &[&dyn Dialect], folder: &Path) -> io::Result<()> {
        fs::create_dir_all(folder)?;
        for dialect in dialects {
            fs::write(place(folder, &dialect.id()), self.told(*dialect))?;
        }
        Ok(())
    }

    fn told(&self, dialect: &dyn Dialect) -> String {
        let converted = self.registry.definitions(dialect);
        let mut text = format!("{:#}", as_value(&converted));
        text.push('\n');
        text
    }
}

/// All of it: what was lost or refused on the way is reviewed, too.
fn as_value(converted: &ProviderTools) -> Value {
    sorted(&json!(converted))
}

/// With sorted keys, whichever order maps keep in this build.
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

/// The file of a dialect, whose id may hold what a file's name may not.
fn place(folder: &Path, id: &str) -> PathBuf {
    let safe = |letter: char| {
        if letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_') {
            letter
        } else {
            '_'
        }
    };
    let name: String = id.chars().map(safe).collect();
    folder.join(format!("{name}.json"))
}

fn diff(expected: &str, told: &str) -> String {
    let diff = TextDiff::from_lines(expected, told);
    let mut text = diff.unified_diff().context_radius(3).to_string();
    if text.len() > LONGEST_SHOWN {
        text.truncate(text.floor_char_boundary(LONGEST_SHOWN));
        text.push_str("…\n");
    }
    text
}

/// Compares what each provider is told about the tools with its file in `folder`, and stops the test where they
/// differ. With `UPDATE_GOLDEN=1` in the environment the files are written instead.
///
/// A file is named after the dialect's id, and holds the definitions, what was lost or refused on the way, and the
/// names, as JSON with sorted keys.
///
/// # Panics
/// With the lines that differ; or when a file can be neither read nor written.
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
    stop_at(complaint(registry, dialects, folder.as_ref(), update));
}

#[track_caller]
fn stop_at(complaint: Option<String>) {
    assert!(complaint.is_none(), "{}", complaint.unwrap_or_default());
}

/// Why the test is to stop.
fn complaint(
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
                "providers are told something else; if that is meant, run again with {UPDATE}=1\n{listed}"
            ))
        }
        Err(error) => Some(format!("the golden files cannot be used: {error}")),
    }
}
