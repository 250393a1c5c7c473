//! Whether a model must call, and what.

use serde::{Deserialize, Serialize};

/// Whether the model must call, and what.
///
/// # Examples
/// ```
/// use provider_adapters::ToolChoice;
///
/// assert_eq!(ToolChoice::default(), ToolChoice::Auto);
/// assert_eq!(ToolChoice::named(["search"]), ToolChoice::Named(vec!["search".to_owned()]));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ToolChoice {
    /// The model decides.
    #[default]
    Auto,
    /// The model calls nothing.
    None,
    /// The model calls something.
    Required,
    /// The model calls one of these, by the names that the definitions bear.
    Named(Vec<String>),
}

impl ToolChoice {
    /// A choice among these tools.
    #[must_use]
    pub fn named<N: Into<String>>(names: impl IntoIterator<Item = N>) -> Self {
        Self::Named(names.into_iter().map(Into::into).collect())
    }
}

/// `auto`, `none`, `required`, or names of tools with commas between them.
impl From<&str> for ToolChoice {
    fn from(text: &str) -> Self {
        match text {
            "auto" => Self::Auto,
            "none" => Self::None,
            "required" => Self::Required,
            names => Self::named(names.split(',').map(str::trim)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_is_a_word_or_names() {
        for (text, choice) in [
            ("auto", ToolChoice::Auto),
            ("none", ToolChoice::None),
            ("required", ToolChoice::Required),
            ("add, now", ToolChoice::named(["add", "now"])),
        ] {
            assert_eq!(ToolChoice::from(text), choice);
        }
    }
}
