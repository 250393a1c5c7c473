//! Ends of comments and text-only elements.

use memchr::{memchr, memmem};

use crate::tag::Tag;

pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0xC)
}

/// Returns the length of a comment after its `<!--`.
pub(super) fn comment_end(comment: &str) -> usize {
    if comment.starts_with('>') {
        return 1;
    }
    if comment.starts_with("->") {
        return 2;
    }
    let bytes = comment.as_bytes();
    let Some(mut from) = memmem::find(bytes, b"--") else {
        return comment.len();
    };
    loop {
        let behind = bytes.get(from + 2..).unwrap_or_default();
        match behind {
            [b'>', ..] => return from + 3,
            [b'!', b'>', ..] => return from + 4,
            [b'-', ..] => from += 1,
            _ => match memmem::find(behind, b"--") {
                Some(next) => from += 2 + next,
                None => return comment.len(),
            },
        }
    }
}

/// Returns the position of the end tag of a text-only element.
pub(super) fn raw_end(rest: &str, tag: Tag, is_script: bool) -> Option<usize> {
    let bytes = rest.as_bytes();
    let mut escaped = Escaped::No;
    let mut from = 0;
    loop {
        let place = from + memchr(b'<', bytes.get(from..)?)?;
        if is_script && escaped != Escaped::No {
            let passed = bytes.get(from.saturating_sub(2)..place).unwrap_or_default();
            if memmem::find(passed, b"-->").is_some() {
                escaped = Escaped::No;
            }
        }
        from = place + 1;
        let behind = bytes.get(from..)?;
        match behind.first()? {
            b'/' if names(behind.get(1..)?, tag) => {
                if escaped != Escaped::Script {
                    return Some(place);
                }
                escaped = Escaped::Comment;
            }
            b'!' if is_script && escaped == Escaped::No && behind.starts_with(b"!--") => {
                escaped = Escaped::Comment;
            }
            _ if is_script && escaped == Escaped::Comment && names(behind, tag) => {
                escaped = Escaped::Script;
            }
            _ => {}
        }
    }
}

/// Comment state of a script: a nested `<script>` in a comment does not end the outer one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Escaped {
    No,
    Comment,
    Script,
}

/// Returns whether `bytes` start with the name of `tag`.
fn names(bytes: &[u8], tag: Tag) -> bool {
    let end = bytes
        .iter()
        .take(16)
        .position(|byte| is_blank(*byte) || matches!(byte, b'/' | b'>'));
    let name = end.and_then(|end| std::str::from_utf8(bytes.get(..end)?).ok());
    name.is_some_and(|name| Tag::of(name) == tag)
}
