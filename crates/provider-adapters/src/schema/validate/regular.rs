//! Syntax check of regular expressions.

/// Returns the syntax error of a pattern, if it has one. Checks only brackets, groups and
/// repetitions, because all other syntax differs between dialects.
pub(super) fn pattern_error(pattern: &str) -> Option<&'static str> {
    let mut characters = pattern.chars().peekable();
    let mut groups = 0_usize;
    let mut repeatable = false;
    while let Some(letter) = characters.next() {
        match letter {
            '\\' if characters.next().is_none() => return Some("ends with an unescaped backslash"),
            '[' if !skip_class(&mut characters) => return Some("has an unclosed `[`"),
            '(' => groups += 1,
            ')' if groups == 0 => return Some("has an unmatched `)`"),
            ')' => groups -= 1,
            '*' | '+' | '?' if !repeatable => return Some("has a repetition without an operand"),
            _ => {}
        }
        if letter == '(' && characters.peek() == Some(&'?') {
            // `(?` begins a special group, not a repetition.
            characters.next();
        }
        repeatable = !matches!(letter, '(' | '|');
    }
    (groups > 0).then_some("has an unclosed `(`")
}

/// Skips to the end of a character class. Returns `false` if the class is not closed.
fn skip_class(characters: &mut impl Iterator<Item = char>) -> bool {
    while let Some(letter) = characters.next() {
        match letter {
            ']' => return true,
            '\\' => {
                characters.next();
            }
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_only_patterns_invalid_in_every_dialect() {
        for pattern in [
            "",
            "^a+$",
            "[[]",
            "[]",
            "[^]]",
            "[]a]",
            "(?:a|b)*",
            "(?<n>a)",
            "(?i)a",
            "a{2,3}?",
            "\\(",
            "[(]",
            "^[^\\]]+?$",
            "\\p{L}",
            "(?=a)",
            "{",
            "a||b",
            "()",
            "^*",
        ] {
            assert_eq!(pattern_error(pattern), None, "{pattern}");
        }
        for pattern in ["[", "(", ")", "a\\", "*a", "(+)", "a|*", "[\\]", "(a))"] {
            assert!(pattern_error(pattern).is_some(), "{pattern}");
        }
    }
}
