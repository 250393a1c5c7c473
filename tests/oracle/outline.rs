//! Commands of a script, in a form that all parsers share.

use std::fmt;

/// Commands in order. Commands of a substitution precede the command that contains it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Outline {
    lines: Vec<String>,
}

impl Outline {
    pub(crate) fn add(&mut self, line: impl Into<String>) {
        self.lines.push(line.into());
    }

    pub(crate) fn add_redirections(&mut self, redirections: &[String]) {
        if !redirections.is_empty() {
            self.add(redirections.join(" "));
        }
    }
}

impl fmt::Display for Outline {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.lines.join(" ⏎ "))
    }
}

/// Error for input that a parser rejects.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Refused;

/// Word before expansion. Quoted characters have backslashes, and expansions have angle brackets.
#[derive(Debug, Default)]
pub(crate) struct Rendered(pub(crate) String);

impl Rendered {
    pub(crate) fn plain(&mut self, text: &str) {
        for letter in text.chars() {
            // A sign that starts no expansion is literal, quoted or not.
            if letter == '$' {
                self.quoted("$");
            } else {
                self.0.push(letter);
            }
        }
    }

    pub(crate) fn quoted(&mut self, text: &str) {
        for letter in text.chars() {
            if !letter.is_alphanumeric() {
                self.0.push('\\');
            }
            self.0.push(letter);
        }
    }

    pub(crate) fn expanded(&mut self, what: &str) {
        self.0.push('⟨');
        self.0.push_str(what);
        self.0.push('⟩');
    }
}
