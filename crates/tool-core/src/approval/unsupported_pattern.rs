//! Patterns in builds without regular expressions.

/// Without the feature, patterns cannot be compiled, so that their rules fail closed.
#[derive(Debug)]
pub(super) enum Pattern {}

impl Pattern {
    pub(super) fn compile(_text: &str) -> Result<Self, String> {
        Err("this build does not support patterns".to_owned())
    }

    pub(super) fn is_match(&self, _text: &str) -> bool {
        match *self {}
    }

    pub(super) fn is_exact(&self) -> bool {
        match *self {}
    }

    pub(super) fn may_match_arguments(_text: &str) -> bool {
        true
    }

    pub(super) fn exactly(text: &str) -> String {
        text.to_owned()
    }
}
