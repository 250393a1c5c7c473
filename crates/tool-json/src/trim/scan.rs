//! Search for the end of an object or array.

use serde::de::IgnoredAny;
use serde_json::Deserializer;

/// Kind of the text after a bracket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scan {
    /// An object or array that ends before this byte.
    Complete(usize),
    /// Prose up to this byte.
    Prose(usize),
    /// An invalid object or array, up to this byte.
    Invalid(usize),
    /// An object or array without its end.
    Truncated,
}

/// Scans the text after the bracket at byte `start`.
pub(super) fn scan(text: &str, start: usize) -> Scan {
    let rest = text.get(start..).unwrap_or_default();
    let mut values = Deserializer::from_str(rest).into_iter::<IgnoredAny>();
    let Some(Err(error)) = values.next() else {
        return Scan::Complete(start + values.byte_offset());
    };
    let read = before(rest, &error);
    // `-` or `1e` at the end of the text is a number that was truncated.
    let is_cut = error.is_eof() || rest.bytes().skip(read.len()).all(is_of_number);
    let (brackets, string) = read.split_at(read.find('"').unwrap_or(read.len()));
    let innermost = brackets.rfind(['{', '[']).unwrap_or_default();
    if !has_content(brackets, string, is_cut) {
        // The outer open brackets are prose, too, so the scan continues after the innermost.
        return if is_cut && !is_mention(text, start + innermost) {
            Scan::Truncated
        } else {
            Scan::Prose(start + innermost + 1)
        };
    }
    match end_of_invalid(rest) {
        Some(end) if !is_cut => Scan::Invalid(start + end),
        _ => Scan::Truncated,
    }
}

/// Returns the valid JSON before an error, without the first letters of a word.
fn before<'t>(text: &'t str, error: &serde_json::Error) -> &'t str {
    let lines = text
        .split_inclusive('\n')
        .take(error.line().saturating_sub(1));
    let end = lines.map(str::len).sum::<usize>() + error.column();
    let end = if error.is_eof() {
        text.len()
    } else {
        end.saturating_sub(1)
    };
    let read = text.get(..text.floor_char_boundary(end)).unwrap_or(text);
    read.trim_end_matches(|letter: char| letter == '-' || letter.is_ascii_alphabetic())
}

/// Returns `true` if there is a key or item, which excludes prose.
fn has_content(brackets: &str, string: &str, is_cut: bool) -> bool {
    let is_bracket = |letter: char| "{[ \n\r\t".contains(letter);
    if !brackets.chars().all(is_bracket) {
        return true;
    }
    match serde_json::from_str::<IgnoredAny>(string) {
        // Only the colon makes it a key.
        Ok(_) => !brackets.trim_end().ends_with('{'),
        Err(error) => !error.is_eof() || (!is_cut && string.contains('\\')),
    }
}

/// Returns `true` if the bracket at `at` is the only quoted character, as in prose about brackets.
fn is_mention(text: &str, at: usize) -> bool {
    let bytes = text.as_bytes();
    // "Arguments start with `{`" would otherwise look truncated.
    let before = at.checked_sub(1).and_then(|before| bytes.get(before));
    before.is_some_and(|quote| b"\"'`".contains(quote)) && before == bytes.get(at + 1)
}

/// Returns the end of the invalid value at the start of `text`, by counting brackets outside strings.
///
/// A newline in a string may mean that the string is not closed, or that it contains a raw newline. The reading that closes
/// the value first is used.
fn end_of_invalid(text: &str) -> Option<usize> {
    let mut counts = [true, false].map(|ends_at_line| BracketCounter {
        depth: 0,
        ends_at_line,
        is_in_string: false,
        is_escaped: false,
    });
    let mut bytes = text.bytes().enumerate();
    bytes.find_map(|(at, byte)| {
        let closed = counts.each_mut().map(|count| count.closes(byte));
        closed.contains(&true).then_some(at + 1)
    })
}

/// Counter of open brackets.
struct BracketCounter {
    depth: usize,
    ends_at_line: bool,
    is_in_string: bool,
    is_escaped: bool,
}

impl BracketCounter {
    /// Returns `true` if `byte` closes the last bracket.
    fn closes(&mut self, byte: u8) -> bool {
        let is_escaped = std::mem::take(&mut self.is_escaped);
        match byte {
            b'"' if !is_escaped => self.is_in_string = !self.is_in_string,
            b'\\' if !is_escaped => self.is_escaped = self.is_in_string,
            b'\n' if self.ends_at_line => self.is_in_string = false,
            b'{' | b'[' if !self.is_in_string => self.depth += 1,
            b'}' | b']' if !self.is_in_string => self.depth = self.depth.saturating_sub(1),
            _ => return false,
        }
        self.depth == 0
    }
}

fn is_of_number(byte: u8) -> bool {
    byte.is_ascii_digit() || b"+-.eE".contains(&byte)
}
