//! Effects of declarations on the visibility of an element.

use super::State;
use super::declarations::Declaration;
use super::{shapes, values};

/// Effect of a property, or of one side of a shorthand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    DisplayNone,
    Faded,
    Invisible,
    Tiny,
    Transparent,
    Positioned,
    LeftFar,
    TopFar,
    RightFar,
    BottomFar,
    IndentFar,
    MarginLeftFar,
    MarginTopFar,
    PaddingLeftFar,
    PaddingTop,
    PaddingBottom,
    HeightZero,
    MaxHeightZero,
    MinHeight,
    WidthZero,
    MaxWidthZero,
    MinWidth,
    OverflowHidden,
    ContentHidden,
    Clipped,
    ClipPathEmpty,
    TransformedAway,
    ScaledAway,
    TranslatedAway,
    FilteredAway,
}

const COUNT: usize = Effect::FilteredAway as usize + 1;

type Evaluate = fn(&str) -> Option<State>;

/// Properties with their effects. Shorthands have several rows.
const PROPERTIES: &[(&str, Effect, Evaluate)] = &[
    ("display", Effect::DisplayNone, values::display),
    ("opacity", Effect::Faded, values::opacity),
    ("visibility", Effect::Invisible, values::visibility),
    ("font-size", Effect::Tiny, values::font_size),
    ("font", Effect::Tiny, values::font),
    ("color", Effect::Transparent, values::color),
    ("position", Effect::Positioned, values::position),
    ("left", Effect::LeftFar, values::far),
    ("top", Effect::TopFar, values::far),
    ("right", Effect::RightFar, values::far),
    ("bottom", Effect::BottomFar, values::far),
    ("text-indent", Effect::IndentFar, values::far),
    ("margin-left", Effect::MarginLeftFar, values::far),
    ("margin", Effect::MarginLeftFar, |value| {
        values::far(values::side(value, 3))
    }),
    ("margin-top", Effect::MarginTopFar, values::far),
    ("margin", Effect::MarginTopFar, |value| {
        values::far(values::side(value, 0))
    }),
    ("padding-left", Effect::PaddingLeftFar, values::wide),
    ("padding", Effect::PaddingLeftFar, |value| {
        values::wide(values::side(value, 3))
    }),
    ("padding-top", Effect::PaddingTop, values::positive),
    ("padding", Effect::PaddingTop, |value| {
        values::positive(values::side(value, 0))
    }),
    ("padding-bottom", Effect::PaddingBottom, values::positive),
    ("padding", Effect::PaddingBottom, |value| {
        values::positive(values::side(value, 2))
    }),
    ("height", Effect::HeightZero, values::zero),
    ("max-height", Effect::MaxHeightZero, values::zero),
    ("min-height", Effect::MinHeight, values::positive),
    ("width", Effect::WidthZero, values::zero),
    ("max-width", Effect::MaxWidthZero, values::zero),
    ("min-width", Effect::MinWidth, values::positive),
    ("overflow", Effect::OverflowHidden, values::overflow),
    ("overflow-x", Effect::OverflowHidden, values::overflow),
    ("overflow-y", Effect::OverflowHidden, values::overflow),
    (
        "content-visibility",
        Effect::ContentHidden,
        values::content_visibility,
    ),
    ("clip", Effect::Clipped, shapes::clip),
    ("clip-path", Effect::ClipPathEmpty, shapes::clip_path),
    ("transform", Effect::TransformedAway, shapes::transform),
    ("scale", Effect::ScaledAway, shapes::scale),
    ("translate", Effect::TranslatedAway, shapes::translate),
    ("filter", Effect::FilteredAway, shapes::filter),
];

/// State of each effect, and whether it comes from an important declaration.
#[derive(Debug, Default)]
pub(super) struct Effects([Option<(State, bool)>; COUNT]);

impl Effects {
    /// Applies a valid declaration. It replaces earlier ones unless they are more important.
    pub(super) fn apply(&mut self, declaration: &Declaration<'_>) {
        for (name, effect, evaluate) in PROPERTIES {
            if name.eq_ignore_ascii_case(declaration.property)
                && let Some(state) = evaluate(declaration.value)
                && let Some(slot) = self.0.get_mut(*effect as usize)
                && (declaration.is_important || !matches!(slot, Some((_, true))))
            {
                *slot = Some((state, declaration.is_important));
            }
        }
    }

    fn get(&self, effect: Effect) -> Option<State> {
        let (state, _) = self.0.get(effect as usize).copied().flatten()?;
        Some(state)
    }

    pub(super) fn is_on(&self, effect: Effect) -> bool {
        self.get(effect) == Some(State::On)
    }

    pub(super) fn any(&self, effects: &[Effect]) -> bool {
        effects.iter().any(|effect| self.is_on(*effect))
    }

    /// Returns whether the effect is on, or `None` if it is inherited.
    pub(super) fn own(&self, effect: Effect) -> Option<bool> {
        self.get(effect)
            .filter(|state| *state != State::Inherited)
            .map(|state| state == State::On)
    }
}
