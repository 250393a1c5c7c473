//! Query, compiled to a regular expression that matches within one line, or across lines.

use std::ops::Range;

use regex::bytes::{Regex, RegexBuilder};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Capture, ClassBytes, ClassUnicode, Repetition};
use regex_syntax::hir::{Class, ClassBytesRange, ClassUnicodeRange, Hir, HirKind};
use tool_core::{ErrorCode, ToolError};

const MAX_BYTES: usize = 4096;
const MAX_NESTING: u32 = 100;
const MAX_PROGRAM_BYTES: usize = 4 * 1024 * 1024;

/// Compiled query. Searching takes time linear in the text for every query.
#[derive(Debug, Clone)]
pub(crate) struct Query {
    regex: Regex,
    is_multiline: bool,
}

impl Query {
    /// Compiles the value of `parameter`: a literal or a regular expression.
    ///
    /// # Errors
    /// Returns [`ErrorCode::InvalidPattern`] with the position of a syntax error, and
    /// `InvalidArguments` for an empty or too long string.
    pub(crate) fn parse(
        parameter: &str,
        text: &str,
        is_regex: bool,
        case_sensitive: bool,
    ) -> Result<Self, ToolError> {
        check(parameter, text)?;
        if text.contains('\n') {
            return Err(line_break(parameter));
        }
        let escaped = (!is_regex).then(|| regex_syntax::escape(text));
        let pattern = escaped.as_deref().unwrap_or(text);
        let parsed = parsed(parameter, pattern, case_sensitive, false)?;
        // Matches within one line take time linear in the lines they are searched in.
        let within_line = within_line(parsed).ok_or_else(|| line_break(parameter))?;
        Ok(Self {
            regex: compiled(parameter, &within_line)?,
            is_multiline: false,
        })
    }

    /// Compiles a regular expression that matches across lines; `.` matches newlines too.
    ///
    /// # Errors
    /// Returns the errors of [`parse`](Self::parse), except about newlines.
    pub(crate) fn parse_multiline(
        parameter: &str,
        text: &str,
        case_sensitive: bool,
    ) -> Result<Self, ToolError> {
        check(parameter, text)?;
        // The text that is searched has no carriage returns either.
        let text = text.replace("\r\n", "\n").replace(r"\r\n", r"\n");
        let parsed = parsed(parameter, &text, case_sensitive, true)?;
        Ok(Self {
            regex: compiled(parameter, &parsed)?,
            is_multiline: true,
        })
    }

    /// Returns whether matches may span lines.
    pub(crate) fn is_multiline(&self) -> bool {
        self.is_multiline
    }

    /// Returns the range of the next match at or after `from`.
    pub(crate) fn find(&self, text: &[u8], from: usize) -> Option<Range<usize>> {
        self.regex.find_at(text, from).map(|found| found.range())
    }
}

fn parsed(
    parameter: &str,
    pattern: &str,
    case_sensitive: bool,
    is_multiline: bool,
) -> Result<Hir, ToolError> {
    ParserBuilder::new()
        .case_insensitive(!case_sensitive)
        .multi_line(true)
        .dot_matches_new_line(is_multiline)
        // `$` matches before `\r\n`, because the carriage return is not part of the line.
        .crlf(true)
        // Files can contain bytes that are not UTF-8.
        .utf8(false)
        .nest_limit(MAX_NESTING)
        .build()
        .parse(pattern)
        .map_err(|error| syntax_error(parameter, pattern, &error))
}

fn compiled(parameter: &str, expression: &Hir) -> Result<Regex, ToolError> {
    RegexBuilder::new(&expression.to_string())
        .size_limit(MAX_PROGRAM_BYTES)
        .dfa_size_limit(MAX_PROGRAM_BYTES)
        .build()
        .map_err(|error| {
            invalid(parameter, "is too large when compiled")
                .suggest("Use smaller repetitions, or a shorter expression.")
                .caused_by(error)
        })
}

fn check(parameter: &str, text: &str) -> Result<(), ToolError> {
    if text.is_empty() {
        return Err(ToolError::invalid_arguments(parameter, "is empty")
            .suggest("Pass the text to search for."));
    }
    if text.len() > MAX_BYTES {
        let sentence = format!("is longer than {MAX_BYTES} bytes");
        return Err(
            ToolError::invalid_arguments(parameter, sentence).suggest("Search for a shorter part.")
        );
    }
    Ok(())
}

fn invalid(parameter: &str, sentence: &str) -> ToolError {
    ToolError::about(ErrorCode::InvalidPattern, parameter, sentence)
}

fn line_break(parameter: &str) -> ToolError {
    invalid(
        parameter,
        "contains a newline, but lines are searched separately",
    )
    .suggest(
        "Search for a part within one line. Use `context_lines` to return the lines around it.",
    )
}

fn syntax_error(parameter: &str, pattern: &str, error: &regex_syntax::Error) -> ToolError {
    let (reason, at) = match error {
        regex_syntax::Error::Parse(error) => (error.kind().to_string(), error.span().start.offset),
        regex_syntax::Error::Translate(error) => {
            (error.kind().to_string(), error.span().start.offset)
        }
        _ => ("invalid syntax".to_owned(), 0),
    };
    let before = pattern.get(..at).unwrap_or_default();
    let place = before.chars().count() + 1;
    let sentence = format!("is not a valid regular expression: {reason}, at character {place}");
    invalid(parameter, &sentence)
        .suggest(suggestion(error))
        .caused_by(InvalidExpression { reason, place })
}

