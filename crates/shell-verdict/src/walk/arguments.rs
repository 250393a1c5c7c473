//! Arguments of a program, sorted by a row.

use super::Value;
use crate::paths::matches;
use crate::table::{Kind, Operands, Row};

#[derive(Debug, Default)]
pub(super) struct Arguments {
    pub(super) operands: Vec<Value>,
    pub(super) values: Vec<(Kind, Value)>,
    /// Commands in options, such as `find -exec`.
    pub(super) commands: Vec<Vec<Value>>,
    /// Letters of short options, and long options.
    flags: Vec<String>,
    /// Whether the row lists every option, and its operands have the form that it names.
    pub(super) is_complete: bool,
    pub(super) has_pattern: bool,
}

type Rest<'v> = std::slice::Iter<'v, Value>;

impl Arguments {
    /// Sorts `arguments`. In front of a command, everything after the first operand is an operand, too.
    pub(super) fn sort(row: &Row, arguments: &[Value]) -> Self {
        let mut sorted = Self {
            is_complete: true,
            ..Self::default()
        };
        let mut rest = arguments.iter();
        while let Some(word) = rest.next() {
            let known = word.prefix();
            let name = known.split('=').next().unwrap_or(known);
            if word.literal() == Some("--") {
                sorted.operands.extend(rest.by_ref().cloned());
            } else if word.may_be_option() && !row.is_open() {
                sorted.is_complete = false;
                sorted.operands.push(word.clone());
            } else if known.len() < 2 || !known.starts_with('-') {
                sorted.operands.push(word.clone());
                if row.operands.end_options() {
                    sorted.operands.extend(rest.by_ref().cloned());
                }
            } else if let Some(kind) = row.long(name) {
                sorted.long(word, name, kind, &mut rest);
            } else if known.starts_with("--") {
                sorted.flags.push(name.to_owned());
                sorted.is_complete &= row.is_open();
            } else {
                sorted.short(row, word, &mut rest);
            }
        }
        sorted.is_complete &= sorted.fits(row, arguments);
        sorted
    }

    /// Returns `true` if the operands have the form of the row.
    fn fits(&self, row: &Row, arguments: &[Value]) -> bool {
        let acts = row.rule.is_some();
        let first = self.operands.first().and_then(Value::literal);
        let mut operands = self.operands.iter();
        let fits = match row.operands {
            Operands::AtMost(most) => {
                operands.len() <= most && (acts || operands.all(|word| word.literal().is_some()))
            }
            Operands::Formats => operands.all(|word| word.prefix().starts_with('+')),
            Operands::LinesThenReads => first.is_some_and(is_lines) && !self.has_pattern,
            // A response file does not mean what it says.
            Operands::Reads => !arguments.iter().any(|word| word.prefix().starts_with('@')),
            _ => true,
        };
        let is_empty = |word: &Value| word.literal() == Some("");
        let is_present = |needed: &str| match needed.strip_prefix('-') {
            Some(letter) if !letter.is_empty() => self.has(letter) || self.has(needed),
            _ => first.is_some_and(|first| matches(needed, first)),
        };
        row.is_open() && row.needs.is_empty()
            || fits
                && (acts || !self.operands.iter().any(is_empty))
                && (row.needs.is_empty() || row.needs.split(' ').any(is_present))
    }

    pub(super) fn has(&self, flag: &str) -> bool {
        self.flags.iter().any(|own| own == flag)
    }

    /// Returns `true` if one of the `flags`, separated by spaces, is present.
    pub(super) fn has_any(&self, flags: &str) -> bool {
        flags.split(' ').any(|flag| self.has(flag))
    }

    /// Returns the values of options of one kind.
    pub(super) fn of(&self, kind: Kind) -> impl Iterator<Item = &Value> {
        let values = self.values.iter();
        values.filter_map(move |(own, value)| (*own == kind).then_some(value))
    }

    fn long(&mut self, word: &Value, name: &str, kind: Kind, rest: &mut Rest<'_>) {
        let has_value = word.prefix().len() > name.len();
        let value = has_value.then(|| word.after(name.len() + 1));
        self.flags.push(name.to_owned());
        self.is_complete &= has_value || word.literal().is_some();
        self.valued(kind, value, rest);
    }

    fn short(&mut self, row: &Row, word: &Value, rest: &mut Rest<'_>) {
        let known = word.prefix();
        for (at, letter) in known.char_indices().skip(1) {
            let end = at + letter.len_utf8();
            self.flags.push(letter.to_string());
            match row.letter(letter) {
                Some(Kind::Flag) => {}
                Some(kind) => {
                    let has_value = end < known.len() || word.literal().is_none();
                    let value = has_value.then(|| word.after(end));
                    return self.valued(kind, value, rest);
                }
                None => {
                    self.is_complete &= row.is_open();
                    let others = known.get(end..).unwrap_or_default();
                    return self.flags.extend(others.chars().map(String::from));
                }
            }
        }
        self.is_complete &= word.literal().is_some();
    }

    /// Adds an option with the `value` in the same word, or the next one.
    fn valued(&mut self, kind: Kind, value: Option<Value>, rest: &mut Rest<'_>) {
        match (kind, value) {
            (Kind::Flag, Some(_)) => self.is_complete = false,
            (Kind::Flag | Kind::Optional, None) => {}
            (Kind::Command, value) => {
                let is_end = |word: &&Value| matches!(word.literal(), Some(";" | "+"));
                let words = rest.by_ref().take_while(|word| !is_end(word)).cloned();
                self.commands.push(value.into_iter().chain(words).collect());
            }
            (kind, Some(value)) => self.push(kind, Some(value)),
            (kind, None) => self.push(kind, rest.next().cloned()),
        }
    }

    fn push(&mut self, kind: Kind, value: Option<Value>) {
        let Some(value) = value else {
            self.is_complete = false;
            return;
        };
        let is_file = |flag: &String| matches!(flag.as_str(), "f" | "--file" | "--from-file");
        self.has_pattern |=
            kind == Kind::Pattern || kind == Kind::Read && self.flags.last().is_some_and(is_file);
        self.is_complete &= !value.splits();
        self.values.push((kind, value));
    }
}

/// Returns `true` for `N,Mp`.
fn is_lines(program: &str) -> bool {
    let is_line = |text: &str| text == "$" || text.parse::<u64>().is_ok();
    let lines = program.strip_suffix('p').map(|lines| lines.split(','));
    lines.is_some_and(|mut lines| lines.clone().count() <= 2 && lines.all(is_line))
}
