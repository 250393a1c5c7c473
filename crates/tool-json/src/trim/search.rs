//! Search of a response for JSON values, part by part between its code fences.

use std::ops::Range;

use serde_json::Value;

use super::scan::{Scan, scan};
use super::{JsonKind, JsonTrim, TrimError, TrimmedJson};
use crate::error::{ParseError, ParseLimits};
use crate::tape::Tape;
use crate::wide_numbers::parse_quoting;

const BYTE_ORDER_MARK: char = '\u{feff}';

impl JsonTrim<'_> {
    /// Finds the value in a response of at most 4 MiB.
    ///
    /// # Errors
    /// Returns [`TrimError`] if no value is accepted, or if the response is truncated.
    pub fn trim<'t>(&self, response: &'t str) -> Result<TrimmedJson<'t>, TrimError> {
        let max_bytes = ParseLimits::default().max_bytes;
        if response.len() > max_bytes {
            return Err(TrimError::TooLarge { max_bytes });
        }
        if let Some((range, value)) = self.single_value(response) {
            return match self.rejection(&value) {
                Some(rejection) => Err(rejection),
                None => Ok(TrimmedJson::new(response, range, value, 0)),
            };
        }
        let search = Search {
            trim: self,
            response,
            best: None,
            candidates: 0,
            invalid: None,
            rejection: None,
        };
        search.run()
    }

    /// Returns the value if it is the entire response, or a scalar in its only code fence.
    fn single_value(&self, response: &str) -> Option<(Range<usize>, Value)> {
        // Some programs put byte-order marks before text; they are white space to a reader.
        let marks = response.len() - response.trim_start_matches(BYTE_ORDER_MARK).len();
        read(response, marks..response.len()).or_else(|| self.scalar_in_fence(response))
    }

    fn scalar_in_fence(&self, response: &str) -> Option<(Range<usize>, Value)> {
        if self.kind != JsonKind::Any {
            return None;
        }
        let found = read(response, only_block(response)?)?;
        (!JsonKind::ObjectOrArray.includes(&found.1)).then_some(found)
    }
}

/// Returns the value that fills this range except for whitespace, and its position.
fn read(response: &str, range: Range<usize>) -> Option<(Range<usize>, Value)> {
    let text = response.get(range.clone())?;
    let start = range.start + (text.len() - text.trim_start().len());
    let json = text.trim();
    let value = parse(json).ok()?.to_value();
    Some((start..start + json.len(), value))
}

/// Parses RFC 8259, in which numbers have no limit.
fn parse(text: &str) -> Result<Tape<'_>, ParseError> {
    parse_quoting(text, &ParseLimits::default())
}

/// State of the search of one response.
struct Search<'s, 't> {
    trim: &'s JsonTrim<'s>,
    response: &'t str,
    best: Option<(Range<usize>, Value)>,
    /// Number of complete objects and arrays.
    candidates: usize,
    /// The first invalid object or array.
    invalid: Option<TrimError>,
    rejection: Option<TrimError>,
}

