//! The text of a file that is to be searched.

use std::borrow::Cow;
use std::io::{self, Read};

use crate::files::decode::{Encoding, LOOKED_AT, from_utf16};

/// Larger files are passed over.
pub(crate) const MAX_FILE_BYTES: u64 = 64 * 1024 * 1024;

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
    // A NUL behind this is taken for a slip in a text.
    file.take(LOOKED_AT as u64).read_to_end(buffer)?;
    let (encoding, mark) = Encoding::of_beginning(buffer);
    if encoding == Encoding::Binary {
        return Ok(Content::Binary);
    }
    file.take(MAX_FILE_BYTES).read_to_end(buffer)?;
    let text = buffer.get(mark..).unwrap_or_default();
    Ok(Content::Text(match encoding {
        Encoding::Utf16Le | Encoding::Utf16Be => {
            Cow::Owned(from_utf16(text, encoding).into_bytes())
        }
        _ => Cow::Borrowed(text),
    }))
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

        assert_eq!(buffer.len() as u64, MAX_FILE_BYTES + LOOKED_AT as u64);
    }
}
