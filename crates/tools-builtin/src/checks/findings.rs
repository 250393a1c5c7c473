//! Bounded lists of errors and warnings.

use tool_json::text::one_line;

/// Maximum number of listed errors, and of listed warnings.
const MAX_LISTED: usize = 50;

/// Maximum number of characters of one message.
const MAX_CHARS: usize = 500;

/// Findings of the checks of an output type: errors, which make the data invalid, and warnings,
/// which do not.
///
/// The first 50 of each kind are kept on one line of at most 500 characters; further ones are only
/// counted.
///
/// # Examples
/// ```
/// use tools_builtin::checks::Findings;
///
/// let mut findings = Findings::default();
/// findings.error("`/items/3/price` is below the cost");
/// findings.warn("`/items` has only one item");
/// assert!(!findings.is_valid());
/// assert_eq!(findings.errors(), ["`/items/3/price` is below the cost"]);
/// assert_eq!(findings.warnings(), ["`/items` has only one item"]);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Findings {
    errors: MessageList,
    warnings: MessageList,
}

impl Findings {
    /// Adds an error, which makes the data invalid. State the problem and its location as a JSON
    /// pointer into the data.
    pub fn error(&mut self, text: impl AsRef<str>) {
        self.errors.push(text.as_ref());
    }

    /// Adds a warning, which does not make the data invalid.
    pub fn warn(&mut self, text: impl AsRef<str>) {
        self.warnings.push(text.as_ref());
    }

    /// Records that there may be further errors that were not counted.
    pub(super) fn more_errors(&mut self) {
        self.errors.may_have_more = true;
    }

    /// Returns whether there are no errors.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.errors.is_empty()
    }

    /// Returns the errors, followed by the number of omitted ones.
    #[must_use]
    pub fn errors(&self) -> Vec<String> {
        self.errors.to_messages("errors")
    }

    /// Returns the warnings, followed by the number of omitted ones.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        self.warnings.to_messages("warnings")
    }
}

/// First messages of a list, and the number of further ones.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct MessageList {
    first: Vec<String>,
    more: usize,
    /// Whether there may be further messages that were not counted.
    may_have_more: bool,
}

impl MessageList {
    fn push(&mut self, text: &str) {
        if self.first.len() < MAX_LISTED {
            self.first.push(one_line(text, MAX_CHARS));
        } else {
            self.more += 1;
        }
    }

    fn is_empty(&self) -> bool {
        self.first.is_empty()
    }

    fn to_messages(&self, kind: &str) -> Vec<String> {
        let rest = match self.more {
            0 if self.may_have_more => Some(format!("… and perhaps more {kind}")),
            0 => None,
            more => Some(format!("… and {more} more {kind}")),
        };
        self.first.iter().cloned().chain(rest).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_fifty_errors_and_counts_others() {
        let mut findings = Findings::default();
        for number in 1..=52 {
            findings.error(format!("error {number}"));
        }

        let errors = findings.errors();

        assert_eq!(errors.len(), 51);
        assert_eq!(errors[49..], ["error 50", "… and 2 more errors"]);
        assert_eq!(findings.warnings(), Vec::<String>::new());
    }

    #[test]
    fn truncates_long_messages_to_one_line() {
        let mut findings = Findings::default();

        findings.warn(format!("one\n{}", "ä".repeat(600)));

        assert_eq!(findings.warnings(), [format!("one {}…", "ä".repeat(496))]);
        assert!(findings.is_valid());
    }
}
