//! What the values of properties say; `None` for a value that is not valid.

use super::Says;

/// So many pixels, or other units, and more are out of sight.
const FAR: f64 = 900.0;

pub(super) fn yes_if(is_so: bool) -> Says {
    if is_so { Says::Yes } else { Says::No }
}

/// A number and its unit.
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

/// The number of a value.
pub(super) fn number(value: &str) -> Option<f64> {
    measure(value).map(|(number, _)| number)
}

/// Whether a word is one of these, in letters of any case.
fn is_one_of(word: &str, words: &[&str]) -> bool {
    words.iter().any(|known| known.eq_ignore_ascii_case(word))
}

fn is_of_around(value: &str) -> bool {
    is_one_of(value, &["inherit", "unset", "revert", "revert-layer"])
}

/// A value that every property may have, or one that is not known before the page is shown.
pub(super) fn is_general(value: &str) -> bool {
    is_of_around(value) || value.eq_ignore_ascii_case("initial") || value.contains('(')
}

/// A value of a length, as far as it is no number.
fn is_size(value: &str) -> bool {
    is_general(value)
        || is_one_of(
            value,
            &[
                "auto",
                "none",
                "normal",
                "stretch",
                "min-content",
                "max-content",
                "fit-content",
            ],
        )
        || value.starts_with('-')
}

pub(super) fn length(value: &str, is_so: impl Fn(f64) -> bool) -> Option<Says> {
    match number(value) {
        Some(number) => Some(yes_if(is_so(number))),
        None => is_size(value).then_some(Says::No),
    }
}

pub(super) fn is_far(number: f64) -> bool {
    number <= -FAR
}

/// Whether it is far to the left, or far up.
pub(super) fn far(value: &str) -> Option<Says> {
    // Of the words of an indent the first is the length.
    length(value.split_ascii_whitespace().next()?, is_far)
}

pub(super) fn wide(value: &str) -> Option<Says> {
    length(value, |number| number >= FAR)
}

pub(super) fn zero(value: &str) -> Option<Says> {
    length(value, |number| number == 0.0)
}

pub(super) fn some(value: &str) -> Option<Says> {
    match number(value) {
        Some(number) => Some(yes_if(number > 0.0)),
        None => is_size(value).then(|| yes_if(value.contains('('))),
    }
}

/// The value for one side, from the top clockwise, where some are left out.
pub(super) fn side(value: &str, index: usize) -> &str {
    let word = |index: usize| value.split_ascii_whitespace().nth(index);
    let opposite = || index.checked_sub(2).and_then(word);
    word(index)
        .or_else(opposite)
        .or_else(|| word(usize::from(index == 3)))
        .or_else(|| word(0))
        .unwrap_or_default()
}

