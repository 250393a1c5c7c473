//! Passing quickly over what cannot hold a text, whether its letters are capital or small.

/// A shorter part stands in too many places.
const LEAST_BYTES: usize = 3;

/// A longer part would take long to be compared where a text is made to look like it everywhere.
const MOST_BYTES: usize = 16;

/// How many places are looked at side by side.
const LANES: usize = 64;

/// What programs and texts are made of most, the most common first.
const COMMON: &[u8] = b" etrnaoisl_cdupm(f,).;hg=\"-bywv0";

/// A part of a text that stands in all that matches it in any case, one byte for each of its own.
///
/// The regular expression for a text in any case looks for the first letters of it in every case, which takes twice the time:
/// here three letters decide that are rare in most texts.
#[derive(Debug, Clone)]
pub(super) struct Sieve {
    /// In small letters.
    part: Vec<u8>,
    /// The rarest of them, as they stand in the part.
    letters: [Letter; 3],
}

/// One letter of the part.
#[derive(Debug, Clone, Copy)]
struct Letter {
    place: usize,
    small: u8,
    /// The bit that makes a capital letter small; none in what is no letter.
    case: u8,
}

impl Sieve {
    /// The part of `text` that has the rarest letters, if there is one that will do.
    pub(super) fn of(text: &str) -> Option<Self> {
        // The letters k and s also stand for signs beyond ASCII: `K` (Kelvin) and `ſ`.
        let ends_part = |byte: &u8| !byte.is_ascii() || matches!(byte | 0x20, b'k' | b's');
        let small = text.to_ascii_lowercase();
        let parts = small.as_bytes().split(ends_part);
        parts
            .flat_map(|part| part.chunks(MOST_BYTES))
            .filter(|part| part.len() >= LEAST_BYTES)
            .filter_map(|part| Some((part, rarest(part)?)))
            .max_by_key(|(_, letters)| letters.map(|letter| rarity(letter.small)))
            .map(|(part, letters)| Self::with(part, letters))
    }

    fn with(part: &[u8], mut letters: [Letter; 3]) -> Self {
        letters.sort_unstable_by_key(|letter| letter.place);
        let part = part.to_vec();
        Self { part, letters }
    }

    /// Where the part stands next at or behind `from`.
    pub(super) fn find(&self, text: &[u8], from: usize) -> Option<usize> {
        let [first, second, third] = self.letters;
        let thirds = text.get(from.checked_add(third.place)?..)?;
        let count = thirds.len();
        let firsts = text.get(from + first.place..)?.get(..count)?;
        let seconds = text.get(from + second.place..)?.get(..count)?;
        let (rows, rest) = firsts.as_chunks::<LANES>();
        let others = seconds.as_chunks().0.iter().zip(thirds.as_chunks().0);
        let mut at = from;
        for (row, (second_row, third_row)) in rows.iter().zip(others) {
            if self.may_be_in(row, second_row, third_row)
                && let Some(found) = self.find_in(text, at, row)
            {
                return Some(found);
            }
            at += LANES;
        }
        self.find_in(text, at, rest)
    }

    /// Whether all three letters stand where they do in the part. The compiler makes vectors of this.
    fn may_be_in(&self, firsts: &[u8; LANES], seconds: &[u8; LANES], thirds: &[u8; LANES]) -> bool {
        let [first, second, third] = self.letters;
        let mut any = 0;
        for ((one, two), three) in firsts.iter().zip(seconds).zip(thirds) {
            let both = u8::from(first.is(*one)) & u8::from(second.is(*two));
            any |= both & u8::from(third.is(*three));
        }
        any != 0
    }

    /// The first place at or behind `at` where the part stands, with its first letter in `row`.
    fn find_in(&self, text: &[u8], at: usize, row: &[u8]) -> Option<usize> {
        let [first, ..] = self.letters;
        let mut places = (at..).zip(row);
        places
            .find(|(at, byte)| first.is(**byte) && self.is_at(text, *at))
            .map(|(at, _)| at)
    }

    fn is_at(&self, text: &[u8], at: usize) -> bool {
        text.get(at..at + self.part.len())
            .is_some_and(|there| there.eq_ignore_ascii_case(&self.part))
    }
}

/// The three rarest letters of a part, the rarest first.
fn rarest(part: &[u8]) -> Option<[Letter; 3]> {
    let letters = part.iter().enumerate();
    let mut letters: Vec<_> = letters
        .map(|(place, small)| Letter::of(place, *small))
        .collect();
    letters.sort_by_key(|letter| std::cmp::Reverse(rarity(letter.small)));
    letters.first_chunk().copied()
}

fn rarity(small: u8) -> usize {
    let place = COMMON.iter().position(|common| *common == small);
    place.unwrap_or(COMMON.len())
}

impl Letter {
    fn of(place: usize, small: u8) -> Self {
        let case = if small.is_ascii_alphabetic() { 0x20 } else { 0 };
        Self { place, small, case }
    }

    fn is(self, byte: u8) -> bool {
        byte | self.case == self.small
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_rarest_part_without_letters_that_have_other_cases_is_looked_for() {
        for (text, part) in [
            ("memory_order_seq_cst", Some("eq_c")),
            ("Tokio::Main", Some("io::main")),
            ("one_KEY_two", Some("ey_two")),
            ("naïve_text", Some("ve_text")),
            ("Task", None),
            ("aß.b", None),
            ("ab", None),
            ("aaaa", Some("aaaa")),
            ("abcdefgh_abcdefgh_", Some("abcdefgh_abcdefg")),
            ("abcdefgh_abcdefgh_zzz", Some("h_zzz")),
            ("", None),
        ] {
            let sieve = Sieve::of(text);

            assert_eq!(sieve.map(|sieve| sieve.part), part.map(Vec::from), "{text}");
        }
    }

    #[test]
    fn a_part_is_found_wherever_it_stands() {
        let sieve = Sieve::of("Any_Part").unwrap();
        for before in (0..3 * LANES).chain([10_000]) {
            for behind in [0, 1, 7, LANES] {
                let text = [&b"x".repeat(before)[..], b"aNY_pART", &b"_".repeat(behind)].concat();

                assert_eq!(sieve.find(&text, 0), Some(before), "{before} {behind}");
                assert_eq!(sieve.find(&text, before), Some(before));
                assert_eq!(sieve.find(&text, before + 1), None);
                assert_eq!(sieve.find(text.get(..before + 7).unwrap(), 0), None);
            }
        }
        assert_eq!(sieve.find(b"any_part", usize::MAX), None);
    }

    #[test]
    fn a_text_that_looks_like_the_part_everywhere_takes_no_longer_for_a_longer_one() {
        let query = format!("{}e{}", "z".repeat(2000), "z".repeat(2000));

        let sieve = Sieve::of(&query).unwrap();

        assert_eq!(sieve.part, [b'z'; MOST_BYTES]);
    }

    #[test]
    fn a_part_is_found_as_by_looking_at_every_place() {
        proptest!(|(text in "[abAB_\\n]{0,600}", part in "[abAB_]{3,5}", from in 0_usize..700)| {
            let sieve = Sieve::of(&part).unwrap();
            let small = text.to_ascii_lowercase();
            let expected = small
                .get(from..)
                .and_then(|rest| rest.find(&part.to_ascii_lowercase()))
                .map(|offset| from + offset);

            prop_assert_eq!(sieve.find(text.as_bytes(), from), expected);
        });
    }
}
