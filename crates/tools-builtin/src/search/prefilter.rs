//! Fast search for text that every match of a case-insensitive literal contains.

/// Minimum length of the part, because shorter ones occur too often.
const MIN_BYTES: usize = 3;

/// Maximum length of the part, because comparing a longer one is slow in text that resembles it.
const MAX_BYTES: usize = 16;

/// Number of positions compared at once.
const LANES: usize = 64;

/// Most frequent bytes in source code and prose, in descending order.
const COMMON: &[u8] = b" etrnaoisl_cdupm(f,).;hg=\"-bywv0";

/// Part of a literal that every case-insensitive match contains, byte for byte.
///
/// The regular expression engine searches for the first characters in every case, which takes twice
/// as long as comparing the three rarest bytes of the part.
#[derive(Debug, Clone)]
pub(super) struct Prefilter {
    /// Lowercase bytes of the part.
    part: Vec<u8>,
    /// Its three rarest bytes, sorted by position.
    rare_bytes: [RareByte; 3],
}

/// Byte of the part.
#[derive(Debug, Clone, Copy)]
struct RareByte {
    offset: usize,
    lower: u8,
    /// Bit that converts an uppercase letter to lowercase, or 0 for other bytes.
    case: u8,
}

impl Prefilter {
    /// Returns the part of `text` with the rarest bytes, if one is long enough.
    pub(super) fn of(text: &str) -> Option<Self> {
        // `k` and `s` also match characters outside ASCII: `K` (Kelvin) and `ſ`.
        let ends_part = |byte: &u8| !byte.is_ascii() || matches!(byte | 0x20, b'k' | b's');
        let lower = text.to_ascii_lowercase();
        let parts = lower.as_bytes().split(ends_part);
        parts
            .flat_map(|part| part.chunks(MAX_BYTES))
            .filter(|part| part.len() >= MIN_BYTES)
            .filter_map(|part| Some((part, rarest(part)?)))
            .max_by_key(|(_, rare_bytes)| rare_bytes.map(|byte| rarity(byte.lower)))
            .map(|(part, rare_bytes)| Self::with(part, rare_bytes))
    }

    fn with(part: &[u8], mut rare_bytes: [RareByte; 3]) -> Self {
        rare_bytes.sort_unstable_by_key(|byte| byte.offset);
        let part = part.to_vec();
        Self { part, rare_bytes }
    }

    /// Returns the next position of the part at or after `from`.
    pub(super) fn find(&self, text: &[u8], from: usize) -> Option<usize> {
        let [first, second, third] = self.rare_bytes;
        let thirds = text.get(from.checked_add(third.offset)?..)?;
        let count = thirds.len();
        let firsts = text.get(from + first.offset..)?.get(..count)?;
        let seconds = text.get(from + second.offset..)?.get(..count)?;
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

    /// Returns whether all three bytes match at some position. The compiler vectorizes this loop.
    fn may_be_in(&self, firsts: &[u8; LANES], seconds: &[u8; LANES], thirds: &[u8; LANES]) -> bool {
        let [first, second, third] = self.rare_bytes;
        let mut any = 0;
        for ((one, two), three) in firsts.iter().zip(seconds).zip(thirds) {
            let both = u8::from(first.is(*one)) & u8::from(second.is(*two));
            any |= both & u8::from(third.is(*three));
        }
        any != 0
    }

    /// Returns the first position of the part whose first rare byte is in `row`, which starts at
    /// `at`.
    fn find_in(&self, text: &[u8], at: usize, row: &[u8]) -> Option<usize> {
        let [first, ..] = self.rare_bytes;
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

/// Returns the three rarest bytes of a part, the rarest first.
fn rarest(part: &[u8]) -> Option<[RareByte; 3]> {
    let rare_bytes = part.iter().enumerate();
    let mut rare_bytes: Vec<_> = rare_bytes
        .map(|(offset, lower)| RareByte::of(offset, *lower))
        .collect();
    rare_bytes.sort_by_key(|byte| std::cmp::Reverse(rarity(byte.lower)));
    rare_bytes.first_chunk().copied()
}

fn rarity(lower: u8) -> usize {
    let offset = COMMON.iter().position(|common| *common == lower);
    offset.unwrap_or(COMMON.len())
}

impl RareByte {
    fn of(offset: usize, lower: u8) -> Self {
        let case = if lower.is_ascii_alphabetic() { 0x20 } else { 0 };
        Self {
            offset,
            lower,
            case,
        }
    }

    fn is(self, byte: u8) -> bool {
        byte | self.case == self.lower
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn selects_rarest_part_without_special_case_folding() {
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
            let prefilter = Prefilter::of(text);

            assert_eq!(
                prefilter.map(|prefilter| prefilter.part),
                part.map(Vec::from),
                "{text}"
            );
        }
    }

    #[test]
    fn finds_part_at_every_position() {
        let prefilter = Prefilter::of("Any_Part").unwrap();
        for before in (0..3 * LANES).chain([10_000]) {
            for behind in [0, 1, 7, LANES] {
                let text = [&b"x".repeat(before)[..], b"aNY_pART", &b"_".repeat(behind)].concat();

                assert_eq!(prefilter.find(&text, 0), Some(before), "{before} {behind}");
                assert_eq!(prefilter.find(&text, before), Some(before));
                assert_eq!(prefilter.find(&text, before + 1), None);
                assert_eq!(prefilter.find(text.get(..before + 7).unwrap(), 0), None);
            }
        }
        assert_eq!(prefilter.find(b"any_part", usize::MAX), None);
    }

    #[test]
    fn part_length_is_limited_for_repetitive_text() {
        let query = format!("{}e{}", "z".repeat(2000), "z".repeat(2000));

        let prefilter = Prefilter::of(&query).unwrap();

        assert_eq!(prefilter.part, [b'z'; MAX_BYTES]);
    }

    #[test]
    fn finds_same_positions_as_naive_search() {
        proptest!(|(text in "[abAB_\\n]{0,600}", part in "[abAB_]{3,5}", from in 0_usize..700)| {
            let prefilter = Prefilter::of(&part).unwrap();
            let lower = text.to_ascii_lowercase();
            let expected = lower
                .get(from..)
                .and_then(|rest| rest.find(&part.to_ascii_lowercase()))
                .map(|offset| from + offset);

            prop_assert_eq!(prefilter.find(text.as_bytes(), from), expected);
        });
    }
}
