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
    /// The longest pattern, in bytes.
    const MAX_LENGTH: usize = 64 * 1024;

    /// A pattern that matches the whole of a text.
    #[derive(Debug)]
    pub(in crate::approval) enum Pattern {
        /// One text, which needs no expression.
        Exact(String),
        Expression(Regex),
    }

    impl Pattern {
        /// Compiles a pattern, or says why it is none.
        pub(in crate::approval) fn compile(text: &str) -> Result<Self, String> {
            if text.len() > MAX_LENGTH {
                return Err(format!("it is longer than {MAX_LENGTH} bytes"));
            }
            let meant = super::as_meant(text);
            if let Some(exact) = super::only_match(&meant) {
                return Ok(Self::Exact(exact));
            }
            // Alone first: `a)|(b` is no pattern, but would be one between the parentheses.
            compiled(&meant)?;
            compiled(&format!("^(?:{meant})$")).map(Self::Expression)
        }

        pub(in crate::approval) fn is_match(&self, text: &str) -> bool {
            match self {
                Self::Exact(exact) => exact == text,
                Self::Expression(expression) => expression.is_match(text),
            }
        }

        /// Whether it matches one text and no other.
        pub(in crate::approval) fn is_exact(&self) -> bool {
            matches!(self, Self::Exact(_))
        }

        /// The pattern that matches this text alone.
        pub(in crate::approval) fn exactly(text: &str) -> String {
            regex::escape(text)
        }
    }

    fn compiled(pattern: &str) -> Result<Regex, String> {
        RegexBuilder::new(pattern)
            .size_limit(MAX_BYTES)
            .build()
            .map_err(|error| reason(&error))
    }

    /// The last line of the message; those before it show the pattern.
    fn reason(error: &regex::Error) -> String {
        let message = error.to_string();
        let last = message.lines().last().unwrap_or_default();
        last.trim_start_matches("error: ").to_owned()
    }
}

#[cfg(not(feature = "typed"))]
mod without_regex {
    /// Without the feature no pattern can be read, so that its rule errs to the safe side.
    #[derive(Debug)]
    pub(in crate::approval) enum Pattern {}

    impl Pattern {
        pub(in crate::approval) fn compile(_text: &str) -> Result<Self, String> {
            Err("this build reads no patterns".to_owned())
        }

        pub(in crate::approval) fn is_match(&self, _text: &str) -> bool {
            match *self {}
        }

        pub(in crate::approval) fn is_exact(&self) -> bool {
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

/// The one text that the pattern matches, if that can be seen at once.
#[cfg(feature = "typed")]
fn only_match(meant: &str) -> Option<String> {
    let inside = meant.strip_prefix('^').unwrap_or(meant);
    let mut letters = inside.chars().peekable();
    let mut exact = String::with_capacity(inside.len());
    while let Some(letter) = letters.next() {
        match letter {
            '$' if letters.peek().is_none() => {}
            '^' | '$' | '.' | '*' | '+' | '?' | '(' | ')' | '[' | ']' | '{' | '|' => return None,
            '\\' => exact.push(letters.next().filter(|next| stands_for_itself(*next))?),
            _ => exact.push(letter),
        }
    }
    Some(exact)
}

/// Whether it means the same behind a backslash; `\<` and `\>` are borders of words.
#[cfg(feature = "typed")]
fn stands_for_itself(letter: char) -> bool {
    letter.is_ascii_punctuation() && !matches!(letter, '<' | '>')
}

/// Looks no further than the digits go, so that a text of braces alone is read in one pass.
#[cfg(feature = "typed")]
fn starts_repetition(rest: &str) -> bool {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let Some(inside) = rest.strip_prefix('{') else {
        return false;
    };
    let least = digits(inside);
    let behind = inside.get(least..).unwrap_or_default();
    let behind = behind
        .strip_prefix(',')
        .map_or(behind, |most| most.get(digits(most)..).unwrap_or_default());
    least > 0 && behind.starts_with('}')
}

#[cfg(test)]
#[cfg(feature = "typed")]
mod tests {
    use proptest::prelude::*;

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
            ("a|ab", "ab", true),
            ("a{,2}", "a{,2}", true),
            ("a{2,x}", "a{2,x}", true),
            (r"\x{41}\{", "A{", true),
            (".*", "a\nb", false),
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
        let long = "a".repeat(100_000);
        for pattern in [
            "(",
            "[a",
            "a**b(",
            "(?=a)",
            "a)|(b",
            "(?x)a # b",
            "{2}",
            "(a{999}){999}",
            &long,
        ] {
            assert!(Pattern::compile(pattern).is_err(), "{pattern}");
        }
    }

    #[test]
    fn a_pattern_of_braces_alone_is_read_in_one_pass() {
        let braces = "{1".repeat(30_000);

        assert_eq!(as_meant(&braces), r"\{1".repeat(30_000));
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

    proptest! {
        #[test]
        fn the_exact_pattern_of_any_text_matches_it_and_no_other(
            text in prop_oneof![r"[\\.{},0-9a\n]{0,12}", any::<String>()],
            other in r"[\\.{},0-9a\n]{0,12}",
        ) {
            let pattern = Pattern::compile(&Pattern::exactly(&text)).unwrap();

            prop_assert!(pattern.is_match(&text));
            prop_assert_eq!(pattern.is_match(&other), text == other);
        }

        #[test]
        fn a_pattern_is_read_or_refused_and_its_own_braces_are_kept(
            pattern in r"[\\.{}()\[\]|,0-9axpL*+?^$]{0,16}",
        ) {
            let meant = as_meant(&pattern);

            prop_assert_eq!(meant.replace('\\', ""), pattern.replace('\\', ""));
            let _ = Pattern::compile(&pattern);
        }
    }
}
