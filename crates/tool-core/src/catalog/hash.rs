//! The hash by which names are found.

use std::hash::{BuildHasher, RandomState};

/// Hashes names with a secret of its own, so that nobody outside can choose names that collide.
///
/// Names are short and hashed in every call, for which the standard hash is slow: here each eight bytes cost one
/// multiplication.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NameHash {
    start: u64,
    factor: u64,
}

impl NameHash {
    pub(crate) fn new() -> Self {
        let secret = RandomState::new();
        Self {
            start: secret.hash_one("start"),
            // Odd, so that multiplying loses nothing.
            factor: secret.hash_one("factor") | 1,
        }
    }

    #[inline]
    pub(crate) fn of(self, name: &str) -> usize {
        let (words, rest) = name.as_bytes().as_chunks::<8>();
        let start = folded(self.start ^ name.len() as u64, self.factor);
        let hash = words.iter().fold(start, |hash, word| {
            folded(hash ^ u64::from_le_bytes(*word), self.factor)
        });
        as_index(folded(hash ^ word_of(rest), self.factor))
    }
}

/// At most eight bytes as one number. They are not put together in memory, where reading what was just written waits.
#[inline]
fn word_of(bytes: &[u8]) -> u64 {
    match (bytes.first_chunk(), bytes.last_chunk()) {
        (Some(first), Some(last)) => {
            let overlap = 8 * bytes.len().saturating_sub(4);
            let [first, last] = [first, last].map(|half| u64::from(u32::from_le_bytes(*half)));
            first | last << overlap
        }
        _ => bytes
            .iter()
            .rev()
            .fold(0, |word, byte| word << 8 | u64::from(*byte)),
    }
}

/// Both halves of the product, so that every bit of the factors reaches every bit of the hash.
#[inline]
fn folded(left: u64, right: u64) -> u64 {
    let product = u128::from(left) * u128::from(right);
    let [low, high] = [product, product >> 64].map(low_half);
    low ^ high
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the low half is what is asked for"
)]
fn low_half(product: u128) -> u64 {
    product as u64
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the low bits of a hash are a hash"
)]
fn as_index(hash: u64) -> usize {
    hash as usize
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn names_that_differ_in_little_have_hashes_that_differ() {
        let hash = NameHash::new();
        let names =
            (0..1000).flat_map(|n| [format!("tool_{n}"), format!("a_longer_name_{n}_of_a_tool")]);
        let names: Vec<String> = names.chain(["", "\0", "\0\0"].map(str::to_owned)).collect();

        let hashes: HashSet<usize> = names.iter().map(|name| hash.of(name)).collect();
        let low_bits: HashSet<usize> = hashes.iter().map(|hash| hash % 256).collect();

        assert_eq!(hashes.len(), names.len());
        assert!(low_bits.len() > 200, "{}", low_bits.len());
        assert_eq!(hash.of("tool_1"), hash.of(&String::from("tool_1")));
    }

    #[test]
    fn two_registries_hash_one_name_differently() {
        assert_ne!(NameHash::new().of("add"), NameHash::new().of("add"));
    }
}
