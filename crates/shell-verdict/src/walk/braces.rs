//! Brace expansion, which precedes every other expansion.

use super::super::limits::MAX_WORK;
use super::super::value::{Origin, Segment};
use super::fields::Piece;

type Words = Vec<Vec<Piece>>;

/// The words take more than the maximum work.
#[derive(Debug)]
pub(super) struct TooMany;

/// Returns the words, and adds their size to `work`. Recurses once per opening brace.
pub(super) fn expand(pieces: &[Piece], work: &mut usize) -> Result<Words, TooMany> {
    let opening = pieces.iter().enumerate().filter(|(_, one)| one.is('{'));
    for (at, _) in opening {
        let Some((end, choices)) = group(pieces.get(at + 1..).unwrap_or_default(), work)? else {
            continue;
        };
        let before = pieces.get(..at).unwrap_or_default();
        let tails = expand(pieces.get(at + end + 2..).unwrap_or_default(), work)?;
        let mut words = Vec::new();
        for choice in choices {
            for middle in expand(&choice, work)? {
                for tail in &tails {
                    spend(before.len() + middle.len() + tail.len() + 1, work)?;
                    words.push([before, &middle, tail].concat());
                }
            }
        }
        return Ok(words);
    }
    Ok(vec![pieces.to_vec()])
}

fn spend(size: usize, work: &mut usize) -> Result<(), TooMany> {
    *work += size;
    if *work > MAX_WORK {
        Err(TooMany)
    } else {
        Ok(())
    }
}

/// Returns the position of the closing brace and the alternatives.
fn group(pieces: &[Piece], work: &mut usize) -> Result<Option<(usize, Words)>, TooMany> {
    let mut depth = 0_usize;
    let mut starts = vec![0];
    for (at, piece) in pieces.iter().enumerate() {
        if piece.is('{') {
            depth += 1;
        } else if piece.is(',') && depth == 0 {
            starts.push(at + 1);
        } else if piece.is('}') && depth > 0 {
            depth -= 1;
        } else if piece.is('}') {
            starts.push(at + 1);
            let inner = pieces.get(..at).unwrap_or_default();
            let choices = choices(inner, &starts, work)?;
            return Ok(choices.map(|choices| (at, choices)));
        }
    }
    Ok(None)
}

fn choices(pieces: &[Piece], starts: &[usize], work: &mut usize) -> Result<Option<Words>, TooMany> {
    if starts.len() == 2 {
        return sequence(pieces, work);
    }
    spend(pieces.len() + starts.len(), work)?;
    let ranges = starts.iter().zip(starts.iter().skip(1));
    let words = ranges.map(|(start, next)| pieces.get(*start..next - 1).map(<[Piece]>::to_vec));
    Ok(words.collect())
}

/// `1..9` and `a..z`; the step is ignored.
fn sequence(pieces: &[Piece], work: &mut usize) -> Result<Option<Words>, TooMany> {
    let text: Option<String> = pieces.iter().map(Piece::letter).collect();
    let Some((first, last)) = text.as_deref().and_then(ends) else {
        return Ok(None);
    };
    if first.parse::<i64>().is_ok() && last.parse::<i64>().is_ok() {
        let number = Segment::Unknown(Origin::Unknown);
        return Ok(Some(vec![vec![Piece::words(vec![vec![number]], true)]]));
    }
    let single = |text: &str| text.chars().next().filter(|_| text.chars().count() == 1);
    let (Some(first), Some(last)) = (single(first), single(last)) else {
        return Ok(None);
    };
    let mut words = Vec::new();
    for letter in first.min(last)..=first.max(last) {
        spend(1, work)?;
        words.push(vec![Piece::Plain(letter)]);
    }
    Ok(Some(words))
}

fn ends(text: &str) -> Option<(&str, &str)> {
    let mut ends = text.split("..");
    Some((ends.next()?, ends.next()?))
}
