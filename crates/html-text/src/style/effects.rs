//! Effects of declarations on the visibility of an element.

use super::State;
use super::declarations::Declaration;
use super::paint::{self, Paint};
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

/// Precedence of a declaration in the cascade; the greatest one applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Weight {
    is_important: bool,
    specificity: u16,
    /// Position of the rule in the page.
    rule: u32,
}

impl Weight {
    /// Weight of inline styles.
    pub(crate) const INLINE: Self = Self {
        is_important: false,
        specificity: u16::MAX,
        rule: u32::MAX,
    };

    /// Returns the weight of a rule, without its specificity.
    pub(super) fn of_rule(rule: u32) -> Self {
        Self {
            specificity: 0,
            rule,
            ..Self::INLINE
        }
    }
}

/// State of each effect, the color of the text and the background, with their weights.
#[derive(Debug, Clone, Default)]
pub(crate) struct Effects {
    states: [Option<(State, Weight)>; COUNT],
    color: Option<(Paint, Weight)>,
    background: Option<(Paint, Weight)>,
}

impl Effects {
    /// Applies a valid declaration. It replaces earlier ones unless they have a greater weight.
    pub(super) fn apply(&mut self, declaration: &Declaration<'_>, weight: Weight) {
        let is_important = declaration.is_important;
        let weight = Weight {
            is_important,
            ..weight
        };
        for (name, effect, evaluate) in PROPERTIES {
            if name.eq_ignore_ascii_case(declaration.property)
                && let Some(state) = evaluate(declaration.value)
                && let Some(slot) = self.states.get_mut(*effect as usize)
            {
                replace(slot, Some((state, weight)));
            }
        }
        let is = |name: &str| name.eq_ignore_ascii_case(declaration.property);
        let weighted = |paint: Option<Paint>| Some((paint?, weight));
        if is("color") {
            replace(&mut self.color, weighted(paint::text(declaration.value)));
        } else if is("background") || is("background-color") {
            let background = paint::background(declaration.value);
            replace(&mut self.background, weighted(background));
        } else if is("background-image") {
            replace(&mut self.background, weighted(Some(Paint::Unknown)));
        }
    }

    /// Returns the effects for a selector with this specificity.
    pub(super) fn with_specificity(&self, specificity: u16) -> Self {
        let mut effects = self.clone();
        let states = effects.states.iter_mut().flatten();
        let weights = states.map(|(_, weight)| weight);
        let paints = effects.color.iter_mut().chain(&mut effects.background);
        for weight in weights.chain(paints.map(|(_, weight)| weight)) {
            weight.specificity = specificity;
        }
        effects
    }

    /// Applies the declarations of another rule.
    pub(super) fn merge(&mut self, other: &Self) {
        for (own, other) in self.states.iter_mut().zip(&other.states) {
            replace(own, *other);
        }
        replace(&mut self.color, other.color);
        replace(&mut self.background, other.background);
    }

    /// Returns whether no declaration was applied.
    pub(super) fn is_empty(&self) -> bool {
        self.states.iter().all(Option::is_none) && self.color.is_none() && self.background.is_none()
    }

    /// Returns the color of the text, and of the background.
    pub(super) fn paints(&self) -> [Option<Paint>; 2] {
        [self.color, self.background].map(|paint| paint.map(|(paint, _)| paint))
    }

    fn get(&self, effect: Effect) -> Option<State> {
        let (state, _) = self.states.get(effect as usize).copied().flatten()?;
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

/// Replaces a value by another one of at least the same weight.
fn replace<T: Copy>(slot: &mut Option<(T, Weight)>, other: Option<(T, Weight)>) {
    if let Some((_, weight)) = other
        && slot.is_none_or(|(_, own)| own <= weight)
    {
        *slot = other;
    }
}
