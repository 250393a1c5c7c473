//! Files with several servers.

use std::fs;
use std::path::Path;

use serde_json::{Map, Value, json};

use super::{ConfigError, ConfigOrigin, Trust};
use crate::McpServerConfig;

/// Keys of the entry of a server.
const KEYS: &str = "args command cwd disabled disabled_tools enabled env headers inherit_env max_message max_parallel \
    max_result max_timeout oauth prefix protocol restart risk startup_timeout timeout tools transport trust url";

/// Names that other clients use, and keys that only users read.
const OTHER_KEYS: &str = "auth description excludeTools httpUrl includeTools name serverUrl type";

/// Servers of one or more configuration files.
///
/// Files of Claude, Cursor, VS Code and Gemini are read unchanged: the servers are in the object `mcpServers` or
/// `servers`, and comments and trailing commas are allowed. An invalid entry is in [`errors`](Self::errors) and doesn't
/// cost the other servers. Keys with which other clients approve calls, such as `autoApprove`, are ignored and
/// reported, because your policy decides that.
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
#[must_use]
pub struct McpConfig {
    servers: Vec<(String, McpServerConfig)>,
    issues: Vec<String>,
    errors: Vec<ConfigError>,
}

impl McpConfig {
    /// Reads a file. At most 4 MiB are accepted.
    ///
    /// # Errors
    /// Returns [`ConfigError`] if the file cannot be read, is not valid JSON or has no servers.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, ConfigError> {
        let text = fs::read_to_string(path).map_err(|error| ConfigError::Unreadable {
            reason: error.to_string(),
        })?;
        Self::parse(&text)
    }

    /// Parses the text of a file.
    ///
    /// # Errors
    /// Returns [`ConfigError`] if the text is not valid JSON or has no servers.
    pub fn parse(text: &str) -> Result<Self, ConfigError> {
        // Repair accepts comments and trailing commas, which other clients allow in their files.
        let parsed = tool_json::repair(text).map_err(|error| ConfigError::Syntax {
            line: error.line,
            column: error.column,
            reason: error.kind.to_string(),
        })?;
        let file = parsed.0.to_value();
        let servers = ["mcpServers", "servers"]
            .into_iter()
            .find_map(|key| Some((key, file.get(key)?.as_object()?)));
        let (list, servers) = servers.ok_or(ConfigError::NoServers)?;
        let mut config = Self::default();
        for (name, entry) in servers {
            let pointer = format!("/{list}/{}", escaped(name));
            let entry = config.entry(name, &pointer, entry);
            let entry = entry.map_err(|problem| ConfigError::invalid(name, problem));
            // One error per entry: an invalid server must not cost the others.
            match entry.and_then(|entry| entry.check(name).map(|_| entry)) {
                Ok(entry) => config.servers.push((name.clone(), entry)),
                Err(error) => config.errors.push(error),
            }
        }
        Ok(config)
    }

    /// Reads the entry of a server, and reports its ignored keys.
    fn entry(
        &mut self,
        server: &str,
        pointer: &str,
        entry: &Value,
    ) -> Result<McpServerConfig, String> {
        let mut members = match entry {
            Value::Object(members) => members.clone(),
            _ => return Err(format!("{pointer} must be an object")),
        };
        members.retain(|key, value| {
            let ignored = ignored(key, value, pointer);
            let is_used = ignored.is_none();
            self.issues
                .extend(ignored.map(|problem| issue(server, &problem)));
            is_used
        });
        if let Some(Value::Bool(is_disabled)) = members.get("disabled") {
            members.insert("enabled".to_owned(), json!(!is_disabled));
        }
        let is_old = |key| members.get(key).and_then(Value::as_str) == Some("sse");
        if is_old("transport") || is_old("type") {
            return Err("the transport \"sse\" is not supported. Use its streamable HTTP address, often ending in /mcp.".to_owned());
        }
        serde_json::from_value(Value::Object(members.clone()))
            .map_err(|error| invalid_key(&members, pointer).unwrap_or_else(|| error.to_string()))
    }

    /// Marks the servers as those of a project, whose files others can change.
    ///
    /// Each server starts only after [`McpManager::approve_server`](crate::McpManager::approve_server). The file can't
    /// set trust or risk: both are ignored and reported.
    pub fn from_project(mut self) -> Self {
        for (name, config) in &mut self.servers {
            config.origin = ConfigOrigin::Project;
            let mut ignored = |key: &str| {
                let problem = format!(
                    "\"{key}\" is ignored in the file of a project. Set it in a file of the host."
                );
                self.issues.push(issue(name, &problem));
            };
            if std::mem::take(&mut config.trust) != Trust::Untrusted {
                ignored("trust");
            }
            if !std::mem::take(&mut config.risk).is_empty() {
                ignored("risk");
            }
        }
        self
    }

    /// Adds the servers of `later`. They replace servers with the same names, each as a whole.
    pub fn merge(mut self, later: Self) -> Self {
        for (name, config) in later.servers {
            if let Some((_, known)) = self.servers.iter_mut().find(|(known, _)| *known == name) {
                *known = config;
                let replaced = issue(&name, "a later entry replaces this one.");
                self.issues.push(replaced);
            } else {
                self.servers.push((name, config));
            }
        }
        self.issues.extend(later.issues);
        self.errors.extend(later.errors);
        self
    }

    /// Returns the servers in the order of the files.
    pub fn servers(&self) -> &[(String, McpServerConfig)] {
        &self.servers
    }

    /// Returns the ignored parts of the files: one sentence each with the name of the server, the reason and the next step.
    ///
    /// # Examples
    /// ```
    /// use tool_mcp::McpConfig;
    ///
    /// let config = McpConfig::parse(r#"{"mcpServers": {"files": {"command": "a", "comand": "b"}}}"#)?;
    /// assert_eq!(
    ///     config.issues(),
    ///     ["server \"files\": unknown key \"comand\" at /mcpServers/files/comand. Did you mean \"command\"?"]
    /// );
    /// # Ok::<_, tool_mcp::config::ConfigError>(())
    /// ```
    #[must_use]
    pub fn issues(&self) -> &[String] {
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

fn issue(server: &str, problem: &str) -> String {
    format!("server \"{server}\": {problem}")
}

/// Returns why a key is ignored, if it is.
fn ignored(key: &str, value: &Value, pointer: &str) -> Option<String> {
    if matches!(key, "alwaysAllow" | "autoApprove") || key == "trust" && value.is_boolean() {
        return Some(format!(
            "\"{key}\" is ignored. Add rules to the policy of the registry."
        ));
    }
    let mut known = KEYS.split(' ').chain(OTHER_KEYS.split(' '));
    if known.any(|known| known == key) {
        return None;
    }
    let problem = format!("unknown key \"{key}\" at {pointer}/{}.", escaped(key));
    Some(match tool_core::nearest(key, KEYS.split(' ')) {
        Some(nearest) => format!("{problem} Did you mean \"{nearest}\"?"),
        None => problem,
    })
}

/// Returns the first invalid key and what was expected: every key is optional, so each is valid alone.
fn invalid_key(members: &Map<String, Value>, pointer: &str) -> Option<String> {
    members.iter().find_map(|(key, value)| {
        let error = serde_json::from_value::<McpServerConfig>(json!({key: value})).err()?;
        Some(format!("{pointer}/{}: {error}", escaped(key)))
    })
}

/// Escapes a part of a JSON pointer.
fn escaped(part: &str) -> String {
    part.replace('~', "~0").replace('/', "~1")
}
