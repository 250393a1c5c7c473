//! Seals of text that passes through a client, which can read but not change it.

use std::time::Duration;

use rmcp::model::{RequestStateCodec, SealOptions};
use tool_core::Secret;

/// Number of random bytes of a key.
const KEY: usize = 32;

/// Key that seals text with an HMAC.
pub(super) struct Seals(Option<RequestStateCodec>);

impl Seals {
    /// Creates seals with a key, or with a random one. Without random numbers, nothing can be sealed.
    pub(super) fn new(key: Option<&Secret<Vec<u8>>>) -> Self {
        let random = || {
            let mut random = vec![0; KEY];
            getrandom::fill(&mut random).ok().map(|()| random)
        };
        let key = key.map(|key| key.expose().clone()).or_else(random);
        Self(key.and_then(|key| RequestStateCodec::try_new(key).ok()))
    }

    /// Seals text for `bound`, which names the client and the request. The seal expires after `ttl`.
    pub(super) fn seal(&self, text: &str, bound: &[u8], ttl: Duration) -> Option<String> {
        let options = SealOptions::new().associated_data(bound).ttl(ttl);
        Some(self.0.as_ref()?.seal_with(text.as_bytes(), &options))
    }

    /// Returns text that was sealed for `bound` and has not expired.
    pub(super) fn open(&self, sealed: &str, bound: &[u8]) -> Option<String> {
        let text = self.0.as_ref()?.open_with(sealed, bound).ok()?;
        String::from_utf8(text).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_unchanged_text_is_opened() {
        let seals = Seals::new(Some(&Secret::new(vec![7; 32])));
        let hour = Duration::from_hours(1);
        let sealed = seals.seal("a.b.c", b"client", hour).unwrap();

        assert_eq!(seals.open(&sealed, b"client").as_deref(), Some("a.b.c"));
        assert_eq!(seals.open(&sealed, b"other"), None);
        for changed in [
            format!("{sealed}x"),
            sealed.replacen('.', "0.", 1),
            String::new(),
            "a.b".to_owned(),
        ] {
            assert_eq!(seals.open(&changed, b"client"), None, "{changed}");
        }
        assert_eq!(Seals::new(None).open(&sealed, b"client"), None);
        let expired = seals.seal("a", b"client", Duration::ZERO).unwrap();
        std::thread::sleep(Duration::from_millis(5));
        assert_eq!(seals.open(&expired, b"client"), None);
    }
}
