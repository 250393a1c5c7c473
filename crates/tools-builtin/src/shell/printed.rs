//! Output of a command as a terminal would show it, for a model.

use tool_core::LongOutput;

use super::capture::Capture;
use crate::newlines::without_partial_char;

/// Maximum bytes of an incomplete line. A longer one is passed on in parts.
const MAX_LINE_BYTES: usize = 16 * 1024;

/// Maximum bytes of an escape sequence with text, such as a title. What follows is text again.
const MAX_SEQUENCE_BYTES: usize = 4 * 1024;

/// Bytes to keep of a stream: what a model sees, and what a store gets.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PrintedBytes {
    pub(crate) shown: usize,
    pub(crate) stored: usize,
}

/// Readable text of one stream.
#[derive(Debug)]
pub(crate) struct Printed {
    screen: Screen,
    text: String,
    /// What a model sees.
    pub(crate) shown: LongOutput,
    /// What a store gets.
    pub(crate) full: Capture,
}

impl Printed {
    pub(crate) fn new(bytes: PrintedBytes) -> Self {
        Self {
            screen: Screen::default(),
            text: String::new(),
            shown: LongOutput::new(bytes.shown),
            full: Capture::new(bytes.stored),
        }
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.screen.push(bytes, &mut self.text);
        self.pass_on();
    }

    /// Adds the incomplete last line.
    pub(crate) fn finish(&mut self) {
        self.screen.end_line(&mut self.text);
        self.pass_on();
    }

    fn pass_on(&mut self) {
        self.shown.push(&self.text);
        self.full.push(self.text.as_bytes());
        self.text.clear();
    }

    /// Returns whether anything that the program wrote is missing.
    pub(crate) fn has_changed(&self) -> bool {
        self.screen.has_changed
    }
}

/// Returns the text that a terminal would show.
pub(crate) fn readable(text: &str) -> String {
    let (mut screen, mut shown) = (Screen::default(), String::new());
    screen.push(text.as_bytes(), &mut shown);
    screen.end_line(&mut shown);
    shown
}

/// Removes escape sequences, control characters and overwritten lines.
///
/// A carriage return starts the line again: of a progress bar, only the last state is left. Other movements of the
/// cursor are ignored.
#[derive(Debug, Default)]
struct Screen {
    line: Vec<u8>,
    state: State,
    /// Whether the next character overwrites the line.
    has_returned: bool,
    has_changed: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum State {
    #[default]
    Text,
    Escape,
    /// Sequence such as `ESC [ 31 m`, and whether it has the parameter 2.
    Control(bool),
    /// Title or other text, and its length so far.
    Sequence(usize),
    /// Character after the name of a character set.
    Set,
}

impl Screen {
    fn push(&mut self, bytes: &[u8], text: &mut String) {
        let mut rest = bytes;
        while let Some((first, after)) = rest.split_first() {
            if self.state != State::Text || is_control(*first) {
                self.control(*first, text);
                rest = after;
                continue;
            }
            let end = rest.iter().position(|byte| is_control(*byte));
            let (plain, after) = rest.split_at(end.unwrap_or(rest.len()));
            self.write(plain, text);
            rest = after;
        }
    }

    fn write(&mut self, plain: &[u8], text: &mut String) {
        if std::mem::take(&mut self.has_returned) {
            self.erase();
        }
        for part in plain.chunks(MAX_LINE_BYTES) {
            self.line.extend_from_slice(part);
            if self.line.len() >= MAX_LINE_BYTES {
                let whole = without_partial_char(&self.line).len();
                let rest = self.line.split_off(whole);
                text.push_str(&String::from_utf8_lossy(&self.line));
                self.line = rest;
            }
        }
    }

    fn erase(&mut self) {
        self.has_changed |= !self.line.is_empty();
        self.line.clear();
    }

    /// Writes what is left of the last line.
    fn end_line(&mut self, text: &mut String) {
        text.push_str(&String::from_utf8_lossy(&self.line));
        self.line.clear();
        self.has_returned = false;
    }

