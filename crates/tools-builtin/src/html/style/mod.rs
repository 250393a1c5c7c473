//! Inline styles, as far as they hide what they stand at.

mod declarations;
mod shapes;
mod values;

use declarations::Declaration;

/// What the last valid declaration of a property says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Says {
    /// What the property is asked about holds.
    Yes,
    /// It does not.
    No,
    /// It is as around the element.
    AsAround,
}

/// What a style does to the text of its element.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Sight {
    /// Nothing in the element is seen, whatever that says.
    pub(super) is_gone: bool,
    /// Whether it is hidden or visible; `None` as around it.
    pub(super) is_invisible: Option<bool>,
    /// Whether its letters are too small to be seen.
    pub(super) is_tiny: Option<bool>,
    /// Whether its letters have no color.
    pub(super) is_transparent: Option<bool>,
}

/// What is asked about the properties of a style.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Question {
    IsDisplayNone,
    IsOpaqueNot,
    IsInvisible,
    IsTiny,
    IsTransparent,
    IsPositioned,
    IsLeftFar,
    IsTopFar,
    IsRightFar,
    IsBottomFar,
    IsIndentFar,
    IsMarginLeftFar,
    IsMarginTopFar,
    IsPaddingLeftFar,
    IsClipped,
    IsClipPathEmpty,
    IsHeightZero,
    IsMaxHeightZero,
    IsMinHeightSome,
    IsWidthZero,
    IsMaxWidthZero,
    IsMinWidthSome,
    IsPaddingTopSome,
    IsPaddingBottomSome,
    IsOverflowCut,
    IsContentHidden,
    IsTransformedAway,
    IsScaledAway,
    IsTranslatedAway,
    IsFilteredAway,
}

/// How many questions there are.
const QUESTIONS: usize = Question::IsFilteredAway as usize + 1;

/// The answers so far, the last valid one of each property; an important one stays.
struct Answers([Option<(Says, bool)>; QUESTIONS]);

impl Answers {
    fn add(&mut self, question: Question, says: Says, is_important: bool) {
        if let Some(answer) = self.0.get_mut(question as usize)
            && (is_important || !matches!(answer, Some((_, true))))
        {
            *answer = Some((says, is_important));
        }
    }

    fn says(&self, question: Question) -> Option<Says> {
        let answer = self.0.get(question as usize).copied().flatten();
        answer.map(|(says, _)| says)
    }

    fn is(&self, question: Question) -> bool {
        self.says(question) == Some(Says::Yes)
    }

    fn is_one_of(&self, questions: &[Question]) -> bool {
        questions.iter().any(|question| self.is(*question))
    }

    /// The answer where it is not the one around.
    fn own(&self, question: Question) -> Option<bool> {
        match self.says(question) {
            Some(Says::Yes) => Some(true),
            Some(Says::No) => Some(false),
            Some(Says::AsAround) | None => None,
        }
    }
}

/// What a style does, without its character references.
pub(super) fn sight(style: &str) -> Sight {
    let plain = declarations::plain(style);
    let mut answers = Answers([None; QUESTIONS]);
    for declaration in declarations::declarations(&plain) {
        answer(&mut answers, &declaration);
    }
    Sight {
        is_gone: is_gone(&answers),
        is_invisible: answers.own(Question::IsInvisible),
        is_tiny: answers.own(Question::IsTiny),
        is_transparent: answers.own(Question::IsTransparent),
    }
}

fn is_gone(answers: &Answers) -> bool {
    use Question as Q;
    let is_flat = answers.is_one_of(&[Q::IsHeightZero, Q::IsMaxHeightZero])
        // A box that takes its height from its padding shows what is positioned in it.
        && !answers.is_one_of(&[Q::IsPaddingTopSome, Q::IsPaddingBottomSome, Q::IsMinHeightSome]);
    let is_narrow =
        answers.is_one_of(&[Q::IsWidthZero, Q::IsMaxWidthZero]) && !answers.is(Q::IsMinWidthSome);
    let is_empty = answers.is(Q::IsOverflowCut) && (is_flat || is_narrow);
    let is_away = answers.is(Q::IsPositioned)
        && answers.is_one_of(&[
            Q::IsLeftFar,
            Q::IsTopFar,
            Q::IsRightFar,
            Q::IsBottomFar,
            Q::IsClipped,
        ]);
    // A bar of the whole width is as far out as its padding is wide.
    let is_pulled_left = answers.is(Q::IsMarginLeftFar) && !answers.is(Q::IsPaddingLeftFar);
    is_empty
        || is_away
        || is_pulled_left
        || answers.is_one_of(&[
            Q::IsDisplayNone,
            Q::IsOpaqueNot,
            Q::IsIndentFar,
            Q::IsMarginTopFar,
            Q::IsClipPathEmpty,
            Q::IsContentHidden,
            Q::IsTransformedAway,
            Q::IsScaledAway,
            Q::IsTranslatedAway,
            Q::IsFilteredAway,
        ])
}

