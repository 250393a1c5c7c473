//! Evaluation of property values. `None` is an invalid value.

use super::State;

/// Distance from which an element is off screen, in pixels or any other unit.
const FAR: f64 = 900.0;

/// Splits a value into a number and its unit.
pub(super) fn measure(value: &str) -> Option<(f64, &str)> {
    let inner = value
        .get(..5)
        .filter(|start| start.eq_ignore_ascii_case("calc("))
        .and_then(|_| value.get(5..)?.strip_suffix(')'));
    let value = inner.unwrap_or(value).trim_ascii();
    let end = value
        .bytes()
        .position(|byte| !matches!(byte, b'0'..=b'9' | b'.' | b'-' | b'+'))
        .unwrap_or(value.len());
    let (number, unit) = value.split_at_checked(end)?;
    let is_unit = unit == "%" || unit.bytes().all(|byte| byte.is_ascii_alphanumeric());
    number
        .parse()
        .ok()
        .filter(|_| is_unit)
        .map(|number| (number, unit))
}

/// Returns the number of a value without its unit.
pub(super) fn number(value: &str) -> Option<f64> {
    measure(value).map(|(number, _)| number)
}

/// Evaluates a value that must be a keyword.
fn keyword(value: &str, on: &[&str], off: &[&str]) -> Option<State> {
    if is_one_of(value, on) {
        return Some(State::On);
    }
    (is_general(value) || is_one_of(value, off)).then_some(State::Off)
}

fn is_one_of(word: &str, words: &[&str]) -> bool {
    words.iter().any(|known| known.eq_ignore_ascii_case(word))
}

pub(super) fn is_inherited(value: &str) -> bool {
    is_one_of(value, &["inherit", "unset", "revert", "revert-layer"])
}

/// Returns whether every property accepts the value, or the value is only known at run time.
pub(super) fn is_general(value: &str) -> bool {
    is_inherited(value) || value.eq_ignore_ascii_case("initial") || value.contains('(')
}

/// Returns whether a non-numeric value is valid for a length.
fn is_size(value: &str) -> bool {
    const SIZES: &[&str] = &["auto", "none", "normal", "stretch"];
    const CONTENT_SIZES: &[&str] = &["min-content", "max-content", "fit-content"];
    is_general(value)
        || is_one_of(value, SIZES)
        || is_one_of(value, CONTENT_SIZES)
        || value.starts_with('-')
}

pub(super) fn length(value: &str, is_on: impl Fn(f64) -> bool) -> Option<State> {
    match number(value) {
        Some(number) => Some(State::on_if(is_on(number))),
        None => is_size(value).then_some(State::Off),
    }
}

pub(super) fn is_far(number: f64) -> bool {
    number <= -FAR
}

/// Returns whether an offset moves the element off screen to the left or top.
pub(super) fn far(value: &str) -> Option<State> {
    // The length is the first word of `text-indent`.
    length(value.split_ascii_whitespace().next()?, is_far)
}

pub(super) fn wide(value: &str) -> Option<State> {
    length(value, |number| number >= FAR)
}

/// Returns whether a size is at most one pixel.
fn is_tiny(size: f64, unit: &str) -> bool {
    size == 0.0 || (size <= 1.0 && unit.eq_ignore_ascii_case("px"))
}

/// Returns whether a length is at most one pixel.
pub(super) fn zero(value: &str) -> Option<State> {
    match measure(value) {
        Some((size, unit)) => Some(State::on_if(is_tiny(size, unit))),
        None => length(value, |_| false),
    }
}

pub(super) fn positive(value: &str) -> Option<State> {
    match number(value) {
        Some(number) => Some(State::on_if(number > 0.0)),
        None => is_size(value).then(|| State::on_if(value.contains('('))),
    }
}

/// Returns the value for one side, clockwise from the top, from a shorthand of one to four values.
pub(super) fn side(value: &str, index: usize) -> &str {
    let word = |index: usize| value.split_ascii_whitespace().nth(index);
    let opposite = || index.checked_sub(2).and_then(word);
    word(index)
        .or_else(opposite)
        .or_else(|| word(usize::from(index == 3)))
        .or_else(|| word(0))
        .unwrap_or_default()
}

