//! Removal of an account's secrets from everything that a service returns.

use std::borrow::Cow;

use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD_NO_PAD, BASE64_URL_SAFE_NO_PAD};
use tool_core::{Redactor, Secret};
use tool_json::text::hexadecimal;

/// Minimum length of a secret in bytes. Shorter ones would match ordinary text.
const SHORTEST: usize = 6;

/// Secrets of an account: current, former and pending ones. Clones share them.
#[derive(Clone, Default)]
pub(crate) struct Secrets(Redactor);

impl Secrets {
    /// Returns secrets that the redactor of the application learns, if it has one.
    pub(crate) fn taught(redactor: Option<Redactor>) -> Self {
        Self(redactor.unwrap_or_default())
    }

    /// Adds a secret, or marks it as used. Values of fewer than 6 bytes are ignored.
    pub(crate) fn add(&self, value: &str) {
        // Encodings of such a value could be long enough.
        if value.len() < SHORTEST {
            return;
        }
        for form in forms(value) {
            // It fails for text that is too long for a token.
            let _ = self.0.learn(&Secret::new(form));
        }
    }

    /// Returns `text` with each secret replaced, in all encodings.
    pub(crate) fn scrub<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.0.scrub(text)
    }

    /// Returns a redactor of the secrets.
    pub(crate) fn redactor(&self) -> Redactor {
        self.0.clone()
    }

    /// Replaces each secret in `bytes`.
    pub(crate) fn scrub_bytes(&self, bytes: Vec<u8>) -> Vec<u8> {
        let text = String::from_utf8_lossy(&bytes);
        let scrubbed = match self.scrub(&text) {
            Cow::Borrowed(_) => None,
            Cow::Owned(scrubbed) => Some(scrubbed.into_bytes()),
        };
        scrubbed.unwrap_or(bytes)
    }
}

/// Returns the secret plain, percent-encoded, as base64, base64url and hex. Redactors themselves also
/// find it escaped as in JSON.
fn forms(value: &str) -> Vec<String> {
    let bytes = value.as_bytes();
    let percent: String = url::form_urlencoded::byte_serialize(bytes).collect();
    let hex = hexadecimal(bytes);
    // The characters after the last complete group depend on what follows the secret.
    let groups = bytes.get(..bytes.len() / 3 * 3).unwrap_or_default();
    let mut forms = vec![
        value.to_owned(),
        // Forms write a space as `+`, paths as `%20`.
        percent.replace('+', "%20"),
        percent,
        hex.to_uppercase(),
        hex,
        BASE64_STANDARD_NO_PAD.encode(groups),
        BASE64_URL_SAFE_NO_PAD.encode(groups),
    ];
    forms.sort();
    forms.dedup();
    forms
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    const REDACTED: &str = "[redacted]";
    const SECRET: &str = "ya29.a/b+c\"d ü-0123456789";

    #[test]
    fn removes_secret_in_all_encodings() {
        let secrets = Secrets::default();
        secrets.add(SECRET);
        for text in [
            SECRET.to_owned(),
            Value::from(SECRET).to_string(),
            "x=ya29.a%2Fb%2Bc%22d+%C3%BC-0123456789".to_owned(),
            "x=ya29.a%2Fb%2Bc%22d%20%C3%BC-0123456789".to_owned(),
            "eWEyOS5hL2IrYyJkIMO8LTAxMjM0NTY3ODk=".to_owned(),
            "796132392e612f622b63226420c3bc2d30313233343536373839".to_owned(),
        ] {
            let scrubbed = secrets.scrub(&text);

            assert!(scrubbed.contains(REDACTED), "{text}: {scrubbed}");
            for part in ["0123456789", "ya29", "eWEyOS5hL2Ir", "7961"] {
                assert!(!scrubbed.contains(part), "{text}: {scrubbed}");
            }
        }
        assert_eq!(secrets.scrub("nothing"), "nothing");
    }

    #[test]
    fn keeps_text_around_secrets() {
        let secrets = Secrets::default();
        secrets.add("secret-1");
        secrets.add("short");
        secrets.add("secret-12");

        let text = "a secret-1 b secret-12secret-1 short";

        assert_eq!(secrets.scrub(text), "a [redacted] b [redacted] short");
    }

    #[test]
    fn redactor_of_application_learns_secrets() {
        let redactor = Redactor::new();
        let secrets = Secrets::taught(Some(redactor.clone()));

        secrets.add("secret-1");

        assert_eq!(
            redactor.scrub("a secret-1 7365637265742d31"),
            "a [redacted] [redacted]"
        );
    }
}
