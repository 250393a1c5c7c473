//! Texts of which parts are not known.
//!
//! A value is a text with marks in place of what cannot be known. The marks are control characters, which the filter takes out of everything
//! it reads, so none of them can be forged.

use std::rc::Rc;

use super::limits::MOST_VALUE_BYTES;

/// Any text.
pub(super) const UNKNOWN: char = '\u{1}';
/// Any text, as any number of words.
pub(super) const FIELDS: char = '\u{2}';
/// Part of a file name, from a pattern: no slash, and perhaps several words.
pub(super) const GLOB: char = '\u{3}';
/// Any text that came over the network.
pub(super) const NETWORK: char = '\u{4}';
/// A number or another harmless part of a name.
pub(super) const NUMBER: char = '\u{5}';
/// Any path below the one in front.
pub(super) const DEEP: char = '\u{6}';

/// Any text that was decoded from one that is not known.
pub(super) const DECODED: char = '\u{8}';

/// The top folder of the repository, as git tells it: nobody chooses it, but it may lie above the roots.
pub(super) const TOP_OF_REPOSITORY: char = '\u{7}';

/// On both sides of the number in the name of a pipe: a text that has it was told by the filter itself.
pub(super) const PIPE: char = '\u{e}';

/// The number of a process that the text started itself.
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

/// Whether some part may be any text.
pub(super) fn is_open(value: &str) -> bool {
    value.contains(OPEN)
}

pub(super) fn is_mark(letter: char) -> bool {
    MARKS.contains(&letter)
}

/// Whether this may be the name of a variable.
pub(super) fn is_name(text: &str) -> bool {
    text.starts_with(|letter: char| letter == '_' || letter.is_ascii_alphabetic())
        && text
            .chars()
            .all(|letter| letter == '_' || letter.is_ascii_alphanumeric())
}

/// Whether the whole text is known.
pub(super) fn is_known(value: &str) -> bool {
    !value.contains(is_mark)
}

pub(super) fn from_network(value: &str) -> bool {
    value.contains(NETWORK)
}

/// Whether the whole value was decoded from a text that is not known.
pub(super) fn is_decoded(value: &str) -> bool {
    let is_blank = |letter: char| is_mark(letter) || letter.is_whitespace();
    value.contains(DECODED) && value.chars().all(is_blank)
}

/// Whether the value may turn out to be an option.
pub(super) fn may_be_option(value: &str) -> bool {
    value.starts_with(OPEN) || value.contains(FIELDS)
}

/// What is in front of the first part that may be any text.
pub(super) fn known_prefix(value: &str) -> &str {
    value.split(OPEN).next().unwrap_or_default()
}

/// The value, or one that says nothing if it is too long to be followed.
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

/// Text from outside, in which every control character is unknown.
pub(super) fn without_marks(text: &str) -> String {
    text.chars()
        .map(|letter| if is_forged(letter) { UNKNOWN } else { letter })
        .collect()
}

pub(super) fn is_forged(letter: char) -> bool {
    letter.is_control() && letter != '\n' && letter != '\t'
}

/// The value for a reader: `*` for a pattern and `?` for what is not known.
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

/// Whether `name` may be meant by `value`, in which marks stand for any letters.
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

/// What flows from one command to the next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Stream {
    /// Nothing, or nothing that matters.
    Empty,
    /// This value.
    Text(String),
    /// Bytes from another host.
    Network,
    /// What was decoded from a text that is not known.
    Decoded,
    /// Names of files, one a line, each like one of these.
    Paths(Rc<[String]>),
    /// The rest of the text that the shell reads its commands from.
    Script,
    Unknown,
}

impl Stream {
    /// Both, one after the other.
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

    /// The value that a substitution makes of it.
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
