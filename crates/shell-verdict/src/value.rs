//! Partially known strings.
//!
//! Markers replace unknown parts. They are control characters, which the filter removes from its
//! input, so they cannot be forged.

use std::rc::Rc;

use super::limits::MOST_VALUE_BYTES;

/// Unknown text.
pub(super) const UNKNOWN: char = '\u{1}';
/// Unknown text of any number of words.
pub(super) const FIELDS: char = '\u{2}';
/// Glob match: part of a file name without a slash, possibly several words.
pub(super) const GLOB: char = '\u{3}';
/// Unknown text from the network.
pub(super) const NETWORK: char = '\u{4}';
/// Number or another harmless part of a name.
pub(super) const NUMBER: char = '\u{5}';
/// Any path below the preceding one.
pub(super) const DEEP: char = '\u{6}';

/// Unknown text from a decoder.
pub(super) const DECODED: char = '\u{8}';

/// Top-level directory of the git repository, which may be above the roots.
pub(super) const TOP_OF_REPOSITORY: char = '\u{7}';

/// Encloses the number in a pipe name, so only the filter can create one.
pub(super) const PIPE: char = '\u{e}';

/// Process ID of a job of this command.
pub(super) const JOB: &str = "\u{5}!";

const OPEN: [char; 5] = [UNKNOWN, FIELDS, NETWORK, DECODED, TOP_OF_REPOSITORY];
const MARKS: [char; 9] = [
    UNKNOWN,
    FIELDS,
    GLOB,
    NETWORK,
    NUMBER,
    DEEP,
    DECODED,
    TOP_OF_REPOSITORY,
    PIPE,
];

/// Returns `true` if some part is unknown text.
pub(super) fn is_open(value: &str) -> bool {
    value.contains(OPEN)
}

pub(super) fn is_mark(letter: char) -> bool {
    MARKS.contains(&letter)
}

pub(super) fn is_name(text: &str) -> bool {
    text.starts_with(|letter: char| letter == '_' || letter.is_ascii_alphabetic())
        && text
            .chars()
            .all(|letter| letter == '_' || letter.is_ascii_alphanumeric())
}

pub(super) fn is_known(value: &str) -> bool {
    !value.contains(is_mark)
}

pub(super) fn from_network(value: &str) -> bool {
    value.contains(NETWORK)
}

/// Returns `true` if the value consists of decoded unknown text.
pub(super) fn is_decoded(value: &str) -> bool {
    let is_blank = |letter: char| is_mark(letter) || letter.is_whitespace();
    value.contains(DECODED) && value.chars().all(is_blank)
}

pub(super) fn may_be_option(value: &str) -> bool {
    value.starts_with(OPEN) || value.contains(FIELDS)
}

/// Returns the part before the first unknown text.
pub(super) fn known_prefix(value: &str) -> &str {
    value.split(OPEN).next().unwrap_or_default()
}

/// Returns the value, or an unknown one if it is too long to track.
pub(super) fn bounded(value: String) -> String {
    if value.len() <= MOST_VALUE_BYTES {
        return value;
    }
    let mark = if from_network(&value) {
        NETWORK
    } else {
        UNKNOWN
    };
    mark.to_string()
}

/// Replaces every control character with the unknown marker.
pub(super) fn without_marks(text: &str) -> String {
    text.chars()
        .map(|letter| if is_forged(letter) { UNKNOWN } else { letter })
        .collect()
}

pub(super) fn is_forged(letter: char) -> bool {
    letter.is_control() && letter != '\n' && letter != '\t'
}

/// Returns the value for display, with `*` for globs and `?` for unknown text.
pub(super) fn shown(value: &str) -> String {
    value
        .chars()
        .filter(|letter| *letter != PIPE)
        .map(|letter| match letter {
            GLOB | DEEP => '*',
            letter if letter.is_control() && letter != '\n' => '?',
            letter => letter,
        })
        .collect()
}

/// Returns `true` if `value` can expand to `name`.
pub(super) fn may_match(value: &str, name: &str) -> bool {
    if value.starts_with([GLOB, NUMBER, DEEP]) && name.starts_with('.') {
        return false;
    }
    let mut pieces = value.split(MARKS);
    let Some(mut rest) = pieces.next().and_then(|first| name.strip_prefix(first)) else {
        return false;
    };
    if !value.contains(MARKS) {
        return rest.is_empty();
    }
    let last = value.rsplit(MARKS).next().unwrap_or_default();
    for piece in pieces {
        match rest.find(piece) {
            Some(at) => rest = rest.get(at + piece.len()..).unwrap_or_default(),
            None => return false,
        }
    }
    name.ends_with(last)
}

/// Data that flows between commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Stream {
    /// Empty or irrelevant.
    Empty,
    Text(String),
    /// Bytes from the network.
    Network,
    /// Unknown text from a decoder.
    Decoded,
    /// File names, one per line, each similar to one of these.
    Paths(Rc<[String]>),
    /// Rest of the script that the shell itself reads.
    Script,
    Unknown,
}

impl Stream {
    pub(super) fn then(self, next: Self) -> Self {
        match (self, next) {
            (Self::Empty, other) | (other, Self::Empty) => other,
            (Self::Network, _) | (_, Self::Network) => Self::Network,
            (Self::Decoded, _) | (_, Self::Decoded) => Self::Decoded,
            (Self::Text(mut text), Self::Text(more))
                if text.len() + more.len() <= MOST_VALUE_BYTES =>
            {
                text.push_str(&more);
                Self::Text(text)
            }
            _ => Self::Unknown,
        }
    }

    /// Returns the value of a command substitution.
    pub(super) fn substituted(&self) -> String {
        match self {
            Self::Empty => String::new(),
            Self::Text(text) => bounded(text.trim_end_matches('\n').to_owned()),
            Self::Network => NETWORK.to_string(),
            Self::Paths(paths) if paths.len() == 1 => paths.concat(),
            Self::Decoded => DECODED.to_string(),
            Self::Paths(_) | Self::Script | Self::Unknown => UNKNOWN.to_string(),
        }
    }
}
