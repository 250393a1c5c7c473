//! Entries of servers in configuration files.

use std::path::PathBuf;

use serde_json::Value;

use super::place::Place;
use super::values::{count, flag, oauth, protocol, risks, secrets, text, texts, transport, trust};
use super::{ConfigError, ConfigIssue, McpServerConfig, REMOTE_START_LIMIT, Transport, seconds};

/// Keys of the entry of a server, without the names of other clients.
const KEYS: [&str; 27] = [
    "args",
    "command",
    "cwd",
    "disabled",
    "disabled_tools",
    "enabled",
    "env",
    "headers",
    "idle_stop",
    "inherit_env",
    "lazy",
    "max_message",
    "max_parallel",
    "max_result",
    "max_timeout",
    "oauth",
    "prefix",
    "protocol",
    "restart",
    "retry",
    "risk",
    "startup_timeout",
    "strict_output",
    "timeout",
    "tools",
    "transport",
    "url",
];

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
        let transport = parsed.config.check(place.server)?;
        if transport == Transport::Http && !members.contains_key("startup_timeout") {
            parsed.config.startup_timeout = REMOTE_START_LIMIT;
        }
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
            "headers" => config.headers = secrets(place, key, value)?,
            // `auth` is the name of Cursor.
            "oauth" | "auth" => config.oauth = oauth(place, key, value)?,
            "url" | "serverUrl" | "httpUrl" => config.url = Some(text(place, key, value)?),
            "cwd" => config.cwd = Some(PathBuf::from(text(place, key, value)?)),
            "enabled" => config.enabled = flag(place, key, value)?,
            "disabled" => config.enabled = !flag(place, key, value)?,
            "inherit_env" => config.inherit_env = flag(place, key, value)?,
            "restart" => config.restart = flag(place, key, value)?,
            "lazy" => config.lazy = flag(place, key, value)?,
            "idle_stop" if value.as_str() == Some("never") => config.idle_stop = None,
            "idle_stop" => {
                let expected = || place.invalid(key, "`never` or a number of seconds above 0");
                config.idle_stop = Some(seconds::parse(value).ok_or_else(expected)?);
            }
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
            "retry" => config.retry = flag(place, key, value)?,
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
