//! Counting line breaks.

use memchr::memchr_iter;

/// How many bytes are looked at side by side, each with a count of its own.
const LANES: usize = 64;

/// How many bytes are counted before the counts, which are bytes too, could be too small.
pub(crate) const BLOCK: usize = LANES * u8::MAX as usize;

/// Below this it takes longer to put the counts together than to go without them.
const SHORT: usize = 1024;

/// How many line breaks there are.
///
/// The compiler makes vectors of counts that stand side by side; what `memchr` does in place of it takes 1.6 times as long.
pub(crate) fn count_newlines(text: &[u8]) -> usize {
    if text.len() < SHORT {
        return memchr_iter(b'\n', text).count();
    }
    text.chunks(BLOCK).map(count_in_block).sum()
}

fn count_in_block(block: &[u8]) -> usize {
    let (rows, rest) = block.as_chunks::<LANES>();
    let mut counts = [0_u8; LANES];
    for row in rows {
        for (count, byte) in counts.iter_mut().zip(row) {
            *count += u8::from(*byte == b'\n');
        }
    }
    let counted: usize = counts.iter().map(|count| usize::from(*count)).sum();
    counted + memchr_iter(b'\n', rest).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_breaks_are_counted_in_texts_of_every_length() {
        for length in [
            0,
            1,
            63,
            64,
            SHORT - 1,
            SHORT,
            BLOCK - 1,
            BLOCK,
            BLOCK + 1,
            3 * BLOCK + 70,
        ] {
            for every in [1, 2, 7, 100, LANES] {
                let text: Vec<u8> = (1..=length)
                    .map(|place| if place % every == 0 { b'\n' } else { b'\x0B' })
                    .collect();

                assert_eq!(count_newlines(&text), length / every, "{length} {every}");
            }
        }
    }
}
