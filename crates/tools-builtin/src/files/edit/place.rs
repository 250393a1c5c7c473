//! Finding the place of an edit: exactly, or with one kind of difference.

use std::ops::Range;

use memchr::memmem::Finder;

use super::typography;

/// Maximum number of matches to collect. More are as ambiguous as these, and `all` replaces exact ones only.
const MAX_TOLERANT: usize = 64;

/// How a place was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Layer {
    Exact,
    LineEndings,
    TrailingBlanks,
    Indentation,
    Typography,
    LineNumbers,
}

impl Layer {
    /// Returns what differs between the quoted text and the file; `None` if nothing.
    pub(crate) fn difference(self) -> Option<&'static str> {
        match self {
            Self::Exact => None,
            Self::LineEndings => Some("line endings"),
            Self::TrailingBlanks => Some("blanks at ends of lines"),
            Self::Indentation => Some("indentation"),
            Self::Typography => Some("typographic or composed characters"),
            Self::LineNumbers => Some("line numbers before each line"),
        }
    }
}

/// A place that an edit fits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Match {
    pub(super) span: Range<usize>,
    pub(super) layer: Layer,
    pub(super) shift: Shift,
}

/// Difference between the indentation of the quoted text and of the file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) enum Shift {
    #[default]
    None,
    /// The file has this prefix in addition.
    Deeper(String),
    /// The quoted text has this prefix in addition.
    Shallower(String),
    /// The file has a tab where the quoted text has so many spaces.
    Tabs(usize),
    /// The file has so many spaces where the quoted text has a tab.
    Blanks(usize),
}

/// Returns all places of `old` that don't overlap, or only those at starts of lines.
pub(super) fn exact(text: &str, old: &str, is_lines: bool) -> Vec<Match> {
    if old.is_empty() {
        return Vec::new();
    }
    let finder = Finder::new(old);
    let starts = finder.find_iter(text.as_bytes());
    starts
        .filter(|start| !is_lines || is_line_start(text, *start))
        .map(|start| Match {
            span: start..start + old.len(),
            layer: Layer::Exact,
            shift: Shift::None,
        })
        .collect()
}

pub(super) fn is_line_start(text: &str, position: usize) -> bool {
    let before = position.checked_sub(1);
    before.is_none_or(|before| text.as_bytes().get(before) == Some(&b'\n'))
}

/// Returns all places of a string, regardless of its line endings.
pub(super) fn with_any_endings(text: &str, wanted: &str) -> Vec<Match> {
    match exact(text, wanted, false) {
        none if none.is_empty() => normalized(text, wanted, Layer::LineEndings, false),
        found => found,
    }
}

/// Finds the places of a string in another, or only at starts of lines.
pub(super) type Layered = fn(&str, &str, bool) -> Vec<Match>;

/// Returns the places of the first kind of difference with which `old` fits anywhere, or at starts of lines only.
pub(super) fn tolerant(text: &str, old: &str, is_lines: bool) -> Vec<Match> {
    let layers: [Layered; 5] = [
        |text, old, is_lines| normalized(text, old, Layer::LineEndings, is_lines),
        |text, old, is_lines| normalized(text, old, Layer::TrailingBlanks, is_lines),
        |text, old, _| indented(text, old),
        |text, old, is_lines| normalized(text, old, Layer::Typography, is_lines),
        without_numbers,
    ];
    let mut found = layers.iter().map(|find| find(text, old, is_lines));
    found.find(|found| !found.is_empty()).unwrap_or_default()
}

/// Finds `old` after one kind of difference is removed from both strings.
fn normalized(text: &str, old: &str, layer: Layer, is_lines: bool) -> Vec<Match> {
    let wanted = Normal::of(old, layer).text;
    if wanted.trim().is_empty() {
        return Vec::new();
    }
    let normal = Normal::of(text, layer);
    let finder = Finder::new(&wanted);
    let starts = finder.find_iter(normal.text.as_bytes());
    starts
        // A part of what stands for several characters, such as an ellipsis, is no place.
        .filter_map(|start| Some(normal.origin(start)?..normal.origin(start + wanted.len())?))
        .filter(|span| !is_lines || is_line_start(text, span.start))
        .take(MAX_TOLERANT)
        .map(|span| Match {
            span,
            layer,
            shift: Shift::None,
        })
        .collect()
}

