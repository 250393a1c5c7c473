//! Seals of text that passes through a client, which can read but not change it.

use std::time::Duration;

use sha2::{Digest, Sha256};
use tool_core::{Secret, Timestamp};

use crate::hexadecimal::hexadecimal;

/// Block size of SHA-256, in bytes.
const BLOCK: usize = 64;

/// Number of random bytes of a key.
const KEY: usize = 32;

/// Key that seals text. The seal is an HMAC with SHA-256 (RFC 2104).
pub(crate) struct Seals(Option<[u8; BLOCK]>);

impl Seals {
    /// Creates seals with a key, or with a random one. Without random numbers, nothing can be sealed.
    pub(crate) fn new(key: Option<&Secret<Vec<u8>>>) -> Self {
        let mut random = [0; KEY];
        Self(match key {
            Some(key) => Some(block(key.expose())),
            None => getrandom::fill(&mut random).ok().map(|()| block(&random)),
        })
    }

    /// Seals text for `bound`, which names the client and the request. The seal expires after `ttl`.
    pub(crate) fn seal(&self, text: &str, bound: &[u8], ttl: Duration) -> Option<String> {
        let expires = Timestamp::now().after(ttl).as_milliseconds();
        let code = self.code(text, bound, expires)?;
        Some(format!("{expires:x}.{code}.{text}"))
    }

    /// Returns text that was sealed for `bound` and has not expired.
    pub(crate) fn open<'s>(&self, sealed: &'s str, bound: &[u8]) -> Option<&'s str> {
        let (expires, rest) = sealed.split_once('.')?;
        let (code, text) = rest.split_once('.')?;
        let expires = u64::from_str_radix(expires, 16).ok()?;
        let expected = self.code(text, bound, expires)?;
        let is_valid = is_same(expected.as_bytes(), code.as_bytes())
            && expires > Timestamp::now().as_milliseconds();
        is_valid.then_some(text)
    }

    fn code(&self, text: &str, bound: &[u8], expires: u64) -> Option<String> {
        let length = u64::try_from(bound.len()).ok()?;
        let parts = [
            &expires.to_be_bytes()[..],
            &length.to_be_bytes(),
            bound,
            text.as_bytes(),
        ];
        let code = hmac(self.0.as_ref()?, &parts);
        Some(hexadecimal(&code))
    }
}

fn block(key: &[u8]) -> [u8; BLOCK] {
    let digest;
    let short = if key.len() > BLOCK {
        digest = Sha256::digest(key);
        digest.as_slice()
    } else {
        key
    };
    let mut block = [0; BLOCK];
    for (place, byte) in block.iter_mut().zip(short) {
        *place = *byte;
    }
    block
}

fn hmac(key: &[u8; BLOCK], parts: &[&[u8]]) -> [u8; 32] {
    let [inner, outer] = [0x36, 0x5c].map(|pad| key.map(|byte| byte ^ pad));
    let mut digest = Sha256::new().chain_update(inner);
    for part in parts {
        digest.update(part);
    }
    let digest = Sha256::new()
        .chain_update(outer)
        .chain_update(digest.finalize());
    digest.finalize().into()
}

/// Compares in constant time.
pub(crate) fn is_same(expected: &[u8], given: &[u8]) -> bool {
    let difference = expected.iter().zip(given).fold(0, |difference, (a, b)| {
        std::hint::black_box(difference | (a ^ b))
    });
    expected.len() == given.len() && difference == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Test cases of RFC 4231.
    #[test]
    fn code_matches_rfc_4231() {
        for (key, text, code) in [
            (&[0x0b; 20][..], &b"Hi There"[..], "b0344c61d8db3853"),
            (b"Jefe", b"what do ya want for nothing?", "5bdcc146bf60754e"),
            (
                &[0xaa; 131],
                b"Test Using Larger Than Block-Size Key - Hash Key First",
                "60e431591ee0b67f",
            ),
        ] {
            let computed = hmac(&block(key), &[&text[..2], &text[2..]]);

            assert_eq!(hexadecimal(&computed[..8]), code);
        }
    }

    #[test]
    fn only_unchanged_text_is_opened() {
        let seals = Seals::new(Some(&Secret::new(vec![7; 32])));
        let hour = Duration::from_hours(1);
        let sealed = seals.seal("a.b.c", b"client", hour).unwrap();

        assert_eq!(seals.open(&sealed, b"client"), Some("a.b.c"));
        assert_eq!(seals.open(&sealed, b"other"), None);
        for changed in [
            format!("{sealed}x"),
            sealed.replacen('.', "0.", 1),
            sealed.replacen(".b", ".x", 1),
            String::new(),
            "a.b".to_owned(),
        ] {
            assert_eq!(seals.open(&changed, b"client"), None, "{changed}");
        }
        assert_eq!(Seals::new(None).open(&sealed, b"client"), None);
        let expired = seals.seal("a", b"client", Duration::ZERO).unwrap();
        assert_eq!(seals.open(&expired, b"client"), None);
    }
}
