//! Patterns of arguments.

use regex::{Regex, RegexBuilder};
use regex_syntax::hir::literal::{ExtractKind, Extractor};

/// Maximum bytes of a compiled pattern.
const MAX_BYTES: usize = 1024 * 1024;
/// Maximum bytes of a pattern.
const MAX_LENGTH: usize = 64 * 1024;

/// A pattern that matches a complete string.
#[derive(Debug)]
pub(super) enum Pattern {
    /// A literal string, which needs no regular expression.
    Exact(String),
    Expression(Regex),
}

impl Pattern {
    /// Compiles a pattern, or returns the reason why it is invalid.
    pub(super) fn compile(text: &str) -> Result<Self, String> {
        // A compiled pattern needs many times the memory of its text.
        if text.len() > MAX_LENGTH {
            return Err(format!("the pattern has more than {MAX_LENGTH} bytes"));
        }
        let meant = as_meant(text);
        if let Some(exact) = only_match(&meant) {
            return Ok(Self::Exact(exact));
        }
        // Compile it without the group first: `a)|(b` is invalid, but valid inside the group.
        compiled(&meant)?;
        compiled(&format!("^(?:{meant})$")).map(Self::Expression)
    }

    pub(super) fn is_match(&self, text: &str) -> bool {
        match self {
            Self::Exact(exact) => exact == text,
            Self::Expression(expression) => expression.is_match(text),
        }
    }

    /// Returns `true` if it matches a single string.
    pub(super) fn is_exact(&self) -> bool {
        matches!(self, Self::Exact(_))
    }

    /// Returns whether a pattern may match arguments, which are a compact JSON object. Decides by the literals at its
    /// start and end, so that it returns `true` if in doubt.
    pub(super) fn may_match_arguments(text: &str) -> bool {
        // An invalid pattern is reported as invalid, not as one that never matches.
        let Ok(parsed) = regex_syntax::parse(&as_meant(text)) else {
            return true;
        };
        let any = |kind: ExtractKind, fits: fn(&[u8], bool) -> bool| {
            let literals = Extractor::new().kind(kind).extract(&parsed);
            literals.literals().is_none_or(|literals| {
                let mut literals = literals.iter();
                literals.any(|literal| fits(literal.as_bytes(), literal.is_exact()))
            })
        };
        any(ExtractKind::Prefix, may_start_object)
            && any(ExtractKind::Suffix, |end, is_whole| {
                end.last().map_or(!is_whole, |last| *last == b'}')
            })
    }

    /// Returns the pattern that matches only `text`.
    pub(super) fn exactly(text: &str) -> String {
        regex::escape(text)
    }
}

fn compiled(pattern: &str) -> Result<Regex, String> {
    RegexBuilder::new(pattern)
        .size_limit(MAX_BYTES)
        .build()
        .map_err(|error| reason(&error))
}

/// Returns the last line of the message; the other lines repeat the pattern.
fn reason(error: &regex::Error) -> String {
    let message = error.to_string();
    let last = message.lines().last().unwrap_or_default();
    last.trim_start_matches("error: ").to_owned()
}

/// Returns whether a compact JSON object may start with `start`, which is the complete text if `is_whole`. Checks the first
/// name and the start of its value.
fn may_start_object(start: &[u8], is_whole: bool) -> bool {
    let rest = match start {
        [] | [b'{'] => return !is_whole,
        [b'{', b'}', rest @ ..] => return rest.is_empty(),
        [b'{', b'"', rest @ ..] => rest,
        _ => return false,
    };
    let mut is_escaped = false;
    let end = rest.iter().position(|byte| {
        let ends = *byte == b'"' && !is_escaped;
        is_escaped = *byte == b'\\' && !is_escaped;
        ends
    });
    match end.and_then(|end| rest.get(end + 1..)) {
        None | Some([] | [b':']) => !is_whole,
        Some([b':', value, ..]) => matches!(
            value,
            b'"' | b'-' | b'0'..=b'9' | b'[' | b'{' | b'f' | b'n' | b't'
        ),
        Some(_) => false,
    }
}

/// Converts a pattern to the syntax of the regex crate: escapes a brace that does not start a repetition, and turns a
/// doubled backslash before a dot, as in JSON text, into one.
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
            // The brace of `\x{41}` and `\p{L}` belongs to the escape.
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

