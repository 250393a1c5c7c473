//! Whether a text can be a regular expression at all.

/// What is wrong with a pattern, as far as its brackets, groups and repetitions show. Dialects of regular expressions
/// differ in all else, so that nothing more is held against one.
pub(super) fn pattern_fault(pattern: &str) -> Option<&'static str> {
    let mut letters = pattern.chars().peekable();
    let mut groups = 0_usize;
    let mut repeatable = false;
    while let Some(letter) = letters.next() {
        match letter {
            '\\' if letters.next().is_none() => return Some("ends in a lone backslash"),
            '[' if !skip_class(&mut letters) => return Some("has a `[` without its `]`"),
            '(' => groups += 1,
            ')' if groups == 0 => return Some("has a `)` without its `(`"),
            ')' => groups -= 1,
            '*' | '+' | '?' if !repeatable => return Some("repeats nothing"),
            _ => {}
        }
        if letter == '(' && letters.peek() == Some(&'?') {
            // What follows says which kind of group it is.
            letters.next();
        }
        repeatable = !matches!(letter, '(' | '|');
    }
    (groups > 0).then_some("has a `(` without its `)`")
}

/// Goes to the end of a class; says whether there is one.
fn skip_class(letters: &mut impl Iterator<Item = char>) -> bool {
    while let Some(letter) = letters.next() {
        match letter {
            ']' => return true,
            '\\' => {
                letters.next();
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
    fn only_what_no_dialect_reads_is_no_pattern() {
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
            assert_eq!(pattern_fault(pattern), None, "{pattern}");
        }
        for pattern in ["[", "(", ")", "a\\", "*a", "(+)", "a|*", "[\\]", "(a))"] {
            assert!(pattern_fault(pattern).is_some(), "{pattern}");
        }
    }
}
