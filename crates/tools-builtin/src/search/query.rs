//! What is looked for, as a regular expression that stays within one line.

use regex::bytes::{Regex, RegexBuilder};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Capture, ClassBytes, ClassUnicode, Repetition};
use regex_syntax::hir::{Class, ClassBytesRange, ClassUnicodeRange, Hir, HirKind};
use tool_core::{ErrorCode, ToolError};

use super::lines::line_around;
use super::sieve::Sieve;

const MAX_BYTES: usize = 4096;
const MAX_NESTING: u32 = 100;
const MAX_PROGRAM_BYTES: usize = 4 * 1024 * 1024;

/// Looking at a line that does not match takes as long as the sieve spares in so many bytes.
const BYTES_A_MISS: usize = 4096;

/// So many such lines in a row say nothing yet.
const FIRST_MISSES: usize = 8;

/// What is looked for. Searching takes time linear in the text, whatever the query is.
#[derive(Debug, Clone)]
pub(crate) struct Query {
    regex: Regex,
    /// For a text in any case: what every match holds.
    sieve: Option<Sieve>,
}

impl Query {
    /// Reads what `parameter` gave: a text to find as it is, or a regular expression.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidPattern`] that says where the expression is wrong; `InvalidArguments` for no text at all.
    pub(crate) fn parse(
        parameter: &str,
        text: &str,
        is_regex: bool,
        case_sensitive: bool,
    ) -> Result<Self, ToolError> {
        check(parameter, text)?;
        let escaped = (!is_regex).then(|| regex_syntax::escape(text));
        let pattern = escaped.as_deref().unwrap_or(text);
        let parsed = ParserBuilder::new()
            .case_insensitive(!case_sensitive)
            .multi_line(true)
            .crlf(true)
            .utf8(false)
            .nest_limit(MAX_NESTING)
            .build()
            .parse(pattern)
            .map_err(|error| syntax_error(parameter, pattern, &error))?;
        // A match that cannot cross a line break is found in time linear in the lines looked at.
        let within_line = within_line(parsed).ok_or_else(|| line_break(parameter))?;
        let regex = RegexBuilder::new(&within_line.to_string())
            .size_limit(MAX_PROGRAM_BYTES)
            .dfa_size_limit(MAX_PROGRAM_BYTES)
            .build()
            .map_err(|error| {
                invalid(parameter, "would become too large")
                    .suggest("Use smaller repetitions, or a shorter expression.")
                    .caused_by(error)
            })?;
        let sieve = (!is_regex && !case_sensitive).then(|| Sieve::of(text));
        Ok(Self {
            regex,
            sieve: sieve.flatten(),
        })
    }

    /// Where the next match begins at or behind `from`.
    pub(crate) fn find(&self, text: &[u8], from: usize) -> Option<usize> {
        match &self.sieve {
            Some(sieve) => self.find_sieved(sieve, text, from),
            None => self.find_at(text, from),
        }
    }

    fn find_at(&self, text: &[u8], from: usize) -> Option<usize> {
        self.regex.find_at(text, from).map(|found| found.start())
    }

    /// The same, looking only at lines that hold what every match holds, as long as those are few.
    fn find_sieved(&self, sieve: &Sieve, text: &[u8], from: usize) -> Option<usize> {
        let mut at = from;
        let mut misses = 0;
        while misses * BYTES_A_MISS <= at - from + FIRST_MISSES * BYTES_A_MISS {
            let line = line_around(text, sieve.find(text, at)?);
            let until_end = text.get(..line.end).unwrap_or(text);
            if let Some(found) = self.find_at(until_end, line.start.max(at)) {
                return Some(found);
            }
            at = line.end;
            misses += 1;
        }
        self.find_at(text, at)
    }
}

fn check(parameter: &str, text: &str) -> Result<(), ToolError> {
    if text.is_empty() {
        return Err(ToolError::invalid_arguments(parameter, "is empty")
            .suggest("Give the text to look for."));
    }
    if text.len() > MAX_BYTES {
        let sentence = format!("is longer than {MAX_BYTES} bytes");
        return Err(ToolError::invalid_arguments(parameter, sentence)
            .suggest("Look for a shorter part of it."));
    }
    if text.contains('\n') {
        return Err(line_break(parameter));
    }
    Ok(())
}

fn invalid(parameter: &str, sentence: &str) -> ToolError {
    ToolError::about(ErrorCode::InvalidPattern, parameter, sentence)
}

fn line_break(parameter: &str) -> ToolError {
    invalid(
        parameter,
        "holds a line break, and lines are searched one by one",
    )
    .suggest("Look for a part that stands on one line. Ask for the lines around it with `context_lines`.")
}

fn syntax_error(parameter: &str, pattern: &str, error: &regex_syntax::Error) -> ToolError {
    let (reason, at) = match error {
        regex_syntax::Error::Parse(error) => (error.kind().to_string(), error.span().start.offset),
        regex_syntax::Error::Translate(error) => {
            (error.kind().to_string(), error.span().start.offset)
        }
        _ => ("it cannot be read".to_owned(), 0),
    };
    let before = pattern.get(..at).unwrap_or_default();
    let place = before.chars().count() + 1;
    let sentence = format!("is no regular expression: {reason}, at character {place}");
    invalid(parameter, &sentence)
        .suggest(suggestion(error))
        .caused_by(InvalidExpression { reason, place })
}

