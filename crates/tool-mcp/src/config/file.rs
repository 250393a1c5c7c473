//! Files with several servers.

use std::fs;
use std::path::Path;

use serde_json::{Map, Value, json};

use super::{ConfigError, ConfigOrigin, Trust};
use crate::McpServerConfig;

/// Keys of the entry of a server.
const KEYS: &str = "args command cwd disabled disabled_tools enabled env env_file headers inherit_env max_message max_parallel \
    max_result max_timeout oauth prefix protocol restart risk startup_timeout timeout tools transport trust url";

/// Names that other clients use, and keys that only users read.
const OTHER_KEYS: &str = "auth description disabledTools enabled_tools envFile environment excludeTools httpUrl \
    http_headers includeTools name serverUrl startup_timeout_sec tool_timeout_sec type";

/// Keys of the object with the servers: in lowercase and without `_`, because clients differ in that.
const LISTS: [&str; 4] = ["mcpservers", "servers", "contextservers", "mcp"];

/// Servers of one or more configuration files.
///
/// Files of Claude, Cursor, VS Code, Gemini, Codex and `OpenCode` are read unchanged: the servers are in an object such as
/// `mcpServers` or `servers`, `null` stands for a missing value, and comments and trailing commas are allowed. An invalid
/// entry is in [`errors`](Self::errors) and doesn't cost the other servers. Keys with which other clients approve calls, such as `autoApprove`, are ignored and
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
        let (list, servers) = servers_of(&file).ok_or(ConfigError::NoServers)?;
        let mut config = Self::default();
        for (name, entry) in servers {
            let pointer = format!("{list}/{}", escaped(name));
            let mut ignored = Vec::new();
            let entry = read_entry(&pointer, entry, &mut ignored);
            let entry = entry.map_err(|problem| ConfigError::invalid(name, problem));
            // One error per entry: an invalid server must not cost the others.
            match entry.and_then(|entry| entry.check(name).map(|_| entry)) {
                Ok(entry) => config.servers.push((name.clone(), entry)),
                // A misspelled key is often the reason, and many programs show only the error.
                Err(error) => config.errors.push(error.with_hints(&ignored)),
            }
            let issues = ignored.iter().map(|problem| issue(name, problem));
            config.issues.extend(issues);
        }
        Ok(config)
    }

    /// Marks the servers as those of a project, whose files others can change.
    ///
    /// Each server starts only after [`McpManager::approve_server`](crate::McpManager::approve_server). The file can't
    /// set trust, risk or a file with variables: these are ignored and reported.
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
            // The user approves what the file says now, and the other file may change later.
            if config.env_file.take().is_some() {
                ignored("env_file");
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

/// Returns the object with the servers, and the pointer to it.
fn servers_of(file: &Value) -> Option<(String, &Map<String, Value>)> {
    let is_list = |key: &str, list: &str| key.replace('_', "").eq_ignore_ascii_case(list);
    let (key, servers) = LISTS.iter().find_map(|list| {
        let mut members = file.as_object()?.iter();
        let (key, servers) =
            members.find(|(key, value)| is_list(key, list) && value.is_object())?;
        Some((key, servers.as_object()?))
    })?;
    // The settings of VS Code have the object `servers` within `mcp`.
    match servers.get("servers").and_then(Value::as_object) {
        Some(inner) if is_list(key, "mcp") => Some((format!("/{key}/servers"), inner)),
        _ => Some((format!("/{key}"), servers)),
    }
}

/// Reads the entry of a server. Adds why keys are ignored.
fn read_entry(
    pointer: &str,
    entry: &Value,
    ignored: &mut Vec<String>,
) -> Result<McpServerConfig, String> {
    let mut members = match entry {
        Value::Object(members) => members.clone(),
        _ => return Err(format!("{pointer} must be an object")),
    };
    members.retain(|key, value| {
        let problem = ignored_because(key, value, pointer);
        let is_used = problem.is_none() && !value.is_null();
        ignored.extend(problem);
        is_used
    });
    normalize(&mut members);
    let is_old = |key| members.get(key).and_then(Value::as_str) == Some("sse");
    if is_old("transport") || is_old("type") {
        return Err("the transport \"sse\" is not supported. Use its streamable HTTP address, often ending in /mcp.".to_owned());
    }
    serde_json::from_value(Value::Object(members.clone()))
        .map_err(|error| invalid_key(&members, pointer).unwrap_or_else(|| error.to_string()))
}

/// Gives values of other clients the form of our fields.
fn normalize(members: &mut Map<String, Value>) {
    if let Some(Value::Bool(is_disabled)) = members.get("disabled") {
        members.insert("enabled".to_owned(), json!(!is_disabled));
    }
    for key in ["transport", "type"] {
        if let Some(Value::String(kind)) = members.get_mut(key) {
            kind.make_ascii_lowercase();
        }
    }
    for key in ["oauth", "auth"] {
        if let Some(Value::Object(client)) = members.get_mut(key) {
            client.retain(|_, value| !value.is_null());
        }
    }
    if let Some(Value::Array(parts)) = members.get_mut("command") {
        let mut arguments = std::mem::take(parts);
        let program = (!arguments.is_empty()).then(|| arguments.remove(0));
        if let Some(Value::Array(further)) = members.remove("args") {
            arguments.extend(further);
        }
        members.insert("args".to_owned(), Value::Array(arguments));
        members.remove("command");
        if let Some(program) = program {
            members.insert("command".to_owned(), program);
        }
    }
}

fn issue(server: &str, problem: &str) -> String {
    format!("server \"{server}\": {problem}")
}

/// Returns why a key is ignored, if it is.
fn ignored_because(key: &str, value: &Value, pointer: &str) -> Option<String> {
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
    Some(
        match tool_core::nearest(&key.to_lowercase(), KEYS.split(' ')) {
            Some(nearest) => format!("{problem} Did you mean \"{nearest}\"?"),
            None => problem,
        },
    )
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
