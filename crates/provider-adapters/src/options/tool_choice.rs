//! Tool choice of a request.

use serde::{Deserialize, Serialize};

/// Whether the model must call a tool, and which tools it may call.
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
    /// The model decides whether to call tools.
    #[default]
    Auto,
    /// The model must not call a tool.
    None,
    /// The model must call a tool.
    Required,
    /// The model must call one of these tools, given by their names in the definitions.
    Named(Vec<String>),
}

impl ToolChoice {
    /// Creates a choice among these tools.
    #[must_use]
    pub fn named<N: Into<String>>(names: impl IntoIterator<Item = N>) -> Self {
        Self::Named(names.into_iter().map(Into::into).collect())
    }
}

/// Parses `auto`, `none`, `required` or comma-separated tool names.
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
    fn parses_keywords_and_tool_names() {
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
