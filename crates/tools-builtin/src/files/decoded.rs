//! Streaming conversion from UTF-16 to UTF-8.

use std::io::{self, BufRead, Read};

use encoding_rs::{CoderResult, Decoder};

use super::encoding::Encoding;

const CHUNK: usize = 64 * 1024;

/// Reader that converts UTF-16 without a byte-order mark to UTF-8. Unpaired surrogates become `�`.
pub(super) struct Decoded<R> {
    source: R,
    decoder: Decoder,
    text: Vec<u8>,
    start: usize,
    end: usize,
    ended: bool,
}

impl<R: BufRead> Decoded<R> {
    pub(super) fn new(source: R, encoding: Encoding) -> Self {
        Self {
            source,
            decoder: encoding.byte_order().new_decoder_without_bom_handling(),
            text: vec![0; CHUNK],
            start: 0,
            end: 0,
            ended: false,
        }
    }
}

impl<R: BufRead> BufRead for Decoded<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        while self.start == self.end && !self.ended {
            let piece = self.source.fill_buf()?;
            let last = piece.is_empty();
            let (result, read, written, _) =
                self.decoder.decode_to_utf8(piece, &mut self.text, last);
            self.source.consume(read);
            (self.start, self.end) = (0, written);
            self.ended = last && result == CoderResult::InputEmpty;
        }
        Ok(self.text.get(self.start..self.end).unwrap_or_default())
    }

    fn consume(&mut self, amount: usize) {
        self.start = self.end.min(self.start + amount);
    }
}

impl<R: BufRead> Read for Decoded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let size = self.fill_buf()?.read(buffer)?;
        self.consume(size);
        Ok(size)
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::super::decode::to_utf16;
    use super::*;

    fn read(bytes: &[u8], encoding: Encoding, capacity: usize) -> String {
        let mut text = String::new();
        let source = BufReader::with_capacity(capacity, bytes);
        Decoded::new(source, encoding)
            .read_to_string(&mut text)
            .unwrap();
        text
    }

    #[test]
    fn decodes_at_any_chunk_size() {
        let text = "aé😀\r\n日本".repeat(20_000);
        for encoding in [Encoding::Utf16Le, Encoding::Utf16Be] {
            let bytes = to_utf16(&text, encoding);
            for capacity in [1, 3, 64, 1 << 20] {
                assert!(
                    read(&bytes, encoding, capacity) == text,
                    "{encoding} {capacity}"
                );
            }
        }
    }

    #[test]
    fn replaces_unpaired_surrogates() {
        assert_eq!(read(b"a\0\x00\xD8b\0", Encoding::Utf16Le, 2), "a\u{fffd}b");
        assert_eq!(read(b"a\0b", Encoding::Utf16Le, 2), "a\u{fffd}");
    }
}
