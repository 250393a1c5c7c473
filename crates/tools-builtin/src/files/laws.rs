//! Properties of all file tools, for any content.

use std::io::BufReader;
use std::num::NonZeroUsize;

use proptest::prelude::*;
use tool_core::CancellationToken;

use super::decode::{from_any, to_utf16};
use super::encoding::Encoding;
use super::lines::{Bounds, LineRange, take_lines};
use super::text_format::FileText;

fn naive(text: &[u8], first: usize, last: usize) -> Vec<u8> {
    let lines = text.split_inclusive(|byte| *byte == b'\n');
    lines
        .skip(first - 1)
        .take(last - first + 1)
        .flatten()
        .copied()
        .collect()
}

/// Contents in several encodings, and arbitrary bytes.
fn contents() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..200),
        ".{0,60}".prop_map(String::into_bytes),
        ".{0,60}"
            .prop_map(|text| [b"\xFF\xFE", to_utf16(&text, Encoding::Utf16Le).as_slice()].concat()),
        "[ -~\r\n]{0,60}".prop_map(|text| to_utf16(&text, Encoding::Utf16Be)),
        "[a-z é è ü ß]{0,60}"
            .prop_map(|text| encoding_rs::WINDOWS_1252.encode(&text).0.into_owned()),
        "[あ-ん a-z]{0,40}".prop_map(|text| encoding_rs::SHIFT_JIS.encode(&text).0.into_owned()),
    ]
}

proptest! {
    #[test]
    fn editable_content_round_trips(content in contents()) {
        if let Ok(file) = FileText::of(&content) {
            prop_assert_eq!(file.encode("text", &file.text).unwrap(), content);
        }
    }

    #[test]
    fn decodes_arbitrary_bytes(content in contents(), was_cut in any::<bool>()) {
        let (text, encoding) = from_any(content.clone(), was_cut);

        prop_assert!(text.len() <= 3 * content.len());
        if std::str::from_utf8(&content).is_ok() {
            prop_assert_eq!((text.as_bytes(), encoding), (content.as_slice(), Encoding::Utf8));
        }
    }

    #[test]
    fn line_range_matches_naive_count(
        text in "([a-c]{0,3}\n?){0,20}",
        first in 1_usize..12,
        more in 0_usize..12,
        capacity in 1_usize..9,
    ) {
        let last = first + more;
        let range = LineRange::parse(NonZeroUsize::new(first), NonZeroUsize::new(last)).unwrap();
        let bounds = Bounds { lines: usize::MAX, bytes: usize::MAX, count_all: true };
        let mut source = BufReader::with_capacity(capacity, text.as_bytes());

        let taken = take_lines(&mut source, range, bounds, &CancellationToken::new()).unwrap();

        prop_assert_eq!(taken.bytes, naive(text.as_bytes(), first, last));
        prop_assert_eq!(taken.total, Some(text.lines().count()));
    }
}
