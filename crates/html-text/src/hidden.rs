//! Visibility of elements, from their attributes and styles.

use super::references;
use super::style::{self, Color, Paint, StyleSheet, Visibility};
use super::tag::Tag;
use super::tokens::Attribute;

/// Reasons why an element is hidden, and its colors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Hidden {
    reasons: u8,
    /// Color of the text, if it is known.
    color: Option<Color>,
    /// Color of the background, if it is known.
    background: Option<Color>,
}

impl Hidden {
    const GONE: u8 = 1;
    const VISIBILITY: u8 = 2;
    const FONT_SIZE: u8 = 4;
    const COLOR: u8 = 8;

    /// Hidden including all descendants, regardless of their styles.
    pub(super) const WHOLLY: Self = Self {
        reasons: Self::GONE,
        color: None,
        background: None,
    };

    /// Returns whether text in the element is hidden.
    pub(super) fn is_hidden(self) -> bool {
        let is_like_background = self.color.is_some() && self.color == self.background;
        self.reasons != 0 || is_like_background
    }

    /// Returns whether all descendants are hidden.
    pub(super) fn is_whole(self) -> bool {
        self.reasons & Self::GONE != 0
    }

    /// Returns the same colors without a reason for hiding.
    pub(super) fn colors(self) -> Self {
        Self { reasons: 0, ..self }
    }

    /// Returns the visibility in a child element with these attributes.
    pub(super) fn within(
        self,
        tag: Tag,
        attributes: &[Attribute<'_>],
        style_sheet: &StyleSheet,
    ) -> Self {
        let mut inner = self;
        let [mut style, mut id, mut class] = [None; 3];
        for attribute in attributes {
            let is = |name: &str| attribute.name.eq_ignore_ascii_case(name);
            // The length rules out most attributes without a comparison.
            match attribute.name.len() {
                2 if is("id") => id = id.or(Some(attribute.value)),
                5 if is("style") => style = style.or(Some(attribute.value)),
                5 if is("class") => class = class.or(Some(attribute.value)),
                6 if is("hidden") => inner.reasons |= Self::GONE,
                11 if is("aria-hidden") => {
                    let value = references::attribute(attribute.value);
                    if value.trim().eq_ignore_ascii_case("true") {
                        inner.reasons |= Self::GONE;
                    }
                }
                _ => {}
            }
        }
        let is_named = id.is_some() || class.is_some();
        if is_named {
            // Rules that are not read may set the colors of the element.
            (inner.color, inner.background) = (None, None);
        }
        if style.is_some() || (is_named && !style_sheet.is_empty()) {
            let [style, id, class] =
                [style, id, class].map(|value| references::attribute(value.unwrap_or_default()));
            let effects = style_sheet.effects(tag, &id, &class);
            let visibility = style::visibility(&style::with_inline(effects, &style));
            inner.apply(visibility);
        }
        inner
    }

    fn apply(&mut self, visibility: Visibility) {
        if visibility.gone {
            self.reasons |= Self::GONE;
        }
        for (reason, state) in [
            (Self::VISIBILITY, visibility.invisible),
            (Self::FONT_SIZE, visibility.tiny),
            (Self::COLOR, visibility.transparent),
        ] {
            match state {
                Some(true) => self.reasons |= reason,
                Some(false) => self.reasons &= !reason,
                None => {}
            }
        }
        for (color, paint) in [
            (&mut self.color, visibility.color),
            (&mut self.background, visibility.background),
        ] {
            match paint {
                Some(Paint::Color(new)) => *color = Some(new),
                Some(Paint::Unknown) => *color = None,
                Some(Paint::Inherited) | None => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hides(name: &str, value: &str) -> bool {
        Hidden::default()
            .within(Tag::P, &[Attribute { name, value }], &StyleSheet::default())
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
            ("style", "width:1px;height:1px;overflow:hidden"),
            ("style", "color:white;background:#fff"),
            ("style", "background-color:RED;color:rgb(255,0,0)"),
            ("style", "color:#123;background:url(x);background:#112233"),
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
            ("style", "width:2px;height:2px;overflow:hidden"),
            ("style", "width:1px"),
            ("style", "color:white"),
            ("style", "color:white;background:#000"),
            ("style", "color:white;background:#fff url(x)"),
            (
                "style",
                "color:white;background:#fff;background-image:url(x)",
            ),
            ("style", "color:#fff8;background:#fff8"),
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
            ("background:#fff", "color:white", true),
            ("color:white", "background:#fff", true),
            ("color:white;background:white", "color:black", false),
            ("background:#fff", "background:url(x);color:white", false),
            ("background:#fff", "background:none;color:white", true),
        ] {
            let style_sheet = StyleSheet::default();
            let within = Hidden::default()
                .within(Tag::P, &style(outer), &style_sheet)
                .within(Tag::P, &style(inner), &style_sheet);

            assert_eq!(within.is_hidden(), hidden, "{outer} / {inner}");
        }
    }
}