pub(super) fn display(value: &str) -> Option<State> {
    if value.eq_ignore_ascii_case("none") {
        return Some(State::On);
    }
    let is_known = |word: &str| {
        let begins = |start: &str| {
            word.get(..start.len())
                .is_some_and(|part| part.eq_ignore_ascii_case(start))
        };
        [
            "block", "inline", "flex", "grid", "table", "ruby", "flow", "-webkit-", "-moz-",
        ]
        .into_iter()
        .any(begins)
            || is_one_of(word, &["list-item", "contents", "math", "run-in"])
    };
    let is_valid = is_general(value) || value.split_ascii_whitespace().all(is_known);
    (is_valid && !value.is_empty()).then_some(State::Off)
}

pub(super) fn opacity(value: &str) -> Option<State> {
    length(value, |number| number <= 0.0)
}

pub(super) fn visibility(value: &str) -> Option<State> {
    if is_inherited(value) {
        return Some(State::Inherited);
    }
    keyword(value, &["hidden", "collapse"], &["visible"])
}

const FONT_SIZES: &[&str] = &[
    "xx-small",
    "x-small",
    "small",
    "medium",
    "large",
    "x-large",
    "xx-large",
    "xxx-large",
];

/// Returns whether text is at most one pixel high. A relative size keeps the inherited state.
pub(super) fn font_size(value: &str) -> Option<State> {
    if let Some((size, unit)) = measure(value) {
        let is_relative = is_one_of(unit, &["%", "em", "ex", "ch"]);
        return Some(match (is_tiny(size, unit), is_relative) {
            (true, _) => State::On,
            (false, true) => State::Inherited,
            (false, false) => State::Off,
        });
    }
    if is_inherited(value) || is_one_of(value, &["larger", "smaller"]) {
        return Some(State::Inherited);
    }
    keyword(value, &[], FONT_SIZES)
}

/// Reads the size of a `font`, which precedes the line height and the family.
pub(super) fn font(value: &str) -> Option<State> {
    let mut words = value.split_ascii_whitespace();
    for word in words.by_ref() {
        let size = word.split('/').next().unwrap_or_default();
        match measure(size) {
            // A number without a unit is the weight.
            Some((number, "")) if number != 0.0 => {}
            Some(_) => return words.next().and_then(|_| font_size(size)),
            None => {}
        }
    }
    let is_inherited = is_inherited(value);
    Some(if is_inherited {
        State::Inherited
    } else {
        State::Off
    })
}

pub(super) fn color(value: &str) -> Option<State> {
    if value.eq_ignore_ascii_case("transparent") {
        return Some(State::On);
    }
    if is_inherited(value) || value.eq_ignore_ascii_case("currentcolor") {
        return Some(State::Inherited);
    }
    if let Some(digits) = value.strip_prefix('#') {
        let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        return match digits.len() {
            3 | 6 if is_hex => Some(State::Off),
            4 if is_hex => Some(State::on_if(digits.ends_with('0'))),
            8 if is_hex => Some(State::on_if(digits.ends_with("00"))),
            _ => None,
        };
    }
    if let Some((_, arguments)) = value.strip_suffix(')').and_then(|all| all.split_once('(')) {
        let alpha = match arguments.rsplit_once('/') {
            Some((_, alpha)) => Some(alpha),
            None => arguments.split(',').nth(3),
        };
        let alpha = alpha.and_then(|alpha| number(alpha.trim_ascii()));
        return Some(State::on_if(alpha.is_some_and(|alpha| alpha <= 0.0)));
    }
    let is_name = value.len() > 2 && value.bytes().all(|byte| byte.is_ascii_alphabetic());
    is_name.then_some(State::Off)
}

pub(super) fn position(value: &str) -> Option<State> {
    const IN_FLOW: &[&str] = &["static", "relative", "sticky", "-webkit-sticky"];
    keyword(value, &["absolute", "fixed"], IN_FLOW)
}

pub(super) fn overflow(value: &str) -> Option<State> {
    let is_cut = |word: &str| is_one_of(word, &["hidden", "clip"]);
    let is_known =
        |word: &str| is_cut(word) || is_one_of(word, &["visible", "auto", "scroll", "overlay"]);
    let mut words = value.split_ascii_whitespace();
    let is_valid = is_general(value) || words.clone().all(is_known);
    is_valid.then(|| State::on_if(words.any(is_cut)))
}

pub(super) fn content_visibility(value: &str) -> Option<State> {
    keyword(value, &["hidden"], &["visible", "auto"])
}

#[cfg(test)]
mod tests;
