//! Images that a provider accepts, decided by their bytes: a wrong media type fails every later request of a conversation.

/// Images that a provider accepts. A limit that is not known is the usual one, so the provider may still reject an image.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ImageRules {
    /// Media types. Empty if the provider accepts all of them.
    pub(crate) types: &'static [&'static str],
    /// Maximum number of characters in base64.
    pub(crate) max_encoded: usize,
    /// Maximum width and height.
    pub(crate) max_side: u32,
    /// Maximum width times height.
    pub(crate) max_pixels: u64,
    /// Number of images in a conversation from which on a smaller width and height is the maximum.
    pub(crate) many: (usize, u32),
}

const MIB: usize = 1 << 20;

/// The table of the providers' limits. Each row has its source, as read on 2026-11-29; `SDK` is a package or the text of an
/// error, where we found no page.
impl ImageRules {
    /// OpenAI <https://platform.openai.com/docs/guides/images-vision>, Cohere <https://docs.cohere.com/docs/image-inputs>, and
    /// the providers without a row: SDK
    pub(crate) const USUAL: Self = Self {
        types: &["image/png", "image/jpeg", "image/webp", "image/gif"],
        max_encoded: 20 * MIB,
        max_side: u32::MAX,
        max_pixels: u64::MAX,
        many: (usize::MAX, u32::MAX),
    };

    /// Models of Anthropic, also on Bedrock. <https://platform.claude.com/docs/en/build-with-claude/vision>; the size: SDK
    pub(crate) const CLAUDE: Self = Self {
        max_encoded: 5 * MIB,
        max_side: 8000,
        many: (21, 2000),
        ..Self::USUAL
    };

    /// Gemini. <https://docs.cloud.google.com/vertex-ai/docs/generative-ai/image/image-captioning>, and for the size
    /// <https://firebase.google.com/docs/ai-logic/input-file-requirements>
    pub(crate) const GEMINI: Self = Self {
        types: &[
            "image/png",
            "image/jpeg",
            "image/webp",
            "image/heic",
            "image/heif",
        ],
        ..Self::USUAL
    };

    /// Groq. <https://console.groq.com/docs/vision>; the pixels: SDK
    pub(crate) const GROQ: Self = Self {
        max_encoded: 4 * MIB,
        max_pixels: 33_177_600,
        ..Self::USUAL
    };

    /// Mistral, 10 MB of bytes: SDK
    pub(crate) const MISTRAL: Self = Self {
        max_encoded: 13 * MIB,
        ..Self::USUAL
    };

    /// Ollama: SDK
    pub(crate) const OLLAMA: Self = Self {
        types: &["image/png", "image/jpeg", "image/webp"],
        ..Self::USUAL
    };

    /// xAI. <https://docs.x.ai/developers/model-capabilities/images/understanding>
    pub(crate) const XAI: Self = Self {
        types: &["image/png", "image/jpeg"],
        ..Self::USUAL
    };

    /// MCP, whose hosts decide.
    pub(crate) const ANY: Self = Self {
        types: &[],
        ..Self::USUAL
    };

    /// Returns the media type of the image, or why the provider does not accept it. `images` is the number of images in the
    /// conversation.
    pub(crate) fn check(&self, data: &str, images: usize) -> Result<Option<&'static str>, String> {
        if self.types.is_empty() {
            return Ok(None);
        }
        let head = head(data);
        let kind = media_type(&head).filter(|kind| self.types.contains(kind));
        let Some(kind) = kind else {
            let names = self
                .types
                .iter()
                .map(|kind| kind.trim_start_matches("image/"));
            let names: Vec<&str> = names.collect();
            return Err(format!("only {} images are accepted", names.join(", ")));
        };
        if data.len() > self.max_encoded {
            let most = self.max_encoded / MIB;
            return Err(format!("an image has at most {most} MiB in base64"));
        }
        let (from, smaller) = self.many;
        let side = if images >= from {
            smaller
        } else {
            self.max_side
        };
        match sides(kind, &head) {
            Some((width, height)) if width.max(height) > side => {
                Err(format!("an image has at most {side} pixels on each side"))
            }
            Some((width, height)) if u64::from(width) * u64::from(height) > self.max_pixels => {
                Err(format!("an image has at most {} pixels", self.max_pixels))
            }
            _ => Ok(Some(kind)),
        }
    }
}

/// Number of characters that are decoded. The sizes of a JPEG image may follow a preview and a color profile.
const HEAD: usize = 256 * 1024;

/// Returns the first bytes, or none if the text is not base64.
fn head(data: &str) -> Vec<u8> {
    let (mut bytes, mut bits, mut count) = (Vec::new(), 0_u32, 0);
    for character in data.bytes().take(HEAD).take_while(|byte| *byte != b'=') {
        let value = match character {
            b'A'..=b'Z' => character - b'A',
            b'a'..=b'z' => character - b'a' + 26,
            b'0'..=b'9' => character - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return Vec::new(),
        };
        (bits, count) = (bits << 6 | u32::from(value), count + 6);
        if count >= 8 {
            count -= 8;
            bytes.extend(u8::try_from(bits >> count & 0xff));
        }
    }
    bytes
}

