//! Files with several servers.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use serde_json::{Map, Value};

use super::entry::Entry;
use super::place::Place;
use super::{ConfigError, ConfigIssue, ConfigOrigin, McpServerConfig, Trust, relaxed};

/// Maximum size of a file in bytes.
const MAX_FILE: usize = 4 * 1024 * 1024;

/// Servers of one or more configuration files.
///
/// Files of Claude, Cursor, VS Code and Gemini are accepted unchanged: the servers are in the object
/// `mcpServers` or `servers`, and comments and trailing commas are allowed. A server with an invalid
/// entry is in [`errors`](Self::errors) and does not affect the others. Keys that approve calls
/// without a policy, such as `autoApprove`, are ignored and reported.
///
/// # Examples
/// ```
/// use tool_mcp::McpConfig;
///
/// let config = McpConfig::parse(
///     r#"{"mcpServers": {"files": {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "."]}}}"#,
/// )?;
/// assert_eq!(config.servers()[0].0, "files");
/// # Ok::<_, tool_mcp::config::ConfigError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct McpConfig {
    servers: Vec<(String, McpServerConfig)>,
    issues: Vec<ConfigIssue>,
    errors: Vec<ConfigError>,
}

impl McpConfig {
    /// Reads a file. At most 4 MiB are accepted.
    ///
    /// # Errors
    /// Returns [`ConfigError`] if the file cannot be read, is not valid JSON or has no servers.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, ConfigError> {
        let unreadable = |error: std::io::Error| ConfigError::Unreadable {
            reason: error.to_string(),
        };
        let file = File::open(path).map_err(unreadable)?;
        let mut text = String::new();
        let most = u64::try_from(MAX_FILE)
            .unwrap_or(u64::MAX)
            .saturating_add(1);
        file.take(most)
            .read_to_string(&mut text)
            .map_err(unreadable)?;
        Self::parse(&text)
    }

    /// Parses the text of a file.
    ///
    /// # Errors
    /// Returns [`ConfigError`] if the text is not valid JSON or has no servers.
    pub fn parse(text: &str) -> Result<Self, ConfigError> {
        if text.len() > MAX_FILE {
            return Err(ConfigError::TooLarge { limit: MAX_FILE });
        }
        let strict = relaxed::to_strict(text);
        let file: Value = serde_json::from_str(&strict).map_err(|error| ConfigError::Syntax {
            line: error.line(),
            column: error.column(),
            reason: reason_of(&error),
        })?;
        let (key, servers) = servers_of(&file).ok_or(ConfigError::NoServers)?;
        let mut config = Self::default();
        for (name, entry) in servers {
            let place = Place {
                text: &strict,
                list: key,
                server: name,
            };
            config.add(name, Entry::parse(place, entry));
        }
        Ok(config)
    }

    fn add(&mut self, name: &str, parsed: Result<Entry, ConfigError>) {
        match parsed {
            Ok(entry) => {
                self.issues.extend(entry.issues);
                self.servers.push((name.to_owned(), entry.config));
            }
            Err(error) => self.errors.push(error),
        }
    }

    /// Marks the servers as part of a project, whose files others can change.
    ///
    /// Each server starts only after its approval. Trust and risk of the file are ignored and
    /// reported.
    #[must_use]
    pub fn from_project(mut self) -> Self {
        for (name, config) in &mut self.servers {
            config.origin = ConfigOrigin::Project;
            let ignored = |key: &str| ConfigIssue::IgnoredInProject {
                server: name.clone(),
                key: key.to_owned(),
            };
            if std::mem::take(&mut config.trust) != Trust::Untrusted {
                self.issues.push(ignored("trust"));
            }
            if !std::mem::take(&mut config.risk).is_empty() {
                self.issues.push(ignored("risk"));
            }
        }
        self
    }

    /// Adds the servers of `later`. They replace servers with the same names.
    #[must_use]
    pub fn merge(mut self, later: Self) -> Self {
        for (name, config) in later.servers {
            if let Some((_, known)) = self.servers.iter_mut().find(|(known, _)| *known == name) {
                *known = config;
                self.issues.push(ConfigIssue::Replaced { server: name });
            } else {
                self.servers.push((name, config));
            }
        }
        self.issues.extend(later.issues);
        self.errors.extend(later.errors);
        self
    }

    /// Returns the servers in the order of the files.
    #[must_use]
    pub fn servers(&self) -> &[(String, McpServerConfig)] {
        &self.servers
    }

    /// Returns the ignored parts of the files.
    #[must_use]
    pub fn issues(&self) -> &[ConfigIssue] {
        &self.issues
    }

    /// Returns the errors of servers that cannot be used.
    #[must_use]
    pub fn errors(&self) -> &[ConfigError] {
        &self.errors
    }
}

impl IntoIterator for McpConfig {
    type Item = (String, McpServerConfig);
    type IntoIter = std::vec::IntoIter<Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        self.servers.into_iter()
    }
}

fn servers_of(file: &Value) -> Option<(&'static str, &Map<String, Value>)> {
    ["mcpServers", "servers"]
        .into_iter()
        .find_map(|key| Some((key, file.get(key)?.as_object()?)))
}

/// Returns the reason of the parser without its position.
fn reason_of(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rsplit_once(" at line ") {
        Some((reason, _)) => reason.to_owned(),
        None => text,
    }
}
