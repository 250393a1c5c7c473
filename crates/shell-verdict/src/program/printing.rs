//! Output of `echo` and `printf`, which depends on the shell.

use super::super::limits::MOST_VALUE_BYTES;
use super::super::parse::{Escapes, decode_escapes};
use super::super::state::State;
use super::super::value::{self, FIELDS, Stream, UNKNOWN};
use super::super::verdict::CommandRule;
use super::super::walk::{Printing, Walk};

impl Walk<'_> {
    pub(super) fn echo(
        &mut self,
        state: &mut State,
        name: &str,
        operands: &[String],
    ) -> Option<Stream> {
        if operands.iter().any(|operand| value::from_network(operand)) {
            return Some(Stream::Network);
        }
        if name == "printf" && operands.first().is_some_and(|word| word.contains(FIELDS)) {
            self.report(CommandRule::Opaque, name);
        }
        let operands = match operands {
            [end, rest @ ..] if name == "printf" && end == "--" => rest,
            _ => operands,
        };
        let text = match (name, operands) {
            ("printf", [option, variable, format, arguments @ ..]) if option == "-v" => {
                if value::is_open(variable) {
                    self.report(CommandRule::Opaque, variable);
                    state.forget_all();
                }
                self.check_environment(state, variable, "?");
                self.evaluated(state, variable);
                self.computes_subscript(state, variable);
                self.computes_value(state, "?");
                let text = self.either(operands, |shell| printed(format, arguments, shell));
                state.assign(variable, text.unwrap_or_else(|| UNKNOWN.to_string()));
                if self.shells.are_plain() {
                    state.forget(variable);
                }
                return Some(Stream::Empty);
            }
            ("printf", [format, arguments @ ..]) => {
                self.either(operands, |shell| printed(format, arguments, shell))?
            }
            ("printf", []) => return Some(Stream::Empty),
            _ => self.either(operands, |shell| echoed(operands, shell)),
        };
        Some(Stream::Text(text))
    }

    /// Returns the output of the current shell, and records whether another shell differs.
    fn either<T: PartialEq>(&mut self, words: &[String], print: impl Fn(Printing) -> T) -> T {
        let printing = self.shells.printing();
        let printed = print(printing);
        let decodes = words.iter().any(|word| word.contains('\\'));
        if decodes && printing.others().any(|other| print(other) != printed) {
            self.shells.note_difference();
        }
        printed
    }
}

/// Shells other than bash decode escapes by default.
fn echoed(operands: &[String], shell: Printing) -> String {
    let is_option = |operand: &&String| {
        let letters = operand.strip_prefix('-').unwrap_or_default();
        !letters.is_empty() && letters.bytes().all(|letter| b"neE".contains(&letter))
    };
    let options = operands.iter().take_while(is_option);
    // The last option takes effect.
    let letters = options.flat_map(|option| option.bytes().filter(|letter| *letter != b'n'));
    let decodes = letters.filter(|letter| *letter != b'-').last() == Some(b'e');
    let words: Vec<_> = operands
        .iter()
        .skip_while(is_option)
        .map(String::as_str)
        .collect();
    let text = words.join(" ");
    let escapes = match shell {
        Printing::Bash => decodes.then_some(Escapes::Echo),
        Printing::Dash => Some(Escapes::OtherEcho),
        Printing::Rich => Some(Escapes::Echo),
    };
    escapes.map_or(text.clone(), |escapes| decode_escapes(&text, escapes)) + "\n"
}

/// Formats with `%s`, `%b` and `%%` only; others are unknown.
fn printed(format: &str, arguments: &[String], shell: Printing) -> Option<String> {
    let (of_format, of_argument) = match shell {
        Printing::Bash => (Escapes::Quoted, Escapes::Argument),
        Printing::Dash => (Escapes::OtherFormat, Escapes::OtherEcho),
        Printing::Rich => (Escapes::Quoted, Escapes::Echo),
    };
    let format = decode_escapes(format, of_format);
    let mut arguments = arguments.iter();
    let mut text = String::new();
    loop {
        let before = arguments.len();
        let mut letters = format.chars();
        while let Some(letter) = letters.next() {
            match (letter, letter == '%') {
                (_, true) => match letters.next()? {
                    '%' => text.push('%'),
                    's' => text.push_str(arguments.next().map_or("", String::as_str)),
                    'b' => text.push_str(&decode_escapes(
                        arguments.next().map_or("", String::as_str),
                        of_argument,
                    )),
                    _ => text.push(UNKNOWN),
                },
                _ => text.push(letter),
            }
            if text.len() > MOST_VALUE_BYTES {
                return None;
            }
        }
        if arguments.len() == 0 || arguments.len() == before {
            return Some(text);
        }
    }
}