/// A string without one kind of difference, with the origin of its bytes.
struct Normal {
    text: String,
    changes: Vec<Change>,
}

/// Where the offset between both strings changes.
#[derive(Debug, Clone, Copy)]
struct Change {
    here: usize,
    origin: usize,
    /// Whether the text from here on is that of the original.
    is_verbatim: bool,
}

impl Normal {
    fn of(text: &str, layer: Layer) -> Self {
        let mut normal = Self {
            text: String::with_capacity(text.len()),
            changes: Vec::new(),
        };
        normal.note(0, true);
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let (body, ending) = split_ending(line);
            // Later kinds include the earlier ones: a string with other quotes often has other whitespace too.
            let kept = if layer >= Layer::TrailingBlanks && !ending.is_empty() {
                body.trim_end_matches([' ', '\t'])
            } else {
                body
            };
            normal.push(kept, at, layer);
            if !ending.is_empty() {
                normal.note(at + body.len(), true);
                normal.text.push('\n');
                normal.note(at + line.len(), true);
            }
            at += line.len();
        }
        normal
    }

    fn push(&mut self, body: &str, at: usize, layer: Layer) {
        if layer < Layer::Typography || body.is_ascii() {
            self.text.push_str(body);
            return;
        }
        for (offset, part, plain) in typography::parts(body) {
            let Some(plain) = plain else {
                self.text.push_str(part);
                continue;
            };
            self.note(at + offset, false);
            self.text.push_str(&plain);
            self.note(at + offset + part.len(), true);
        }
    }

    /// Remembers that the next byte of this text is at `origin` in the original.
    fn note(&mut self, origin: usize, is_verbatim: bool) {
        self.changes.push(Change {
            here: self.text.len(),
            origin,
            is_verbatim,
        });
    }

    /// Returns the position in the original; `None` within what was replaced as a whole.
    fn origin(&self, position: usize) -> Option<usize> {
        let next = self
            .changes
            .partition_point(|change| change.here < position);
        let exact = self
            .changes
            .get(next)
            .filter(|change| change.here == position);
        if let Some(change) = exact {
            // The first of several: before the whitespace of an empty line, which belongs to that line.
            return Some(change.origin);
        }
        let change = self.changes.get(next.checked_sub(1)?)?;
        let offset = position - change.here;
        change.is_verbatim.then_some(change.origin + offset)
    }
}

/// Splits a line into its text and its line ending.
fn split_ending(line: &str) -> (&str, &str) {
    let body = line
        .strip_suffix('\n')
        .map_or(line, |body| body.strip_suffix('\r').unwrap_or(body));
    (body, line.get(body.len()..).unwrap_or_default())
}

/// Finds whole lines that have the same text, and whose indentation differs in the same way.
fn indented(text: &str, old: &str) -> Vec<Match> {
    let wanted: Vec<&str> = old.lines().collect();
    let Some(lead) = wanted.iter().position(|line| !line.trim().is_empty()) else {
        return Vec::new();
    };
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let starts: Vec<usize> = lines
        .iter()
        .scan(0, |at, line| {
            let start = *at;
            *at += line.len();
            Some(start)
        })
        .collect();
    let first = wanted.get(lead).map_or("", |line| line.trim());
    let has_words = old.contains(char::is_alphanumeric);
    let mut found = Vec::new();
    for (index, line) in lines.iter().enumerate().skip(lead) {
        if line.trim() != first || found.len() >= MAX_TOLERANT {
            continue;
        }
        let from = index - lead;
        let Some(window) = lines.get(from..from + wanted.len()) else {
            continue;
        };
        let (Some(shift), Some(start)) = (shift_of(&wanted, window), starts.get(from)) else {
            continue;
        };
        // Brackets alone are everywhere, and those at another depth end something else.
        if !has_words && matches!(shift, Shift::Deeper(_) | Shift::Shallower(_)) {
            continue;
        }
        let length: usize = window.iter().map(|line| line.len()).sum();
        let ending = window.last().map_or("", |line| split_ending(line).1);
        let kept = if old.ends_with('\n') { 0 } else { ending.len() };
        found.push(Match {
            span: *start..start + length - kept,
            layer: Layer::Indentation,
            shift,
        });
    }
    found
}

