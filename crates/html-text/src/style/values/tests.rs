use super::*;

type Property = fn(&str) -> Option<State>;
type Values = &'static [&'static str];

/// Values that hide, do not hide, are inherited, and are invalid.
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
        content_visibility,
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
        &["0", "0px", "-0", "1px", "0.5PX"],
        &["2px", "1em", "fit-content"],
        &[],
        &["x", "0 0 !"],
    ),
    (
        positive,
        &["1px", "calc(1px + 1em)"],
        &["0", "-1px", "auto"],
        &[],
        &["x"],
    ),
];

#[test]
fn evaluates_values_and_rejects_invalid_ones() {
    for (number, (property, on, off, inherited, invalid)) in PROPERTIES.iter().enumerate() {
        for (values, expected) in [
            (on, Some(State::On)),
            (off, Some(State::Off)),
            (inherited, Some(State::Inherited)),
            (invalid, None),
        ] {
            for value in *values {
                assert_eq!(property(value), expected, "property {number}: {value:?}");
            }
        }
    }
}

#[test]
fn shorthand_fills_missing_sides() {
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
fn measure_is_number_with_unit() {
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
