//! Names of tools.

use std::collections::HashMap;

use tool_core::ToolName;
use tool_json::look_alikes::{foreign_letter, skeleton};

use crate::config::ConfigError;
use crate::hygiene;

/// Separator between the prefix of a server and the name of its tool.
const SEPARATOR: &str = "__";

/// Maximum length of a prefix.
const MAX_PREFIX: usize = 32;

/// Returns the prefix of a server's tools.
///
/// # Errors
/// Returns [`ConfigError::Invalid`] if a configured prefix is invalid.
pub(crate) fn prefix(server: &str, configured: Option<&str>) -> Result<String, ConfigError> {
    if let Some(prefix) = configured {
        let is_valid = !prefix.is_empty()
            && prefix.len() <= MAX_PREFIX
            && !prefix.contains(SEPARATOR)
            && prefix.bytes().all(is_allowed);
        return is_valid
            .then(|| prefix.to_owned())
            .ok_or_else(|| {
                let problem = format!("the prefix \"{prefix}\" is invalid. Use 1 to 32 letters, digits, `-` or `_`, without `__`.");
                ConfigError::invalid(server, problem)
            });
    }
    let mut prefix = String::new();
    for character in server.chars().take(MAX_PREFIX) {
        let allowed = u8::try_from(character).is_ok_and(is_allowed);
        let character = if allowed { character } else { '_' };
        // `__` ends the prefix, so it must not be in it.
        if character != '_' || !prefix.ends_with('_') {
            prefix.push(character);
        }
    }
    Ok(if prefix.is_empty() {
        "mcp".to_owned()
    } else {
        prefix
    })
}

fn is_allowed(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

/// Returns the name of a tool in the registry.
///
/// # Errors
/// Returns the reason if the server's name of the tool is empty, too long or has hidden characters.
pub(crate) fn tool_name(prefix: &str, tool: &str) -> Result<ToolName, String> {
    if tool.is_empty() {
        return Err("its name is empty".to_owned());
    }
    if !hygiene::is_clean(tool) || tool.contains(char::is_control) {
        return Err("its name has control or hidden characters".to_owned());
    }
    ToolName::parse(format!("{prefix}{SEPARATOR}{tool}")).map_err(|error| error.to_string())
}

/// Names that others could imitate, by what they look like.
pub(crate) struct KnownNames(HashMap<String, Vec<String>>);

impl FromIterator<String> for KnownNames {
    fn from_iter<I: IntoIterator<Item = String>>(names: I) -> Self {
        let mut known = HashMap::<String, Vec<String>>::new();
        for name in names {
            known.entry(skeleton(&name)).or_default().push(name);
        }
        Self(known)
    }
}

impl KnownNames {
    /// Returns why people may take a name for another one: it looks like a known one, or has letters of another alphabet.
    pub(crate) fn look_alike(&self, name: &str) -> Option<String> {
        let own = skeleton(name);
        let mut alike = self.0.get(&own).into_iter().flatten();
        if let Some(other) = alike.find(|other| *other != name) {
            return Some(format!("looks like \"{other}\" and is another name"));
        }
        if own.is_ascii() && !name.is_ascii() {
            return Some(format!("looks like \"{own}\" and has other letters"));
        }
        let code = u32::from(foreign_letter(name)?);
        Some(format!("has the letter U+{code:04X} of another alphabet"))
    }
}

/// Returns the server's own part of the name of a tool.
pub(crate) fn own_part(name: &str) -> &str {
    name.split_once(SEPARATOR).map_or(name, |(_, own)| own)
}

/// Returns `true` if `pattern`, in which `*` matches any characters, matches `name`.
pub(crate) fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let start = parts.next().unwrap_or_default();
    let Some(rest) = name.strip_prefix(start) else {
        return false;
    };
    let Some(end) = parts.next_back() else {
        return rest.is_empty();
    };
    let rest = parts.try_fold(rest, |rest, part| Some(rest.split_once(part)?.1));
    rest.is_some_and(|rest| rest.ends_with(end))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn derives_prefix_from_server_name() {
        for (server, expected) in [
            ("files", "files"),
            ("my server", "my_server"),
            ("a__b", "a_b"),
            ("io.example/search", "io_example_search"),
            ("grüße", "gr_e"),
            ("日本", "_"),
            ("", "mcp"),
            ("a-b_c", "a-b_c"),
            ("@scope/pkg", "_scope_pkg"),
            ("x".repeat(40).as_str(), "x".repeat(32).as_str()),
        ] {
            assert_eq!(prefix(server, None), Ok(expected.to_owned()), "{server}");
        }
        for invalid in ["", "a__b", "ä", "a b", "x".repeat(33).as_str()] {
            assert!(prefix("s", Some(invalid)).is_err(), "{invalid}");
        }
    }

    #[test]
    fn keeps_tool_name_after_prefix() {
        for (tool, expected) in [
            ("read_file", Ok("files__read_file")),
            ("a__b", Ok("files__a__b")),
            ("with space", Ok("files__with space")),
            ("dots.and/slashes", Ok("files__dots.and/slashes")),
            ("日本", Ok("files__日本")),
            ("", Err("its name is empty")),
            ("a\nb", Err("its name has control or hidden characters")),
            (
                "a\u{200b}b",
                Err("its name has control or hidden characters"),
            ),
        ] {
            let name = tool_name("files", tool).map(String::from);
            assert_eq!(
                name,
                expected.map(str::to_owned).map_err(str::to_owned),
                "{tool}"
            );
        }
    }

    #[test]
    fn names_like_others_are_reported() {
        let known: KnownNames = ["bash", "read_file"]
            .map(str::to_owned)
            .into_iter()
            .collect();
        for (name, reason) in [
            (
                "b\u{430}sh",
                Some("looks like \"bash\" and is another name"),
            ),
            (
                "read_fi1e",
                Some("looks like \"read_file\" and is another name"),
            ),
            (
                "\u{441}opy",
                Some("looks like \"copy\" and has other letters"),
            ),
            (
                "fin\u{434}",
                Some("has the letter U+0434 of another alphabet"),
            ),
            ("bash", None),
            ("日本", None),
        ] {
            assert_eq!(known.look_alike(name).as_deref(), reason, "{name}");
        }
    }

    #[test]
    fn pattern_matches_complete_name() {
        for (pattern, name, expected) in [
            ("read_*", "read_file", true),
            ("read_*", "read_", true),
            ("read_*", "bread_x", false),
            ("*", "", true),
            ("*file*", "read_files", true),
            ("a*b*c", "aXbYc", true),
            ("a*b*c", "acb", false),
            ("exact", "exact", true),
            ("exact", "exactly", false),
            ("a*a", "a", false),
            ("a**b", "ab", true),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }

    proptest! {
        #[test]
        fn names_of_tools_are_valid(server in ".{0,40}", tool in ".{1,300}") {
            let prefix = prefix(&server, None).unwrap();

            prop_assert!(!prefix.contains(SEPARATOR) && prefix.len() <= MAX_PREFIX);
            if let Ok(name) = tool_name(&prefix, &tool) {
                prop_assert!(name.as_str().starts_with(&prefix));
            }
        }
    }
}
