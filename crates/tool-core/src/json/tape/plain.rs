//! Reading JSON that is surely right, which is nearly all of it.
//!
//! What is not, by any rule or limit, is left to the parser: it says what is wrong and where.

use super::builder::{MOST_SEARCHED, sieve_bit};
use super::slot::{Extent, Slot, Tape};
use super::spare::room_for;
use crate::json::parse::{ParseLimits, plain_length, read_number, read_string, short_integer};

/// Reads the whole of `text`; `None` where it is not JSON, or is more than `limits` take.
#[inline]
pub(crate) fn read_plain<'t>(text: &'t str, limits: &ParseLimits) -> Option<Tape<'t>> {
    if text.len() > limits.max_bytes {
        return None;
    }
    let mut reader = Reader {
        text,
        bytes: text.as_bytes(),
        slots: room_for(text.len() / 8 + 6),
    };
    let end = reader.document(limits.max_depth);
    let tape = Tape {
        slots: reader.slots,
    };
    // Keys are slots too, so that this is early for objects, for which the parser then decides.
    if end.is_some() && tape.values() <= limits.max_values {
        return Some(tape);
    }
    tape.give_back();
    None
}

struct Reader<'t> {
    text: &'t str,
    /// The same.
    bytes: &'t [u8],
    slots: Vec<Slot<'t>>,
}

impl<'t> Reader<'t> {
    /// Reads one value and nothing but blanks around it.
    fn document(&mut self, levels: usize) -> Option<()> {
        let (first, start) = self.next(0)?;
        let end = self.value(first, start, levels)?;
        self.next(end).is_none().then_some(())
    }

    /// Reads the value that begins with `first` at `at`, in which `levels` more arrays and objects may stand in each
    /// other, and gives its end.
    fn value(&mut self, first: u8, at: usize, levels: usize) -> Option<usize> {
        match first {
            b'"' => self.string(at),
            b'{' => self.object(at + 1, levels.checked_sub(1)?),
            b'[' => self.array(at + 1, levels.checked_sub(1)?),
            b'-' | b'0'..=b'9' => self.number(at),
            b't' => self.word(at, b"true", Slot::Boolean(true)),
            b'f' => self.word(at, b"false", Slot::Boolean(false)),
            b'n' => self.word(at, b"null", Slot::Null),
            _ => None,
        }
    }

    fn object(&mut self, at: usize, levels: usize) -> Option<usize> {
        let place = self.open();
        let mut length = 0;
        let mut sieve = 0;
        let (mut first, mut at) = self.next(at)?;
        if first == b'}' {
            return self.close(place, Slot::Object, length, at);
        }
        loop {
            if first != b'"' {
                return None;
            }
            let key = self.slots.len();
            let end = self.string(at)?;
            let bit = sieve_bit(self.slots.get(key)?.as_str()?);
            if sieve & bit != 0 && (length >= MOST_SEARCHED || self.has_key_twice(place, key)) {
                return None;
            }
            sieve |= bit;
            let (b':', colon) = self.next(end)? else {
                return None;
            };
            (first, at) = self.next(colon + 1)?;
            at = self.value(first, at, levels)?;
            length += 1;
            (first, at) = self.next(at)?;
            match first {
                b',' => (first, at) = self.next(at + 1)?,
                b'}' => return self.close(place, Slot::Object, length, at),
                _ => return None,
            }
        }
    }

    fn array(&mut self, at: usize, levels: usize) -> Option<usize> {
        let place = self.open();
        let mut length = 0;
        let (mut first, mut at) = self.next(at)?;
        if first == b']' {
            return self.close(place, Slot::Array, length, at);
        }
        loop {
            at = self.value(first, at, levels)?;
            length += 1;
            (first, at) = self.next(at)?;
            match first {
                b',' => (first, at) = self.next(at + 1)?,
                b']' => return self.close(place, Slot::Array, length, at),
                _ => return None,
            }
        }
    }

    /// Makes room for a container, whose extent is known at its end.
    #[inline]
    fn open(&mut self) -> usize {
        self.slots.push(Slot::Null);
        self.slots.len() - 1
    }

    #[inline]
    fn close(
        &mut self,
        place: usize,
        kind: fn(Extent) -> Slot<'t>,
        length: u32,
        at: usize,
    ) -> Option<usize> {
        let size = u32::try_from(self.slots.len() - place).ok()?;
        *self.slots.get_mut(place)? = kind(Extent { length, size });
        Some(at + 1)
    }

    /// Whether the object at `place` has the key at `key` before that, too.
    #[cold]
    fn has_key_twice(&self, place: usize, key: usize) -> bool {
        let last = self.slots.get(key).and_then(Slot::as_str);
        let mut at = place + 1;
        while at < key {
            if self.slots.get(at).and_then(Slot::as_str) == last {
                return true;
            }
            at += 1 + self.slots.get(at + 1).map_or(1, Slot::size);
        }
        false
    }

    /// Reads the string whose quote stands at `at`, and gives its end.
    #[inline]
    fn string(&mut self, at: usize) -> Option<usize> {
        let start = at + 1;
        let end = start + plain_length::<b'"'>(self.bytes.get(start..)?);
        if self.bytes.get(end) == Some(&b'"') {
            self.slots.push(Slot::Lent(self.text.get(start..end)?));
            return Some(end + 1);
        }
        let (text, end) = read_string(self.text, at)?;
        self.slots.push(Slot::of_text(text));
        Some(end)
    }

