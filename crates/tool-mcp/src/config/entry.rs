//! Entries of servers in configuration files.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::{Map, Value};
use tool_core::{RiskLevel, Secret};

use super::{ConfigError, ConfigIssue, McpServerConfig, Protocol, Transport, Trust, seconds};

/// Keys of the entry of a server, without the names of other clients.
const KEYS: [&str; 22] = [
    "args",
    "command",
    "cwd",
    "disabled",
    "disabled_tools",
    "enabled",
    "env",
    "inherit_env",
    "max_message",
    "max_parallel",
    "max_result",
    "max_timeout",
    "prefix",
    "protocol",
    "restart",
    "risk",
    "startup_timeout",
    "strict_output",
    "timeout",
    "tools",
    "transport",
    "url",
];

/// Location of an entry in the text of its file.
#[derive(Clone, Copy)]
pub(super) struct Place<'t> {
    pub(super) text: &'t str,
    pub(super) list: &'static str,
    pub(super) server: &'t str,
}

impl Place<'_> {
    fn invalid(self, key: &str, expected: &'static str) -> ConfigError {
        let (line, column) = self.position(key);
        ConfigError::InvalidValue {
            server: self.server.to_owned(),
            pointer: self.pointer(key),
            expected,
            line,
            column,
        }
    }

    fn pointer(self, key: &str) -> String {
        let escape = |part: &str| part.replace('~', "~0").replace('/', "~1");
        let mut pointer = format!("/{}/{}", self.list, escape(self.server));
        if !key.is_empty() {
            pointer.push('/');
            pointer.push_str(&escape(key));
        }
        pointer
    }

    /// Returns line and column of a key, or of the last name of the path to it that was found.
    fn position(self, key: &str) -> (usize, usize) {
        let mut at = 0;
        for name in [self.list, self.server, key] {
            let quoted = Value::from(name).to_string();
            let rest = self.text.get(at..).unwrap_or_default();
            at += rest.find(&quoted).unwrap_or_default();
        }
        let before = self.text.get(..at).unwrap_or_default();
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = before.matches('\n').count() + 1;
        (line, at - line_start + 1)
    }
}

/// Parsed entry.
pub(super) struct Entry {
    pub(super) config: McpServerConfig,
    pub(super) issues: Vec<ConfigIssue>,
}

impl Entry {
    pub(super) fn parse(place: Place<'_>, entry: &Value) -> Result<Self, ConfigError> {
        let Value::Object(members) = entry else {
            return Err(place.invalid("", "an object"));
        };
        let mut parsed = Self {
            config: McpServerConfig::default(),
            issues: Vec::new(),
        };
        for (key, value) in members {
            let read =
                parsed.start_key(place, key, value)? || parsed.call_key(place, key, value)?;
            if !read {
                parsed.other_key(place, key);
            }
        }
        parsed.config.check(place.server)?;
        Ok(parsed)
    }

