//! Pictures that models accept, recognized by their bytes.

use tool_core::{ErrorCode, ToolError};

/// Maximum size in bytes of a picture. Providers reject larger ones, with the whole request.
const MAX_BYTES: u64 = 5 * 1024 * 1024;
/// Maximum number of pixels of a side.
const MAX_PIXELS: usize = 8000;

/// Format and size of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Picture {
    pub(super) media_type: &'static str,
    pub(super) width: usize,
    pub(super) height: usize,
}

impl Picture {
    /// Recognizes a picture, and reads its size. `None` for other files, and for pictures without a readable size.
    pub(super) fn of(bytes: &[u8]) -> Option<Self> {
        let (media_type, (width, height)) = if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
            ("image/png", (big(bytes, 16, 4)?, big(bytes, 20, 4)?))
        } else if bytes.starts_with(b"GIF87a") || bytes.starts_with(b"GIF89a") {
            ("image/gif", (little(bytes, 6, 2)?, little(bytes, 8, 2)?))
        } else if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
            ("image/webp", webp(bytes)?)
        } else if bytes.starts_with(b"\xff\xd8\xff") {
            ("image/jpeg", jpeg(bytes)?)
        } else {
            return None;
        };
        Some(Self {
            media_type,
            width,
            height,
        })
    }

    /// Rejects a picture that providers don't accept.
    pub(super) fn check(self, bytes: u64) -> Result<(), ToolError> {
        let (width, height) = (self.width, self.height);
        let sentence = if bytes > MAX_BYTES {
            format!("is a picture of {bytes} bytes; at most {MAX_BYTES} are allowed")
        } else if width.max(height) > MAX_PIXELS {
            format!(
                "is a picture of {width} × {height} pixels; at most {MAX_PIXELS} a side are allowed"
            )
        } else {
            return Ok(());
        };
        Err(ToolError::about(ErrorCode::FileTooLarge, "path", sentence)
            .suggest("Scale it down with a command, and read the result."))
    }
}

fn big(bytes: &[u8], at: usize, length: usize) -> Option<usize> {
    Some(number(bytes.get(at..at + length)?.iter()))
}

fn little(bytes: &[u8], at: usize, length: usize) -> Option<usize> {
    Some(number(bytes.get(at..at + length)?.iter().rev()))
}

fn number<'d>(digits: impl Iterator<Item = &'d u8>) -> usize {
    digits.fold(0, |sum, digit| sum << 8 | usize::from(*digit))
}

fn webp(bytes: &[u8]) -> Option<(usize, usize)> {
    match bytes.get(12..16)? {
        b"VP8X" => Some((little(bytes, 24, 3)? + 1, little(bytes, 27, 3)? + 1)),
        b"VP8L" => {
            let sides = little(bytes, 21, 4)?;
            Some(((sides & 0x3FFF) + 1, (sides >> 14 & 0x3FFF) + 1))
        }
        b"VP8 " => Some((
            little(bytes, 26, 2)? & 0x3FFF,
            little(bytes, 28, 2)? & 0x3FFF,
        )),
        _ => None,
    }
}

/// Reads the size from the frame header, after any number of other segments.
fn jpeg(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut at = 2;
    loop {
        let marker = big(bytes, at, 2)?;
        match marker {
            // Every marker of a frame, but not those of tables and arithmetic coding in the same range.
            0xFFC0..=0xFFCF if !matches!(marker, 0xFFC4 | 0xFFC8 | 0xFFCC) => {
                return Some((big(bytes, at + 7, 2)?, big(bytes, at + 5, 2)?));
            }
            0xFFFF => at += 1,
            0xFF01..=0xFFFE => at += 2 + big(bytes, at + 2, 2)?,
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(bytes: &[u8]) -> Option<(&'static str, usize, usize)> {
        Picture::of(bytes).map(|picture| (picture.media_type, picture.width, picture.height))
    }

    #[test]
    fn recognizes_formats_by_their_bytes() {
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x02\x80\0\0\x01\xe0\x08";
        let gif = b"GIF89a\x0a\0\x14\0\0";
        let extended = b"RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\x1f\x03\0\x57\x02\0";
        let lossless = b"RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f\x09\xc0\x04\0";
        let lossy = b"RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a\x0a\0\x14\0";
        let jpeg = b"\xff\xd8\xff\xe0\0\x04ab\xff\xff\xc4\0\x02\xff\xc2\0\x11\x08\0\x14\0\x0a\x03";
        for (bytes, expected) in [
            (&png[..], ("image/png", 640, 480)),
            (gif, ("image/gif", 10, 20)),
            (extended, ("image/webp", 800, 600)),
            (lossless, ("image/webp", 10, 20)),
            (lossy, ("image/webp", 10, 20)),
            (jpeg, ("image/jpeg", 10, 20)),
        ] {
            assert_eq!(size(bytes), Some(expected));
            for end in 0..bytes.len() - 2 {
                let part = size(&bytes[..end]);
                assert!(part.is_none() || part == Some(expected), "{end}");
            }
        }
        for other in [
            &b""[..],
            b"GIF",
            b"\xff\xd8\xff\x00",
            b"RIFF\0\0\0\0WAVE",
            b"%PDF-1.7",
            b"text",
        ] {
            assert_eq!(size(other), None, "{other:?}");
        }
    }

    #[test]
    fn jpeg_with_endless_segments_ends() {
        let segments = [&b"\xff\xd8"[..], &b"\xff\xe1\0\x02".repeat(100_000)].concat();

        assert_eq!(size(&segments), None);
        assert_eq!(
            size(&[&b"\xff\xd8"[..], &vec![0xFF; 100_000]].concat()),
            None
        );
    }

    #[test]
    fn too_large_pictures_are_rejected() {
        let picture = |width, height| Picture {
            media_type: "image/png",
            width,
            height,
        };

        assert!(picture(8000, 8000).check(MAX_BYTES).is_ok());
        for (picture, bytes, part) in [
            (picture(8001, 1), 10, "8001 × 1 pixels"),
            (picture(1, 100_000), 10, "1 × 100000 pixels"),
            (picture(1, 1), MAX_BYTES + 1, "5242881 bytes"),
        ] {
            let error = picture.check(bytes).unwrap_err();

            assert_eq!(error.code(), &ErrorCode::FileTooLarge);
            assert!(error.to_string().contains(part), "{error}");
        }
    }
}
