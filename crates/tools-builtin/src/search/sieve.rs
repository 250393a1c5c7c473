//! Passing quickly over what cannot hold a text, whether its letters are capital or small.

/// A shorter part stands in too many places.
const LEAST_BYTES: usize = 3;

/// How many places are looked at side by side.
const LANES: usize = 64;

/// What programs and texts are made of most, the most common first.
const COMMON: &[u8] = b" etrnaoisl_cdupm(f,).;hg=\"-by0";

/// A part of a text that stands in all that matches it in any case, one byte for each of its own.
///
/// The regular expression for a text in any case looks for the first letters of it in every case, which takes twice the time:
/// here two letters decide that are rare in most texts.
#[derive(Debug, Clone)]
pub(super) struct Sieve {
    /// In small letters.
    part: Vec<u8>,
    letters: [Letter; 2],
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
        let long_enough = parts.filter(|part| part.len() >= LEAST_BYTES);
        let (part, pair) = long_enough
            .filter_map(|part| Some((part, rarest(part)?)))
            .max_by_key(|(_, pair)| pair.map(|letter| rarity(letter.small)))?;
        let [first, second] = pair;
        let in_order = first.place < second.place;
        Some(Self {
            part: part.to_vec(),
            letters: if in_order { pair } else { [second, first] },
        })
    }

    /// Where the part stands next at or behind `from`.
    pub(super) fn find(&self, text: &[u8], from: usize) -> Option<usize> {
        let [near, far] = self.letters;
        let far_bytes = text.get(from.checked_add(far.place)?..)?;
        let near_bytes = text.get(from + near.place..)?.get(..far_bytes.len())?;
        let (near_rows, near_rest) = near_bytes.as_chunks::<LANES>();
        let (far_rows, far_rest) = far_bytes.as_chunks::<LANES>();
        let mut at = from;
        for (near_row, far_row) in near_rows.iter().zip(far_rows) {
            if self.is_in(near_row, far_row)
                && let Some(found) = self.find_in(text, at, near_row, far_row)
            {
                return Some(found);
            }
            at += LANES;
        }
        self.find_in(text, at, near_rest, far_rest)
    }

    /// Whether both letters stand where they do in the part. The compiler makes vectors of this.
    fn is_in(&self, near_row: &[u8; LANES], far_row: &[u8; LANES]) -> bool {
        let [near, far] = self.letters;
        let mut any = 0;
        for (near_byte, far_byte) in near_row.iter().zip(far_row) {
            any |= u8::from(near.is(*near_byte)) & u8::from(far.is(*far_byte));
        }
        any != 0
    }

    /// The first place at or behind `at` where the part stands, with its letters in these rows.
    fn find_in(&self, text: &[u8], at: usize, near_row: &[u8], far_row: &[u8]) -> Option<usize> {
        let [near, far] = self.letters;
        let mut pairs = near_row.iter().zip(far_row).enumerate();
        let found = pairs.find(|(offset, (near_byte, far_byte))| {
            near.is(**near_byte) && far.is(**far_byte) && self.is_at(text, at + offset)
        });
        found.map(|(offset, _)| at + offset)
    }

    fn is_at(&self, text: &[u8], at: usize) -> bool {
        text.get(at..at + self.part.len())
            .is_some_and(|there| there.eq_ignore_ascii_case(&self.part))
    }
}

/// The two rarest letters of a part, the rarest first.
fn rarest(part: &[u8]) -> Option<[Letter; 2]> {
    let letters = part
        .iter()
        .enumerate()
        .map(|(place, small)| Letter::of(place, *small));
    let rarity = |letter: &Letter| rarity(letter.small);
    let first = letters.clone().max_by_key(rarity)?;
    let others = letters.filter(|letter| letter.place != first.place);
    Some([first, others.max_by_key(rarity)?])
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
