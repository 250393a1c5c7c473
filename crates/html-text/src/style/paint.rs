//! Colors of text and backgrounds, for detecting text in the color of its background.

use super::values::{is_inherited, number};

/// Colors with several common spellings.
const NAMES: [(&str, u32); 18] = [
    ("aqua", 0x00_FF_FF),
    ("black", 0),
    ("blue", 0x00_00_FF),
    ("cyan", 0x00_FF_FF),
    ("fuchsia", 0xFF_00_FF),
    ("gray", 0x80_80_80),
    ("green", 0x00_80_00),
    ("grey", 0x80_80_80),
    ("lime", 0x00_FF_00),
    ("maroon", 0x80_00_00),
    ("navy", 0x00_00_80),
    ("olive", 0x80_80_00),
    ("purple", 0x80_00_80),
    ("red", 0xFF_00_00),
    ("silver", 0xC0_C0_C0),
    ("teal", 0x00_80_80),
    ("white", 0xFF_FF_FF),
    ("yellow", 0xFF_FF_00),
];

/// Value of `color` or of a background.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Paint {
    /// Color of the parent element.
    Inherited,
    Color(Color),
    /// Image, or color that is not opaque or not known.
    Unknown,
}

/// Opaque color: its red, green and blue, or the hash of another name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Color(u32);

/// Returns the color of text; `None` for an invalid value.
pub(super) fn text(value: &str) -> Option<Paint> {
    if is_inherited(value) || value.eq_ignore_ascii_case("currentcolor") {
        return Some(Paint::Inherited);
    }
    super::values::color(value)?;
    Some(color(value).map_or(Paint::Unknown, Paint::Color))
}

/// Returns the color of a `background`, also if the shorthand has other parts.
pub(super) fn background(value: &str) -> Option<Paint> {
    if value.is_empty() {
        return None;
    }
    let shows_parent = ["none", "transparent", "initial"];
    let is_known = |word: &&str| word.eq_ignore_ascii_case(value);
    if is_inherited(value) || shows_parent.iter().any(is_known) {
        return Some(Paint::Inherited);
    }
    // A color such as `rgb(0 0 0)` contains spaces.
    let is_function = value.ends_with(')') && value.matches('(').count() == 1;
    if is_function && let Some(color) = color(value) {
        return Some(Paint::Color(color));
    }
    let mut colors = value.split_ascii_whitespace().map(color);
    let found = match (value.contains('('), colors.next(), colors.next()) {
        (false, Some(Some(color)), None) => Paint::Color(color),
        _ => Paint::Unknown,
    };
    Some(found)
}

fn color(value: &str) -> Option<Color> {
    if let Some(digits) = value.strip_prefix('#') {
        return hexadecimal(digits).map(Color);
    }
    if let Some((name, arguments)) = value.strip_suffix(')').and_then(|all| all.split_once('(')) {
        return functional(name, arguments).map(Color);
    }
    let is_name = value.len() > 2 && value.bytes().all(|byte| byte.is_ascii_alphabetic());
    if !is_name || value.eq_ignore_ascii_case("transparent") {
        return None;
    }
    let known = NAMES
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(value));
    let hashed = |hash: u32, byte: u8| hash.rotate_left(5) ^ u32::from(byte.to_ascii_lowercase());
    // The highest byte separates names from colors.
    let other = || 0xFF00_0000 | value.bytes().fold(0, hashed);
    Some(Color(known.map_or_else(other, |(_, color)| *color)))
}

fn hexadecimal(digits: &str) -> Option<u32> {
    let parsed = u32::from_str_radix(digits, 16).ok()?;
    let doubled = |shift: u32| (parsed >> shift & 0xF) * 0x11;
    match digits.len() {
        3 => Some(doubled(8) << 16 | doubled(4) << 8 | doubled(0)),
        4 if parsed & 0xF == 0xF => Some(doubled(12) << 16 | doubled(8) << 8 | doubled(4)),
        6 => Some(parsed),
        8 if parsed & 0xFF == 0xFF => Some(parsed >> 8),
        _ => None,
    }
}

/// Returns the color of `rgb()` and `rgba()` with an alpha of 1.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the channels are clamped to a byte"
)]
fn functional(name: &str, arguments: &str) -> Option<u32> {
    if !name.eq_ignore_ascii_case("rgb") && !name.eq_ignore_ascii_case("rgba") {
        return None;
    }
    let mut parts = arguments
        .split([',', '/', ' '])
        .filter(|part| !part.is_empty());
    let mut color = 0;
    for _ in 0..3 {
        let part = parts.next()?;
        let scale = if part.ends_with('%') { 2.55 } else { 1.0 };
        let channel = (number(part)? * scale).round().clamp(0.0, 255.0);
        color = color << 8 | channel as u32;
    }
    let is_opaque = parts
        .next()
        .is_none_or(|alpha| matches!(alpha, "1" | "1.0" | "100%"));
    is_opaque.then_some(color)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_color_are_equal() {
        for (one, other) in [
            ("white", "#fff"),
            ("WHITE", "#FFFFFF"),
            ("#fff", "#ffff"),
            ("#ffffffff", "rgb(255,255,255)"),
            ("rgb(100% 100% 100%)", "rgba(255, 255, 255, 1)"),
            ("snow", "Snow"),
            ("black", "rgb(0 0 0 / 100%)"),
        ] {
            assert!(matches!(text(one), Some(Paint::Color(_))), "{one}");
            assert_eq!(text(one), text(other), "{one} {other}");
            assert_eq!(text(one), background(other), "{one} {other}");
        }
    }

    #[test]
    fn translucent_and_complex_values_are_unknown() {
        for value in ["#fff8", "rgba(0,0,0,.5)", "var(--x)", "hsl(0 0% 0%)"] {
            assert_eq!(text(value), Some(Paint::Unknown), "{value}");
        }
        for value in [
            "url()",
            "white url() no-repeat",
            "linear-gradient(#fff, #fff)",
            "#fff fixed",
        ] {
            assert_eq!(background(value), Some(Paint::Unknown), "{value}");
        }
        for value in ["none", "transparent"] {
            assert_eq!(background(value), Some(Paint::Inherited), "{value}");
        }
        assert_eq!(text("currentColor"), Some(Paint::Inherited));
        assert_eq!(text("12px"), None);
    }
}
