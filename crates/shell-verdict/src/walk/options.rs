//! Options of a program, sorted by its row.

use super::super::table::{Kind, Row};
use super::super::value::Value;

/// Arguments of a program.
#[derive(Debug, Default)]
pub(super) struct Arguments {
    pub(super) operands: Vec<Value>,
    pub(super) values: Vec<(Kind, Value)>,
    /// Letters of short options and long options without a value.
    pub(super) flags: Vec<String>,
    /// Whether the row does not list some option.
    pub(super) has_unknown: bool,
    pub(super) has_pattern: bool,
}

impl Arguments {
    /// Sorts `arguments`. If `stops`, everything after the first operand is an operand, too.
    pub(super) fn sort(row: &Row, arguments: &[Value], stops: bool) -> Self {
        let mut sorted = Self::default();
        let mut rest = arguments.iter();
        while let Some(word) = rest.next() {
            let known = word.literal().unwrap_or(word.prefix());
            if word.fixed() == Some("--") {
                sorted.operands.extend(rest.by_ref().cloned());
            } else if known.len() < 2 || !known.starts_with('-') {
                sorted.operands.push(word.clone());
                if stops {
                    sorted.operands.extend(rest.by_ref().cloned());
                }
            } else if let Some(kind) = row.long(known.split('=').next().unwrap_or(known)) {
                sorted.long(word, known, kind, &mut rest);
            } else if known.starts_with("--") {
                sorted.has_unknown = true;
            } else {
                sorted.short(row, word, known, &mut rest);
            }
        }
        sorted
    }

    pub(super) fn has(&self, flags: &[&str]) -> bool {
        self.flags.iter().any(|flag| flags.contains(&flag.as_str()))
    }

    /// Returns the values of options of one kind.
    pub(super) fn of(&self, kind: Kind) -> impl Iterator<Item = &Value> {
        let values = self.values.iter();
        values.filter_map(move |(own, value)| (*own == kind).then_some(value))
    }

    fn long<'v>(
        &mut self,
        word: &Value,
        known: &str,
        kind: Kind,
        rest: &mut impl Iterator<Item = &'v Value>,
    ) {
        let value = known.find('=').map(|at| word.after(at + 1));
        let name = known.split('=').next().unwrap_or(known);
        self.flags.push(name.to_owned());
        if value.is_none() && word.literal().is_none() {
            self.has_unknown = true;
            return;
        }
        match (kind, value) {
            (Kind::Flag, Some(_)) => self.has_unknown = true,
            (Kind::Flag | Kind::Optional, None) => {}
            (Kind::Pair, _) => {
                rest.next();
                self.push(Kind::Read, rest.next().cloned());
            }
            (kind, Some(value)) => self.push(kind, Some(value)),
            (kind, None) => self.push(kind, rest.next().cloned()),
        }
    }

    fn short<'v>(
        &mut self,
        row: &Row,
        word: &Value,
        known: &str,
        rest: &mut impl Iterator<Item = &'v Value>,
    ) {
        for (at, letter) in known.char_indices().skip(1) {
            self.flags.push(letter.to_string());
            let end = at + letter.len_utf8();
            let has_value = end < known.len() || word.literal().is_none();
            match row.letter(letter) {
                None => {
                    self.has_unknown = true;
                    return;
                }
                Some(Kind::Flag) => {}
                Some(Kind::Optional) => {
                    if has_value {
                        self.push(Kind::Plain, Some(word.after(end)));
                    }
                    return;
                }
                Some(kind) => {
                    let value = if has_value {
                        Some(word.after(end))
                    } else {
                        rest.next().cloned()
                    };
                    self.push(kind, value);
                    return;
                }
            }
        }
        self.has_unknown |= word.literal().is_none();
    }

    fn push(&mut self, kind: Kind, value: Option<Value>) {
        let Some(value) = value else {
            self.has_unknown = true;
            return;
        };
        self.has_pattern |= kind == Kind::Pattern
            || kind == Kind::Read
                && self
                    .flags
                    .last()
                    .is_some_and(|flag| matches!(flag.as_str(), "f" | "--file"));
        self.values.push((kind, value));
    }
}
