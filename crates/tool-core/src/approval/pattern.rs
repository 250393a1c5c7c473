//! Patterns over arguments, as people write them.

#[cfg(feature = "typed")]
pub(super) use with_regex::Pattern;
#[cfg(not(feature = "typed"))]
pub(super) use without_regex::Pattern;

#[cfg(feature = "typed")]
mod with_regex {
    use regex::{Regex, RegexBuilder};

    /// The largest compiled pattern, in bytes.
    const MAX_BYTES: usize = 1024 * 1024;

    /// A pattern that matches the whole of a text.
    #[derive(Debug)]
    pub(in crate::approval) struct Pattern(Regex);

    impl Pattern {
        /// Compiles a pattern; `None` when it is none.
        pub(in crate::approval) fn compile(text: &str) -> Option<Self> {
            let whole = format!("^(?:{})$", super::as_meant(text));
            RegexBuilder::new(&whole)
                .size_limit(MAX_BYTES)
                .build()
                .ok()
                .map(Self)
        }

        pub(in crate::approval) fn is_match(&self, text: &str) -> bool {
            self.0.is_match(text)
        }

        /// The pattern that matches this text alone.
        pub(in crate::approval) fn exactly(text: &str) -> String {
            regex::escape(text)
        }
    }
}

#[cfg(not(feature = "typed"))]
mod without_regex {
    /// Without the feature no pattern can be read, so that its rule errs to the safe side.
    #[derive(Debug)]
    pub(in crate::approval) enum Pattern {}

    impl Pattern {
        pub(in crate::approval) fn compile(_text: &str) -> Option<Self> {
            None
        }

        pub(in crate::approval) fn is_match(&self, _text: &str) -> bool {
            match *self {}
        }

        pub(in crate::approval) fn exactly(text: &str) -> String {
            text.to_owned()
        }
    }
}

/// The pattern in the words of the regex crate: a brace that starts no repetition stands for itself, and a doubled
/// backslash before a dot, as JSON text shows it, is one.
#[cfg(feature = "typed")]
fn as_meant(pattern: &str) -> String {
    let mut meant = String::with_capacity(pattern.len() + 8);
    let mut rest = pattern;
    while let Some(next) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix(r"\\.") {
            meant.push_str(r"\.");
            rest = after;
        } else if next == '\\' {
            let end = rest.char_indices().nth(2).map_or(rest.len(), |(at, _)| at);
            let (escape, after) = rest.split_at(end);
            meant.push_str(escape);
            rest = after;
            // `\x{41}` and `\p{L}` own their brace.
            let owns_brace = matches!(escape, r"\x" | r"\u" | r"\U" | r"\p" | r"\P");
            let inside = rest.strip_prefix('{').filter(|_| owns_brace);
            if let Some(close) = inside.and_then(|inside| inside.find('}')) {
                let (name, after) = rest.split_at(close + 2);
                meant.push_str(name);
                rest = after;
            }
        } else {
            if next == '{' && !starts_repetition(rest) {
                meant.push('\\');
            }
            meant.push(next);
            rest = rest.get(next.len_utf8()..).unwrap_or_default();
        }
    }
    meant
}

#[cfg(feature = "typed")]
fn starts_repetition(rest: &str) -> bool {
    let Some((inside, _)) = rest
        .strip_prefix('{')
        .and_then(|after| after.split_once('}'))
    else {
        return false;
    };
    let (least, most) = inside.split_once(',').unwrap_or((inside, ""));
    !least.is_empty()
        && [least, most]
            .iter()
            .all(|part| part.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
#[cfg(feature = "typed")]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_read_as_people_mean_them() {
        for (pattern, text, matches) in [
            (r#"^{"path":".*\\.txt"}$"#, r#"{"path":"test.txt"}"#, true),
            (r#"^{"path":".*\\.txt"}$"#, r#"{"path":"test.md"}"#, false),
            (r#"{"path":".*\.txt"}"#, r#"{"path":"a.txt","x":1}"#, false),
            ("a{2}", "aa", true),
            ("a{2,}", "aaa", true),
            ("{a}", "{a}", true),
            (r"\p{L}+", "äb", true),
            ("a|b", "ab", false),
        ] {
            assert_eq!(
                Pattern::compile(pattern).unwrap().is_match(text),
                matches,
                "{pattern} {text}"
            );
        }
    }

    #[test]
    fn what_is_no_pattern_is_none() {
        for pattern in ["(", "[a", "a**b(", "(?=a)"] {
            assert!(Pattern::compile(pattern).is_none(), "{pattern}");
        }
    }

    #[test]
    fn an_exact_pattern_matches_its_text_alone() {
        let text = r#"{"command":"ls -l | wc {a} \\."}"#;

        assert!(
            Pattern::compile(&Pattern::exactly(text))
                .unwrap()
                .is_match(text)
        );
    }
}
