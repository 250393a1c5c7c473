//! Parts of pages.

use std::num::NonZeroUsize;

use proptest::prelude::*;

use super::*;

#[test]
fn a_part_begins_and_ends_at_characters() {
    let page = PageText::new("äöü€");
    for (offset, max_chars, text, next_offset) in [
        (0, 2, "äö", Some(2)),
        (2, 2, "ü€", None),
        (1, 1, "ö", Some(2)),
        (4, 1, "", None),
        (usize::MAX, usize::MAX, "", None),
    ] {
        let slice = page.slice(offset, NonZeroUsize::new(max_chars).unwrap());

        assert_eq!(
            (slice.text.as_str(), slice.next_offset),
            (text, next_offset),
            "{offset}"
        );
        assert_eq!(slice.total_chars, 4);
    }
}

#[test]
fn a_line_of_a_header_is_one_line_and_not_too_long() {
    assert_eq!(one_line(" a\r\n b\tc\u{7} \u{85} d"), "a b c d");
    assert_eq!(short_line(&"ä".repeat(300)), "ä".repeat(300));
    assert_eq!(
        short_line(&"ä".repeat(301)),
        format!("{}…", "ä".repeat(300))
    );
}

proptest! {
    #[test]
    fn the_parts_together_are_the_page(text in "(?s).{0,200}", max_chars in 1_usize..50) {
        let page = PageText::new(&text);
        let (mut joined, mut offset) = (String::new(), Some(0));
        while let Some(at) = offset {
            let slice = page.slice(at, NonZeroUsize::new(max_chars).unwrap());
            joined.push_str(&slice.text);
            offset = slice.next_offset;
        }

        prop_assert_eq!(joined, text);
    }
}
