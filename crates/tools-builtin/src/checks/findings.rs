//! What checks find, bounded.

/// Errors that are listed, and as many warnings.
const MAX_LISTED: usize = 50;

/// How long one of them may be.
const MAX_CHARS: usize = 500;

/// What the checks of an output type find: errors, which make the data invalid, and warnings, which do not.
///
/// The first 50 of each are kept, each with at most 500 characters on one line; of the rest only the number is told.
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
    errors: Listed,
    warnings: Listed,
}

impl Findings {
    /// Adds something that makes the data invalid. Say what is wrong and where, with a JSON pointer into the data.
    pub fn error(&mut self, text: impl AsRef<str>) {
        self.errors.push(text.as_ref());
    }

    /// Adds something that could be better and stands in nobody's way.
    pub fn warn(&mut self, text: impl AsRef<str>) {
        self.warnings.push(text.as_ref());
    }

    /// Says that there may be errors that nobody looked for.
    pub(super) fn more_errors(&mut self) {
        self.errors.may_go_on = true;
    }

    /// Whether no error was added.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.errors.is_empty()
    }

    /// The errors, and how many more there are.
    #[must_use]
    pub fn errors(&self) -> Vec<String> {
        self.errors.told("errors")
    }

    /// The warnings, and how many more there are.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        self.warnings.told("warnings")
    }
}

/// The first of many texts, and how many there were.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Listed {
    first: Vec<String>,
    more: usize,
    /// Whether there may be more that nobody counted.
    may_go_on: bool,
}

impl Listed {
    fn push(&mut self, text: &str) {
        if self.first.len() < MAX_LISTED {
            self.first.push(on_one_line(text));
        } else {
            self.more += 1;
        }
    }

    fn is_empty(&self) -> bool {
        self.first.is_empty()
    }

    fn told(&self, what: &str) -> Vec<String> {
        let rest = match self.more {
            0 if self.may_go_on => Some(format!("… and perhaps more {what}")),
            0 => None,
            more => Some(format!("… and {more} more {what}")),
        };
        self.first.iter().cloned().chain(rest).collect()
    }
}

fn on_one_line(text: &str) -> String {
    let mut line: String = text
        .chars()
        .take(MAX_CHARS)
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    if text.chars().nth(MAX_CHARS).is_some() {
        line.push('…');
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fifty_are_listed_and_the_rest_is_counted() {
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
    fn a_long_text_is_cut_and_stays_on_its_line() {
        let mut findings = Findings::default();

        findings.warn(format!("one\n{}", "ä".repeat(600)));

        assert_eq!(findings.warnings(), [format!("one {}…", "ä".repeat(496))]);
        assert!(findings.is_valid());
    }
}