impl<'t> Search<'_, 't> {
    fn run(mut self) -> Result<TrimmedJson<'t>, TrimError> {
        let starts = part_starts(self.response);
        let ends = starts.iter().skip(1).copied().chain([self.response.len()]);
        for (start, end) in starts.iter().copied().zip(ends) {
            self.part(start..end)?;
        }
        let Some((range, value)) = self.best else {
            let not_found = TrimError::NotFound(self.trim.kind);
            return Err(self.invalid.or(self.rejection).unwrap_or(not_found));
        };
        let others = self.candidates - 1;
        Ok(TrimmedJson::new(self.response, range, value, others))
    }

    /// Searches the text between two fences.
    fn part(&mut self, part: Range<usize>) -> Result<(), TrimError> {
        let text = self.response.get(part.clone()).unwrap_or_default();
        let mut at = 0;
        while let Some(bracket) = next_bracket(text, at) {
            let start = part.start + bracket;
            at = match scan(text, bracket) {
                Scan::Complete(end) => {
                    self.candidate(start..part.start + end);
                    end
                }
                Scan::Prose(next) => next,
                Scan::Invalid(end) => {
                    self.invalid(start..part.start + end);
                    end
                }
                // Only here was the model cut off. Before a fence line, the value is invalid: no JSON spans one.
                Scan::Truncated if part.end == self.response.len() => {
                    return Err(TrimError::Truncated { start });
                }
                Scan::Truncated => {
                    self.invalid(start..part.end);
                    text.len()
                }
            };
        }
        Ok(())
    }

    fn candidate(&mut self, range: Range<usize>) {
        let text = self.response.get(range.clone()).unwrap_or_default();
        // The scan only counts brackets and strings, so the parser still has to confirm the value.
        let Ok(tape) = parse(text) else {
            return self.invalid(range);
        };
        self.candidates += 1;
        let longest = self.best.as_ref().map_or(0, |(best, _)| best.len());
        // Not the first: a model often shows an example or the old value before the answer.
        if range.len() < longest {
            return;
        }
        let value = tape.to_value();
        match self.trim.rejection(&value) {
            None => self.best = Some((range, value)),
            // A value of the right kind is closer to the request, so its error replaces that of another kind.
            Some(rejection @ TrimError::NotAccepted) => self.rejection = Some(rejection),
            Some(rejection) => {
                self.rejection.get_or_insert(rejection);
            }
        }
    }

    /// Records the error of the first invalid text.
    fn invalid(&mut self, range: Range<usize>) {
        if self.invalid.is_some() {
            return;
        }
        let text = self.response.get(range.clone()).unwrap_or_default();
        self.invalid = parse(text).err().map(|error| TrimError::Invalid {
            start: range.start,
            reason: error.to_string(),
        });
    }
}

fn next_bracket(text: &str, at: usize) -> Option<usize> {
    let rest = text.as_bytes().get(at..)?;
    let found = rest.iter().position(|byte| matches!(byte, b'{' | b'['));
    found.map(|offset| at + offset)
}

const FENCES: [&str; 2] = ["```", "~~~"];

/// Returns the starts of the parts of `text`: 0, and the start of every fence line.
///
/// No JSON spans a fence line, because its strings contain no newlines.
pub(super) fn part_starts(text: &str) -> Vec<usize> {
    let inner = fences(text).map(|fence| fence.start);
    [0].into_iter()
        .chain(inner.filter(|start| *start > 0))
        .collect()
}

/// Returns the places of all fence lines.
fn fences(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut end = 0;
    text.split_inclusive('\n').filter_map(move |line| {
        let start = end;
        end += line.len();
        is_fence(line).then_some(start..end)
    })
}

fn is_fence(line: &str) -> bool {
    let line = line.trim_start();
    FENCES.iter().any(|fence| line.starts_with(fence))
}

/// Returns the content of the only code block of `text`; `None` if it has no block or several.
pub(super) fn only_block(text: &str) -> Option<Range<usize>> {
    let mut fences = fences(text);
    match (fences.next(), fences.next(), fences.next()) {
        (Some(opening), Some(closing), None) => Some(opening.end..closing.start),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_text_at_fences() {
        for (text, starts) in [
            ("", &[0][..]),
            ("no fence ``` here", &[0]),
            ("```json\n{}\n```\nend", &[0, 11]),
            ("a\n  ~~~\n{}\n  ~~~\n", &[0, 2, 11]),
        ] {
            assert_eq!(part_starts(text), starts, "{text}");
        }
    }

    #[test]
    fn finds_only_code_block() {
        for (text, block) in [
            ("```json\n42\n```", Some("42\n")),
            ("Here:\n```\ntrue\n```\nDone.", Some("true\n")),
            ("```\n1\n```\n```\n2\n```", None),
            ("```\n1", None),
            ("1", None),
        ] {
            let found = only_block(text).map(|range| &text[range]);

            assert_eq!(found, block, "{text}");
        }
    }
}
