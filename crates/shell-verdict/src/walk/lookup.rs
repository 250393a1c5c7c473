//! Rows of programs, and the words and rules in them.

use super::super::paths::PathClassifier;
use super::super::table::{self, Handler, Row};
use super::super::value::Value;
use super::super::verdict::CommandRule as Rule;

/// Returns `true` for programs that only print their arguments, test or change the directory.
pub(super) fn is_of_shell(row: &Row) -> bool {
    let handler = [Handler::ChangeDirectory, Handler::Echo, Handler::Test];
    row.handler.is_some_and(|own| handler.contains(&own)) || row.names.starts_with(':')
}

/// Rules of programs that write where they run.
pub(super) fn acts_in_directory(rule: Rule) -> bool {
    matches!(
        rule,
        Rule::Write | Rule::Project | Rule::Interpreter | Rule::Discard | Rule::Protected
    )
}

/// Returns the row of a program, also for names with a version such as `gcc-12`.
pub(super) fn known(name: &str) -> Option<&'static Row> {
    table::find("", name).or_else(|| {
        let base = name.trim_end_matches(|letter: char| {
            letter.is_ascii_digit() || matches!(letter, '.' | '-')
        });
        table::find("", base).filter(|row| row.rule.is_some() && base != name)
    })
}

/// Returns `true` if an argument matches an alarm word.
pub(super) fn has(arguments: &[Value], word: &str) -> bool {
    if word.is_empty() {
        return false;
    }
    arguments.iter().any(|argument| {
        let text = argument.literal().unwrap_or(argument.prefix());
        let mut letters = word.chars();
        if let (Some('-'), Some(letter), None) = (letters.next(), letters.next(), letters.next())
            && letter.is_ascii_alphabetic()
        {
            return text.starts_with('-') && !text.starts_with("--") && text.contains(letter);
        }
        if word.ends_with("???") {
            return text.len() == word.len() && text.starts_with(word.trim_end_matches('?'));
        }
        match (word.strip_prefix('*'), word.strip_suffix('*')) {
            (Some(_), Some(_)) => text.contains(word.trim_matches('*')),
            (Some(end), None) => text.ends_with(end),
            (None, Some(start)) => text.starts_with(start),
            (None, None) => text == word,
        }
    })
}

/// Returns the directory of the program `name`, resolved if it is absolute.
pub(super) fn directory_of(name: &str, base: &str) -> String {
    let directory = name.strip_suffix(base).unwrap_or_default();
    let directory = directory.trim_end_matches('/');
    let absolute = directory.starts_with('/');
    absolute
        .then(|| PathClassifier::resolve(directory, None))
        .flatten()
        .unwrap_or_else(|| directory.to_owned())
}