/// Returns the difference in indentation if it is the same in all lines, and nothing else differs.
fn shift_of(wanted: &[&str], window: &[&str]) -> Option<Shift> {
    let lines = || wanted.iter().zip(window);
    if lines().any(|(quoted, there)| quoted.trim() != there.trim()) {
        return None;
    }
    let pairs = || {
        lines()
            .filter(|(quoted, _)| !quoted.trim().is_empty())
            .map(|(quoted, there)| (indentation(quoted), indentation(there)))
    };
    // One line alone may fit several kinds.
    let possible = pairs().flat_map(|(quoted, there)| candidates(quoted, there));
    let mut possible: Vec<Shift> = possible.collect();
    possible.dedup();
    possible
        .into_iter()
        .take(MAX_TOLERANT)
        .find(|shift| pairs().all(|(quoted, there)| fits(shift, quoted, there)))
}

fn candidates(quoted: &str, there: &str) -> Vec<Shift> {
    let mut shifts = Vec::new();
    if quoted == there {
        shifts.push(Shift::None);
    }
    if let Some(prefix) = there.strip_suffix(quoted) {
        shifts.push(Shift::Deeper(prefix.to_owned()));
    }
    if let Some(prefix) = quoted.strip_suffix(there) {
        shifts.push(Shift::Shallower(prefix.to_owned()));
    }
    let is_tabs = |text: &str| !text.is_empty() && text.chars().all(|letter| letter == '\t');
    let is_blanks = |text: &str| !text.is_empty() && text.chars().all(|letter| letter == ' ');
    if is_tabs(there) && is_blanks(quoted) && quoted.len().is_multiple_of(there.len()) {
        shifts.push(Shift::Tabs(quoted.len() / there.len()));
    }
    if is_tabs(quoted) && is_blanks(there) && there.len().is_multiple_of(quoted.len()) {
        shifts.push(Shift::Blanks(there.len() / quoted.len()));
    }
    shifts
}

fn fits(shift: &Shift, quoted: &str, there: &str) -> bool {
    shift.applied(quoted).as_deref() == Some(there)
}

impl Shift {
    /// Returns the indentation that the file has for a quoted one; `None` if it can't be converted.
    pub(super) fn applied(&self, quoted: &str) -> Option<String> {
        match self {
            Self::None => Some(quoted.to_owned()),
            Self::Deeper(prefix) => Some(format!("{prefix}{quoted}")),
            Self::Shallower(prefix) => quoted.strip_prefix(prefix.as_str()).map(str::to_owned),
            Self::Tabs(width) => {
                let is_whole = quoted.chars().all(|letter| letter == ' ');
                let tabs = quoted.len() / width;
                let rest = quoted.len() % width;
                is_whole.then(|| "\t".repeat(tabs) + &" ".repeat(rest))
            }
            Self::Blanks(width) => Some(quoted.replace('\t', &" ".repeat(*width))),
        }
    }
}

pub(super) fn indentation(line: &str) -> &str {
    let end = line.find(|letter| !matches!(letter, ' ' | '\t'));
    line.get(..end.unwrap_or(line.len())).unwrap_or_default()
}

/// Finds a string whose lines were copied with their numbers, such as `12: let x`.
fn without_numbers(text: &str, old: &str, is_lines: bool) -> Vec<Match> {
    let Some(old) = unnumbered(old) else {
        return Vec::new();
    };
    let mut found = exact(text, &old, is_lines);
    if found.is_empty() {
        found = normalized(text, &old, Layer::TrailingBlanks, is_lines);
    }
    for found in &mut found {
        found.layer = Layer::LineNumbers;
    }
    found
}

/// Returns a string without line numbers, if each of its lines has one and they count up.
pub(super) fn unnumbered(text: &str) -> Option<String> {
    let mut bare = String::with_capacity(text.len());
    let mut next = None;
    for line in text.split_inclusive('\n') {
        let digits = line.trim_start_matches(' ');
        let end = digits.find(|letter: char| !letter.is_ascii_digit())?;
        let (number, rest) = digits.split_at_checked(end)?;
        let number: usize = number.parse().ok()?;
        if next.is_some_and(|next| next != number) {
            return None;
        }
        next = number.checked_add(1);
        let separators = ["\t", "→", ": ", "| ", " | ", "│", ":", "|"];
        let rest = separators
            .iter()
            .find_map(|separator| rest.strip_prefix(separator));
        bare.push_str(rest?);
    }
    next.map(|_| bare)
}
