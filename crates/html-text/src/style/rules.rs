//! Rules of a style sheet, by the CSS syntax.

use super::declarations::{after_string, after_url};

/// Maximum nesting depth of brackets in a rule. Deeper ones end the style sheet.
const MAX_BRACKETS: usize = 256;

/// Iterator over the top-level rules of a style sheet: the text before a block, and the block.
/// Statements without a block are skipped.
#[derive(Debug)]
pub(super) struct Rules<'s> {
    rest: &'s str,
}

impl<'s> Rules<'s> {
    pub(super) fn of(style_sheet: &'s str) -> Self {
        Self { rest: style_sheet }
    }

    /// Consumes the text before the next of `ends`, and returns it with the end.
    fn take_to(&mut self, ends: &[u8]) -> Option<(&'s str, u8)> {
        let place = position(self.rest, ends)?;
        let (before, behind) = self.rest.split_at_checked(place)?;
        self.rest = behind.get(1..)?;
        Some((before, *behind.as_bytes().first()?))
    }
}

impl<'s> Iterator for Rules<'s> {
    type Item = (&'s str, &'s str);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (prelude, end) = self.take_to(b"{;}")?;
            if end == b'{' {
                // The end of the style sheet closes a block.
                let rest = self.rest;
                let block = self.take_to(b"}").map(|(block, _)| block);
                return Some((
                    prelude,
                    block.unwrap_or_else(|| {
                        self.rest = "";
                        rest
                    }),
                ));
            }
        }
    }
}

/// Returns the position of the first of `ends` outside comments, strings, escapes and brackets.
fn position(text: &str, ends: &[u8]) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut open: Vec<u8> = Vec::new();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let behind = text.get(at + 1..).unwrap_or_default();
        let place_of = |rest: &str| text.len() - rest.len();
        at += 1;
        match byte {
            b'\\' => at += 1,
            b'/' if behind.starts_with('*') => {
                let inner = behind.get(1..)?;
                at = place_of(inner.split_once("*/")?.1);
            }
            b'"' | b'\'' => at = place_of(after_string(behind, char::from(*byte))),
            b'(' if is_url(text.get(..at - 1)?, behind) => at = place_of(after_url(behind)),
            end if open.is_empty() && ends.contains(end) => return Some(at - 1),
            b'(' | b'[' | b'{' if open.len() >= MAX_BRACKETS => return None,
            b'(' => open.push(b')'),
            b'[' => open.push(b']'),
            b'{' => open.push(b'}'),
            closing if open.last() == Some(closing) => {
                open.pop();
            }
            _ => {}
        }
    }
    None
}

/// Returns whether an unquoted URL starts between the two texts.
fn is_url(before: &str, behind: &str) -> bool {
    let name = before
        .len()
        .checked_sub(3)
        .and_then(|start| before.get(start..));
    name.is_some_and(|name| name.eq_ignore_ascii_case("url"))
        && !behind.trim_ascii_start().starts_with(['"', '\''])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_rules_as_css() {
        for (style_sheet, expected) in [
            ("a{b:c}d{e:f}", &[("a", "b:c"), ("d", "e:f")][..]),
            ("@import 'x{y}';a{b}", &[("a", "b")]),
            ("a{b:'}'}c{}", &[("a", "b:'}'"), ("c", "")]),
            ("a/*{*/{b/*}*/}c{d}", &[("a/*{*/", "b/*}*/"), ("c", "d")]),
            (
                "@media x{a{b}c{d}}e{f}",
                &[("@media x", "a{b}c{d}"), ("e", "f")],
            ),
            ("a{b:url(x')}c{d}", &[("a", "b:url(x')"), ("c", "d")]),
            (r"a\{b{c}d{e}", &[(r"a\{b", "c"), ("d", "e")]),
            ("a{b:c", &[("a", "b:c")]),
            ("}a{b}", &[("a", "b")]),
            ("a{b('", &[("a", "b('")]),
            ("é{ü}", &[("é", "ü")]),
        ] {
            let read: Vec<_> = Rules::of(style_sheet).collect();

            assert_eq!(read, expected, "{style_sheet}");
        }
    }
}
