//! What `echo` and `printf` print, which depends on the shell that they are a part of.

use super::super::limits::MOST_VALUE_BYTES;
use super::super::parse::{Escapes, decode_escapes};
use super::super::state::State;
use super::super::value::{self, FIELDS, Stream, UNKNOWN};
use super::super::verdict::Rule;
use super::super::walk::Walk;

impl Walk<'_> {
    /// `echo` and `printf`: what they print is known if their arguments are.
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
            self.report(Rule::Opaque, name);
        }
        let text = match (name, operands) {
            ("printf", [option, variable, format, arguments @ ..]) if option == "-v" => {
                if value::is_open(variable) {
                    self.report(Rule::Opaque, variable);
                    state.forget_all();
                }
                self.check_environment(state, variable, "?");
                self.evaluated(state, variable);
                self.computes_subscript(state, variable);
                self.computes_value(state, "?");
                let text = self.either(operands, |is_bash| printed(format, arguments, is_bash));
                state.assign(variable, text.unwrap_or_else(|| UNKNOWN.to_string()));
                return Some(Stream::Empty);
            }
            ("printf", [format, arguments @ ..]) => {
                self.either(operands, |is_bash| printed(format, arguments, is_bash))?
            }
            _ => self.either(operands, |is_bash| echoed(operands, is_bash)),
        };
        Some(Stream::Text(text))
    }

    /// What the shell makes of `words`. Notes where another shell would make something else of them.
    fn either<T: PartialEq>(&mut self, words: &[String], print: impl Fn(bool) -> T) -> T {
        let is_bash = self.shells.is_bash();
        let printed = print(is_bash);
        if words.iter().any(|word| word.contains('\\')) && print(!is_bash) != printed {
            self.shells.note_difference();
        }
        printed
    }
}

/// What `echo` prints. Other shells than bash decode what they print without an option.
fn echoed(operands: &[String], is_bash: bool) -> String {
    let is_option =
        |operand: &&String| matches!(operand.as_str(), "-n" | "-e" | "-E" | "-ne" | "-en");
    let escapes = operands
        .iter()
        .take_while(is_option)
        .any(|operand| operand.contains('e'));
    let words: Vec<_> = operands
        .iter()
        .skip_while(is_option)
        .map(String::as_str)
        .collect();
    let mut text = words.join(" ");
    if !is_bash {
        text = decode_escapes(&text, Escapes::OtherEcho);
    } else if escapes {
        text = decode_escapes(&text, Escapes::Echo);
    }
    text + "\n"
}

/// What `printf` prints if the format has nothing but `%s`, `%b` and `%%`.
fn printed(format: &str, arguments: &[String], is_bash: bool) -> Option<String> {
    let (of_format, of_argument) = if is_bash {
        (Escapes::Quoted, Escapes::Argument)
    } else {
        (Escapes::OtherFormat, Escapes::OtherEcho)
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