fn media_type(bytes: &[u8]) -> Option<&'static str> {
    let brand = |brands: &[&[u8]]| {
        let own = bytes.get(4..12).and_then(|ftyp| ftyp.strip_prefix(b"ftyp"));
        own.is_some_and(|own| brands.contains(&own))
    };
    if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        Some("image/png")
    } else if bytes.starts_with(b"\xff\xd8\xff") {
        Some("image/jpeg")
    } else if bytes.starts_with(b"GIF8") {
        Some("image/gif")
    } else if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
        Some("image/webp")
    } else if brand(&[b"heic", b"heix", b"hevc"]) {
        Some("image/heic")
    } else if brand(&[b"mif1", b"msf1"]) {
        Some("image/heif")
    } else {
        None
    }
}

/// Returns width and height. `None` if they are not in the first bytes.
fn sides(media_type: &str, bytes: &[u8]) -> Option<(u32, u32)> {
    match media_type {
        "image/png" => Some((big::<4>(bytes, 16)?, big::<4>(bytes, 20)?)),
        "image/gif" => Some((little::<2>(bytes, 6)?, little::<2>(bytes, 8)?)),
        "image/webp" => webp_sides(bytes),
        "image/jpeg" => jpeg_sides(bytes),
        _ => None,
    }
}

fn webp_sides(bytes: &[u8]) -> Option<(u32, u32)> {
    match bytes.get(12..16)? {
        b"VP8X" => Some((little::<3>(bytes, 24)? + 1, little::<3>(bytes, 27)? + 1)),
        b"VP8L" => {
            let bits = little::<4>(bytes, 21)?;
            Some(((bits & 0x3fff) + 1, (bits >> 14 & 0x3fff) + 1))
        }
        b"VP8 " => Some((
            little::<2>(bytes, 26)? & 0x3fff,
            little::<2>(bytes, 28)? & 0x3fff,
        )),
        _ => None,
    }
}

/// Returns the sizes in the first frame header, after any number of other segments.
fn jpeg_sides(bytes: &[u8]) -> Option<(u32, u32)> {
    let mut at = 2;
    loop {
        // Any number of `FF` may precede the kind of a segment.
        while bytes.get(at)? == &0xff && bytes.get(at + 1)? == &0xff {
            at += 1;
        }
        let kind = *bytes.get(at + 1)?;
        if matches!(kind, 0xc0..=0xcf) && !matches!(kind, 0xc4 | 0xc8 | 0xcc) {
            return Some((big::<2>(bytes, at + 7)?, big::<2>(bytes, at + 5)?));
        }
        at += 2 + usize::try_from(big::<2>(bytes, at + 2)?).ok()?;
    }
}

fn big<const N: usize>(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..at.checked_add(N)?)?;
    Some(
        bytes
            .iter()
            .fold(0, |number, byte| number << 8 | u32::from(*byte)),
    )
}

fn little<const N: usize>(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..at.checked_add(N)?)?;
    Some(
        bytes
            .iter()
            .rev()
            .fold(0, |number, byte| number << 8 | u32::from(*byte)),
    )
}

#[cfg(test)]
mod tests {
    use base64::prelude::{BASE64_STANDARD, Engine};
    use serde_json::{Value, json};

    use super::*;
    use crate::{Block, Message, Provider, Transcript, encode};

    fn png(width: u32, height: u32) -> Vec<u8> {
        let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
        bytes.extend(width.to_be_bytes());
        bytes.extend(height.to_be_bytes());
        bytes
    }

    fn riff(kind: &[u8], rest: &[u8]) -> Vec<u8> {
        [b"RIFF\0\0\0\0WEBP", kind, b"\0\0\0\0", rest].concat()
    }

