//! What a reader does not see, as far as an element itself tells.

use super::tokens::Attribute;

/// Why the content of an element is not seen; nothing where it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Hidden(u8);

impl Hidden {
    const GONE: u8 = 1;
    const VISIBILITY: u8 = 2;
    const FONT_SIZE: u8 = 4;

    /// Hidden with all that it holds, whatever that says.
    pub(super) const WHOLLY: Self = Self(Self::GONE);

    /// Whether text here is not seen.
    pub(super) fn is_hidden(self) -> bool {
        self.0 != 0
    }

    /// Whether nothing in here can be seen.
    pub(super) fn is_whole(self) -> bool {
        self.0 & Self::GONE != 0
    }

    /// What holds in an element with these attributes that stands where this holds.
    pub(super) fn within(self, attributes: &[Attribute<'_>]) -> Self {
        let mut inner = self;
        for attribute in attributes {
            let is = |name: &str| attribute.name.eq_ignore_ascii_case(name);
            // Most attributes are told by their length alone.
            match attribute.name.len() {
                5 if is("style") => inner = inner.styled(attribute.value),
                6 if is("hidden") => inner.0 |= Self::GONE,
                11 if is("aria-hidden") && attribute.value.trim().eq_ignore_ascii_case("true") => {
                    inner.0 |= Self::GONE;
                }
                _ => {}
            }
        }
        inner
    }

    fn styled(mut self, style: &str) -> Self {
        let mut box_of = Box::default();
        for declaration in style.split(';') {
            let Some((property, value)) = declaration.split_once(':') else {
                continue;
            };
            let value = value.split('!').next().unwrap_or_default().trim();
            self.declared(property.trim(), value);
            box_of.declared(property.trim(), value);
        }
        if box_of.is_out_of_sight() {
            self.0 |= Self::GONE;
        }
        self
    }

    fn declared(&mut self, property: &str, value: &str) {
        let is = |name: &str| property.eq_ignore_ascii_case(name);
        let says = |word: &str| value.eq_ignore_ascii_case(word);
        match property.len() {
            7 if is("display") && says("none") => self.0 |= Self::GONE,
            7 if is("opacity") && number(value) == Some(0.0) => self.0 |= Self::GONE,
            10 if is("visibility") && (says("hidden") || says("collapse")) => {
                self.0 |= Self::VISIBILITY;
            }
            10 if is("visibility") && says("visible") => self.0 &= !Self::VISIBILITY,
            9 if is("font-size") => self.font_size(value),
            5 if is("color") && says("transparent") => self.0 |= Self::GONE,
            _ => {}
        }
    }

    /// No letters are seen at nothing or one pixel; a size that does not depend on the one around makes them seen again.
    fn font_size(&mut self, value: &str) {
        let value = value.to_ascii_lowercase();
        let is_relative =
            value.ends_with('%') || (value.ends_with("em") && !value.ends_with("rem"));
        match number(&value) {
            Some(size) if size == 0.0 || (size <= 1.0 && value.ends_with("px")) => {
                self.0 |= Self::FONT_SIZE;
            }
            Some(_) if is_relative => {}
            _ => self.0 &= !Self::FONT_SIZE,
        }
    }
}

/// Where a style puts the box of its element.
#[derive(Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is one thing that a style says"
)]
struct Box {
    is_positioned: bool,
    is_far: bool,
    is_clipped: bool,
    is_empty: bool,
    is_cut: bool,
    is_indented: bool,
}

