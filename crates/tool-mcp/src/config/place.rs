//! Locations in configuration files.

use serde_json::Value;

use super::ConfigError;

/// Location of an entry in the text of its file.
#[derive(Clone, Copy)]
pub(super) struct Place<'t> {
    pub(super) text: &'t str,
    pub(super) list: &'static str,
    pub(super) server: &'t str,
}

impl Place<'_> {
    pub(super) fn invalid(self, key: &str, expected: &'static str) -> ConfigError {
        let (line, column) = self.position(key);
        ConfigError::InvalidValue {
            server: self.server.to_owned(),
            pointer: self.pointer(key),
            expected,
            line,
            column,
        }
    }

    pub(super) fn pointer(self, key: &str) -> String {
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
