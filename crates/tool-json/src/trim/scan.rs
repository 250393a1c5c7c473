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
    // A minus at the end of the text begins a number that was truncated.
    let is_cut = error.is_eof() || rest.get(read.len()..) == Some("-");
    let (brackets, string) = read.split_at(read.find('"').unwrap_or(read.len()));
    let innermost = brackets.rfind(['{', '[']).unwrap_or_default();
    if !has_content(brackets, string, is_cut) {
        // The outer open brackets are prose, too, so the scan continues after the innermost.
        return if is_cut {
            Scan::Truncated
        } else {
            Scan::Prose(start + innermost + 1)
        };
    }
    match end_of_invalid(rest) {
        Some(end) => Scan::Invalid(start + end),
        None => Scan::Truncated,
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

/// Returns the end of the invalid value at the start of `text`, by counting brackets outside strings.
fn end_of_invalid(text: &str) -> Option<usize> {
    let (mut depth, mut is_in_string, mut is_escaped) = (0_usize, false, false);
    let end = text.bytes().position(|byte| {
        let is_literal = std::mem::take(&mut is_escaped);
        match byte {
            b'"' if !is_literal => is_in_string = !is_in_string,
            b'\\' if !is_literal => is_escaped = is_in_string,
            b'{' | b'[' if !is_in_string => depth += 1,
            b'}' | b']' if !is_in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0
    });
    end.map(|end| end + 1)
}
