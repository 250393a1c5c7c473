//! Expansion of words: literal text, and variables of the launcher.

use super::{Input, Rule, Value, Walk};
use crate::parse::UNKNOWN;
use crate::paths::TEMPORARY;
use crate::syntax::{Part, Script, Word};
use crate::value::Source;

impl Walk<'_> {
    /// Expands a word of a command.
    pub(super) fn expand(&mut self, word: &Word) -> Value {
        match word.plain() {
            Some(text)
                if matches!(text, "[" | "[[")
                    || !text.contains(['{', '*', '?', '[', '~', UNKNOWN]) =>
            {
                Value::known(text)
            }
            _ => self.built(word, true),
        }
    }

    /// Expands a word that is not split and not a pattern.
    pub(super) fn expand_assigned(&mut self, word: &Word) -> Value {
        self.built(word, false)
    }

    fn built(&mut self, word: &Word, splits: bool) -> Value {
        let mut value = Value::default();
        let has_braces = splits && has_braces(word);
        for (at, part) in word.parts.iter().enumerate() {
            if self.is_over {
                break;
            }
            match part {
                Part::Literal(text) => push(&mut value, text),
                Part::Plain(text) => {
                    let text = match text.strip_prefix('~') {
                        Some(rest) if at == 0 => self.tilde(rest, &mut value),
                        _ => text,
                    };
                    if splits {
                        push_plain(&mut value, text, has_braces);
                    } else {
                        push(&mut value, text);
                    }
                }
                Part::Variable {
                    name,
                    operand,
                    quoted,
                } => {
                    let splits = splits && !quoted;
                    let operand = operand.as_ref().map(|word| self.expand_assigned(word));
                    self.variable(name, operand, splits, &mut value);
                }
                Part::Substitution { script, quoted } => {
                    self.substitution(script, splits && !quoted, &mut value);
                }
                Part::Process(script) => self.process(script, &mut value),
                Part::Arithmetic(inner) => {
                    let inner = self.expand_assigned(inner);
                    self.report(Rule::Construct);
                    // A name stands for the text of its value, which may assign any variable.
                    let is_name = |letter: char| letter.is_alphabetic() || letter == '?';
                    self.sets_variables |= inner.shown().contains(is_name);
                    value.push_dynamic("?", Source::Expansion, false);
                }
            }
        }
        value
    }

    fn process(&mut self, script: &Script, value: &mut Value) {
        self.scoped(|walk| {
            walk.context.input = Input::Unknown;
            walk.deeper(|walk| walk.script(script));
        });
        // The name of a pipe has no spaces, and nothing writes to it but this command.
        value.push_dynamic("/dev/fd/?", Source::Name, false);
    }

    /// Expands what follows a leading `~`. Returns the rest of the text.
    fn tilde<'text>(&self, text: &'text str, value: &mut Value) -> &'text str {
        let (name, rest) = text.split_at(text.find('/').unwrap_or(text.len()));
        let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        match name {
            "" if self.knows_variables => value.push(&self.settings.paths.home),
            "root" => value.push("/root"),
            _ if !name.is_empty() && name.bytes().all(is_letter) => {
                value.push(&format!("/home/{name}"));
            }
            _ => value.push_dynamic("?", Source::Expansion, false),
        }
        rest
    }

    fn variable(&mut self, name: &str, operand: Option<Value>, splits: bool, value: &mut Value) {
        let mut is_list = matches!(name, "@" | "*");
        if let Some(operand) = operand {
            // Subscripts and offsets are arithmetic, and `:=` assigns.
            self.check_evaluated(&operand);
            self.assign(name);
            is_list |= operand.shown().starts_with('[');
        } else if self.push_known(name, splits, value) {
            return;
        }
        let shown = if name == "!" { "$!" } else { "?" };
        value.push_dynamic(shown, Source::Expansion, splits || is_list);
    }

    /// Adds the value of a variable that the launcher sets, or that names a new temporary file.
    fn push_known(&self, name: &str, splits: bool, value: &mut Value) -> bool {
        let known = match name {
            _ if !self.knows_variables => return false,
            "HOME" => Some(self.settings.paths.home.clone()),
            "TMPDIR" | "TMP" | "TEMP" => Some(TEMPORARY.to_owned()),
            "PWD" => self.start_directory(),
            _ => None,
        };
        if let Some(text) = known.filter(|text| !splits || is_one_word(text)) {
            value.push(&text);
            return true;
        }
        let directory = self.temporary.get(name);
        if let Some(directory) = directory {
            push_new(value, directory);
        }
        directory.is_some()
    }

    /// Returns the directory in which the command starts, before any `cd`.
    fn start_directory(&self) -> Option<String> {
        let start = self.start.as_deref();
        let start = start.filter(|start| self.context.directory.as_deref() == Some(*start));
        start.map(str::to_owned)
    }

    fn substitution(&mut self, script: &Script, splits: bool, value: &mut Value) {
        self.scoped(|walk| walk.deeper(|walk| walk.script(script)));
        let words = script.only_words().unwrap_or_default();
        let mut names = words.iter();
        match words.as_slice() {
            _ if names.any(|name| self.functions.contains(*name)) => {}
            ["pwd"] => {
                let start = self.start_directory();
                if let Some(start) = start.filter(|text| !splits || is_one_word(text)) {
                    return value.push(&start);
                }
            }
            ["mktemp", arguments @ ..] => {
                if let Some(directory) = made_in(arguments) {
                    return push_new(value, directory);
                }
            }
            _ => {}
        }
        value.push_dynamic("?", Source::Expansion, splits);
    }

    /// Reports text that arithmetic, `[[` and some builtins expand again.
    pub(super) fn check_evaluated(&mut self, value: &Value) {
        if ["$(", "`"].iter().any(|sign| value.shown().contains(sign)) {
            self.report(Rule::Opaque);
        }
    }

    pub(super) fn report_dynamic(&mut self, value: &Value) {
        if value.literal().is_none() {
            self.report(Rule::Dynamic);
        }
    }
}

