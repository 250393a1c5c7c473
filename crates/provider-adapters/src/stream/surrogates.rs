//! Escapes of lone surrogates, which are not JSON text.

use std::ops::Range;

use tool_json::surrogates::{ESCAPE, REPLACEMENT, positions};

/// Lone surrogate in the text of an event.
#[derive(Debug, Clone, Copy)]
struct Lone {
    at: usize,
    is_high: bool,
    ends_string: bool,
}

/// Joiner of surrogate pairs that are split over two events. An event that ends with the first half
/// is held until the next event.
#[derive(Debug, Default)]
pub(crate) struct Surrogates {
    held: Option<Held>,
    /// Number of replaced surrogates.
    pub(crate) replaced: usize,
}

#[derive(Debug)]
struct Held {
    event: Vec<u8>,
    at: usize,
}

impl Surrogates {
    /// Returns the held event, whose second half did not arrive.
    pub(crate) fn release(&mut self) -> Option<Vec<u8>> {
        let held = self.held.take()?;
        self.replaced += 1;
        Some(held.with(REPLACEMENT))
    }

    /// Returns the events that can be decoded, or `None` if `event` has no lone surrogate.
    pub(crate) fn push(&mut self, event: &[u8]) -> Option<Vec<Vec<u8>>> {
        let lone = lone_surrogates(event);
        let (first, last) = (*lone.first()?, *lone.last()?);
        let mut events = Vec::new();
        let mut high = None;
        if !first.is_high
            && let Some(held) = self.held.take()
        {
            high = Some(held.half());
            // The pair is completed in the second event, so the first one gives up its half.
            events.push(held.with(b""));
        }
        events.extend(self.release());
        let keeps = last.is_high && last.ends_string;
        let (text, at) = self.rewritten(event, &lone, high, keeps);
        match at {
            Some(at) => self.held = Some(Held { event: text, at }),
            None => events.push(text),
        }
        Some(events)
    }

    /// Replaces the lone surrogates, except a kept last one, whose position is returned. `high` is
    /// the first half of the first one.
    fn rewritten(
        &mut self,
        event: &[u8],
        lone: &[Lone],
        mut high: Option<Vec<u8>>,
        keeps: bool,
    ) -> (Vec<u8>, Option<usize>) {
        let mut text = Vec::with_capacity(event.len() + ESCAPE);
        let mut from = 0;
        let mut kept = None;
        for (position, half) in lone.iter().enumerate() {
            text.extend_from_slice(part(event, from..half.at));
            from = half.at + ESCAPE;
            let escape = part(event, half.at..from);
            if let Some(high) = high.take() {
                text.extend(high);
                text.extend_from_slice(escape);
            } else if keeps && position + 1 == lone.len() {
                kept = Some(text.len());
                text.extend_from_slice(escape);
            } else {
                self.replaced += 1;
                text.extend_from_slice(REPLACEMENT);
            }
        }
        text.extend_from_slice(part(event, from..event.len()));
        (text, kept)
    }
}

impl Held {
    fn half(&self) -> Vec<u8> {
        part(&self.event, self.at..self.at + ESCAPE).to_vec()
    }

    /// Returns the event with `text` instead of the half.
    fn with(&self, text: &[u8]) -> Vec<u8> {
        let rest = part(&self.event, self.at + ESCAPE..self.event.len());
        [part(&self.event, 0..self.at), text, rest].concat()
    }
}

fn part(text: &[u8], range: Range<usize>) -> &[u8] {
    text.get(range).unwrap_or_default()
}

fn lone_surrogates(text: &[u8]) -> Vec<Lone> {
    let lone = positions(text).into_iter();
    lone.map(|(at, unit)| Lone {
        at,
        is_high: unit < 0xDC00,
        // Only such a half can continue in the string of the next event.
        ends_string: text.get(at + ESCAPE) == Some(&b'"'),
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(sent: &[&str]) -> (Vec<String>, usize) {
        let mut surrogates = Surrogates::default();
        let mut events = Vec::new();
        for event in sent {
            if let Some(taken) = surrogates.push(event.as_bytes()) {
                events.extend(taken);
            } else {
                events.extend(surrogates.release());
                events.push(event.as_bytes().to_vec());
            }
        }
        events.extend(surrogates.release());
        let texts = events
            .into_iter()
            .map(|event| String::from_utf8(event).unwrap());
        (texts.collect(), surrogates.replaced)
    }

    #[test]
    fn joins_or_replaces_lone_surrogates() {
        for (sent, expected, replaced) in [
            (
                &[r#"["a\ud83c"]"#, r#"["\udf37b"]"#][..],
                &[r#"["a"]"#, r#"["\ud83c\udf37b"]"#][..],
                0,
            ),
            (
                &[r#"["a\ud83c"]"#, r#"["b"]"#],
                &[r#"["a\ufffd"]"#, r#"["b"]"#],
                1,
            ),
            (&[r#"["\udf37"]"#], &[r#"["\ufffd"]"#], 1),
            (
                &[r#"["\ud83c\udf37 \ud83c!"]"#],
                &[r#"["\ud83c\udf37 \ufffd!"]"#],
                1,
            ),
            (
                &[r#"["\uD83C"]"#, r#"["\uDF37\uD83C"]"#, r#"["\uDF37"]"#],
                &[r#"[""]"#, r#"["\uD83C\uDF37"]"#, r#"["\uD83C\uDF37"]"#],
                0,
            ),
            (&[r#"["\\ud83c"]"#], &[r#"["\\ud83c"]"#], 0),
        ] {
            let (found, count) = events(sent);

            assert_eq!(
                (found, count),
                (
                    expected.iter().map(|text| (*text).to_owned()).collect(),
                    replaced
                )
            );
        }
    }
}
