//! Known bugs of brush.
//!
//! Each entry contains a replacement in which brush finds the same commands as bash does in the
//! original.

/// Input that brush parses differently from bash and the filter.
pub(crate) struct Difference {
    /// Reason why the filter is correct.
    pub(crate) reason: &'static str,
    pub(crate) example: &'static str,
    misread: &'static str,
    instead: &'static str,
}

pub(crate) const KNOWN: &[Difference] = &[
    Difference {
        reason: "brush parses it as a redirection, the filter as a flag of the command",
        example: "ls |& wc",
        misread: "|&",
        instead: "|",
    },
    Difference {
        reason: "other shells have no such reserved word, so the filter treats it as the program `time`",
        example: "time -v ls",
        misread: "time -v",
        instead: "\\time -v",
    },
    Difference {
        reason: "like `time -v`",
        example: "time -o x ls",
        misread: "time -o",
        instead: "\\time -o",
    },
    Difference {
        reason: "like `time -v`",
        example: "time -f %e ls",
        misread: "time -f",
        instead: "\\time -f",
    },
    Difference {
        reason: "the word is reserved after `!`, too, but brush treats it as a program",
        example: "! time -p ls",
        misread: "! time -p",
        instead: "!",
    },
];

pub(crate) fn rewritten(text: &str) -> String {
    let apply = |text: String, known: &Difference| text.replace(known.misread, known.instead);
    KNOWN.iter().fold(text.to_owned(), apply)
}
