//! Visibility of text, from inline styles and simple rules of style sheets.

mod declarations;
mod effects;
mod paint;
mod rules;
mod shapes;
mod style_sheet;
mod values;

use effects::{Effect, Effects, Weight};
pub(super) use paint::{Color, Paint};
pub(super) use style_sheet::{MAX_BYTES, StyleSheet, applies_to_screen};

/// State of an effect after a valid declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    On,
    Off,
    Inherited,
}

impl State {
    fn on_if(is_on: bool) -> Self {
        if is_on { Self::On } else { Self::Off }
    }
}

/// Visibility of the text of an element. `None` is inherited.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Visibility {
    /// Whether the element is hidden including all descendants, regardless of their styles.
    pub(super) gone: bool,
    pub(super) invisible: Option<bool>,
    /// Whether the text is too small to be seen.
    pub(super) tiny: Option<bool>,
    pub(super) transparent: Option<bool>,
    pub(super) color: Option<Paint>,
    pub(super) background: Option<Paint>,
}

/// Applies an inline style without character references after the rules of style sheets.
pub(super) fn with_inline(mut effects: Effects, style: &str) -> Effects {
    let normalized = declarations::normalize(style);
    for declaration in declarations::declarations(&normalized) {
        effects.apply(&declaration, Weight::INLINE);
    }
    effects
}

/// Returns the visibility of an element.
pub(super) fn visibility(effects: &Effects) -> Visibility {
    let [color, background] = effects.paints();
    Visibility {
        gone: is_gone(effects),
        invisible: effects.own(Effect::Invisible),
        tiny: effects.own(Effect::Tiny),
        transparent: effects.own(Effect::Transparent),
        color,
        background,
    }
}

fn is_gone(effects: &Effects) -> bool {
    use Effect as E;
    let is_flat = effects.any(&[E::HeightZero, E::MaxHeightZero])
        // Boxes with vertical padding show positioned content.
        && !effects.any(&[E::PaddingTop, E::PaddingBottom, E::MinHeight]);
    let is_narrow = effects.any(&[E::WidthZero, E::MaxWidthZero]) && !effects.is_on(E::MinWidth);
    let is_empty = effects.is_on(E::OverflowHidden) && (is_flat || is_narrow);
    let is_away = effects.is_on(E::Positioned)
        && effects.any(&[E::LeftFar, E::TopFar, E::RightFar, E::BottomFar, E::Clipped]);
    // A wide padding moves the content back on screen.
    let is_pulled_left = effects.is_on(E::MarginLeftFar) && !effects.is_on(E::PaddingLeftFar);
    is_empty
        || is_away
        || is_pulled_left
        || effects.any(&[
            E::DisplayNone,
            E::Faded,
            E::IndentFar,
            E::MarginTopFar,
            E::ClipPathEmpty,
            E::ContentHidden,
            E::TransformedAway,
            E::ScaledAway,
            E::TranslatedAway,
            E::FilteredAway,
        ])
}
