//! Text of a peer that is not quite Unicode.

use std::borrow::Cow;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Length of an escape such as `\u0041`.
const ESCAPE: usize = 6;

/// Returns JSON as Unicode: U+FFFD replaces bytes that are not UTF-8, and escaped halves of surrogate pairs. A parser
/// would reject the message, and the call that waits for it could only wait for its timeout.
pub(super) fn as_unicode(json: &[u8]) -> Cow<'_, str> {
    let text = String::from_utf8_lossy(without_mark(json));
    if text.contains("\\ud") || text.contains("\\uD") {
        Cow::Owned(with_whole_pairs(&text))
    } else {
        text
    }
}

/// Returns a text without its byte-order mark.
pub(super) fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text)
}

fn with_whole_pairs(text: &str) -> String {
    let mut whole = String::with_capacity(text.len());
    let mut rest = text;
    // A backslash in JSON always begins an escape.
    while let Some((before, escape)) = rest.find('\\').and_then(|at| rest.split_at_checked(at)) {
        whole.push_str(before);
        let low = escape.get(ESCAPE..).and_then(unit);
        let length = match unit(escape) {
            Some(0xd800..=0xdbff) if matches!(low, Some(0xdc00..=0xdfff)) => 2 * ESCAPE,
            Some(0xd800..=0xdfff) => {
                whole.push_str("\\ufffd");
                rest = escape.get(ESCAPE..).unwrap_or_default();
                continue;
            }
            Some(_) => ESCAPE,
            None => escape.chars().take(2).map(char::len_utf8).sum(),
        };
        let (escape, after) = escape.split_at_checked(length).unwrap_or((escape, ""));
        whole.push_str(escape);
        rest = after;
    }
    whole.push_str(rest);
    whole
}

/// Returns the UTF-16 code unit of an escape such as `\u0041`.
fn unit(escape: &str) -> Option<u16> {
    let digits = escape.strip_prefix("\\u")?.get(..4)?;
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaces_what_is_not_unicode() {
        for (json, expected) in [
            (&b"\"plain \\u0041 \\n\""[..], "\"plain \\u0041 \\n\""),
            (b"\"\\ud83d\\ude00\"", "\"\\ud83d\\ude00\""),
            (b"\"\\uD83D\\uDE00\\ud83d\"", "\"\\uD83D\\uDE00\\ufffd\""),
            (b"\"a\\ud800b\"", "\"a\\ufffdb\""),
            (b"\"\\udc00\\ud800\"", "\"\\ufffd\\ufffd\""),
            (b"\"\\ud800\\ud83d\\ude00\"", "\"\\ufffd\\ud83d\\ude00\""),
            (b"\"\\ud800\\u0041\"", "\"\\ufffd\\u0041\""),
            // An escaped backslash, and an incomplete escape.
            (b"\"\\\\ud800\"", "\"\\\\ud800\""),
            (b"\"\\ud8", "\"\\ud8"),
            (b"\"\\ud800\\", "\"\\ufffd\\"),
            (b"\"caf\xe9\"", "\"caf\u{fffd}\""),
            (b"\"\xed\xa0\x80\"", "\"\u{fffd}\u{fffd}\u{fffd}\""),
            (b"\xef\xbb\xbf{}", "{}"),
        ] {
            assert_eq!(as_unicode(json), expected, "{expected}");
        }
    }
}