    #[test]
    fn reads_type_and_sides_from_bytes() {
        let preview = vec![0; 300];
        let jpeg = [
            b"\xff\xd8\xff\xe1\x01\x2e".as_slice(),
            &preview,
            b"\xff\xff\xc4\0\x02\xff\xc2\0\x11\x08\0\x0a\0\x14",
        ];
        for (bytes, kind, expected) in [
            (png(70_000, 3), "image/png", Some((70_000, 3))),
            (jpeg.concat(), "image/jpeg", Some((20, 10))),
            (b"\xff\xd8\xff\xe0\0".to_vec(), "image/jpeg", None),
            (
                b"GIF89a\x02\x01\x03\0".to_vec(),
                "image/gif",
                Some((258, 3)),
            ),
            (
                riff(b"VP8X", b"\0\0\0\0\x0f\0\0\x1f\0\0"),
                "image/webp",
                Some((16, 32)),
            ),
            (
                riff(b"VP8L", b"\x2f\x0f\xc0\x07\0"),
                "image/webp",
                Some((16, 32)),
            ),
            (
                riff(b"VP8 ", b"\0\0\0\0\0\0\x10\0\x20\0"),
                "image/webp",
                Some((16, 32)),
            ),
            (b"\0\0\0\x18ftypheic".to_vec(), "image/heic", None),
        ] {
            assert_eq!(media_type(&bytes), Some(kind));
            assert_eq!(sides(kind, &bytes), expected, "{kind}");
        }
        for bytes in [&b"<svg/>"[..], b"BM", b"II*\0", b"RIFF\0\0\0\0WAVE", b""] {
            assert_eq!(media_type(bytes), None);
        }
    }

    #[test]
    fn limits_of_a_provider_apply() {
        let encoded = |width, height| BASE64_STANDARD.encode(png(width, height));
        let large = BASE64_STANDARD.encode([png(1, 1), vec![0; 4 * MIB]].concat());
        for (rules, data, images, is_accepted) in [
            (ImageRules::CLAUDE, encoded(8000, 1), 20, true),
            (ImageRules::CLAUDE, encoded(1, 8001), 1, false),
            (ImageRules::CLAUDE, encoded(2001, 1), 21, false),
            (ImageRules::CLAUDE, large.clone(), 1, false),
            (ImageRules::USUAL, large, 1, true),
            (ImageRules::GROQ, encoded(7680, 4320), 1, true),
            (ImageRules::GROQ, encoded(7680, 4321), 1, false),
            (ImageRules::XAI, encoded(1, 1), 1, true),
            (ImageRules::XAI, BASE64_STANDARD.encode("GIF89a"), 1, false),
            (
                ImageRules::OLLAMA,
                BASE64_STANDARD.encode("GIF89a"),
                1,
                false,
            ),
            (ImageRules::USUAL, "no base64!".to_owned(), 1, false),
        ] {
            assert_eq!(rules.check(&data, images).is_ok(), is_accepted);
        }
    }

    /// Returns a conversation with an image of the user, and the same in a result.
    fn shown(media_type: &str, data: &str) -> Transcript {
        let image = json!([{"type": "image", "media_type": media_type, "data": data}]);
        let messages = json!([
            {"role": "user", "content": image},
            {"role": "assistant", "calls": [{"id": "a", "name": "f", "arguments": {}}]},
            {"role": "tool", "results": [{"call_id": "a", "name": "f", "content": image}]},
        ]);
        serde_json::from_value(messages).unwrap()
    }

    #[test]
    fn image_that_no_provider_accepts_becomes_text_with_loss() {
        let svg = BASE64_STANDARD.encode("<svg xmlns='http://www.w3.org/2000/svg'/>");
        for (media_type, data) in [("image/svg+xml", svg.as_str()), ("image/png", &svg)] {
            for provider in Provider::ALL.iter().filter(|it| **it != Provider::Mcp) {
                let encoded = encode(*provider, &shown(media_type, data), None);

                let body = encoded.body.to_string();
                assert!(!body.contains(data), "{provider}: {body}");
                assert!(body.contains("images are accepted"), "{provider}: {body}");
                let lost = encoded.losses.iter().filter(|loss| loss.keyword == "image");
                let places: Vec<&str> = lost.map(|loss| loss.pointer.as_str()).collect();
                assert_eq!(places, ["/0/content", "/2/results/0/content"], "{provider}");
            }
        }
    }

    #[test]
    fn oversized_image_becomes_text_with_loss_everywhere() {
        let header = BASE64_STANDARD.encode(png(1, 1));
        let data = header + &"A".repeat(20 * MIB);
        let image = Block::Image {
            media_type: "image/png".to_owned(),
            data,
        };
        let transcript = Transcript::from(vec![Message::user(vec![image])]);
        for provider in Provider::ALL.iter().filter(|it| **it != Provider::Mcp) {
            let encoded = encode(*provider, &transcript, None);

            let body = encoded.body.to_string();
            assert!(
                body.contains("an image has at most"),
                "{provider}: {body:.300}"
            );
            let lost: Vec<&str> = encoded.losses.iter().map(|loss| &*loss.pointer).collect();
            assert_eq!(lost, ["/0/content"], "{provider}");
        }
    }

    #[test]
    fn wrong_media_type_is_corrected() {
        let data = BASE64_STANDARD.encode(png(1, 1));

        let body = encode(Provider::Anthropic, &shown("image/jpeg", &data), None).body;

        let source = json!({"type": "base64", "media_type": "image/png", "data": data});
        let sent: &Value = &body["messages"][0]["content"][0]["source"];
        assert_eq!(sent, &source);
    }
}
