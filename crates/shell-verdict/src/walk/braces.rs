//! Brace expansion, which precedes every other expansion.

use super::super::limits::MAX_ALTERNATIVES;
use super::super::value::{Origin, Segment};
use super::fields::Piece;

type Words = Vec<Vec<Piece>>;

enum Group {
    Words(Words),
    TooMany,
}

/// Returns one unknown word if there are too many.
pub(super) fn expand(pieces: Vec<Piece>) -> Words {
    let opening = pieces.iter().filter(|piece| piece.is('{')).count();
    if opening == 0 {
        return vec![pieces];
    }
    let words = if opening > 16 {
        None
    } else {
        alternatives(&pieces)
    };
    words.unwrap_or_else(|| {
        let unknown = Segment::Unknown(Origin::Unknown);
        vec![vec![Piece::Expansion {
            words: vec![vec![unknown]],
            quoted: false,
            several: true,
        }]]
    })
}

fn alternatives(pieces: &[Piece]) -> Option<Words> {
    for (at, _) in pieces.iter().enumerate().filter(|(_, piece)| piece.is('{')) {
        let Some((end, choices)) = group(pieces.get(at + 1..)?) else {
            continue;
        };
        let tails = alternatives(pieces.get(at + end + 2..)?)?;
        let mut words = Vec::new();
        let Group::Words(choices) = choices else {
            return None;
        };
        for choice in choices {
            for middle in alternatives(&choice)? {
                for tail in &tails {
                    words.push([pieces.get(..at)?, &middle, tail].concat());
                    if words.len() > MAX_ALTERNATIVES {
                        return None;
                    }
                }
            }
        }
        return Some(words);
    }
    Some(vec![pieces.to_vec()])
}

/// Returns the position of the closing brace and the alternatives.
fn group(pieces: &[Piece]) -> Option<(usize, Group)> {
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
            return choices(pieces, &starts).map(|choices| (at, choices));
        }
    }
    None
}

fn choices(pieces: &[Piece], starts: &[usize]) -> Option<Group> {
    if starts.len() == 2 {
        return sequence(pieces.get(..starts.last()? - 1)?);
    }
    if starts.len() > MAX_ALTERNATIVES {
        return Some(Group::TooMany);
    }
    let ranges = starts.iter().zip(starts.iter().skip(1));
    let words = ranges.map(|(start, next)| pieces.get(*start..next - 1).map(<[Piece]>::to_vec));
    words.collect::<Option<Words>>().map(Group::Words)
}

/// `1..9` and `a..z`; the step is ignored.
fn sequence(pieces: &[Piece]) -> Option<Group> {
    let text: String = pieces.iter().map(Piece::letter).collect::<Option<_>>()?;
    let mut ends = text.split("..");
    let (first, last) = (ends.next()?, ends.next()?);
    if first.parse::<i64>().is_ok() && last.parse::<i64>().is_ok() {
        let number = Segment::Unknown(Origin::Unknown);
        return Some(Group::Words(vec![vec![Piece::words(
            vec![vec![number]],
            true,
        )]]));
    }
    let single = |text: &str| text.chars().next().filter(|_| text.chars().count() == 1);
    let (first, last) = (single(first)?, single(last)?);
    let letters = first.min(last)..=first.max(last);
    let words: Words = letters
        .take(MAX_ALTERNATIVES + 1)
        .map(|letter| vec![Piece::Plain(letter)])
        .collect();
    Some(if words.len() <= MAX_ALTERNATIVES {
        Group::Words(words)
    } else {
        Group::TooMany
    })
}
