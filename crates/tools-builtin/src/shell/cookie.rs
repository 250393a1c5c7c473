//! The mark by which the processes of one call are known.

use std::fmt;
use std::hash::{BuildHasher, RandomState};

/// A random text in the environment of a program, which its children inherit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cookie(String);

impl Cookie {
    /// The variable that holds the cookie.
    pub(crate) const VARIABLE: &str = "TOOL_CALL_ID";

    /// Creates a cookie that no other call has.
    pub(crate) fn random() -> Self {
        // The keys of the standard hasher are random, and differ from one to the next.
        let [high, low] = [0_u8; 2].map(|byte| RandomState::new().hash_one(byte));
        Self(format!("{high:016x}{low:016x}"))
    }

    /// Whether `environ`, as the kernel shows it, holds this cookie.
    #[cfg(any(target_os = "linux", test))]
    pub(crate) fn is_in(&self, environ: &[u8]) -> bool {
        let entry = format!("{}={}", Self::VARIABLE, self.0);
        environ
            .split(|byte| *byte == 0)
            .any(|variable| variable == entry.as_bytes())
    }
}

impl fmt::Display for Cookie {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_cookies_are_equal() {
        let cookies: std::collections::HashSet<String> =
            (0..1000).map(|_| Cookie::random().to_string()).collect();

        assert_eq!(cookies.len(), 1000);
    }

    #[test]
    fn a_cookie_is_found_as_a_whole_variable_only() {
        let cookie = Cookie("abc".into());

        for (environ, found) in [
            (&b"PATH=/bin\0TOOL_CALL_ID=abc\0"[..], true),
            (b"TOOL_CALL_ID=abc", true),
            (b"TOOL_CALL_ID=abcd\0", false),
            (b"MY_TOOL_CALL_ID=abc\0", false),
            (b"", false),
        ] {
            assert_eq!(cookie.is_in(environ), found, "{environ:?}");
        }
    }
}
