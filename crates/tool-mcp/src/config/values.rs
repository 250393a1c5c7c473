//! Values of keys.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use tool_core::{RiskLevel, Secret};

use super::place::Place;
use super::{ConfigError, OAuthConfig, Protocol, Transport, Trust};

pub(super) fn text(place: Place<'_>, key: &str, value: &Value) -> Result<String, ConfigError> {
    let text = value.as_str().filter(|text| !text.is_empty());
    text.map(str::to_owned)
        .ok_or_else(|| place.invalid(key, "a string that is not empty"))
}

pub(super) fn flag(place: Place<'_>, key: &str, value: &Value) -> Result<bool, ConfigError> {
    value
        .as_bool()
        .ok_or_else(|| place.invalid(key, "`true` or `false`"))
}

pub(super) fn count(place: Place<'_>, key: &str, value: &Value) -> Result<usize, ConfigError> {
    let count = value.as_u64().and_then(|count| usize::try_from(count).ok());
    count
        .filter(|count| *count > 0)
        .ok_or_else(|| place.invalid(key, "an integer above 0"))
}

pub(super) fn texts(
    place: Place<'_>,
    key: &str,
    value: &Value,
) -> Result<Vec<String>, ConfigError> {
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

pub(super) fn secrets(
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

pub(super) fn oauth(
    place: Place<'_>,
    key: &str,
    value: &Value,
) -> Result<OAuthConfig, ConfigError> {
    let expected = "an object with `client_id`, `client_secret` and `scopes`";
    let mut oauth = OAuthConfig::default();
    for (name, value) in object(place, key, value, expected)? {
        match name.as_str() {
            "client_id" | "clientId" | "CLIENT_ID" => {
                oauth.client_id = Some(text(place, key, value)?);
            }
            "client_secret" | "clientSecret" | "CLIENT_SECRET" => {
                oauth.client_secret = Some(Secret::new(text(place, key, value)?));
            }
            "scopes" => oauth.scopes = texts(place, key, value)?,
            // Settings of other clients that the host decides here.
            _ => {}
        }
    }
    Ok(oauth)
}

pub(super) fn risks(
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

pub(super) fn transport(
    place: Place<'_>,
    key: &str,
    value: &Value,
) -> Result<Transport, ConfigError> {
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

pub(super) fn protocol(
    place: Place<'_>,
    key: &str,
    value: &Value,
) -> Result<Protocol, ConfigError> {
    match value.as_str() {
        Some("auto") => Ok(Protocol::Auto),
        Some("2026-07-28") => Ok(Protocol::V2026),
        Some("2025-11-25") => Ok(Protocol::V2025),
        _ => Err(place.invalid(key, "`auto`, `2026-07-28` or `2025-11-25`")),
    }
}

pub(super) fn trust(place: Place<'_>, key: &str, value: &Value) -> Result<Trust, ConfigError> {
    match value.as_str() {
        Some("trusted") => Ok(Trust::Trusted),
        Some("untrusted") => Ok(Trust::Untrusted),
        _ => Err(place.invalid(key, "`trusted` or `untrusted`")),
    }
}