    fn control(&mut self, byte: u8, text: &mut String) {
        // Ends every sequence, so that a broken one hides no more than a line.
        if byte == b'\n' {
            self.end_line(text);
            text.push('\n');
            self.state = State::Text;
            return;
        }
        self.has_changed |= byte != b'\r' && byte != b'\t';
        self.state = match self.state {
            State::Text => self.control_character(byte, text),
            State::Escape => match byte {
                b'[' => State::Control(false),
                b']' | b'P' | b'X' | b'^' | b'_' => State::Sequence(0),
                b' '..=b'/' => State::Set,
                _ => State::Text,
            },
            State::Control(has_two) => match byte {
                b' '..=b'?' => State::Control(byte == b'2'),
                b'K' if has_two || self.has_returned => {
                    self.erase();
                    State::Text
                }
                b'G' => {
                    self.has_returned = true;
                    State::Text
                }
                _ => State::Text,
            },
            State::Sequence(_) if byte == 0x07 => State::Text,
            // Also the first byte of the terminator `ESC \`.
            State::Sequence(_) if byte == 0x1B => State::Escape,
            State::Sequence(length) if length < MAX_SEQUENCE_BYTES => State::Sequence(length + 1),
            State::Sequence(_) | State::Set => State::Text,
        };
    }

    fn control_character(&mut self, byte: u8, text: &mut String) -> State {
        match byte {
            0x1B => return State::Escape,
            b'\r' => self.has_returned = true,
            b'\t' => self.write(b"\t", text),
            0x08 => {
                // All bytes of the last character.
                while let Some(byte) = self.line.pop() {
                    if byte & 0b1100_0000 != 0b1000_0000 {
                        break;
                    }
                }
            }
            _ => {}
        }
        State::Text
    }
}

fn is_control(byte: u8) -> bool {
    byte < b' ' || byte == 0x7F
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn shows_what_a_terminal_would_show() {
        for (written, shown) in [
            ("plain äö\n\ttabs\r\n", "plain äö\n\ttabs\n"),
            ("\x1b[1;31mred\x1b[0m \x1b[38;5;208mx\x1b[m\n", "red x\n"),
            (" 10%\r 50%\r100%\nend", "100%\nend"),
            ("downloading\r", "downloading"),
            ("one\r\r\n", "one\n"),
            ("10%\r\x1b[Kdone\n", "done\n"),
            ("10%\x1b[2K\x1b[1Gdone\n", "done\n"),
            ("a\x1b[2mb\n", "ab\n"),
            (
                "\x1b]0;a title\x07text\x1b]8;;http://a\x1b\\link\n",
                "textlink\n",
            ),
            ("\x1b(B\x1b=text\x1b7\n", "text\n"),
            ("x\x08y b\u{e4}\x08d\x07\0\n", "y bd\n"),
            ("\x1b]never closed\nnext\n", "\nnext\n"),
            ("\x1b[31\nnext\x1b", "\nnext"),
        ] {
            assert_eq!(readable(written), shown, "{written:?}");
        }
        let unclosed = format!("\x1b]{}text", "x".repeat(MAX_SEQUENCE_BYTES + 1));
        assert_eq!(readable(&unclosed), "text");
    }

    #[test]
    fn long_lines_are_passed_on_at_characters() {
        let written = "ä".repeat(3 * MAX_LINE_BYTES);

        assert_eq!(readable(&written), written);
    }

    #[test]
    fn only_lost_output_counts_as_change() {
        for (written, changed) in [
            ("plain\r\n\t", false),
            ("a\rb", true),
            ("\x1b[0m", true),
            ("\x07", true),
        ] {
            let bytes = PrintedBytes {
                shown: 10,
                stored: 0,
            };
            let mut printed = Printed::new(bytes);
            printed.push(written.as_bytes());
            printed.finish();

            assert_eq!(printed.has_changed(), changed, "{written:?}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_in_any_parts_give_the_same(
            bytes in prop::collection::vec(prop::sample::select(&b"ab\x1b[]2K;\r\n\x08\xc3\xa4\x07"[..]), 0..60),
            size in 1_usize..20,
        ) {
            let mut whole = String::new();
            let mut screen = Screen::default();
            screen.push(&bytes, &mut whole);
            screen.end_line(&mut whole);
            let (mut parts, mut screen) = (String::new(), Screen::default());
            bytes.chunks(size).for_each(|part| screen.push(part, &mut parts));
            screen.end_line(&mut parts);

            prop_assert!(!whole.contains(['\x1b', '\r', '\x08', '\x07']));
            prop_assert_eq!(parts, whole);
        }
    }
}
