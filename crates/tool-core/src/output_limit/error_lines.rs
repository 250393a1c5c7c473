//! Lines of a long output that report errors, and the lines after them.

use std::collections::VecDeque;

/// Lines kept after a line that reports an error.
const LINES_AFTER: usize = 3;
/// Errors kept from the beginning, and from the end.
const MAX_ERRORS: usize = 5;
/// Maximum bytes of a line; of a longer one, only its beginning is kept.
const MAX_LINE_BYTES: usize = 1000;

/// Whole lines of an omitted part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KeptLines {
    /// Number of the first line, from 1.
    pub(crate) first: usize,
    pub(crate) count: usize,
    /// The lines, each with its newline.
    pub(crate) text: String,
}

/// First and last lines that report errors, each with the three lines after it.
///
/// An error in the middle of a long log is what a model is looking for, and head and tail don't show it.
#[derive(Debug, Clone, Default)]
pub(crate) struct ErrorLines {
    first: Vec<KeptLines>,
    last: VecDeque<KeptLines>,
    /// Lines that still belong to the last error.
    open: usize,
}

impl ErrorLines {
    /// Adds the lines of `text`, of which the first has the number `first`.
    pub(crate) fn of(text: &str, first: usize) -> Self {
        let mut found = Self::default();
        for (number, line) in (first..).zip(text.lines()) {
            found.push(number, line);
        }
        found
    }

    /// Adds the next line.
    pub(crate) fn push(&mut self, number: usize, line: &str) {
        if reports_error(line) {
            self.add(number, line);
            self.open = LINES_AFTER;
        } else if self.open > 0 {
            self.open -= 1;
            if let Some(error) = self.last.back_mut().or(self.first.last_mut()) {
                error.count += 1;
                push_line(&mut error.text, line);
            }
        }
    }

    fn add(&mut self, first: usize, line: &str) {
        let mut text = String::new();
        push_line(&mut text, line);
        let error = KeptLines {
            first,
            count: 1,
            text,
        };
        if self.first.len() < MAX_ERRORS {
            self.first.push(error);
            return;
        }
        if self.last.len() == MAX_ERRORS {
            self.last.pop_front();
        }
        self.last.push_back(error);
    }

    /// Returns the kept lines, in order.
    pub(crate) fn into_kept(self) -> Vec<KeptLines> {
        self.first.into_iter().chain(self.last).collect()
    }
}

/// Removes lines from the middle until the rest has at most `bytes`.
pub(crate) fn within(mut kept: Vec<KeptLines>, bytes: usize) -> Vec<KeptLines> {
    let mut total: usize = kept.iter().map(|lines| lines.text.len()).sum();
    while total > bytes && !kept.is_empty() {
        total -= kept.remove(kept.len() / 2).text.len();
    }
    kept
}

fn push_line(text: &mut String, line: &str) {
    let end = line.floor_char_boundary(MAX_LINE_BYTES);
    text.push_str(line.get(..end).unwrap_or(line));
    if end < line.len() {
        text.push('…');
    }
    text.push('\n');
}

/// Words that report an error in any case.
const WORDS: [&str; 12] = [
    "aborted",
    "error",
    "errors",
    "exception",
    "failed",
    "failure",
    "failures",
    "fatal",
    "panic",
    "panicked",
    "segfault",
    "traceback",
];
/// Words that do so in capitals only: `fail` is also an ordinary verb.
const CAPITALS: [&str; 2] = ["ERR", "FAIL"];
/// Ends of names such as `TypeError`.
const ENDINGS: [&str; 2] = ["Error", "Exception"];

/// Returns whether a line of a log reports an error, by its words.
fn reports_error(line: &str) -> bool {
    if line.starts_with("not ok ") {
        return true;
    }
    let mut before = 0;
    let mut words = line.split(|character: char| !character.is_ascii_alphabetic());
    words.any(|word| {
        let start = before;
        before += word.len() + character_after(line, before + word.len());
        is_error(word) && !is_part_of_name(line, start, word.len()) && !is_zero(line, start, word)
    })
}

/// Returns the length of the character that ended a word.
fn character_after(line: &str, end: usize) -> usize {
    let next = line.get(end..).and_then(|rest| rest.chars().next());
    next.map_or(0, char::len_utf8)
}

fn is_error(word: &str) -> bool {
    WORDS.iter().any(|known| known.eq_ignore_ascii_case(word))
        || CAPITALS.contains(&word)
        || ENDINGS.iter().any(|end| word.ends_with(end))
}