fn suggestion(error: &regex_syntax::Error) -> &'static str {
    use regex_syntax::ast::ErrorKind;

    let regex_syntax::Error::Parse(error) = error else {
        return "Fix the expression, or search for plain text instead.";
    };
    match error.kind() {
        ErrorKind::GroupUnclosed | ErrorKind::GroupUnopened => {
            r"Use `\(` and `\)` for literal parentheses, or search for plain text instead."
        }
        ErrorKind::ClassUnclosed => {
            r"Use `\[` for a literal bracket, or search for plain text instead."
        }
        ErrorKind::RepetitionMissing
        | ErrorKind::RepetitionCountInvalid
        | ErrorKind::RepetitionCountUnclosed
        | ErrorKind::RepetitionCountDecimalEmpty => {
            r"Use `\*`, `\+`, `\?` or `\{` for a literal character, or search for plain text instead."
        }
        ErrorKind::UnsupportedLookAround => {
            "Search without look-around and filter the matching lines."
        }
        ErrorKind::UnsupportedBackreference => {
            "Search without the backreference and filter the matching lines."
        }
        ErrorKind::EscapeUnrecognized => {
            r"Use `\\` for a literal backslash, or search for plain text instead."
        }
        _ => "Fix the expression, or search for plain text instead.",
    }
}

/// Cause of an invalid regular expression: the source of the error, for toolsets with their own
/// wording.
///
/// # Examples
/// ```
/// use std::error::Error;
/// use tool_core::{ToolContext, TypedTool};
/// use tool_test::Scratch;
/// use tools_builtin::Workspace;
/// use tools_builtin::search::{InvalidExpression, SearchCode};
///
/// let scratch = Scratch::new();
/// let tool = SearchCode::new(Workspace::open(scratch.path())?);
/// let error = tool.plan(&ToolContext::test(), &serde_json::from_str(r#"{"query": "a(b", "regex": true}"#)?).unwrap_err();
/// let cause: &InvalidExpression = error.source().and_then(|source| source.downcast_ref()).ok_or("another cause")?;
/// assert_eq!((cause.reason.as_str(), cause.place), ("unclosed group", 2));
/// # Ok::<_, Box<dyn Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason} at character {place}")]
#[non_exhaustive]
pub struct InvalidExpression {
    /// Description of the error.
    pub reason: String,
    /// Position of the invalid character, counted from 1.
    pub place: usize,
}

/// Restricts an expression to matches without a newline. Returns `None` if it requires one.
///
/// The nesting limit of the parser bounds the recursion.
fn within_line(expression: Hir) -> Option<Hir> {
    let all =
        |parts: Vec<Hir>| -> Option<Vec<Hir>> { parts.into_iter().map(within_line).collect() };
    Some(match expression.into_kind() {
        HirKind::Literal(literal) if literal.0.contains(&b'\n') => return None,
        HirKind::Class(class) => Hir::class(without_line_break(class)),
        HirKind::Repetition(repetition) => Hir::repetition(Repetition {
            sub: Box::new(within_line(*repetition.sub)?),
            ..repetition
        }),
        HirKind::Capture(capture) => Hir::capture(Capture {
            sub: Box::new(within_line(*capture.sub)?),
            ..capture
        }),
        HirKind::Concat(parts) => Hir::concat(all(parts)?),
        HirKind::Alternation(parts) => Hir::alternation(all(parts)?),
        HirKind::Empty => Hir::empty(),
        HirKind::Literal(literal) => Hir::literal(literal.0),
        HirKind::Look(look) => Hir::look(look),
    })
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
        Some(query.ok()?.find(line, 0)?.start)
    }

    #[test]
    fn query_matches_as_specified() {
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
    fn invalid_expression_reports_position_and_reason() {
        for (query, reported) in [
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
            (r"a\nb", "contains a newline"),
            (r"(\w{99}){99}{99}", "is too large when compiled"),
            (&"(".repeat(3000), "unclosed group"),
            (&format!("{}a{}", "(".repeat(200), ")".repeat(200)), "nest"),
        ] {
            let error = Query::parse("query", query, true, true).unwrap_err();

            assert_eq!(error.code(), &ErrorCode::InvalidPattern, "{query}");
            assert_eq!(error.parameter(), Some("query"));
            assert!(error.message().contains(reported), "{query}: {error}");
        }
    }

    #[test]
    fn invalid_expression_suggests_replacement() {
        for (query, reported) in [
            ("f(", r"`\(`"),
            ("a[", r"`\[`"),
            ("*a", r"`\*`"),
            ("a{", r"`\{`"),
            ("(?!a)b", "without look-around"),
            (r"(a)\1", "without the backreference"),
            (r"C:\yes", r"`\\`"),
            (r"\p{Nonsense}", "plain text"),
        ] {
            let error = Query::parse("query", query, true, true).unwrap_err();

            assert!(
                error.suggestion().unwrap().contains(reported),
                "{query}: {error:?}"
            );
        }
    }

    #[test]
    fn rejects_empty_long_and_multiline_queries() {
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
    fn multiline_query_matches_across_lines() {
        for (query, text, range) in [
            (r"a\nb", "xa\nb", Some(1..4)),
            ("a\r\nb", "xa\nb", Some(1..4)),
            (r"a\r\nb", "a\nb", Some(0..3)),
            ("a.*b", "a\n\nb", Some(0..4)),
            (r"^b\s+c$", "a\nb\n\nc\n", Some(2..6)),
            ("a[^x]b", "a\nb", Some(0..3)),
            ("ab", "a\nb", None),
        ] {
            let parsed = Query::parse_multiline("pattern", query, true).unwrap();

            assert_eq!(parsed.find(text.as_bytes(), 0), range, "{query:?}");
        }
        let error = Query::parse_multiline("pattern", "a(\n", true).unwrap_err();
        assert!(error.message().contains("unclosed group"), "{error}");
    }

    #[test]
    fn pathological_expressions_finish_quickly() {
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
