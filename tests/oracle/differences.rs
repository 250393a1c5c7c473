//! Where brush is known to err, by classes of texts.
//!
//! A class excuses no text: it says what brush must be given in place of a text to find in it what bash finds.

/// A class of texts that bash reads as the filter does, and brush otherwise.
pub(crate) struct Difference {
    /// Why the filter is right.
    pub(crate) reason: &'static str,
    misread: &'static str,
    instead: &'static str,
}

pub(crate) const KNOWN: &[Difference] = &[
    Difference {
        reason: "brush makes a redirection of it; the filter has no use for what flows beside the output",
        misread: "|&",
        instead: "|",
    },
    Difference {
        reason: "other shells have no such word, so the filter takes it for the program of this name",
        misread: "time -v",
        instead: "\\time -v",
    },
    Difference {
        reason: "as in front of `-v`",
        misread: "time -o",
        instead: "\\time -o",
    },
    Difference {
        reason: "as in front of `-v`",
        misread: "time -f",
        instead: "\\time -f",
    },
    Difference {
        reason: "the word is reserved behind an exclamation mark too, where brush takes it for a program",
        misread: "! time -p",
        instead: "!",
    },
    Difference {
        reason: "arithmetic ends in two signs that stand together; this is one subshell in another",
        misread: "((sudo id)",
        instead: "(\n(sudo id)",
    },
];

impl Difference {
    /// The text that brush should be given, if `text` is of this class.
    pub(crate) fn rewritten(&self, text: &str) -> Option<String> {
        text.contains(self.misread)
            .then(|| text.replace(self.misread, self.instead))
    }
}

/// The text in which brush should find what the filter's parser finds in `text`.
pub(crate) fn rewritten(text: &str) -> String {
    let apply = |text: String, known: &Difference| known.rewritten(&text).unwrap_or(text);
    KNOWN.iter().fold(text.to_owned(), apply)
}
