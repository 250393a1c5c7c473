//! Masking of arguments.

use serde_json::Value;

use super::AuditedText;
use crate::Redactor;
use crate::approval::canonical_json;
use crate::digest::sha256;
use crate::secret::REDACTED;

/// Maximum bytes of recorded arguments.
const SHOWN_BYTES: usize = 2 * 1024;

/// Substrings of the names of secrets, in lowercase without separators.
const SECRET_NAMES: [&str; 11] = [
    "password",
    "passwd",
    "passphrase",
    "secret",
    "credential",
    "authorization",
    "apikey",
    "privatekey",
    "accesskey",
    "cookie",
    "bearer",
];

/// Returns arguments as an event shows them: without secrets and truncated.
pub(crate) fn recorded_arguments(arguments: Value, redactor: Option<&Redactor>) -> AuditedText {
    let text = canonical_json(&masked(arguments, redactor));
    let end = text.floor_char_boundary(SHOWN_BYTES);
    AuditedText {
        bytes: text.len() as u64,
        digest: sha256(text.as_bytes()),
        text: text.get(..end).map(str::to_owned),
        handle: None,
    }
}

/// Returns arguments without known and likely secrets.
pub(crate) fn masked(mut arguments: Value, redactor: Option<&Redactor>) -> Value {
    mask(&mut arguments);
    if let Some(redactor) = redactor {
        redactor.scrub_value(&mut arguments);
    }
    arguments
}

/// Masks members with the name of a secret, at any depth.
fn mask(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(mask),
        Value::Object(members) => {
            for (name, member) in members {
                if !member.is_null() && is_secret(name) {
                    *member = REDACTED.into();
                } else {
                    mask(member);
                }
            }
        }
        _ => {}
    }
}

/// Returns `true` if a name identifies a secret, such as `token` but not `max_tokens`.
fn is_secret(name: &str) -> bool {
    let letters = name.chars().filter(|character| character.is_alphanumeric());
    let folded: String = letters.take(256).flat_map(char::to_lowercase).collect();
    folded.ends_with("token")
        || ["auth", "pin"].contains(&folded.as_str())
        || SECRET_NAMES.iter().any(|secret| folded.contains(secret))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn recognizes_names_of_secrets() {
        for (name, secret) in [
            ("api_key", true),
            ("apiKey", true),
            ("X-API-Key", true),
            ("OPENAI_API_KEY", true),
            ("token", true),
            ("accessToken", true),
            ("password", true),
            ("db.passwd", true),
            ("Authorization", true),
            ("client-secret", true),
            ("aws_secret_access_key", true),
            ("max_tokens", false),
            ("key", false),
            ("path", false),
            ("author", false),
            ("pinned", false),
        ] {
            assert_eq!(is_secret(name), secret, "{name}");
        }
    }

    #[test]
    fn masks_secrets_at_any_depth() {
        let arguments = json!({"url": "u", "headers": [{"Authorization": "Bearer x", "a": 1}], "token": {"b": 1}, "password": null});

        let audited = recorded_arguments(arguments, None);

        let text = r#"{"headers":[{"Authorization":"[redacted]","a":1}],"password":null,"token":"[redacted]","url":"u"}"#;
        assert_eq!(audited.text.as_deref(), Some(text));
        assert_eq!(audited.bytes, text.len() as u64);
    }

    #[test]
    fn truncates_long_arguments_and_digests_all() {
        let whole = json!({"content": "ä".repeat(5000)});

        let audited = recorded_arguments(whole.clone(), None);

        let shown = audited.text.unwrap().len();
        assert!((2045..=2048).contains(&shown), "{shown}");
        assert_eq!(audited.digest, sha256(canonical_json(&whole).as_bytes()));
        assert_eq!(audited.bytes, 10_014);
    }
}
