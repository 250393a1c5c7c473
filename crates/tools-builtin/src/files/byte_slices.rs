//! Text made of borrowed and owned byte slices.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr_iter;

/// Minimum length in bytes of a borrowed piece. Shorter parts are copied, because each piece has
/// overhead.
const LONG: usize = 4096;

/// Sequence of byte slices, most of which are borrowed.
#[derive(Debug, Default)]
pub(super) struct ByteSlices<'t> {
    pieces: Vec<Cow<'t, [u8]>>,
    len: usize,
}

impl<'t> ByteSlices<'t> {
    /// Appends a part of the original text.
    pub(super) fn push(&mut self, part: &'t [u8]) {
        if part.len() < LONG {
            self.push_new(part);
        } else {
            self.len += part.len();
            self.pieces.push(Cow::Borrowed(part));
        }
    }

    /// Appends new text.
    pub(super) fn push_new(&mut self, part: &[u8]) {
        self.len += part.len();
        if let Some(Cow::Owned(last)) = self.pieces.last_mut() {
            last.extend_from_slice(part);
        } else {
            self.pieces.push(Cow::Owned(part.to_vec()));
        }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn as_slices(&self) -> Vec<&[u8]> {
        self.pieces.iter().map(AsRef::as_ref).collect()
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.as_slices().concat()
    }

    pub(super) fn part(&self, range: Range<usize>) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (start, piece) in self.pieces_from(range.start) {
            let end = range.end.saturating_sub(start).min(piece.len());
            bytes.extend_from_slice(piece.get(..end).unwrap_or_default());
        }
        bytes
    }

    /// Returns the end of the line that is `lines` lines after the line at `place`.
    pub(super) fn end_of_lines(&self, place: usize, lines: usize) -> usize {
        let mut left = lines;
        for (start, piece) in self.pieces_from(place) {
            for found in memchr_iter(b'\n', piece) {
                if left == 0 {
                    return start + found + 1;
                }
                left -= 1;
            }
        }
        self.len
    }

    /// Returns the pieces from `place` on, each with its position.
    fn pieces_from(&self, place: usize) -> impl Iterator<Item = (usize, &[u8])> {
        let mut end = 0;
        self.pieces.iter().filter_map(move |piece| {
            let start = end;
            end += piece.len();
            let skipped = place.saturating_sub(start);
            Some((start + skipped, piece.get(skipped..)?))
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn pieces_concatenate_to_input() {
        let line = prop_oneof![
            "[a-c\n]{0,9}",
            Just("x".repeat(LONG)),
            Just("y\n".repeat(LONG))
        ];
        let parts = prop::collection::vec((line, any::<bool>()), 0..6);
        proptest!(|(parts in parts, ends: [prop::sample::Index; 2], lines in 0_usize..4)| {
            let mut pieces = ByteSlices::default();
            for (part, is_new) in &parts {
                match is_new {
                    true => pieces.push_new(part.as_bytes()),
                    false => pieces.push(part.as_bytes()),
                }
            }
            let text: Vec<u8> = parts.iter().flat_map(|(part, _)| part.bytes()).collect();
            let [one, other] = ends.map(|end| end.index(text.len() + 1));
            let range = one.min(other)..one.max(other);
            let line_end = memchr_iter(b'\n', &text[one..]).nth(lines);

            prop_assert_eq!(pieces.len(), text.len());
            prop_assert_eq!(pieces.part(range.clone()), &text[range]);
            prop_assert_eq!(
                pieces.end_of_lines(one, lines),
                line_end.map_or(text.len(), |found| one + found + 1)
            );
            prop_assert_eq!(pieces.into_bytes(), text);
        });
    }

    #[test]
    fn borrows_long_parts_and_merges_short_ones() {
        let long = vec![b'x'; LONG];
        let mut pieces = ByteSlices::default();

        pieces.push(&long);
        pieces.push(b"a");
        pieces.push_new(b"b");
        pieces.push(b"c");

        let slices = pieces.as_slices();
        assert_eq!(slices, [&long[..], b"abc"]);
        assert_eq!(slices[0].as_ptr(), long.as_ptr());
    }
}
