//! Files with several servers.

use std::fs;
use std::path::Path;

use serde_json::{Map, Value, json};

use super::{ConfigError, Trust};
use crate::McpServerConfig;

/// Keys of the entry of a server.
const KEYS: &str = "args command cwd disabled disabled_tools enabled env headers inherit_env max_message max_parallel \
    max_result max_timeout oauth prefix protocol resources restart risk startup_timeout timeout tools transport trust url";

/// Keys of the object with the servers.
const LISTS: [&str; 5] = [
    "mcpServers",
    "mcp_servers",
    "servers",
    "mcp",
    "context_servers",
];

/// Servers of a configuration file.
///
/// Files of Claude, Cursor, VS Code, Gemini, Codex, Zed and `OpenCode` are read unchanged: the servers are in an object such as
/// `mcpServers` or `servers`, `null` stands for a missing value, and comments and trailing commas are allowed. An invalid
/// entry is in [`errors`](Self::errors) and doesn't cost the other servers. Keys with which other clients approve calls,
/// such as `autoApprove`, are ignored and reported, because your policy decides that.
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
        let (list, servers) = servers_of(&file).ok_or(ConfigError::NoServers)?;
        let mut config = Self::default();
        for (name, entry) in servers {
            let pointer = format!("/{list}/{name}");
            let mut ignored = Vec::new();
            let entry = read_entry(&pointer, entry, &mut ignored);
            let entry = entry.map_err(|problem| ConfigError::invalid(name, problem));
            // One error per entry: an invalid server must not cost the others.
            match entry.and_then(|entry| entry.check(name).map(|_| entry)) {
                Ok(entry) => config.servers.push((name.clone(), entry)),
                Err(error) => config.errors.push(error),
            }
            let issues = ignored.iter().map(|problem| issue(name, problem));
            config.issues.extend(issues);
        }
        Ok(config)
    }

    /// Marks the servers as those of a project, whose files others can change.
    ///
    /// Each server starts only after [`McpManager::approve_server`](crate::McpManager::approve_server). The file can't
    /// set trust or risk: these are ignored and reported.
    pub fn from_project(mut self) -> Self {
        for (name, config) in &mut self.servers {
            config.is_from_project = true;
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

    /// Returns the servers in the order of the file.
    pub fn servers(&self) -> &[(String, McpServerConfig)] {
        &self.servers
    }

    /// Returns the ignored parts of the file: one sentence each with the name of the server, the reason and the next step.
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
    pub fn issues(&self) -> &[String] {
        &self.issues
    }

    /// Returns the errors of servers that cannot be used.
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

/// Returns the object with the servers and its key.
fn servers_of(file: &Value) -> Option<(&str, &Map<String, Value>)> {
    let mut lists = LISTS.into_iter();
    lists.find_map(|list| Some((list, file.get(list)?.as_object()?)))
}

/// Reads the entry of a server. Adds why keys are ignored.
fn read_entry(
    pointer: &str,
    entry: &Value,
    ignored: &mut Vec<String>,
) -> Result<McpServerConfig, String> {
    let Value::Object(mut members) = entry.clone() else {
        return Err(format!("{pointer} must be an object"));
    };
    normalize(&mut members);
    let is_old = |key| members.get(key).and_then(Value::as_str) == Some("sse");
    if is_old("transport") || is_old("type") {
        return Err("the transport \"sse\" is not supported. Use its streamable HTTP address, often ending in /mcp.".to_owned());
    }
    let mut known = Map::new();
    for (key, value) in members {
        if grants_approval(&key, &value) {
            ignored.push(format!(
                "\"{key}\" is ignored. Add rules to the policy of the registry."
            ));
            continue;
        }
        // Every key is optional, so each is valid alone.
        match serde_json::from_value::<McpServerConfig>(json!({&key: &value})) {
            Ok(_) => drop(known.insert(key, value)),
            Err(error) if error.to_string().starts_with("unknown field") => {
                ignored.push(unknown(&key, pointer));
            }
            Err(error) => return Err(format!("{pointer}/{key}: {error}")),
        }
    }
    serde_json::from_value(Value::Object(known)).map_err(|error| error.to_string())
}

/// Gives values of other clients the form of our fields.
fn normalize(members: &mut Map<String, Value>) {
    // Keys without a value, and those that only users read.
    members.retain(|key, value| !value.is_null() && !matches!(&**key, "description" | "name"));
    if let Some(Value::Bool(is_disabled)) = members.get("disabled") {
        let is_enabled = json!(!is_disabled);
        members.shift_remove("disabled");
        members.insert("enabled".to_owned(), is_enabled);
    }
    // OpenCode has the program and its arguments in one array.
    if let Some(Value::Array(words)) = members.get_mut("command") {
        let mut words = std::mem::take(words).into_iter();
        members.insert("command".to_owned(), words.next().unwrap_or_default());
        // Further arguments follow. A value that is no array stays, and is an error.
        if let Value::Array(args) = members.entry("args").or_insert_with(|| json!([])) {
            drop(args.splice(..0, words));
        }
    }
}

fn issue(server: &str, problem: &str) -> String {
    format!("server \"{server}\": {problem}")
}

/// Returns `true` for keys with which other clients approve calls.
fn grants_approval(key: &str, value: &Value) -> bool {
    matches!(key, "alwaysAllow" | "autoApprove") || key == "trust" && value.is_boolean()
}

fn unknown(key: &str, pointer: &str) -> String {
    let problem = format!("unknown key \"{key}\" at {pointer}/{key}.");
    match tool_core::nearest(&key.to_lowercase(), KEYS.split(' ')) {
        Some(nearest) => format!("{problem} Did you mean \"{nearest}\"?"),
        None => problem,
    }
}
