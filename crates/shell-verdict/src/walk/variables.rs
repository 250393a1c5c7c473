//! Variables that commands set, or that change the behavior of programs.

use super::super::value::is_name;
use super::options::Arguments;
use super::{Origin, Rule, Stream, Value, Walk};

/// Variables without an effect on other programs, beyond language and logs.
const HARMLESS: &str = "LANG LANGUAGE TZ TERM COLUMNS LINES NO_COLOR FORCE_COLOR CLICOLOR CI RUST_BACKTRACE \
    RUST_LOG CARGO_TERM_COLOR DEBUG VERBOSE PYTHONDONTWRITEBYTECODE";

/// Endings of variables whose value is a command.
const COMMANDS: &str = "PAGER EDITOR VISUAL COMMAND BROWSER SHELL RUSTC RUSTDOC RUSTFMT WRAPPER RUNNER LINKER \
    LESSOPEN _SSH ASKPASS _VALUE_0 PS0 PS1 PS4 ENV DIFF CC CXX";

impl Walk<'_> {
    /// Checks a variable for other programs. Returns `false` if it is harmless.
    pub(super) fn environment(&mut self, name: &str, value: &Value) -> bool {
        let is_harmless = HARMLESS.split(' ').any(|known| known == name) || name.starts_with("LC_");
        if is_harmless && value.fixed().is_some() {
            return false;
        }
        let part = format!("{name}={}", value.shown());
        self.add(Rule::Environment, part, None, None);
        if COMMANDS.split(' ').any(|ending| name.ends_with(ending)) {
            self.search_code(
                value
                    .literal()
                    .unwrap_or_default()
                    .trim_start_matches(['!', '|']),
            );
            if let Some(Stream::Text(text)) = value.stream.as_deref() {
                self.search_code(text);
            }
            if value.origin() == Some(Origin::Download) {
                self.report(Rule::DownloadRun);
            }
        }
        true
    }

    /// Forgets the variables that a builtin sets.
    pub(super) fn assign_unknown(&mut self, name: &str, arguments: &[Value], sorted: &Arguments) {
        let is_callback =
            |word: &Value| word.prefix().starts_with('-') && word.prefix().contains('C');
        if matches!(name, "mapfile" | "readarray") && arguments.iter().any(is_callback) {
            self.report(Rule::Opaque);
            for text in arguments.iter().filter_map(Value::literal) {
                self.search_code(text.split_once('C').map_or(text, |(_, code)| code));
            }
        }
        if matches!(name, "shift" | "getopts") {
            self.state.positional = None;
        }
        for argument in arguments {
            self.check_evaluated(argument);
            let Some(text) = argument.literal() else {
                continue;
            };
            let end = text
                .find(|letter: char| letter != '_' && !letter.is_ascii_alphanumeric())
                .unwrap_or(text.len());
            let variable = text.get(..end).unwrap_or_default().to_owned();
            self.state.forget(&variable);
            self.state.splits_oddly |= variable == "IFS";
        }
        if sorted
            .operands
            .iter()
            .any(|operand| operand.literal().is_none())
            || name == "let"
        {
            self.state.forget_all();
        }
    }

    /// Declares variables. The values were assigned before.
    pub(super) fn exports(&mut self, arguments: &[Value]) {
        for argument in arguments {
            self.check_evaluated(argument);
            match argument.literal() {
                Some(text) if text.starts_with('-') => {
                    // References, and attributes that change values.
                    if text.contains(['n', 'u', 'l', 'i', 'A']) {
                        self.state.forget_all();
                        self.report(Rule::Construct);
                    }
                }
                Some(text) if is_name(text.trim_end_matches('=')) => {}
                _ => self.state.forget_all(),
            }
        }
    }
}