/// What to do instead.
fn suggestion(error: &regex_syntax::Error) -> &'static str {
    use regex_syntax::ast::ErrorKind;

    let regex_syntax::Error::Parse(error) = error else {
        return "Mend it, or search for plain text instead.";
    };
    match error.kind() {
        ErrorKind::GroupUnclosed | ErrorKind::GroupUnopened => {
            r"Write `\(` and `\)` for parentheses that stand in the text, or search for plain text instead."
        }
        ErrorKind::ClassUnclosed => {
            r"Write `\[` for a bracket that stands in the text, or search for plain text instead."
        }
        ErrorKind::RepetitionMissing
        | ErrorKind::RepetitionCountInvalid
        | ErrorKind::RepetitionCountUnclosed
        | ErrorKind::RepetitionCountDecimalEmpty => {
            r"Write `\*`, `\+`, `\?` or `\{` for a sign that stands in the text, or search for plain text instead."
        }
        ErrorKind::UnsupportedLookAround => {
            "Search without looking around, and pick from the lines that are found."
        }
        ErrorKind::UnsupportedBackreference => {
            "Search without the reference, and pick from the lines that are found."
        }
        ErrorKind::EscapeUnrecognized => {
            r"Write `\\` for a backslash that stands in the text, or search for plain text instead."
        }
        _ => "Mend it, or search for plain text instead.",
    }
}

/// What is wrong with a regular expression: the source of the error, for contracts with words of their own.
///
/// # Examples
/// ```
/// use std::error::Error;
/// use tool_core::Engine;
/// use tool_test::Scratch;
/// use tools_builtin::Workspace;
/// use tools_builtin::search::{InvalidExpression, SearchCode};
///
/// let scratch = Scratch::new();
/// let engine = SearchCode::new(Workspace::open(scratch.path())?);
/// let error = engine.check(&serde_json::from_str(r#"{"query": "a(b", "regex": true}"#)?).unwrap_err();
/// let cause: &InvalidExpression = error.source().and_then(|source| source.downcast_ref()).ok_or("another cause")?;
/// assert_eq!((cause.reason.as_str(), cause.place), ("unclosed group", 2));
/// # Ok::<_, Box<dyn Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason} at character {place}")]
#[non_exhaustive]
pub struct InvalidExpression {
    /// What is wrong.
    pub reason: String,
    /// Which character it is about, counting from 1.
    pub place: usize,
}

/// The same expression, matching no line break; nothing when it asks for one.
///
/// The parser's limit bounds the recursion.
fn within_line(hir: Hir) -> Option<Hir> {
    Some(match hir.into_kind() {
        HirKind::Empty => Hir::empty(),
        HirKind::Literal(literal) if literal.0.contains(&b'\n') => return None,
        HirKind::Literal(literal) => Hir::literal(literal.0),
        HirKind::Class(class) => Hir::class(without_line_break(class)),
        HirKind::Look(look) => Hir::look(look),
        HirKind::Repetition(repetition) => Hir::repetition(Repetition {
            sub: Box::new(within_line(*repetition.sub)?),
            ..repetition
        }),
        HirKind::Capture(capture) => Hir::capture(Capture {
            sub: Box::new(within_line(*capture.sub)?),
            ..capture
        }),
        HirKind::Concat(parts) => Hir::concat(all_within_line(parts)?),
        HirKind::Alternation(parts) => Hir::alternation(all_within_line(parts)?),
    })
}

fn all_within_line(parts: Vec<Hir>) -> Option<Vec<Hir>> {
    parts.into_iter().map(within_line).collect()
}

