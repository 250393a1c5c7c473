//! Removal of an account's secrets from everything that a service returns.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::fmt::{self, Write as _};
use std::sync::{Arc, Mutex, PoisonError};

use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD_NO_PAD, BASE64_URL_SAFE_NO_PAD};
use memchr::memmem;
use serde_json::Value;
use tool_core::{Redactor, Secret};

/// Replacement of a secret.
const REDACTED: &str = "[redacted]";
/// Minimum length of a secret in bytes. Shorter ones would match ordinary text.
const SHORTEST: usize = 6;
/// Number of secrets that are kept. Those that were added or used least recently are dropped first.
const MOST: usize = 64;

/// Secrets of an account: current, former and pending ones. Clones share them.
#[derive(Clone, Default)]
pub(crate) struct Secrets(Arc<Mutex<Known>>);

#[derive(Default)]
struct Known {
    values: VecDeque<Entry>,
    redactor: Option<Redactor>,
}

struct Entry {
    value: String,
    forms: Vec<String>,
}

impl Secrets {
    /// Adds a secret, or marks it as used. Values of fewer than 6 bytes are ignored.
    pub(crate) fn add(&self, value: &str) {
        let mut known = self.known();
        if value.len() < SHORTEST {
            return;
        }
        let place = known.values.iter().position(|entry| entry.value == value);
        if let Some(entry) = place.and_then(|place| known.values.remove(place)) {
            known.values.push_back(entry);
            return;
        }
        // Former tokens stay for a while: a service can still echo one that was refreshed a second ago.
        if known.values.len() >= MOST {
            known.values.pop_front();
        }
        let forms = forms(value);
        if let Some(redactor) = &known.redactor {
            learn(redactor, &forms);
        }
        known.values.push_back(Entry {
            value: value.to_owned(),
            forms,
        });
    }

    /// Passes all present and future secrets to `redactor`.
    pub(crate) fn teach(&self, redactor: Redactor) {
        let mut known = self.known();
        for entry in &known.values {
            learn(&redactor, &entry.forms);
        }
        known.redactor = Some(redactor);
    }

    /// Returns `text` with each secret replaced, in all encodings.
    pub(crate) fn scrub<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match self.scrubbed(text.as_bytes()) {
            None => Cow::Borrowed(text),
            Some(bytes) => Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
        }
    }

    /// Replaces each secret in `bytes`.
    pub(crate) fn scrub_bytes(&self, bytes: Vec<u8>) -> Vec<u8> {
        self.scrubbed(&bytes).unwrap_or(bytes)
    }

    fn scrubbed(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        let known = self.known();
        let forms = known.values.iter().flat_map(|entry| &entry.forms);
        let mut found: Vec<(usize, usize)> = forms
            .flat_map(|form| {
                memmem::find_iter(bytes, form.as_bytes()).map(|at| (at, at + form.len()))
            })
            .collect();
        if found.is_empty() {
            return None;
        }
        found.sort_unstable();
        Some(without(bytes, &found))
    }

    fn known(&self) -> std::sync::MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Replaces the sorted ranges. Overlapping and adjacent ranges become one.
fn without(bytes: &[u8], found: &[(usize, usize)]) -> Vec<u8> {
    let mut kept = Vec::with_capacity(bytes.len());
    let mut end = None;
    for &(from, to) in found {
        if end.is_none_or(|end| from > end) {
            kept.extend_from_slice(bytes.get(end.unwrap_or(0)..from).unwrap_or_default());
            kept.extend_from_slice(REDACTED.as_bytes());
        }
        end = Some(end.unwrap_or(0).max(to));
    }
    kept.extend_from_slice(bytes.get(end.unwrap_or(0)..).unwrap_or_default());
    kept
}

fn learn(redactor: &Redactor, forms: &[String]) {
    for form in forms {
        // Every form is long enough, and a secret over 64 KiB is not a token.
        let _ = redactor.learn(&Secret::new(form.clone()));
    }
}

/// Returns the secret plain, JSON-escaped, percent-encoded, as base64, base64url and hex.
fn forms(value: &str) -> Vec<String> {
    let bytes = value.as_bytes();
    let percent: String = url::form_urlencoded::byte_serialize(bytes).collect();
    let mut hex = String::new();
    for byte in bytes {
        // Writing to a String cannot fail.
        let _ = write!(hex, "{byte:02x}");
    }
    // The characters after the last complete group depend on what follows the secret.
    let groups = bytes.get(..bytes.len() / 3 * 3).unwrap_or_default();
    let mut forms = vec![
        value.to_owned(),
        Value::from(value).to_string().trim_matches('"').to_owned(),
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

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secrets({} values)", self.known().values.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(format!("{secrets:?}"), "Secrets(1 values)");
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
    fn teaches_present_and_future_secrets() {
        let (secrets, redactor) = (Secrets::default(), Redactor::new());
        secrets.add("secret-1");
        secrets.teach(redactor.clone());
        secrets.add("secret-2");

        assert_eq!(redactor.scrub("secret-1 secret-2"), "[redacted] [redacted]");
    }
}
