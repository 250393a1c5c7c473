//! Results of `${name...}` for known values.

use super::super::value::{self, PIPE};

/// `operand` starts with the operator. Returns `None` if the result is unknown.
pub(super) fn transformed(value: &str, operand: &str) -> Option<String> {
    // A pipe name has a different text at run time, so no part of it is known.
    let is_fixed = |text: &str| value::is_open(text) || text.contains(PIPE);
    if is_fixed(value) || is_fixed(operand) {
        return None;
    }
    match operand {
        ",," | "@L" => return Some(value.to_lowercase()),
        "^^" | "@U" => return Some(value.to_uppercase()),
        "," => return Some(with_first(value, |first| first.to_lowercase().collect())),
        "^" | "@u" => return Some(with_first(value, |first| first.to_uppercase().collect())),
        _ => {}
    }
    if let Some(pattern) = operand.strip_prefix("##") {
        without_start(value, pattern, true)
    } else if let Some(pattern) = operand.strip_prefix('#') {
        without_start(value, pattern, false)
    } else if let Some(pattern) = operand.strip_prefix("%%") {
        without_end(value, pattern, true)
    } else if let Some(pattern) = operand.strip_prefix('%') {
        without_end(value, pattern, false)
    } else if let Some(rest) = operand.strip_prefix("//") {
        replaced(value, rest, usize::MAX)
    } else {
        replaced(value, operand.strip_prefix('/')?, 1)
    }
}

/// Returns a substring, or `None` if it is unknown.
pub(super) fn slice(value: &str, operand: &str) -> Option<String> {
    if !value::is_known(value) {
        return None;
    }
    let mut numbers = operand
        .split(':')
        .map(|number| number.trim().parse::<isize>());
    let count = value.chars().count();
    let from_end = |number: isize| match number {
        ..0 => count.checked_sub(number.unsigned_abs()),
        _ => Some(number.unsigned_abs().min(count)),
    };
    let start = from_end(numbers.next()?.ok()?)?;
    let end = match numbers.next() {
        None => count,
        Some(Ok(length @ ..0)) => from_end(length)?,
        Some(length) => start.saturating_add(length.ok()?.unsigned_abs()),
    };
    let letters = value.chars().skip(start).take(end.saturating_sub(start));
    numbers.next().is_none().then(|| letters.collect())
}

pub(super) fn may_be_sliced(value: Option<&str>, operand: &str) -> bool {
    let mut numbers = operand
        .split(':')
        .map(|number| number.trim().parse::<usize>());
    numbers.all(|number| number.is_ok())
        || value
            .and_then(|value| slice(value, operand))
            .is_some_and(|part| !part.is_empty())
}

fn with_first(value: &str, change: impl Fn(char) -> String) -> String {
    let mut letters = value.chars();
    let first = letters.next().map_or(String::new(), change);
    first + letters.as_str()
}

/// Pattern with at most one star, at one end.
enum Pattern<'text> {
    Plain(&'text str),
    StarBefore(&'text str),
    StarBehind(&'text str),
    Letters(usize),
}

fn pattern(text: &str) -> Option<Pattern<'_>> {
    let is_plain = |text: &&str| !text.contains(['*', '?', '[', '\\', '(', ']']);
    if !text.is_empty() && text.chars().all(|letter| letter == '?') {
        return Some(Pattern::Letters(text.len()));
    }
    if let Some(rest) = text.strip_prefix('*') {
        return Some(rest).filter(is_plain).map(Pattern::StarBefore);
    }
    if let Some(rest) = text.strip_suffix('*') {
        return Some(rest).filter(is_plain).map(Pattern::StarBehind);
    }
    Some(text).filter(is_plain).map(Pattern::Plain)
}

fn unchanged(value: &str) -> Option<&str> {
    value::is_known(value).then_some(value)
}

fn without_start(value: &str, text: &str, longest: bool) -> Option<String> {
    let rest = match pattern(text)? {
        Pattern::StarBehind(plain) if longest => value.starts_with(plain).then_some(""),
        Pattern::Plain(plain) | Pattern::StarBehind(plain) => value.strip_prefix(plain),
        Pattern::StarBefore(plain) => {
            let at = if longest {
                value.rfind(plain)
            } else {
                value.find(plain)
            };
            at.and_then(|at| value.get(at + plain.len()..))
        }
        Pattern::Letters(count) => {
            let mut letters = unchanged(value)?.chars();
            return letters.by_ref().nth(count - 1).map(|_| letters.collect());
        }
    };
    rest.or_else(|| unchanged(value)).map(str::to_owned)
}

fn without_end(value: &str, text: &str, longest: bool) -> Option<String> {
    let rest = match pattern(text)? {
        Pattern::StarBefore(plain) if longest => value.ends_with(plain).then_some(""),
        Pattern::Plain(plain) | Pattern::StarBefore(plain) => value.strip_suffix(plain),
        Pattern::StarBehind(plain) => {
            let at = if longest {
                value.find(plain)
            } else {
                value.rfind(plain)
            };
            at.and_then(|at| value.get(..at))
        }
        Pattern::Letters(count) => {
            let mut letters = unchanged(value)?.chars();
            return letters
                .by_ref()
                .nth_back(count - 1)
                .map(|_| letters.collect());
        }
    };
    rest.or_else(|| unchanged(value)).map(str::to_owned)
}

fn replaced(value: &str, operand: &str, most: usize) -> Option<String> {
    let (text, replacement) = operand.split_once('/').unwrap_or((operand, ""));
    match pattern(text)? {
        Pattern::Plain(plain) if !plain.is_empty() && !plain.starts_with(['#', '%']) => {
            Some(unchanged(value)?.replacen(plain, replacement, most))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{slice, transformed};

    #[test]
    fn transforms_values_like_bash() {
        for (value, operand, expected) in [
            ("RM", ",,", Some("rm")),
            ("RM", ",", Some("rM")),
            ("rm", "^^", Some("RM")),
            ("rm", "^", Some("Rm")),
            ("xrm", "#x", Some("rm")),
            ("xrm", "#y", Some("xrm")),
            ("a/b/c", "#*/", Some("b/c")),
            ("a/b/c", "##*/", Some("c")),
            ("a/b/c", "%/*", Some("a/b")),
            ("a/b/c", "%%/*", Some("a")),
            ("rmx", "%x", Some("rm")),
            ("rmx", "%?", Some("rm")),
            ("xrm", "#?", Some("rm")),
            ("s_u_d_o", "//_/", Some("sudo")),
            ("szdo", "/z/u", Some("sudo")),
            ("xrm", "#[x]", None),
            ("x", "/*/y", None),
            ("\u{3}.png", "%.png", Some("\u{3}")),
            ("\u{3}", "%.png", None),
            ("\u{1}", ",,", None),
        ] {
            let changed = transformed(value, operand);

            assert_eq!(changed.as_deref(), expected, "{value:?} {operand}");
        }
    }

    #[test]
    fn slices_by_characters() {
        for (operand, expected) in [
            ("1", Some("sudo")),
            ("1:2", Some("su")),
            (" -2", Some("do")),
            ("0:-1", Some("xsud")),
            ("9", Some("")),
            ("-9", None),
            ("a", None),
        ] {
            let part = slice("xsudo", operand);

            assert_eq!(part.as_deref(), expected, "{operand}");
        }
    }
}
