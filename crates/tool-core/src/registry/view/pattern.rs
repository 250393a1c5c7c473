//! Patterns of tool names.

/// A name, or a pattern in which `*` matches any text and `?` matches one character.
#[derive(Debug, Clone)]
pub(in crate::registry) struct NamePattern(Box<str>);

impl NamePattern {
    pub(in crate::registry) fn new(text: impl Into<String>) -> Self {
        Self(text.into().into())
    }

    pub(in crate::registry) fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the name if this is not a pattern.
    pub(in crate::registry) fn as_name(&self) -> Option<&str> {
        (!self.0.contains(['*', '?'])).then_some(&self.0)
    }

    /// Takes linear time for most patterns, and at most the product of both lengths.
    pub(in crate::registry) fn is_match(&self, name: &str) -> bool {
        let (mut pattern, mut rest) = (self.0.chars(), name.chars());
        let mut last_star = None;
        loop {
            let at = rest.clone();
            match (pattern.next(), rest.next()) {
                (Some('*'), _) => {
                    rest = at;
                    last_star = Some((pattern.clone(), rest.clone()));
                }
                (Some('?'), Some(_)) => {}
                (Some(expected), Some(found)) if expected == found => {}
                (None, None) => return true,
                // The last star consumes one more character; earlier stars need not change.
                _ => match last_star
                    .as_mut()
                    .map(|(after, from)| (from.next(), after, from))
                {
                    Some((Some(_), after, from)) => {
                        (pattern, rest) = (after.clone(), from.clone());
                    }
                    _ => return false,
                },
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_wildcards() {
        for (pattern, name, expected) in [
            ("read", "read", true),
            ("read", "reads", false),
            ("git__*", "git__log", true),
            ("git__*", "git_log", false),
            ("*", "", true),
            ("*_file", "read_file_file", true),
            ("*_file", "read_files", false),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-c-b", false),
            ("t?", "tä", true),
            ("t?", "t", false),
            ("**", "x", true),
        ] {
            let found = NamePattern::new(pattern).is_match(name);

            assert_eq!(found, expected, "{pattern} {name}");
        }
    }

    #[test]
    fn many_stars_match_in_bounded_time() {
        let pattern = NamePattern::new("*a".repeat(128) + "b");

        assert!(!pattern.is_match(&"a".repeat(256)));
    }
}
