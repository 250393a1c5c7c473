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
    pub(super) gone: bool,
    /// Whether it is hidden or visible; `None` as around it.
    pub(super) invisible: Option<bool>,
    /// Whether its letters are too small to be seen.
    pub(super) tiny: Option<bool>,
    /// Whether its letters have no color.
    pub(super) transparent: Option<bool>,
}

/// What is asked about the properties of a style.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Question {
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
    Clipped,
    ClipPathEmpty,
    HeightZero,
    MaxHeightZero,
    MinHeightSome,
    WidthZero,
    MaxWidthZero,
    MinWidthSome,
    PaddingTopSome,
    PaddingBottomSome,
    OverflowCut,
    ContentHidden,
    TransformedAway,
    ScaledAway,
    TranslatedAway,
    FilteredAway,
}

/// How many questions there are.
const QUESTIONS: usize = Question::FilteredAway as usize + 1;

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
        gone: is_gone(&answers),
        invisible: answers.own(Question::Invisible),
        tiny: answers.own(Question::Tiny),
        transparent: answers.own(Question::Transparent),
    }
}

fn is_gone(answers: &Answers) -> bool {
    use Question as Q;
    let is_flat = answers.is_one_of(&[Q::HeightZero, Q::MaxHeightZero])
        // A box that takes its height from its padding shows what is positioned in it.
        && !answers.is_one_of(&[Q::PaddingTopSome, Q::PaddingBottomSome, Q::MinHeightSome]);
    let is_narrow =
        answers.is_one_of(&[Q::WidthZero, Q::MaxWidthZero]) && !answers.is(Q::MinWidthSome);
    let is_empty = answers.is(Q::OverflowCut) && (is_flat || is_narrow);
    let is_away = answers.is(Q::Positioned)
        && answers.is_one_of(&[Q::LeftFar, Q::TopFar, Q::RightFar, Q::BottomFar, Q::Clipped]);
    // A bar of the whole width is as far out as its padding is wide.
    let is_pulled_left = answers.is(Q::MarginLeftFar) && !answers.is(Q::PaddingLeftFar);
    is_empty
        || is_away
        || is_pulled_left
        || answers.is_one_of(&[
            Q::DisplayNone,
            Q::Faded,
            Q::IndentFar,
            Q::MarginTopFar,
            Q::ClipPathEmpty,
            Q::ContentHidden,
            Q::TransformedAway,
            Q::ScaledAway,
            Q::TranslatedAway,
            Q::FilteredAway,
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
        b"display" => add(Q::DisplayNone, values::display(value)),
        b"opacity" => add(Q::Faded, values::opacity(value)),
        b"visibility" => add(Q::Invisible, values::visibility(value)),
        b"font-size" => add(Q::Tiny, values::font_size(value)),
        b"font" => add(Q::Tiny, values::font(value)),
        b"color" => add(Q::Transparent, values::color(value)),
        b"position" => add(Q::Positioned, values::position(value)),
        b"left" => add(Q::LeftFar, values::far(value)),
        b"top" => add(Q::TopFar, values::far(value)),
        b"right" => add(Q::RightFar, values::far(value)),
        b"bottom" => add(Q::BottomFar, values::far(value)),
        b"text-indent" => add(Q::IndentFar, values::far(value)),
        b"margin-left" => add(Q::MarginLeftFar, values::far(value)),
        b"margin-top" => add(Q::MarginTopFar, values::far(value)),
        b"margin" => {
            add(Q::MarginTopFar, values::far(values::side(value, 0)));
            add(Q::MarginLeftFar, values::far(values::side(value, 3)));
        }
        b"padding-left" => add(Q::PaddingLeftFar, values::wide(value)),
        b"padding-top" => add(Q::PaddingTopSome, values::some(value)),
        b"padding-bottom" => add(Q::PaddingBottomSome, values::some(value)),
        b"padding" => {
            add(Q::PaddingTopSome, values::some(values::side(value, 0)));
            add(Q::PaddingBottomSome, values::some(values::side(value, 2)));
            add(Q::PaddingLeftFar, values::wide(values::side(value, 3)));
        }
        b"height" => add(Q::HeightZero, values::zero(value)),
        b"max-height" => add(Q::MaxHeightZero, values::zero(value)),
        b"min-height" => add(Q::MinHeightSome, values::some(value)),
        b"width" => add(Q::WidthZero, values::zero(value)),
        b"max-width" => add(Q::MaxWidthZero, values::zero(value)),
        b"min-width" => add(Q::MinWidthSome, values::some(value)),
        b"overflow" | b"overflow-x" | b"overflow-y" => {
            add(Q::OverflowCut, values::overflow(value));
        }
        b"content-visibility" => add(Q::ContentHidden, values::content(value)),
        b"clip" => add(Q::Clipped, shapes::clip(value)),
        b"clip-path" => add(Q::ClipPathEmpty, shapes::clip_path(value)),
        b"transform" => add(Q::TransformedAway, shapes::transform(value)),
        b"scale" => add(Q::ScaledAway, shapes::scale(value)),
        b"translate" => add(Q::TranslatedAway, shapes::translate(value)),
        b"filter" => add(Q::FilteredAway, shapes::filter(value)),
        _ => {}
    }
}
