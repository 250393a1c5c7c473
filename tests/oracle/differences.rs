//! Where brush is known to err, by classes of texts.
//!
//! A class excuses no text: it says what brush must be given in place of a text to find in it what bash finds.

/// A class of texts that bash reads as the filter does, and brush otherwise.
pub(crate) struct Difference {
    /// Why the filter is right.
    pub(crate) reason: &'static str,
    /// A text of the class.
    pub(crate) example: &'static str,
    misread: &'static str,
    instead: &'static str,
}

pub(crate) const KNOWN: &[Difference] = &[
    Difference {
        reason: "brush makes a redirection of it; the filter has no use for what flows beside the output",
        example: "ls |& wc",
        misread: "|&",
        instead: "|",
    },
    Difference {
        reason: "other shells have no such word, so the filter takes it for the program of this name",
        example: "time -v ls",
        misread: "time -v",
        instead: "\\time -v",
    },
    Difference {
        reason: "as in front of `-v`",
        example: "time -o x ls",
        misread: "time -o",
        instead: "\\time -o",
    },
    Difference {
        reason: "as in front of `-v`",
        example: "time -f %e ls",
        misread: "time -f",
        instead: "\\time -f",
    },
    Difference {
        reason: "the word is reserved behind an exclamation mark too, where brush takes it for a program",
        example: "! time -p ls",
        misread: "! time -p",
        instead: "!",
    },
    Difference {
        reason: "arithmetic ends in two signs that stand together; this is one subshell in another",
        example: "((sudo id) )",
        misread: "((sudo id)",
        instead: "(\n(sudo id)",
    },
    Difference {
        reason: "a name in braces in front of a redirection gets the number that the shell chooses; brush takes it for a word",
        example: "exec {fd}< list.txt",
        misread: "{fd}<",
        instead: "<",
    },
    Difference {
        reason: "as with `{fd}`",
        example: "exec {a}< list.txt",
        misread: "{a}<",
        instead: "<",
    },
    Difference {
        reason: "as with `{fd}`",
        example: "exec {b}< list.txt",
        misread: "{b}<",
        instead: "<",
    },
    Difference {
        reason: "as with `{fd}`",
        example: "exec {log}> list.txt",
        misread: "{log}>",
        instead: ">",
    },
];

/// The text in which brush should find what the filter's parser finds in `text`.
pub(crate) fn rewritten(text: &str) -> String {
    let apply = |text: String, known: &Difference| text.replace(known.misread, known.instead);
    KNOWN.iter().fold(text.to_owned(), apply)
}
