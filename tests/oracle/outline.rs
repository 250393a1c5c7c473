//! What a reader finds in a text, in a form that is the same for all readers.

use std::fmt;

/// The commands of a text in their order, those of a substitution in front of the command that it belongs to.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Outline {
    lines: Vec<String>,
}

impl Outline {
    /// Adds a command, or a sign between commands.
    pub(crate) fn add(&mut self, line: impl Into<String>) {
        self.lines.push(line.into());
    }

    /// Adds the redirections of a compound command, if it has any.
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

/// A text is not valid for a reader.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Refused;

/// A word before expansion: what is quoted stands behind backslashes, what is expanded in angle brackets.
#[derive(Debug, Default)]
pub(crate) struct Rendered(pub(crate) String);

impl Rendered {
    /// Text in which braces, patterns and a tilde have a meaning.
    pub(crate) fn plain(&mut self, text: &str) {
        for letter in text.chars() {
            // A sign that begins nothing stands for itself, quoted or not.
            if letter == '$' {
                self.quoted("$");
            } else {
                self.0.push(letter);
            }
        }
    }

    /// Text that stands for itself.
    pub(crate) fn quoted(&mut self, text: &str) {
        for letter in text.chars() {
            if !letter.is_alphanumeric() {
                self.0.push('\\');
            }
            self.0.push(letter);
        }
    }

    /// What is only known when it runs.
    pub(crate) fn expanded(&mut self, what: &str) {
        self.0.push('⟨');
        self.0.push_str(what);
        self.0.push('⟩');
    }
}

/// Whether a plain word of `[[ ... ]]` is an operator, which one reader keeps as a word and another as a kind.
pub(crate) fn is_operator(word: &str) -> bool {
    let is_unary = word.len() == 2 && word.starts_with('-');
    is_unary
        || matches!(
            word,
            "!" | "="
                | "=="
                | "!="
                | "=~"
                | "-eq"
                | "-ne"
                | "-lt"
                | "-le"
                | "-gt"
                | "-ge"
                | "-nt"
                | "-ot"
                | "-ef"
        )
}

/// Arithmetic without the blanks around it, which one reader drops.
pub(crate) fn arithmetic(word: &str) -> &str {
    word.trim_start_matches("\\ ").trim_end_matches("\\ ")
}
