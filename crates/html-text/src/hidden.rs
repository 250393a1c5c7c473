//! Visibility of elements, from their attributes and inline styles.

use super::references;
use super::style;
use super::tokens::Attribute;

/// Reasons why an element is hidden; empty if it is visible.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Hidden(u8);

impl Hidden {
    const GONE: u8 = 1;
    const VISIBILITY: u8 = 2;
    const FONT_SIZE: u8 = 4;
    const COLOR: u8 = 8;

    /// Hidden including all descendants, regardless of their styles.
    pub(super) const WHOLLY: Self = Self(Self::GONE);

    /// Returns whether text in the element is hidden.
    pub(super) fn is_hidden(self) -> bool {
        self.0 != 0
    }

    /// Returns whether all descendants are hidden.
    pub(super) fn is_whole(self) -> bool {
        self.0 & Self::GONE != 0
    }

    /// Returns the visibility in a child element with these attributes.
    pub(super) fn within(self, attributes: &[Attribute<'_>]) -> Self {
        let mut inner = self;
        for attribute in attributes {
            let is = |name: &str| attribute.name.eq_ignore_ascii_case(name);
            // The length rules out most attributes without a comparison.
            match attribute.name.len() {
                5 if is("style") => inner = inner.styled(&references::attribute(attribute.value)),
                6 if is("hidden") => inner.0 |= Self::GONE,
                11 if is("aria-hidden") => {
                    let value = references::attribute(attribute.value);
                    if value.trim().eq_ignore_ascii_case("true") {
                        inner.0 |= Self::GONE;
                    }
                }
                _ => {}
            }
        }
        inner
    }

    fn styled(mut self, style: &str) -> Self {
        let visibility = style::visibility(style);
        if visibility.gone {
            self.0 |= Self::GONE;
        }
        for (flag, state) in [
            (Self::VISIBILITY, visibility.invisible),
            (Self::FONT_SIZE, visibility.tiny),
            (Self::COLOR, visibility.transparent),
        ] {
            match state {
                Some(true) => self.0 |= flag,
                Some(false) => self.0 &= !flag,
                None => {}
            }
        }
        self
    }
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
    fn attributes_and_styles_hide_elements() {
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
            ("style", "display:/**/none"),
            ("style", "display&#58;none"),
            ("style", r"d\69splay:none"),
            ("aria-hidden", "&#116;rue"),
            ("style", "&#x64;isplay:none"),
            ("style", "display:non&#101;"),
            ("style", "opacity:&#48;"),
            ("style", "DISPLAY&Tab;:&NewLine;none"),
            ("style", "display:none/**/"),
            ("style", "/*a;b*/display:none"),
            ("style", "visibility:/*x*/hidden"),
            ("style", r"display:n\6fne"),
            ("style", "background:url(x');display:none"),
            ("style", "DISPLAY:NONE!important;display:block"),
            ("style", "display:block;display:none"),
            ("style", "display:none;display:bogus"),
            ("style", "color:rgba(1,2,3,0)"),
            ("style", "color:rgba(1, 2, 3, 0.0)"),
            ("style", "color:rgb(1 2 3 / 0%)"),
            ("style", "color:#12345600"),
            ("style", "color:#1230"),
            ("style", "opacity:-1"),
            ("style", "font:0/0 a"),
            ("style", "font:bold 700 0px a"),
            ("style", "transform:scale(0)"),
            ("style", "transform:rotate(1deg) scaleX(0)"),
            ("style", "transform:scale(0, 1)"),
            ("style", "scale:0"),
            ("style", "translate:-9999px"),
            ("style", "transform:translateX(-9999px)"),
            ("style", "margin-left:-9999px"),
            ("style", "margin:0 0 0 -999px"),
            ("style", "text-indent:-999px"),
            ("style", "content-visibility:hidden"),
            ("style", "clip-path:inset(50%)"),
            ("style", "clip-path:inset(100% 0 0 0)"),
            ("style", "filter:opacity(0)"),
            ("style", "width:0;padding-top:1px;overflow:hidden"),
        ] {
            assert!(hides(name, value), "{name}={value}");
        }
    }

    #[test]
    fn similar_attributes_and_styles_do_not_hide() {
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
            ("style", "display:none;display:inline"),
            ("style", "opacity:0;opacity:1"),
            ("style", "display:block!important;display:none"),
            ("style", "display:none!x"),
            ("style", "dis/**/play:none"),
            ("style", r"background:'a;display:none'"),
            ("style", "--display:none"),
            ("style", "height:0;padding-bottom:56.25%;overflow:hidden"),
            ("style", "height:0;padding:56.25% 0 0;overflow:hidden"),
            ("style", "height:0;min-height:9px;overflow:hidden"),
            ("style", "color:rgba(1,2,3,.5)"),
            ("style", "color:#123"),
            ("style", "color:#123400"),
            ("style", "font:10px/0 a"),
            ("style", "font:12px a"),
            ("style", "transform:scale(0.5)"),
            ("style", "transform:translate(-50%, -50%)"),
            ("style", "margin-left:-15px"),
            ("style", "margin:0 -9999px;padding:0 9999px"),
            ("style", "text-indent:-2em"),
            ("style", "content-visibility:auto"),
            ("style", "clip-path:inset(10%)"),
            ("style", "position:absolute;clip:rect(auto,auto,auto,auto)"),
            ("style", "filter:opacity(0.5)"),
        ] {
            assert!(!hides(name, value), "{name}={value}");
        }
    }

    #[test]
    fn descendants_can_be_visible_if_css_allows() {
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
            ("color:transparent", "color:red", false),
            ("color:transparent", "color:inherit", true),
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