fn without_line_break(class: Class) -> Class {
    match class {
        Class::Unicode(mut class) => {
            class.difference(&ClassUnicode::new([ClassUnicodeRange::new('\n', '\n')]));
            Class::Unicode(class)
        }
        Class::Bytes(mut class) => {
            class.difference(&ClassBytes::new([ClassBytesRange::new(b'\n', b'\n')]));
            Class::Bytes(class)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, is_regex: bool, case_sensitive: bool, line: &[u8]) -> Option<usize> {
        let query = Query::parse("query", text, is_regex, case_sensitive);
        query.ok()?.find(line, 0)
    }

    #[test]
    fn a_query_finds_what_it_says() {
        let (plain, regex) = (false, true);
        let (any_case, exact) = (false, true);
        for (query, kind, case, line, at) in [
            ("abc", plain, exact, &b"xxabc"[..], Some(2)),
            ("ABC", plain, exact, b"xxabc", None),
            ("ABC", plain, any_case, b"xxabc", Some(2)),
            ("a.c", plain, exact, b"abc a.c", Some(4)),
            ("a.c", regex, exact, b"abc a.c", Some(0)),
            ("(", plain, exact, b"f(x)", Some(1)),
            (r"\d+", plain, exact, br"1 \d+", Some(2)),
            (r"\d+", regex, exact, b"ab12", Some(2)),
            ("ÄRGER", plain, any_case, "kein ärger".as_bytes(), Some(5)),
            ("straße", regex, exact, "Hauptstraße".as_bytes(), Some(5)),
            ("^use", regex, exact, b"a\nuse b", Some(2)),
            ("c$", regex, exact, b"abc\r\nd", Some(2)),
            ("(?i)abc", regex, exact, b"xABC", Some(1)),
            (r"\bfn\b", regex, exact, b"fnx fn", Some(4)),
            ("a|b", regex, exact, b"xxb", Some(2)),
            ("class.*Agent", regex, exact, b"class MyAgent", Some(0)),
            (r"a\s+b", regex, exact, b"a\nb a b", Some(4)),
            ("a[^x]*b", regex, exact, b"a\nb", None),
            ("(?s)a.b", regex, exact, b"a\nb", None),
            ("(?-u:a[^x]*b)", regex, exact, b"a\nb", None),
            ("(?-u:a[^x]*b)", regex, exact, b"xa\xffb", Some(1)),
            ("(?-u:\\xff)", regex, exact, b"a\xff", Some(1)),
            ("x{0}", regex, exact, b"ab", Some(0)),
            (r"\p{Greek}", regex, exact, "aβ".as_bytes(), Some(1)),
        ] {
            assert_eq!(found(query, kind, case, line), at, "{query} in {line:?}");
        }
    }

    #[test]
    fn a_text_in_any_case_is_found_as_by_its_expression() {
        use proptest::prelude::*;

        let text = "([abxABX_]|\\u{17f}|\\u{212a}|s|\n){0,200}";
        proptest!(|(parts in proptest::collection::vec(text, 0..5), query in "[abxsk_]{1,5}", from in 0_usize..20)| {
            // Lines with the beginning alone are many, so that the sieve is given up.
            let text = parts.join(&"ABX_\nabxa\n".repeat(50)).into_bytes();
            let query = Query::parse("query", &query, false, false).unwrap();
            let from = from.min(text.len());

            prop_assert_eq!(query.find(&text, from), query.find_at(&text, from));
        });
    }

    #[test]
    fn an_expression_that_cannot_be_read_says_where_and_why() {
        for (query, told) in [
            ("a(b", "unclosed group, at character 2"),
            ("ä)", "unopened group, at character 2"),
            ("a**[", "unclosed character class, at character 4"),
            (
                "*a",
                "repetition operator missing expression, at character 1",
            ),
            (r"\y", "unrecognized escape sequence, at character 1"),
            ("a{3,1}", "invalid repetition count range"),
            (r"(a)\1", "backreferences are not supported, at character 4"),
            (
                "(?=a)",
                "look-around, including look-ahead and look-behind, is not supported",
            ),
            (r"a\nb", "holds a line break"),
            (r"(\w{99}){99}{99}", "would become too large"),
            (&"(".repeat(3000), "unclosed group"),
            (&format!("{}a{}", "(".repeat(200), ")".repeat(200)), "nest"),
        ] {
            let error = Query::parse("query", query, true, true).unwrap_err();

            assert_eq!(error.code(), &ErrorCode::InvalidPattern, "{query}");
            assert_eq!(error.parameter(), Some("query"));
            assert!(error.message().contains(told), "{query}: {error}");
        }
    }

    #[test]
    fn an_expression_that_cannot_be_read_says_what_to_write_instead() {
        for (query, told) in [
            ("f(", r"`\(`"),
            ("a[", r"`\[`"),
            ("*a", r"`\*`"),
            ("a{", r"`\{`"),
            ("(?!a)b", "without looking around"),
            (r"(a)\1", "without the reference"),
            (r"C:\yes", r"`\\`"),
            (r"\p{Nonsense}", "plain text"),
        ] {
            let error = Query::parse("query", query, true, true).unwrap_err();

            assert!(
                error.suggestion().unwrap().contains(told),
                "{query}: {error:?}"
            );
        }
    }

    #[test]
    fn a_text_that_cannot_stand_on_a_line_is_refused() {
        let long = "x".repeat(MAX_BYTES + 1);
        for (text, code) in [
            ("", ErrorCode::InvalidArguments),
            (long.as_str(), ErrorCode::InvalidArguments),
            ("a\nb", ErrorCode::InvalidPattern),
        ] {
            let error = Query::parse("query", text, false, true).unwrap_err();

            assert_eq!(error.code(), &code);
        }
    }

    #[test]
    fn an_evil_expression_on_an_evil_text_ends() {
        let text = "a".repeat(200_000);
        for query in [
            "(a+)+$b",
            "(a|aa)+b",
            "(a*)*b",
            "a?a?a?a?a?a?a?a?aaaaaaaab",
            "(.*)(.*)(.*)b",
        ] {
            assert_eq!(found(query, true, true, text.as_bytes()), None, "{query}");
        }
    }
}
