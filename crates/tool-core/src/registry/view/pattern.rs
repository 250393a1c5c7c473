//! Patterns over the names of tools.

/// A name, or a pattern in which `*` stands for any text and `?` for one character.
#[derive(Debug, Clone)]
pub(super) struct NamePattern(Box<str>);

impl NamePattern {
    pub(super) fn new(text: impl Into<String>) -> Self {
        Self(text.into().into())
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    /// The name, where it is one.
    pub(super) fn as_name(&self) -> Option<&str> {
        (!self.0.contains(['*', '?'])).then_some(&self.0)
    }

    /// Takes time in proportion to the lengths of pattern and name together, multiplied at worst.
    pub(super) fn is_match(&self, name: &str) -> bool {
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
                (Some(wanted), Some(found)) if wanted == found => {}
                (None, None) => return true,
                // The star takes one character more; what an earlier star takes need not change.
                _ => match last_star
                    .as_mut()
                    .map(|(behind, from)| (from.next(), behind, from))
                {
                    Some((Some(_), behind, from)) => {
                        (pattern, rest) = (behind.clone(), from.clone());
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
    fn a_star_is_any_text_and_a_question_mark_one_character() {
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
    fn many_stars_end_soon() {
        let pattern = NamePattern::new("*a".repeat(128) + "b");

        assert!(!pattern.is_match(&"a".repeat(256)));
    }
}