    #[inline]
    fn number(&mut self, at: usize) -> Option<usize> {
        if let Some((integer, length)) = short_integer(self.bytes.get(at..)?) {
            self.slots.push(Slot::of_number(integer));
            return Some(at + length);
        }
        let (number, end) = read_number(self.text, at)?;
        self.slots.push(Slot::of_number(number));
        Some(end)
    }

    #[inline]
    fn word(&mut self, at: usize, word: &[u8], slot: Slot<'t>) -> Option<usize> {
        let end = at + word.len();
        if self.bytes.get(at..end)? != word {
            return None;
        }
        self.slots.push(slot);
        Some(end)
    }

    /// The first byte from `at` on that is not blank, and where it stands.
    #[inline]
    fn next(&self, at: usize) -> Option<(u8, usize)> {
        match *self.bytes.get(at)? {
            byte @ b'!'.. => Some((byte, at)),
            _ => self.next_behind_blanks(at),
        }
    }

    #[inline(never)]
    fn next_behind_blanks(&self, at: usize) -> Option<(u8, usize)> {
        let rest = self.bytes.get(at..)?;
        // What most models put behind a colon or a comma.
        if let [b' ', byte @ b'!'..=u8::MAX, ..] = *rest {
            return Some((byte, at + 1));
        }
        let is_blank = |byte: &u8| matches!(byte, b' ' | b'\n' | b'\r' | b'\t');
        let place = rest.iter().position(|byte| !is_blank(byte))?;
        Some((*rest.get(place)?, at + place))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::json::parse::parse_tape;
    use crate::json::parse::tests::{any_nearly_json, any_value};

    fn limits(max_bytes: usize, max_depth: usize, max_values: usize) -> ParseLimits {
        ParseLimits {
            max_bytes,
            max_depth,
            max_values,
        }
    }

    /// What both readers make of `text`, and nothing where the quick one leaves it to the other.
    fn differs(text: &str, limits: &ParseLimits) -> Option<String> {
        let quick = read_plain(text, limits)?;
        let parsed = parse_tape(text, limits);
        let is_same = parsed
            .as_ref()
            .is_ok_and(|tape| format!("{tape:?}") == format!("{quick:?}"));
        (!is_same).then(|| format!("{text:?}: {quick:?} and {parsed:?}"))
    }

    #[test]
    fn what_is_right_is_read_at_once() {
        for text in [
            r#"{"a": 2, "b": 40}"#,
            " [ ] ",
            r#"{"":{},"x":[[],{"y":null}]}"#,
            r#""\u00e4\n""#,
            "-0.5e3",
            "123456789012345678901234567890",
            "[true,false,null]",
            "\"ä\"",
        ] {
            let limits = ParseLimits::default();

            assert!(read_plain(text, &limits).is_some(), "{text}");
            assert_eq!(differs(text, &limits), None);
        }
    }

    #[test]
    fn what_is_wrong_is_left_to_the_parser() {
        for text in [
            "",
            " ",
            "{",
            "[1",
            "[1,]",
            "{\"a\"}",
            "{\"a\":1,}",
            "{\"a\":1,\"a\":2}",
            "tru",
            "nul",
            "[1 2]",
            "{} {}",
            "\"a",
            "\"\n\"",
            "\"\\x\"",
            "01",
            "1.",
            "- 1",
            "1e999",
            "'a'",
            "{a:1}",
            "\u{feff}{}",
            "//\n{}",
            "NaN",
        ] {
            assert!(
                read_plain(text, &ParseLimits::default()).is_none(),
                "{text}"
            );
        }
    }

    #[test]
    fn more_than_the_limits_take_is_left_to_the_parser() {
        assert!(read_plain("[[1]]", &limits(5, 2, 3)).is_some());
        assert!(read_plain("[[1]]", &limits(4, 2, 3)).is_none());
        assert!(read_plain("[[1]]", &limits(5, 1, 3)).is_none());
        assert!(read_plain("[[1]]", &limits(5, 2, 2)).is_none());
    }

    #[test]
    fn keys_of_large_objects_are_left_to_the_parser_where_they_may_be_equal() {
        let object = |last: usize| {
            let keys = (0..200)
                .chain([last])
                .map(|key| format!("\"key {key}\":[{key}]"));
            format!("{{{}}}", keys.collect::<Vec<_>>().join(","))
        };

        assert!(read_plain(&object(7), &ParseLimits::default()).is_none());
        assert_eq!(differs(&object(200), &ParseLimits::default()), None);
    }

    proptest! {
        #[test]
        fn both_readers_give_the_same_tape(text in any_nearly_json(), value in any_value(), depth in 0_usize..4) {
            for text in [&text, &value.to_string(), &format!("{value:#}")] {
                prop_assert_eq!(differs(text, &ParseLimits::default()), None);
                prop_assert_eq!(differs(text, &limits(40, depth, 6)), None);
            }
        }

        #[test]
        fn any_value_is_read_at_once(value in any_value()) {
            prop_assert!(read_plain(&value.to_string(), &ParseLimits::default()).is_some());
        }
    }
}
