//! Issue in the arguments of a call.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{parameter_names, text};

/// The keyword of an unknown parameter.
const UNKNOWN: &str = "additionalProperties";
/// What is expected instead of one.
const A_PARAMETER: &str = "a known parameter";
const NO_PARAMETERS: &str = "no parameters";

/// Issue in the arguments of a call: its location, the violated rule, the expected and the actual
/// value.
///
/// # Examples
/// ```
/// use tool_core::ValidationIssue;
///
/// let issue = ValidationIssue::new("/limit", "type", "an integer", "the string \"ten\"");
/// assert_eq!(issue.to_string(), "`limit` must be an integer, not the string \"ten\"");
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ValidationIssue {
    /// JSON pointer into the arguments. For a missing or unknown property, points to the object.
    pub pointer: String,
    /// The violated JSON Schema keyword, or `json`, `duplicate_key`, `alias`, `check`, or `variant` for a parameter that
    /// belongs to another variant of the input.
    pub keyword: String,
    /// Description of the expected value.
    pub expected: String,
    /// The actual value, shortened.
    pub got: String,
    /// The allowed values if there are few, or the known parameters if at most ten are known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allowed: Vec<Value>,
    /// The missing or unknown property.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub property: Option<String>,
    /// The known name most similar to the actual one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nearest: Option<String>,
}

impl ValidationIssue {
    /// Creates an issue at `pointer`.
    pub fn new(
        pointer: impl Into<String>,
        keyword: impl Into<String>,
        expected: impl Into<String>,
        got: impl Into<String>,
    ) -> Self {
        Self {
            pointer: pointer.into(),
            keyword: keyword.into(),
            expected: expected.into(),
            got: got.into(),
            allowed: Vec::new(),
            property: None,
            nearest: None,
        }
    }

    /// Creates the issue of a property of the object at `pointer`, which has the known ones and no others.
    pub(crate) fn unknown_parameter(
        pointer: impl Into<String>,
        name: &str,
        known: &[&str],
    ) -> Self {
        let nearest = parameter_names::nearest(name, known.iter().copied());
        let name = text::short(name, 64);
        let got = format!("`{name}`");
        let expected = if known.is_empty() {
            NO_PARAMETERS
        } else {
            A_PARAMETER
        };
        Self::new(pointer, UNKNOWN, expected, got)
            .with_property(name)
            .with_nearest(nearest)
            .with_allowed(parameter_names::listed(known.iter().copied()))
    }

    /// Removes the list of known parameters, for an object that may have others.
    pub(crate) fn with_others(mut self) -> Self {
        A_PARAMETER.clone_into(&mut self.expected);
        self.allowed.clear();
        self
    }

    /// Whether this is an unknown property, whose allowed values are the known ones.
    pub(crate) fn is_unknown_parameter(&self) -> bool {
        self.keyword == UNKNOWN
    }

    /// Sets the missing or unknown property.
    pub(crate) fn with_property(mut self, property: impl Into<String>) -> Self {
        self.property = Some(property.into());
        self
    }

    /// Sets the most similar known property or value.
    pub(crate) fn with_nearest(mut self, nearest: Option<impl Into<String>>) -> Self {
        self.nearest = nearest.map(Into::into);
        self
    }

    /// Sets the allowed values.
    pub(crate) fn with_allowed(mut self, allowed: Vec<Value>) -> Self {
        self.allowed = allowed;
        self
    }

    /// Returns the path of the parameter in the model's notation: `items[2].status`.
    pub fn path(&self) -> String {
        let mut path = String::new();
        self.write_path(&mut path);
        path
    }

    /// Returns the path of the object with an unknown or missing property; empty for the arguments.
    pub(crate) fn object_path(&self) -> String {
        path_of(&self.pointer)
    }

    fn write_path(&self, text: &mut String) {
        let start = text.len();
        write_pointer(&self.pointer, text);
        if let Some(property) = &self.property {
            if text.len() > start {
                text.push('.');
            }
            text.push_str(property);
        }
    }

    /// Appends a description of the issue to `text`.
    pub(crate) fn write_sentence(&self, text: &mut String) {
        if self.pointer.is_empty() && self.property.is_none() {
            text.push_str("the arguments");
        } else {
            text.push('`');
            self.write_path(text);
            text.push('`');
        }
        match self.keyword.as_str() {
            "required" => text.push_str(" is missing"),
            UNKNOWN if self.expected == NO_PARAMETERS => {
                text.push_str(" is not a known parameter; there are none");
            }
            UNKNOWN => text.push_str(" is not a known parameter"),
            "duplicate_key" => text.push_str(" is given twice"),
            "variant" => text.extend([" belongs to ", &self.expected]),
            _ => text.extend([" must be ", &self.expected, ", not ", &self.got]),
        }
        if let Some(nearest) = &self.nearest {
            text.extend([" (did you mean `", nearest, "`?)"]);
        }
    }
}

impl fmt::Display for ValidationIssue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        self.write_sentence(&mut text);
        f.write_str(&text)
    }
}

/// Returns the path of the parameter at a JSON pointer in the model's notation.
pub(crate) fn path_of(pointer: &str) -> String {
    let mut path = String::new();
    write_pointer(pointer, &mut path);
    path
}

/// Appends a pointer to `text` as a path.
fn write_pointer(pointer: &str, text: &mut String) {
    let start = text.len();
    for part in pointer.split('/').skip(1) {
        let part = if part.contains('~') {
            Cow::Owned(part.replace("~1", "/").replace("~0", "~"))
        } else {
            Cow::Borrowed(part)
        };
        // The index of an item, or a member with such a name: the pointer does not tell them apart.
        if part.bytes().all(|byte| byte.is_ascii_digit()) && !part.is_empty() {
            text.extend(["[", &part, "]"]);
        } else {
            if text.len() > start {
                text.push('.');
            }
            text.push_str(&part);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_uses_notation_of_model() {
        for (pointer, path) in [
            ("", ""),
            ("/limit", "limit"),
            ("/items/2/status", "items[2].status"),
            ("/a~1b/~0", "a/b.~"),
        ] {
            let issue = ValidationIssue::new(pointer, "type", "a string", "null");

            assert_eq!(issue.path(), path, "{pointer}");
        }
    }

    #[test]
    fn sentence_names_parameter_or_all_arguments() {
        for (pointer, subject) in [("", "the arguments"), ("/", "``"), ("/a/0", "`a[0]`")] {
            let issue = ValidationIssue::new(pointer, "type", "a string", "null");

            let expected = format!("{subject} must be a string, not null");
            assert_eq!(issue.to_string(), expected, "{pointer}");
        }
    }

    #[test]
    fn unknown_property_of_object_without_parameters() {
        let issue = ValidationIssue::unknown_parameter("", "all", &[]);

        let sentence = issue.to_string();

        assert_eq!(sentence, "`all` is not a known parameter; there are none");
        assert_eq!(
            issue.with_others().to_string(),
            "`all` is not a known parameter"
        );
    }

    #[test]
    fn unknown_property_shows_nearest_name() {
        let issue = ValidationIssue::new("", "additionalProperties", "a known parameter", "`pth`")
            .with_property("pth")
            .with_nearest(Some("path"));

        assert_eq!(
            issue.to_string(),
            "`pth` is not a known parameter (did you mean `path`?)"
        );
    }
}