/// Returns whether the word is a part of a path, an option or an identifier, such as `src/error.rs`.
fn is_part_of_name(line: &str, start: usize, length: usize) -> bool {
    let (before, after) = (line.get(..start), line.get(start + length..));
    let after = after.unwrap_or_default();
    before
        .unwrap_or_default()
        .ends_with(['/', '\\', '-', '_', '$'])
        || after.starts_with(['/', '\\', '-', '_'])
        || after.strip_prefix('.').is_some_and(|rest| {
            rest.starts_with(|character: char| character.is_ascii_alphanumeric())
        })
}

/// Returns whether the word is counted as none: `0 errors`, `no failures`, `errors: 0`.
fn is_zero(line: &str, start: usize, word: &str) -> bool {
    let before = line.get(..start).unwrap_or_default().trim_end();
    let mut words = before.rsplit(|character: char| !character.is_ascii_alphanumeric());
    let last = words.next().unwrap_or_default();
    let after = line.get(start + word.len()..).unwrap_or_default();
    let counted = after.strip_prefix([':', '=']).map(str::trim_start);
    let is_none = counted.and_then(|rest| rest.strip_prefix('0'));
    last == "0"
        || last.eq_ignore_ascii_case("no")
        || is_none.is_some_and(|rest| !rest.starts_with(|next: char| next.is_ascii_alphanumeric()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognizes_errors_in_logs() {
        for line in [
            "error[E0308]: mismatched types",
            "src/a.c:3:5: error: unknown type",
            "make: *** [all] Error 2",
            "TypeError: x is not a function",
            "java.lang.NullPointerException: at",
            "Traceback (most recent call last):",
            "thread 'main' panicked at src/a.rs",
            "--- FAIL: TestSum",
            "not ok 3 - sums",
            "npm ERR! code ELIFECYCLE",
            "level=error msg=\"down\"",
            "{\"level\":\"ERROR\"}",
            "3 failed, 2 passed",
            "test result: FAILED. 3 passed; 1 failed",
            "Übersetzung: FATAL x",
        ] {
            assert!(reports_error(line), "{line}");
        }
        for line in [
            "",
            "   Compiling thiserror v2.0.1",
            "Compiling src/error.rs",
            "cc -Werror --fatal-warnings -c error_log.c",
            "test result: ok. 12 passed; 0 failed; 0 ignored",
            "0 errors, 3 warnings",
            "No errors found",
            "errors: 0",
            "it may fail",
            "ok 3 - terror",
        ] {
            assert!(!reports_error(line), "{line}");
        }
    }

    #[test]
    fn keeps_first_and_last_errors_with_three_lines_after() {
        let line = |number: usize| match number % 10 {
            0 => format!("error {number}"),
            rest => format!("  {number}.{rest}"),
        };
        let text: Vec<String> = (1..=1000).map(line).collect();

        let kept = ErrorLines::of(&text.join("\n"), 1).into_kept();

        let firsts: Vec<usize> = kept.iter().map(|lines| lines.first).collect();
        assert_eq!(firsts, [10, 20, 30, 40, 50, 960, 970, 980, 990, 1000]);
        assert_eq!(kept[5].text, "error 960\n  961.1\n  962.2\n  963.3\n");
        assert_eq!((kept[5].count, kept[9].count), (4, 1));
    }

    #[test]
    fn following_errors_start_their_own_lines_and_long_ones_are_cut() {
        let long = format!("error: {}", "ä".repeat(1000));

        let kept = ErrorLines::of(&format!("a\nerror 1\nerror 2\nb\n{long}"), 7).into_kept();

        let numbers: Vec<_> = kept
            .iter()
            .map(|lines| (lines.first, lines.count))
            .collect();
        assert_eq!(numbers, [(8, 1), (9, 2), (11, 1)]);
        assert!(kept[2].text.len() <= MAX_LINE_BYTES + 4);
        assert!(kept[2].text.ends_with("ä…\n"));
    }

    #[test]
    fn middle_is_removed_first_beyond_capacity() {
        let kept = ErrorLines::of(&"error\n".repeat(100), 1).into_kept();

        let few = within(kept, 12);

        let numbers: Vec<usize> = few.iter().map(|lines| lines.first).collect();
        assert_eq!(numbers, [1, 100]);
    }
}
