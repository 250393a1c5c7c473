//! Marker that identifies the processes of one call.

use std::fmt;
use std::hash::{BuildHasher, RandomState};

/// Random string in the environment of a program, inherited by its child processes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProcessMarker(String);

impl ProcessMarker {
    /// Name of the environment variable.
    pub(crate) const VARIABLE: &str = "TOOL_CALL_ID";

    pub(crate) fn random() -> Self {
        // `RandomState` uses different random keys for each hasher.
        let [high, low] = [0_u8; 2].map(|byte| RandomState::new().hash_one(byte));
        Self(format!("{high:016x}{low:016x}"))
    }

    /// Returns `true` if `environ`, in the format of `/proc/<id>/environ`, contains this marker.
    #[cfg(any(target_os = "linux", test))]
    pub(crate) fn is_in(&self, environ: &[u8]) -> bool {
        let entry = format!("{}={}", Self::VARIABLE, self.0);
        environ
            .split(|byte| *byte == 0)
            .any(|variable| variable == entry.as_bytes())
    }
}

impl fmt::Display for ProcessMarker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_are_unique() {
        let markers: std::collections::HashSet<String> = (0..1000)
            .map(|_| ProcessMarker::random().to_string())
            .collect();

        assert_eq!(markers.len(), 1000);
    }

    #[test]
    fn matches_marker_only_as_entire_variable() {
        let marker = ProcessMarker("abc".into());

        for (environ, found) in [
            (&b"PATH=/bin\0TOOL_CALL_ID=abc\0"[..], true),
            (b"TOOL_CALL_ID=abc", true),
            (b"TOOL_CALL_ID=abcd\0", false),
            (b"MY_TOOL_CALL_ID=abc\0", false),
            (b"", false),
        ] {
            assert_eq!(marker.is_in(environ), found, "{environ:?}");
        }
    }
}