/// Returns the directory of the file that `mktemp` makes, if its arguments name it.
fn made_in<'a>(arguments: &[&'a str]) -> Option<&'a str> {
    let directory = match arguments {
        [] | ["-d" | "-q" | "--directory"] | [.., "-t", _] => TEMPORARY,
        ["-p", directory] | ["-d", "-p", directory] | ["-p", directory, "-d"] => directory,
        [template] | ["-d", template] if !template.starts_with('-') => template
            .rsplit_once('/')
            .map_or(".", |(directory, _)| directory),
        _ => return None,
    };
    let mut words = arguments.iter();
    let is_plain = words.all(|word| !word.contains("..") && is_one_word(word));
    is_plain.then_some(directory)
}

/// Adds the name of a new file in `directory`.
fn push_new(value: &mut Value, directory: &str) {
    value.push(directory);
    value.push("/");
    value.push_dynamic("?", Source::Name, false);
}

/// Returns `true` for text that an unquoted expansion leaves unchanged.
fn is_one_word(text: &str) -> bool {
    let is_plain = |letter: char| letter.is_alphanumeric() || "/._-+@,:=$~".contains(letter);
    text.chars().all(is_plain)
}

/// Adds literal text, in which escapes may have an unknown meaning.
fn push(value: &mut Value, text: &str) {
    for (at, known) in text.split(UNKNOWN).enumerate() {
        if at > 0 {
            value.push_dynamic("?", Source::Expansion, false);
        }
        value.push(known);
    }
}

/// Adds text in which braces and patterns are special.
fn push_plain(value: &mut Value, text: &str, has_braces: bool) {
    let mut rest = text;
    while let Some(at) =
        rest.find(|sign| matches!(sign, '*' | '?' | '[') || sign == '{' && has_braces)
    {
        let (before, after) = rest.split_at(at);
        push(value, before);
        let numbers = numeric_braces(after);
        let (sign, after) = after.split_at(numbers.unwrap_or(1));
        let source = match numbers {
            Some(_) => Source::Name,
            None if sign == "{" => Source::Expansion,
            None => Source::Pattern,
        };
        value.push_dynamic(sign, source, true);
        rest = after;
    }
    push(value, rest);
}

/// Returns the length of braces such as `{1..3}`, which only add numbers to a name.
fn numeric_braces(text: &str) -> Option<usize> {
    let inner = text.strip_prefix('{')?;
    let end = inner.find('}')?;
    let (first, last) = inner.get(..end)?.split_once("..")?;
    let is_number = |text: &str| text.parse::<u32>().is_ok() && !text.starts_with('+');
    (is_number(first) && is_number(last)).then_some(end + 2)
}

/// Returns `true` for a word with braces that may give several words.
fn has_braces(word: &Word) -> bool {
    let plain = word.parts.iter().filter_map(|part| match part {
        Part::Plain(text) => Some(text.as_str()),
        _ => None,
    });
    let text: String = plain.collect();
    let inner = text.split_once('{').map_or("", |(_, inner)| inner);
    inner.contains('}') && (inner.contains(',') || inner.contains(".."))
}