impl Box {
    fn declared(&mut self, property: &str, value: &str) {
        let is = |name: &str| property.eq_ignore_ascii_case(name);
        let says = |word: &str| value.eq_ignore_ascii_case(word);
        let is_far = || number(value).is_some_and(|place| place <= -900.0);
        if is("position") {
            self.is_positioned = says("absolute") || says("fixed");
        } else if is("left") || is("top") || is("right") || is("bottom") {
            self.is_far |= is_far();
        } else if is("text-indent") {
            self.is_indented |= is_far();
        } else if is("clip") {
            let zeros = value
                .bytes()
                .filter(u8::is_ascii_digit)
                .all(|digit| digit <= b'1');
            self.is_clipped |= zeros && value.to_ascii_lowercase().starts_with("rect");
        } else if is("clip-path") {
            let value = value.to_ascii_lowercase();
            self.is_clipped |= value.starts_with("inset(50%") || value.starts_with("inset(100%");
        } else if is("height") || is("width") || is("max-height") || is("max-width") {
            self.is_empty |= number(value) == Some(0.0);
        } else if is("overflow") {
            self.is_cut = says("hidden") || says("clip");
        }
    }

    fn is_out_of_sight(&self) -> bool {
        let is_away = self.is_positioned && (self.is_far || self.is_clipped);
        is_away || self.is_indented || (self.is_empty && self.is_cut)
    }
}

/// The number that a value begins with.
fn number(value: &str) -> Option<f64> {
    let end = value
        .bytes()
        .position(|byte| !matches!(byte, b'0'..=b'9' | b'.' | b'-' | b'+'));
    value.get(..end.unwrap_or(value.len()))?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hides(name: &str, value: &str) -> bool {
        Hidden::default()
            .within(&[Attribute { name, value }])
            .is_hidden()
    }

    #[test]
    fn attributes_and_styles_that_hide_do() {
        for (name, value) in [
            ("hidden", ""),
            ("HIDDEN", "until-found"),
            ("aria-hidden", "TRUE"),
            ("style", "display:none"),
            ("style", "color: red; DISPLAY : None !important"),
            ("style", "visibility:hidden"),
            ("style", "visibility: collapse"),
            ("style", "opacity:0"),
            ("style", "opacity: 0.0;"),
            ("style", "opacity:0%"),
            ("style", "font-size:0"),
            ("style", "font-size: 0px"),
            ("style", "font-size:1px"),
            ("style", "color:transparent"),
            ("style", "position:absolute;left:-9999px"),
            ("style", "top:-1000em;position:fixed"),
            ("style", "text-indent:-9999px"),
            ("style", "position:absolute;clip:rect(0 0 0 0)"),
            ("style", "position:absolute;clip:rect(1px, 1px, 1px, 1px)"),
            ("style", "position:absolute;clip-path:inset(50%)"),
            ("style", "height:0;overflow:hidden"),
        ] {
            assert!(hides(name, value), "{name}={value}");
        }
    }

    #[test]
    fn what_only_looks_hidden_is_kept() {
        for (name, value) in [
            ("aria-hidden", "false"),
            ("class", "hidden"),
            ("data-hidden", "true"),
            ("style", ""),
            ("style", "display:block"),
            ("style", "opacity:0.5"),
            ("style", "opacity:.9"),
            ("style", "font-size:10px"),
            ("style", "font-size:0.9em"),
            ("style", "visibility:visible"),
            ("style", "left:-9999px"),
            ("style", "position:absolute;left:-10px"),
            ("style", "background:url(display:none)"),
            ("style", "height:0"),
            ("style", "overflow:hidden"),
            ("style", "display"),
        ] {
            assert!(!hides(name, value), "{name}={value}");
        }
    }

    #[test]
    fn what_is_within_may_be_seen_again_where_css_says_so() {
        let style = |value| {
            [Attribute {
                name: "style",
                value,
            }]
        };
        for (outer, inner, hidden) in [
            ("visibility:hidden", "visibility:visible", false),
            ("visibility:hidden", "display:block", true),
            ("font-size:0", "font-size:13px", false),
            ("font-size:0", "font-size:small", false),
            ("font-size:0", "font-size:100%", true),
            ("font-size:0", "font-size:2em", true),
            ("display:none", "display:block;visibility:visible", true),
            ("opacity:0", "opacity:1", true),
        ] {
            let within = Hidden::default()
                .within(&style(outer))
                .within(&style(inner));

            assert_eq!(within.is_hidden(), hidden, "{outer} / {inner}");
        }
    }
}