/// Returns the only string that the pattern matches, if the pattern is a literal.
fn only_match(meant: &str) -> Option<String> {
    let inside = meant.strip_prefix('^').unwrap_or(meant);
    let mut letters = inside.chars().peekable();
    let mut exact = String::with_capacity(inside.len());
    while let Some(letter) = letters.next() {
        match letter {
            '$' if letters.peek().is_none() => {}
            '^' | '$' | '.' | '*' | '+' | '?' | '(' | ')' | '[' | ']' | '{' | '|' => return None,
            '\\' => exact.push(letters.next().filter(|next| is_escapable(*next))?),
            _ => exact.push(letter),
        }
    }
    Some(exact)
}

/// Returns `true` if a backslash escapes the character; `\<` and `\>` are word boundaries.
fn is_escapable(letter: char) -> bool {
    letter.is_ascii_punctuation() && !matches!(letter, '<' | '>')
}

/// Reads only the digits, so that a long sequence of braces takes linear time.
fn starts_repetition(rest: &str) -> bool {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let Some(inside) = rest.strip_prefix('{') else {
        return false;
    };
    let least = digits(inside);
    let rest = inside.get(least..).unwrap_or_default();
    let rest = rest
        .strip_prefix(',')
        .map_or(rest, |most| most.get(digits(most)..).unwrap_or_default());
    least > 0 && rest.starts_with('}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn matches_complete_strings_with_lenient_braces() {
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
    fn rejects_invalid_patterns() {
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
    fn detects_patterns_that_match_no_arguments() {
        for (pattern, may_match) in [
            (r#"{"path":"secrets/.*"}"#, true),
            (r#"^{"path":"(a|b)",.*}$"#, true),
            (r#"\{"(path|file)":"x"}"#, true),
            (r#".*"path":"secrets.*"#, true),
            (r".*\bsudo\b.*}", true),
            (r#"(?i){"PATH":".*"}"#, true),
            ("{}", true),
            (".*", true),
            ("secrets/.*", false),
            (".*secrets", false),
            (r"^\./secrets", false),
            (r#"{"path": "secrets/.*"}"#, false),
            (r#""path":"x""#, false),
            (r"\[.*\]", false),
            ("{}x", false),
            ("", false),
            ("(a|b).*", false),
        ] {
            assert_eq!(
                Pattern::may_match_arguments(pattern),
                may_match,
                "{pattern}"
            );
        }
    }

    #[test]
    fn many_braces_take_linear_time() {
        let braces = "{1".repeat(30_000);

        assert_eq!(as_meant(&braces), r"\{1".repeat(30_000));
    }

    #[test]
    fn exact_pattern_matches_its_text() {
        let text = r#"{"command":"ls -l | wc {a} \\."}"#;

        assert!(
            Pattern::compile(&Pattern::exactly(text))
                .unwrap()
                .is_match(text)
        );
    }

    proptest! {
        #[test]
        fn exact_pattern_matches_only_its_text(
            text in prop_oneof![r"[\\.{},0-9a\n]{0,12}", any::<String>()],
            other in r"[\\.{},0-9a\n]{0,12}",
        ) {
            let pattern = Pattern::compile(&Pattern::exactly(&text)).unwrap();

            prop_assert!(pattern.is_match(&text));
            prop_assert_eq!(pattern.is_match(&other), text == other);
        }

        #[test]
        fn pattern_of_arguments_may_match_them(
            name in any::<String>(), value in any::<String>(), middle in r"[a-z.*]{0,4}",
        ) {
            let arguments = serde_json::json!({name: value}).to_string();
            let exact = Pattern::exactly(&arguments);

            prop_assert!(Pattern::may_match_arguments(&exact));
            let widened = exact.get(..2).map(|start| format!("{start}.*{middle}.*}}"));
            prop_assert!(widened.is_none_or(|wide| Pattern::may_match_arguments(&wide)));
        }

        #[test]
        fn any_pattern_compiles_or_is_rejected(
            pattern in r"[\\.{}()\[\]|,0-9axpL*+?^$]{0,16}",
        ) {
            let meant = as_meant(&pattern);

            prop_assert_eq!(meant.replace('\\', ""), pattern.replace('\\', ""));
            let _ = Pattern::compile(&pattern);
        }
    }
}
