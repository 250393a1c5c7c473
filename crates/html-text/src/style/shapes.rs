//! Function values: shapes, transforms and filters.

use super::State;
use super::values::{is_far, is_general, measure, number};

/// Returns the functions of a value and their arguments.
fn functions(value: &str) -> impl Iterator<Item = (&str, &str)> {
    value.split(')').filter_map(|function| {
        let (name, arguments) = function.split_once('(')?;
        Some((name.trim_ascii(), arguments))
    })
}

fn arguments(text: &str) -> impl Iterator<Item = &str> {
    text.split([',', ' ', '\t', '\n', '\r', '\x0c'])
        .filter(|argument| !argument.is_empty())
}

fn is_valid(value: &str) -> bool {
    value.eq_ignore_ascii_case("none") || value.eq_ignore_ascii_case("auto") || is_general(value)
}

/// Returns whether any function satisfies the predicate.
fn any(value: &str, matches: impl Fn(&str, &str) -> bool) -> Option<State> {
    let is_on =
        functions(value).any(|(name, arguments)| matches(&name.to_ascii_lowercase(), arguments));
    is_valid(value).then(|| State::on_if(is_on))
}

/// Returns whether at most one pixel is left.
pub(super) fn clip(value: &str) -> Option<State> {
    any(value, |name, text| {
        let mut sides = arguments(text).peekable();
        let is_small = |side: &str| number(side).is_some_and(|side| side.abs() <= 1.0);
        name == "rect" && sides.peek().is_some() && sides.all(is_small)
    })
}

/// Returns whether nothing is left.
pub(super) fn clip_path(value: &str) -> Option<State> {
    any(value, |name, text| match name {
        "inset" => is_inset_all(text),
        "circle" => arguments(text).next().and_then(number) == Some(0.0),
        _ => false,
    })
}

fn is_inset_all(text: &str) -> bool {
    let percent = |argument| match measure(argument) {
        Some((number, "%")) => number,
        _ => 0.0,
    };
    let sides = arguments(text).take_while(|argument| !argument.eq_ignore_ascii_case("round"));
    let sides: Vec<f64> = sides.take(4).map(percent).collect();
    let (vertical, horizontal) = match sides.as_slice() {
        [all] => (all + all, all + all),
        [vertical, horizontal] => (vertical + vertical, horizontal + horizontal),
        [top, horizontal, bottom] => (top + bottom, horizontal + horizontal),
        [top, right, bottom, left] => (top + bottom, right + left),
        _ => return false,
    };
    vertical >= 100.0 || horizontal >= 100.0
}

pub(super) fn transform(value: &str) -> Option<State> {
    any(value, |name, text| match name {
        "scale" | "scalex" | "scaley" | "scale3d" => is_flat(text),
        "translate" | "translatex" | "translatey" | "translate3d" => is_away(text),
        _ => false,
    })
}

/// A zero depth does not hide the element.
fn is_flat(text: &str) -> bool {
    arguments(text)
        .take(2)
        .any(|factor| number(factor) == Some(0.0))
}

fn is_away(text: &str) -> bool {
    let mut lengths = arguments(text).take(2).filter_map(number);
    lengths.any(is_far)
}

pub(super) fn scale(value: &str) -> Option<State> {
    own(value, is_flat)
}

pub(super) fn translate(value: &str) -> Option<State> {
    own(value, is_away)
}

fn own(value: &str, is_on: impl Fn(&str) -> bool) -> Option<State> {
    let is_numbers = arguments(value).all(|argument| number(argument).is_some());
    (is_numbers || is_valid(value)).then(|| State::on_if(is_numbers && is_on(value)))
}

pub(super) fn filter(value: &str) -> Option<State> {
    any(value, |name, text| {
        name == "opacity" && number(text.trim_ascii()).is_some_and(|number| number <= 0.0)
    })
}
