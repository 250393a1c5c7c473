//! Going through an answer from its first bracket to its last.

use std::ops::Range;

use serde_json::Value;

use super::error::TrimError;
use super::fence::part_starts;
use super::scan::{Scan, scan};
use super::trim::JsonTrim;
use super::trimmed::TrimmedJson;
use crate::json::parse::{ParseLimits, parse};

/// What was found so far in one answer.
pub(super) struct Search<'s, 't> {
    trim: &'s JsonTrim<'s>,
    answer: &'t str,
    best: Option<(Range<usize>, Value)>,
    /// How many whole objects and arrays there are.
    candidates: usize,
    /// The first thing that begins like an object or array and is none.
    broken: Option<TrimError>,
    refusal: Option<TrimError>,
}

impl<'s, 't> Search<'s, 't> {
    pub(super) fn new(trim: &'s JsonTrim<'s>, answer: &'t str) -> Self {
        Self {
            trim,
            answer,
            best: None,
            candidates: 0,
            broken: None,
            refusal: None,
        }
    }

    pub(super) fn run(mut self) -> Result<TrimmedJson<'t>, TrimError> {
        let starts = part_starts(self.answer);
        let ends = starts.iter().skip(1).copied().chain([self.answer.len()]);
        for (start, end) in starts.iter().copied().zip(ends) {
            self.part(start..end)?;
        }
        let Self {
            answer, candidates, ..
        } = self;
        match self.best {
            Some((range, value)) => Ok(TrimmedJson::new(answer, range, value, candidates - 1)),
            None => Err(self
                .broken
                .or(self.refusal)
                .unwrap_or(TrimError::NotFound(self.trim.wanted()))),
        }
    }

    /// Looks through what stands between two fences.
    fn part(&mut self, part: Range<usize>) -> Result<(), TrimError> {
        let text = self.answer.get(part.clone()).unwrap_or_default();
        let mut at = 0;
        while let Some(bracket) = next_bracket(text, at) {
            let start = part.start + bracket;
            at = match scan(text, bracket) {
                Scan::Whole(end) => {
                    self.candidate(start..part.start + end);
                    end
                }
                Scan::Prose(next) => next,
                Scan::Broken(end) => {
                    self.broken(start..part.start + end);
                    end
                }
                Scan::Unended if part.end == self.answer.len() => {
                    return Err(TrimError::CutOff { start });
                }
                Scan::Unended => {
                    self.broken(start..part.end);
                    text.len()
                }
            };
        }
        Ok(())
    }

    fn candidate(&mut self, range: Range<usize>) {
        let text = self.answer.get(range.clone()).unwrap_or_default();
        let Ok(value) = parse(text, &ParseLimits::default()) else {
            return self.broken(range);
        };
        self.candidates += 1;
        let longest = self.best.as_ref().map_or(0, |(best, _)| best.len());
        if range.len() < longest {
            return;
        }
        match self.trim.refusal(&value) {
            None => self.best = Some((range, value)),
            Some(refusal @ TrimError::NotAccepted) => self.refusal = Some(refusal),
            Some(refusal) => {
                self.refusal.get_or_insert(refusal);
            }
        }
    }

    /// Keeps what is wrong with the first text that is no JSON.
    fn broken(&mut self, range: Range<usize>) {
        if self.broken.is_some() {
            return;
        }
        let text = self.answer.get(range.clone()).unwrap_or_default();
        let error = parse(text, &ParseLimits::default()).err();
        self.broken = error.map(|error| TrimError::Invalid {
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
