//! Text that is evaluated again, such as `eval` arguments.

use super::super::limits::MOST_TEXT_BYTES;
use super::super::parse;
use super::super::state::State;
use super::super::value::{self, Stream};
use super::super::verdict::CommandRule;
use super::Walk;

impl Walk<'_> {
    pub(in super::super) fn again(&mut self, state: &mut State, text: &str) -> Stream {
        if value::from_network(text) {
            self.report(CommandRule::DownloadRun, text);
        }
        if value::is_open(text) {
            self.report(CommandRule::Opaque, text);
        }
        self.text_bytes += text.len();
        if self.text_bytes > MOST_TEXT_BYTES {
            self.report(CommandRule::Limit, "");
            return Stream::Unknown;
        }
        if text.contains("$'") && self.shells.are_plain() {
            self.without_decoding(state, text);
        }
        self.read_again(state, text)
    }

    /// In shells without `$'...'`, a backslash does not escape the quote.
    fn without_decoding(&mut self, state: &State, text: &str) {
        self.report(CommandRule::Opaque, text);
        self.text_bytes += text.len();
        let text = dollars_escaped(text);
        self.for_harm(|walk| walk.read_again(&mut state.clone(), &text));
    }

    fn read_again(&mut self, state: &mut State, text: &str) -> Stream {
        self.note_joined_outputs(text);
        match parse::script(text, self.depth + 1) {
            Ok(script) => {
                let frame = self.frame.replace(self.span.clone());
                let output = self.deeper(|walk| walk.lines(state, &script));
                self.frame = frame;
                output.unwrap_or(Stream::Unknown)
            }
            Err(error) => {
                self.not_parsed(error, text);
                Stream::Unknown
            }
        }
    }

    /// Checks the commands that `text` would run after its substitutions.
    pub(in super::super) fn substituted_again(&mut self, state: &State, text: &str) {
        if !text.contains(['$', '`']) {
            return;
        }
        self.report(CommandRule::Opaque, text);
        self.text_bytes += text.len();
        if self.text_bytes > MOST_TEXT_BYTES {
            self.report(CommandRule::Limit, "");
            return;
        }
        match parse::expanded_text(text, self.depth + 1) {
            Ok(word) => {
                let frame = self.frame.replace(self.span.clone());
                self.deeper(|walk| walk.value_of(&mut state.clone(), &word));
                self.frame = frame;
            }
            Err(error) => self.not_parsed(error, text),
        }
    }

    /// Checks text that is used as arithmetic or a variable name: its subscripts are expanded
    /// again.
    pub(in super::super) fn evaluated(&mut self, state: &State, text: &str) {
        self.note_arithmetic();
        self.assigned_by_arithmetic(state, text);
        let subscript = text.split_once('[').map_or("", |(_, subscript)| subscript);
        if subscript.contains("$(") || subscript.contains("${") || subscript.contains('`') {
            self.substituted_again(state, subscript);
        }
    }
}

fn dollars_escaped(text: &str) -> String {
    let mut parts = text.split("$'");
    let mut escaped = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let backslashes = escaped.len() - escaped.trim_end_matches('\\').len();
        escaped.push_str(if backslashes.is_multiple_of(2) {
            "\\$'"
        } else {
            "$'"
        });
        escaped.push_str(part);
    }
    escaped
}