/// The longest name of a property that is asked about.
const LONGEST: usize = 18;

fn answer(answers: &mut Answers, declaration: &Declaration<'_>) {
    use Question as Q;
    let mut small = [0_u8; LONGEST];
    let name = declaration.property.as_bytes();
    let Some(small) = small.get_mut(..name.len()) else {
        return;
    };
    small.copy_from_slice(name);
    small.make_ascii_lowercase();
    let value = declaration.value;
    let mut add = |question, says: Option<Says>| {
        if let Some(says) = says {
            answers.add(question, says, declaration.is_important);
        }
    };
    match &*small {
        b"display" => add(Q::IsDisplayNone, values::display(value)),
        b"opacity" => add(Q::IsOpaqueNot, values::opacity(value)),
        b"visibility" => add(Q::IsInvisible, values::visibility(value)),
        b"font-size" => add(Q::IsTiny, values::font_size(value)),
        b"font" => add(Q::IsTiny, values::font(value)),
        b"color" => add(Q::IsTransparent, values::color(value)),
        b"position" => add(Q::IsPositioned, values::position(value)),
        b"left" => add(Q::IsLeftFar, values::far(value)),
        b"top" => add(Q::IsTopFar, values::far(value)),
        b"right" => add(Q::IsRightFar, values::far(value)),
        b"bottom" => add(Q::IsBottomFar, values::far(value)),
        b"text-indent" => add(Q::IsIndentFar, values::far(value)),
        b"margin-left" => add(Q::IsMarginLeftFar, values::far(value)),
        b"margin-top" => add(Q::IsMarginTopFar, values::far(value)),
        b"margin" => {
            add(Q::IsMarginTopFar, values::far(values::side(value, 0)));
            add(Q::IsMarginLeftFar, values::far(values::side(value, 3)));
        }
        b"padding-left" => add(Q::IsPaddingLeftFar, values::wide(value)),
        b"padding-top" => add(Q::IsPaddingTopSome, values::some(value)),
        b"padding-bottom" => add(Q::IsPaddingBottomSome, values::some(value)),
        b"padding" => {
            add(Q::IsPaddingTopSome, values::some(values::side(value, 0)));
            add(Q::IsPaddingBottomSome, values::some(values::side(value, 2)));
            add(Q::IsPaddingLeftFar, values::wide(values::side(value, 3)));
        }
        b"height" => add(Q::IsHeightZero, values::zero(value)),
        b"max-height" => add(Q::IsMaxHeightZero, values::zero(value)),
        b"min-height" => add(Q::IsMinHeightSome, values::some(value)),
        b"width" => add(Q::IsWidthZero, values::zero(value)),
        b"max-width" => add(Q::IsMaxWidthZero, values::zero(value)),
        b"min-width" => add(Q::IsMinWidthSome, values::some(value)),
        b"overflow" | b"overflow-x" | b"overflow-y" => {
            add(Q::IsOverflowCut, values::overflow(value));
        }
        b"content-visibility" => add(Q::IsContentHidden, values::content(value)),
        b"clip" => add(Q::IsClipped, shapes::clip(value)),
        b"clip-path" => add(Q::IsClipPathEmpty, shapes::clip_path(value)),
        b"transform" => add(Q::IsTransformedAway, shapes::transform(value)),
        b"scale" => add(Q::IsScaledAway, shapes::scale(value)),
        b"translate" => add(Q::IsTranslatedAway, shapes::translate(value)),
        b"filter" => add(Q::IsFilteredAway, shapes::filter(value)),
        _ => {}
    }
}
