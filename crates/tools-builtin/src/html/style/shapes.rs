//! Values that are functions: shapes, transformations, filters.

use super::Says;
use super::values::{is_far, is_general, measure, number, yes_if};

/// The functions of a value, with what is in their parentheses.
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

/// Whether a function says so.
fn any(value: &str, says: impl Fn(&str, &str) -> bool) -> Option<Says> {
    let is_so =
        functions(value).any(|(name, arguments)| says(&name.to_ascii_lowercase(), arguments));
    is_valid(value).then(|| yes_if(is_so))
}

/// Whether no more than one pixel is left.
pub(super) fn clip(value: &str) -> Option<Says> {
    any(value, |name, text| {
        let mut sides = arguments(text).peekable();
        let is_small = |side: &str| number(side).is_some_and(|side| side.abs() <= 1.0);
        name == "rect" && sides.peek().is_some() && sides.all(is_small)
    })
}

/// Whether nothing is left.
pub(super) fn clip_path(value: &str) -> Option<Says> {
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

pub(super) fn transform(value: &str) -> Option<Says> {
    any(value, |name, text| match name {
        "scale" | "scalex" | "scaley" | "scale3d" => is_flat(text),
        "translate" | "translatex" | "translatey" | "translate3d" => is_away(text),
        _ => false,
    })
}

/// Only the depth may be nothing.
fn is_flat(text: &str) -> bool {
    arguments(text)
        .take(2)
        .any(|factor| number(factor) == Some(0.0))
}

fn is_away(text: &str) -> bool {
    let mut lengths = arguments(text).take(2).filter_map(number);
    lengths.any(is_far)
}

pub(super) fn scale(value: &str) -> Option<Says> {
    own(value, is_flat)
}

pub(super) fn translate(value: &str) -> Option<Says> {
    own(value, is_away)
}

fn own(value: &str, is_so: impl Fn(&str) -> bool) -> Option<Says> {
    let is_numbers = arguments(value).all(|argument| number(argument).is_some());
    (is_numbers || is_valid(value)).then(|| yes_if(is_numbers && is_so(value)))
}

pub(super) fn filter(value: &str) -> Option<Says> {
    any(value, |name, text| {
        name == "opacity" && number(text.trim_ascii()).is_some_and(|number| number <= 0.0)
    })
}
