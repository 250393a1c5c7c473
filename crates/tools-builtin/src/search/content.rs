//! The text of a file that is to be searched.

use std::borrow::Cow;
use std::io::{self, Read};

/// Larger files are passed over.
pub(crate) const MAX_FILE_BYTES: u64 = 64 * 1024 * 1024;

/// A NUL this far from the beginning makes a file binary; later ones are taken for slips in a text.
const INSPECTED_BYTES: u64 = 8 * 1024;

/// What a file turned out to be.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Content<'b> {
    /// Text in UTF-8, or in an encoding that shares its first 128 characters.
    Text(Cow<'b, [u8]>),
    /// No text.
    Binary,
    /// More than is searched.
    TooLarge,
}

/// Reads a file of `len` bytes into `buffer`, no further than it takes to see what it is.
pub(crate) fn read<'b>(
    file: &mut impl Read,
    len: u64,
    buffer: &'b mut Vec<u8>,
) -> io::Result<Content<'b>> {
    if len > MAX_FILE_BYTES {
        return Ok(Content::TooLarge);
    }
    buffer.clear();
    file.take(INSPECTED_BYTES).read_to_end(buffer)?;
    let encoding = Encoding::of(buffer);
    if encoding == Encoding::Binary {
        return Ok(Content::Binary);
    }
    file.take(MAX_FILE_BYTES).read_to_end(buffer)?;
    Ok(match encoding {
        Encoding::Utf16(order) => Content::Text(Cow::Owned(from_utf16(buffer, order))),
        Encoding::Utf8 => {
            let text = buffer.strip_prefix(b"\xef\xbb\xbf").unwrap_or(buffer);
            Content::Text(Cow::Borrowed(text))
        }
        Encoding::Binary => Content::Binary,
    })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Utf8,
    Utf16(ByteOrder),
    Binary,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ByteOrder {
    Little,
    Big,
}

impl Encoding {
    fn of(beginning: &[u8]) -> Self {
        match beginning {
            [0xff, 0xfe, ..] => Self::Utf16(ByteOrder::Little),
            [0xfe, 0xff, ..] => Self::Utf16(ByteOrder::Big),
            other if memchr::memchr(0, other).is_some() => Self::Binary,
            _ => Self::Utf8,
        }
    }
}

fn from_utf16(bytes: &[u8], order: ByteOrder) -> Vec<u8> {
    let (pairs, _) = bytes.as_chunks::<2>();
    let units = pairs.iter().skip(1).map(|pair| match order {
        ByteOrder::Little => u16::from_le_bytes(*pair),
        ByteOrder::Big => u16::from_be_bytes(*pair),
    });
    let text: String = char::decode_utf16(units)
        .map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect();
    text.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(bytes: &[u8]) -> Content<'static> {
        let mut buffer = Vec::new();
        match read(&mut &*bytes, bytes.len() as u64, &mut buffer).unwrap() {
            Content::Text(text) => Content::Text(Cow::Owned(text.into_owned())),
            Content::Binary => Content::Binary,
            Content::TooLarge => Content::TooLarge,
        }
    }

    fn text(text: impl AsRef<[u8]>) -> Content<'static> {
        Content::Text(Cow::Owned(text.as_ref().to_owned()))
    }

    #[test]
    fn what_a_file_is_follows_from_its_bytes() {
        let late = [&[b'x'; 8192][..], b"\0late"].concat();
        let early = [&[b'x'; 8191][..], b"\0"].concat();
        for (bytes, expected) in [
            (&b""[..], text("")),
            (b"plain", text("plain")),
            (b"\xef\xbb\xbfmarked", text("marked")),
            (b"caf\xe9", text(b"caf\xe9")),
            (b"\xff\xfea\0\xe4\0", text("aä")),
            (b"\xfe\xff\0a\0\xe4", text("aä")),
            (b"\xff\xfea\0\0\xd8", text("a\u{fffd}")),
            (b"\x7fELF\0", Content::Binary),
            (&early, Content::Binary),
            (&late, text(&late)),
        ] {
            assert_eq!(content(bytes), expected, "{:?}", bytes.get(..8));
        }
    }

    #[test]
    fn a_file_over_the_cap_is_not_read() {
        let mut buffer = Vec::new();

        let content = read(&mut io::empty(), MAX_FILE_BYTES + 1, &mut buffer).unwrap();

        assert_eq!(content, Content::TooLarge);
    }

    #[test]
    fn a_file_that_grows_without_end_is_read_to_the_cap_only() {
        let mut buffer = Vec::new();

        read(&mut io::repeat(b'x'), 10, &mut buffer).unwrap();

        assert_eq!(buffer.len() as u64, MAX_FILE_BYTES + INSPECTED_BYTES);
    }
}
