//! Sorting of options and operands by a table row.

use super::super::table::{Operands, Row, Special};
use super::super::value::{self, FIELDS};
use super::super::verdict::CommandRule;
use super::super::walk::Walk;
use super::git::is_plain_setting;

#[derive(Debug, Default)]
pub(super) struct Arguments {
    /// Option names without dashes, in order.
    pub(super) options: Vec<String>,
    values: Vec<(char, String)>,
    pub(super) operands: Vec<String>,
    /// Whether an option is unknown, so operands may be its values.
    pub(super) has_unknown: bool,
}

impl Arguments {
    pub(super) fn values(&self, effect: char) -> impl DoubleEndedIterator<Item = &String> {
        self.values
            .iter()
            .filter(move |(found, _)| *found == effect)
            .map(|(_, value)| value)
    }

    pub(super) fn effects(&self) -> &[(char, String)] {
        &self.values
    }

    pub(super) fn has(&self, names: &[&str]) -> bool {
        self.options
            .iter()
            .any(|option| names.contains(&option.as_str()))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Takes {
    Nothing,
    Value(char),
    /// Value only within the same word.
    Glued,
    Asks,
}

impl Walk<'_> {
    pub(super) fn sort_arguments(&mut self, row: &Row, name: &str, rest: &[String]) -> Arguments {
        let mut arguments = Arguments::default();
        if row.options == "*" {
            arguments.operands = rest.to_vec();
            return arguments;
        }
        let stops = matches!(row.operands, Operands::Command(_) | Operands::Subcommand);
        let plain = match row.operands {
            Operands::Command(plain) => plain,
            _ => 0,
        };
        let risky = is_risky(row.options);
        let mut queue = rest.iter();
        while let Some(argument) = queue.next() {
            if argument == "--" {
                arguments.operands.extend(queue.cloned());
                break;
            }
            if row.special == Some(Special::Shell) && argument.starts_with('+') {
                let takes_name = argument.eq_ignore_ascii_case("+o");
                queue.by_ref().take(usize::from(takes_name)).for_each(drop);
                continue;
            }
            if !argument.starts_with('-') || argument == "-" {
                let in_front = stops && arguments.operands.len() < plain;
                if risky && !stops && value::may_be_option(argument)
                    || in_front && argument.contains(FIELDS)
                {
                    self.report(CommandRule::Opaque, argument);
                }
                arguments.operands.push(argument.clone());
                if stops && arguments.operands.len() > plain {
                    arguments.operands.extend(queue.cloned());
                    break;
                }
                continue;
            }
            let known = self.option(row, argument, &mut queue, &mut arguments);
            if known.is_none() {
                self.report(CommandRule::UnknownOption, &format!("{name} {argument}"));
                arguments.has_unknown = true;
            }
        }
        if stops || risky || row.special.is_some() {
            self.doubt_values(&arguments);
        }
        arguments
    }

    /// Reports values that may expand to several words, because they shift the other arguments.
    fn doubt_values(&mut self, arguments: &Arguments) {
        for (_, value) in arguments.effects() {
            if value.contains(FIELDS) {
                self.report(CommandRule::Opaque, value);
            }
        }
    }

    fn option(
        &mut self,
        row: &Row,
        argument: &str,
        queue: &mut std::slice::Iter<'_, String>,
        arguments: &mut Arguments,
    ) -> Option<()> {
        if let Some((option, takes, glued)) = word_option(row.options, argument) {
            // The first of two values is a name.
            if matches!(takes, Takes::Value('2' | '3')) {
                queue.next()?;
            }
            let value = match takes {
                Takes::Value(_) => Some(
                    glued.map_or_else(|| queue.next().cloned(), |value| Some(value.to_owned()))?,
                ),
                _ => None,
            };
            if glued.is_some() && takes == Takes::Nothing {
                return None;
            }
            let glued = glued.filter(|_| takes == Takes::Asks).map(str::to_owned);
            self.take(option, takes, value.or(glued), arguments);
            return Some(());
        }
        let letters = argument.get(1..).filter(|_| !argument.starts_with("--"))?;
        if letters.chars().all(|letter| letter.is_ascii_digit()) && has_numbers(row.options) {
            return Some(());
        }
        self.letters(row, letters, queue, arguments)
    }

    fn letters(
        &mut self,
        row: &Row,
        letters: &str,
        queue: &mut std::slice::Iter<'_, String>,
        arguments: &mut Arguments,
    ) -> Option<()> {
        let mut rest = letters.chars();
        while let Some(letter) = rest.next() {
            let takes = letter_option(row.options, letter)?;
            let glued = rest.as_str();
            let value = match takes {
                Takes::Value(_) if glued.is_empty() => Some(queue.next()?.clone()),
                Takes::Value(_) | Takes::Asks => Some(glued.to_owned()),
                Takes::Glued if !glued.is_empty() => Some(glued.to_owned()),
                _ => None,
            };
            self.take(&letter.to_string(), takes, value, arguments);
            if matches!(takes, Takes::Value(_) | Takes::Glued) {
                break;
            }
        }
        Some(())
    }

    fn take(
        &mut self,
        option: &str,
        takes: Takes,
        value: Option<String>,
        arguments: &mut Arguments,
    ) {
        arguments.options.push(option.to_owned());
        match (takes, value) {
            (Takes::Asks, value) => {
                self.report(CommandRule::UnknownOption, option);
                arguments.values.extend(value.map(|value| ('A', value)));
            }
            (Takes::Value(effect), Some(value)) => {
                let is_plain = match effect {
                    'K' => is_plain_setting(&value),
                    'E' => is_version(&value),
                    'G' => value.starts_with("no:"),
                    'A' => false,
                    _ => true,
                };
                if !is_plain {
                    self.report(CommandRule::UnknownOption, option);
                }
                arguments.values.push((effect, value));
            }
            (Takes::Glued, Some(value)) => arguments.values.push(('?', value)),
            _ => {}
        }
    }
}

/// A value with a slash would select another program.
fn is_version(value: &str) -> bool {
    let names = ["cpython", "python", "pypy"];
    let number = names.iter().find_map(|name| value.strip_prefix(name));
    let number = number
        .unwrap_or(value)
        .trim_start_matches(['@', '-', '>', '=']);
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || ".+-".contains(letter);
    number.starts_with(|digit: char| digit.is_ascii_digit()) && number.chars().all(is_plain)
}

fn tokens(options: &str) -> impl Iterator<Item = (&str, Takes)> {
    options.split(' ').filter_map(|token| {
        if let Some(name) = token.strip_suffix('?') {
            return Some((name, Takes::Glued));
        }
        if let Some(name) = token.strip_suffix('!') {
            return Some((name, Takes::Asks));
        }
        match token.split_once('=') {
            Some((name, effect)) => Some((name, Takes::Value(effect.chars().next()?))),
            None => Some((token, Takes::Nothing)),
        }
    })
}

fn word_option<'argument>(
    options: &'static str,
    argument: &'argument str,
) -> Option<(&'static str, Takes, Option<&'argument str>)> {
    let (name, glued) = match argument.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (argument, None),
    };
    let is_long = name.starts_with("--");
    if !is_long && name.len() < 3 {
        return None;
    }
    let exact = tokens(options).find(|(token, _)| *token == name);
    let found = exact.or_else(|| {
        let mut similar = tokens(options).filter(|(token, _)| is_long && token.starts_with(name));
        let first = similar.next()?;
        similar.next().is_none().then_some(first)
    })?;
    Some((found.0.trim_start_matches('-'), found.1, glued))
}

fn letter_option(options: &str, letter: char) -> Option<Takes> {
    let mut found = None;
    for (at, (token, takes)) in tokens(options).enumerate() {
        let Some(letters) = token
            .strip_prefix('-')
            .filter(|letters| !letters.starts_with('-'))
        else {
            continue;
        };
        let single = letters.chars().count() == 1;
        if single && letters.starts_with(letter) {
            return Some(takes);
        }
        // After the first position, several letters form a word.
        if at == 0 && takes == Takes::Nothing && letters.contains(letter) {
            found = Some(Takes::Nothing);
        }
    }
    found
}

/// Returns `true` if an option does more than change the printed output.
fn is_risky(options: &str) -> bool {
    let effects = ["!", "=A", "=W", "=C", "=D"];
    effects.iter().any(|effect| options.contains(effect))
}

fn has_numbers(options: &str) -> bool {
    tokens(options).any(|(token, _)| token.starts_with("-#"))
}
