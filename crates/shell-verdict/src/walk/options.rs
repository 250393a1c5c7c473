//! Arguments of a program, sorted by a row.

use super::Value;
use crate::table::{Kind, Operands, Row};

#[derive(Debug, Default)]
pub(super) struct Arguments {
    pub(super) operands: Vec<Value>,
    pub(super) values: Vec<(Kind, Value)>,
    /// Letters of short options, and long options.
    pub(super) flags: Vec<String>,
    /// Whether the row lists every option, and its operands have the form that it names.
    pub(super) is_complete: bool,
    pub(super) has_pattern: bool,
}

impl Arguments {
    /// Sorts `arguments`. In front of a command, everything after the first operand is an operand, too.
    pub(super) fn sort(row: &Row, arguments: &[Value]) -> Self {
        let stops = matches!(
            row.operands,
            Operands::Command(_) | Operands::Subcommand | Operands::Script
        );
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
                if stops {
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
        let is_format = |word: &Value| word.prefix().starts_with('+');
        let count = self.operands.len();
        let first = self.operands.first().and_then(Value::literal);
        let has_one = |flag: &str| {
            first == Some(flag) || self.has(flag.trim_start_matches('-')) || self.has(flag)
        };
        // An empty word and a response file do not mean what they say.
        let is_odd =
            |word: &Value| matches!(word.literal(), Some("")) || word.prefix().starts_with('@');
        (match row.operands {
            Operands::AtMost(most) => {
                count <= most
                    && self
                        .operands
                        .iter()
                        .all(|word| word.literal().is_some() || row.rule.is_some())
            }
            Operands::Branch => count == 1 && first.is_some_and(is_branch),
            Operands::Formats => self.operands.iter().all(is_format),
            Operands::Reads => !arguments.iter().any(is_odd) || row.is_open(),
            _ => !self
                .operands
                .iter()
                .any(|word| word.literal() == Some("") && row.rule.is_none()),
        }) && (row.needs.is_empty() || row.needs.split(' ').any(has_one))
    }

    pub(super) fn has(&self, flag: &str) -> bool {
        self.flags.iter().any(|own| own == flag)
    }

    pub(super) fn has_any(&self, flags: &[&str]) -> bool {
        flags.iter().any(|flag| self.has(flag))
    }

    /// Returns the values of options of one kind.
    pub(super) fn of(&self, kind: Kind) -> impl Iterator<Item = &Value> {
        let values = self.values.iter();
        values.filter_map(move |(own, value)| (*own == kind).then_some(value))
    }

    fn long<'v>(
        &mut self,
        word: &Value,
        name: &str,
        kind: Kind,
        rest: &mut impl Iterator<Item = &'v Value>,
    ) {
        let has_value = word.prefix().len() > name.len();
        let value = has_value.then(|| word.after(name.len() + 1));
        self.flags.push(name.to_owned());
        self.is_complete &= has_value || word.literal().is_some();
        match (kind, value) {
            (Kind::Flag, Some(_)) => self.is_complete = false,
            (Kind::Flag | Kind::Optional, None) => {}
            (Kind::Pair, _) => {
                rest.next();
                self.push(Kind::Read, rest.next().cloned());
            }
            (kind, Some(value)) => self.push(kind, Some(value)),
            (kind, None) => self.push(kind, rest.next().cloned()),
        }
    }

    fn short<'v>(&mut self, row: &Row, word: &Value, rest: &mut impl Iterator<Item = &'v Value>) {
        let known = word.prefix();
        for (at, letter) in known.char_indices().skip(1) {
            self.flags.push(letter.to_string());
            let end = at + letter.len_utf8();
            let has_value = end < known.len() || word.literal().is_none();
            match row.letter(letter) {
                None => {
                    self.is_complete &= row.is_open();
                    self.flags.extend(
                        known
                            .get(end..)
                            .unwrap_or_default()
                            .chars()
                            .map(String::from),
                    );
                    return;
                }
                Some(Kind::Flag) => {}
                Some(Kind::Optional) => {
                    if has_value {
                        self.push(Kind::Optional, Some(word.after(end)));
                    }
                    return;
                }
                Some(kind) => {
                    let value = if has_value {
                        Some(word.after(end))
                    } else {
                        rest.next().cloned()
                    };
                    return self.push(kind, value);
                }
            }
        }
        self.is_complete &= word.literal().is_some();
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

/// Returns `true` for words that are branches, tags and commits by convention, and hardly files.
fn is_branch(text: &str) -> bool {
    const NAMES: [&str; 9] = [
        "-",
        "main",
        "master",
        "develop",
        "development",
        "dev",
        "trunk",
        "staging",
        "production",
    ];
    const GROUPS: [&str; 12] = [
        "origin", "upstream", "feature", "feat", "fix", "bugfix", "hotfix", "release", "chore",
        "topic", "docs", "refactor",
    ];
    let is_version = |text: &str| {
        let numbers = text.trim_start_matches('v');
        numbers.contains('.')
            && numbers
                .split(['.', '-'])
                .all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let is_commit = |text: &str| {
        (7..=40).contains(&text.len())
            && text
                .bytes()
                .all(|byte| byte.is_ascii_hexdigit() && !byte.is_ascii_uppercase())
            && text.contains(|letter: char| letter.is_ascii_digit())
    };
    let relative = text.split(['~', '^']).next().unwrap_or(text);
    if let Some((group, name)) = text.split_once('/') {
        return GROUPS.contains(&group)
            && !name.is_empty()
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-_/".contains(&byte));
    }
    // `HEAD` alone is a commit, and so is what follows it.
    NAMES.contains(&text)
        || relative == "HEAD"
        || is_version(text)
        || is_commit(text)
        || text.starts_with("@{-")
}