    /// Reads a key about the start of the server. Returns `false` if the key is another one.
    fn start_key(
        &mut self,
        place: Place<'_>,
        key: &str,
        value: &Value,
    ) -> Result<bool, ConfigError> {
        let config = &mut self.config;
        match key {
            "transport" | "type" => config.transport = Some(transport(place, key, value)?),
            "command" => config.command = Some(text(place, key, value)?),
            "args" => config.args = texts(place, key, value)?,
            "env" => config.env = secrets(place, key, value)?,
            "url" | "serverUrl" | "httpUrl" => config.url = Some(text(place, key, value)?),
            "cwd" => config.cwd = Some(PathBuf::from(text(place, key, value)?)),
            "enabled" => config.enabled = flag(place, key, value)?,
            "disabled" => config.enabled = !flag(place, key, value)?,
            "inherit_env" => config.inherit_env = flag(place, key, value)?,
            "restart" => config.restart = flag(place, key, value)?,
            "protocol" => config.protocol = protocol(place, key, value)?,
            "startup_timeout" => {
                config.startup_timeout = seconds::parse(value)
                    .ok_or_else(|| place.invalid(key, "a number of seconds above 0"))?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Reads a key about tools and calls. Returns `false` if the key is another one.
    fn call_key(
        &mut self,
        place: Place<'_>,
        key: &str,
        value: &Value,
    ) -> Result<bool, ConfigError> {
        let config = &mut self.config;
        let duration = || {
            seconds::parse(value).ok_or_else(|| place.invalid(key, "a number of seconds above 0"))
        };
        match key {
            "timeout" => config.timeout = duration()?,
            "max_timeout" => config.max_timeout = duration()?,
            "tools" | "includeTools" => config.tools = texts(place, key, value)?,
            "disabled_tools" | "excludeTools" => config.disabled_tools = texts(place, key, value)?,
            "trust" if value.is_boolean() => return Ok(false),
            "trust" => config.trust = trust(place, key, value)?,
            "risk" => config.risk = risks(place, key, value)?,
            "max_message" => config.max_message = count(place, key, value)?,
            "max_result" => config.max_result = count(place, key, value)?,
            "max_parallel" => config.max_parallel = count(place, key, value)?,
            "prefix" => config.prefix = Some(text(place, key, value)?),
            "strict_output" => config.strict_output = flag(place, key, value)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn other_key(&mut self, place: Place<'_>, key: &str) {
        let server = place.server.to_owned();
        let issue = match key {
            "alwaysAllow" | "autoApprove" | "trust" => ConfigIssue::IgnoredApproval {
                server,
                key: key.to_owned(),
            },
            // Only shown to users.
            "description" | "name" => return,
            _ => ConfigIssue::UnknownKey {
                server,
                key: key.to_owned(),
                pointer: place.pointer(key),
                nearest: nearest(key),
            },
        };
        self.issues.push(issue);
    }
}

fn text(place: Place<'_>, key: &str, value: &Value) -> Result<String, ConfigError> {
    let text = value.as_str().filter(|text| !text.is_empty());
    text.map(str::to_owned)
        .ok_or_else(|| place.invalid(key, "a string that is not empty"))
}

fn flag(place: Place<'_>, key: &str, value: &Value) -> Result<bool, ConfigError> {
    value
        .as_bool()
        .ok_or_else(|| place.invalid(key, "`true` or `false`"))
}

fn count(place: Place<'_>, key: &str, value: &Value) -> Result<usize, ConfigError> {
    let count = value.as_u64().and_then(|count| usize::try_from(count).ok());
    count
        .filter(|count| *count > 0)
        .ok_or_else(|| place.invalid(key, "an integer above 0"))
}

fn texts(place: Place<'_>, key: &str, value: &Value) -> Result<Vec<String>, ConfigError> {
    let expected = || place.invalid(key, "a list of strings");
    let items = value.as_array().ok_or_else(expected)?;
    items
        .iter()
        .map(|item| item.as_str().map(str::to_owned).ok_or_else(expected))
        .collect()
}

fn object<'v>(
    place: Place<'_>,
    key: &str,
    value: &'v Value,
    expected: &'static str,
) -> Result<&'v Map<String, Value>, ConfigError> {
    value
        .as_object()
        .ok_or_else(|| place.invalid(key, expected))
}

fn secrets(
    place: Place<'_>,
    key: &str,
    value: &Value,
) -> Result<BTreeMap<String, Secret<String>>, ConfigError> {
    let expected = "an object of strings";
    let mut secrets = BTreeMap::new();
    for (name, value) in object(place, key, value, expected)? {
        let text = match value {
            Value::String(text) => text.clone(),
            // Other clients accept numbers and booleans here.
            Value::Number(_) | Value::Bool(_) => value.to_string(),
            _ => return Err(place.invalid(key, expected)),
        };
        secrets.insert(name.clone(), Secret::new(text));
    }
    Ok(secrets)
}

fn risks(
    place: Place<'_>,
    key: &str,
    value: &Value,
) -> Result<Vec<(String, RiskLevel)>, ConfigError> {
    let expected = "an object of `read_only`, `safe_write` or `dangerous` by pattern";
    let mut risks = Vec::new();
    for (pattern, value) in object(place, key, value, expected)? {
        let risk = match value.as_str() {
            Some("read_only") => RiskLevel::ReadOnly,
            Some("safe_write") => RiskLevel::SafeWrite,
            Some("dangerous") => RiskLevel::Dangerous,
            _ => return Err(place.invalid(key, expected)),
        };
        risks.push((pattern.clone(), risk));
    }
    Ok(risks)
}

fn transport(place: Place<'_>, key: &str, value: &Value) -> Result<Transport, ConfigError> {
    match value.as_str() {
        Some("stdio") => Ok(Transport::Stdio),
        Some("http" | "streamable-http" | "streamableHttp" | "streamable_http") => {
            Ok(Transport::Http)
        }
        Some("sse") => Err(ConfigError::OldSse {
            server: place.server.to_owned(),
        }),
        _ => Err(place.invalid(key, "`stdio` or `http`")),
    }
}

fn protocol(place: Place<'_>, key: &str, value: &Value) -> Result<Protocol, ConfigError> {
    match value.as_str() {
        Some("auto") => Ok(Protocol::Auto),
        Some("2026-07-28") => Ok(Protocol::V2026),
        Some("2025-11-25") => Ok(Protocol::V2025),
        _ => Err(place.invalid(key, "`auto`, `2026-07-28` or `2025-11-25`")),
    }
}

fn trust(place: Place<'_>, key: &str, value: &Value) -> Result<Trust, ConfigError> {
    match value.as_str() {
        Some("trusted") => Ok(Trust::Trusted),
        Some("untrusted") => Ok(Trust::Untrusted),
        _ => Err(place.invalid(key, "`trusted` or `untrusted`")),
    }
}

/// Returns the known key with the smallest edit distance, at most a third of its length.
fn nearest(key: &str) -> Option<&'static str> {
    let key = key.to_lowercase();
    let distances = KEYS.iter().map(|known| (distance(&key, known), *known));
    let (distance, known) = distances.min()?;
    (distance * 3 <= known.len().max(3)).then_some(known)
}

/// Returns the Levenshtein distance.
fn distance(left: &str, right: &str) -> usize {
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (place, from) in left.bytes().enumerate() {
        let mut diagonal = place;
        let mut before = place + 1;
        for (cell, to) in row.iter_mut().skip(1).zip(right.bytes()) {
            let replaced = diagonal + usize::from(from != to);
            diagonal = *cell;
            before = replaced.min(before + 1).min(diagonal + 1);
            *cell = before;
        }
        if let Some(first) = row.first_mut() {
            *first = place + 1;
        }
    }
    row.last().copied().unwrap_or_default()
}