pub(super) fn display(value: &str) -> Option<Says> {
    if value.eq_ignore_ascii_case("none") {
        return Some(Says::Yes);
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
    (is_valid && !value.is_empty()).then_some(Says::No)
}

pub(super) fn opacity(value: &str) -> Option<Says> {
    length(value, |number| number <= 0.0)
}

pub(super) fn visibility(value: &str) -> Option<Says> {
    if is_one_of(value, &["hidden", "collapse"]) {
        return Some(Says::Yes);
    }
    if is_of_around(value) {
        return Some(Says::AsAround);
    }
    let is_valid = value.eq_ignore_ascii_case("visible") || is_general(value);
    is_valid.then_some(Says::No)
}

/// No letters are seen at nothing or one pixel; a size that does not depend on the one around makes them seen again.
pub(super) fn font_size(value: &str) -> Option<Says> {
    if let Some((size, unit)) = measure(value) {
        let is_tiny = size == 0.0 || (size <= 1.0 && unit.eq_ignore_ascii_case("px"));
        let is_relative = is_one_of(unit, &["%", "em", "ex", "ch"]);
        return Some(match (is_tiny, is_relative) {
            (true, _) => Says::Yes,
            (false, true) => Says::AsAround,
            (false, false) => Says::No,
        });
    }
    if is_of_around(value) || is_one_of(value, &["larger", "smaller"]) {
        return Some(Says::AsAround);
    }
    let is_valid = is_general(value)
        || is_one_of(
            value,
            &[
                "xx-small",
                "x-small",
                "small",
                "medium",
                "large",
                "x-large",
                "xx-large",
                "xxx-large",
            ],
        );
    is_valid.then_some(Says::No)
}

/// The size in a `font`, where it stands before the height of lines and the names.
pub(super) fn font(value: &str) -> Option<Says> {
    let mut words = value.split_ascii_whitespace();
    for word in words.by_ref() {
        let size = word.split('/').next().unwrap_or_default();
        match measure(size) {
            // A number without a unit says how bold the letters are.
            Some((number, "")) if number != 0.0 => {}
            Some(_) => return words.next().and_then(|_| font_size(size)),
            None => {}
        }
    }
    Some(if is_of_around(value) {
        Says::AsAround
    } else {
        Says::No
    })
}

pub(super) fn color(value: &str) -> Option<Says> {
    if value.eq_ignore_ascii_case("transparent") {
        return Some(Says::Yes);
    }
    if is_of_around(value) || value.eq_ignore_ascii_case("currentcolor") {
        return Some(Says::AsAround);
    }
    if let Some(digits) = value.strip_prefix('#') {
        let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        return match digits.len() {
            3 | 6 if is_hex => Some(Says::No),
            4 if is_hex => Some(yes_if(digits.ends_with('0'))),
            8 if is_hex => Some(yes_if(digits.ends_with("00"))),
            _ => None,
        };
    }
    if let Some((_, arguments)) = value.strip_suffix(')').and_then(|all| all.split_once('(')) {
        let alpha = match arguments.rsplit_once('/') {
            Some((_, alpha)) => Some(alpha),
            None => arguments.split(',').nth(3),
        };
        let alpha = alpha.and_then(|alpha| number(alpha.trim_ascii()));
        return Some(yes_if(alpha.is_some_and(|alpha| alpha <= 0.0)));
    }
    let is_name = value.len() > 2 && value.bytes().all(|byte| byte.is_ascii_alphabetic());
    is_name.then_some(Says::No)
}

pub(super) fn position(value: &str) -> Option<Says> {
    if is_one_of(value, &["absolute", "fixed"]) {
        return Some(Says::Yes);
    }
    let is_valid =
        is_general(value) || is_one_of(value, &["static", "relative", "sticky", "-webkit-sticky"]);
    is_valid.then_some(Says::No)
}

pub(super) fn overflow(value: &str) -> Option<Says> {
    let is_cut = |word: &str| is_one_of(word, &["hidden", "clip"]);
    let is_known =
        |word: &str| is_cut(word) || is_one_of(word, &["visible", "auto", "scroll", "overlay"]);
    let mut words = value.split_ascii_whitespace();
    let is_valid = is_general(value) || words.clone().all(is_known);
    is_valid.then(|| yes_if(words.any(is_cut)))
}

pub(super) fn content(value: &str) -> Option<Says> {
    if value.eq_ignore_ascii_case("hidden") {
        return Some(Says::Yes);
    }
    let is_valid = is_general(value) || is_one_of(value, &["visible", "auto"]);
    is_valid.then_some(Says::No)
}

#[cfg(test)]
mod tests {
    use super::*;

    type Property = fn(&str) -> Option<Says>;
    type Values = &'static [&'static str];

    /// Values that hide, values that do not, values that leave it to what is around, and values that are none.
    const PROPERTIES: &[(Property, Values, Values, Values, Values)] = &[
        (
            display,
            &["none", "NONE"],
            &[
                "block",
                "inline flex",
                "table-cell",
                "contents",
                "initial",
                "var(--x)",
            ],
            &[],
            &["", "nonsense", "block nonsense"],
        ),
        (
            visibility,
            &["hidden", "Collapse"],
            &["visible", "initial", "var(--x)"],
            &["inherit", "unset", "revert-layer"],
            &["none", "0"],
        ),
        (
            opacity,
            &["0", "0.0", "-1", "0%", "calc(0)"],
            &["0.1", "1", "auto"],
            &[],
            &["x"],
        ),
        (
            font_size,
            &["0", "1px", "0.5PX", "0em"],
            &["2px", "1pt", "medium", "initial"],
            &["1em", "50%", "larger", "inherit"],
            &["huge"],
        ),
        (
            font,
            &["0 serif", "bold 1px/2 serif", "400 0 serif"],
            &["12px serif", "bold serif", "menu"],
            &["1em serif", "inherit"],
            &["0", "12px"],
        ),
        (
            color,
            &[
                "transparent",
                "#0000",
                "#12345600",
                "rgba(1,2,3,0)",
                "rgb(1 2 3 / 0%)",
            ],
            &[
                "red",
                "#123",
                "#112233",
                "#123f",
                "rgb(1,2,3)",
                "rgb(1 2 3 / 0.5)",
            ],
            &["currentColor", "inherit"],
            &["#12", "#ggg", "#12345", "a1"],
        ),
        (
            position,
            &["absolute", "fixed"],
            &["static", "relative", "-webkit-sticky", "inherit"],
            &[],
            &["nowhere"],
        ),
        (
            overflow,
            &["hidden", "clip", "visible hidden"],
            &["visible", "auto scroll", "overlay", "initial"],
            &[],
            &["cut", "hidden cut"],
        ),
        (
            content,
            &["hidden"],
            &["visible", "auto", "inherit"],
            &[],
            &["none"],
        ),
        (
            far,
            &["-900px", "-9999em each-line"],
            &["-899px", "900px", "auto"],
            &[],
            &["", "x"],
        ),
        (wide, &["900px"], &["899px", "-900px", "none"], &[], &["x"]),
        (
            zero,
            &["0", "0px", "-0"],
            &["1px", "fit-content"],
            &[],
            &["x", "0 0 !"],
        ),
        (
            some,
            &["1px", "calc(1px + 1em)"],
            &["0", "-1px", "auto"],
            &[],
            &["x"],
        ),
    ];

    #[test]
    fn a_value_says_whether_it_hides_and_none_where_it_is_not_valid() {
        for (number, (property, yes, no, around, invalid)) in PROPERTIES.iter().enumerate() {
            for (values, expected) in [
                (yes, Some(Says::Yes)),
                (no, Some(Says::No)),
                (around, Some(Says::AsAround)),
                (invalid, None),
            ] {
                for value in *values {
                    assert_eq!(property(value), expected, "property {number}: {value:?}");
                }
            }
        }
    }

    #[test]
    fn sides_that_are_left_out_are_those_across_or_the_first() {
        for (value, sides) in [
            ("1", ["1", "1", "1", "1"]),
            ("1 2", ["1", "2", "1", "2"]),
            ("1 2 3", ["1", "2", "3", "2"]),
            ("1 2 3 4", ["1", "2", "3", "4"]),
            ("", ["", "", "", ""]),
        ] {
            assert_eq!(
                [0, 1, 2, 3].map(|index| side(value, index)),
                sides,
                "{value}"
            );
        }
    }

    #[test]
    fn a_measure_is_a_number_with_a_unit() {
        for (value, expected) in [
            ("12px", Some((12.0, "px"))),
            ("CALC( -1.5em )", Some((-1.5, "em"))),
            ("50%", Some((50.0, "%"))),
            ("+3", Some((3.0, ""))),
            ("calc(1px", None),
            ("1px 2px", None),
            ("px", None),
            ("1-2", None),
            ("é", None),
        ] {
            assert_eq!(measure(value), expected, "{value}");
        }
    }
}
