//! Words after expansion, as segments of known and unknown text.

use std::rc::Rc;

/// Source of unknown text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Origin {
    Unknown,
    /// Process ID of a job of this command.
    Job,
    /// Text from a decoder.
    Decoded,
    /// Text from the network.
    Download,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Segment {
    Text(String),
    /// `?` and `[...]`.
    One,
    /// `*`.
    Any,
    Unknown(Origin),
}

/// Standard input or output of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Stream {
    Text(String),
    Unknown(Origin),
}

impl Stream {
    pub(crate) fn empty() -> Self {
        Self::Text(String::new())
    }

    pub(crate) fn origin(&self) -> Origin {
        match self {
            Self::Text(_) => Origin::Unknown,
            Self::Unknown(origin) => *origin,
        }
    }

    /// Returns this stream followed by `next`.
    pub(crate) fn then(self, next: Self) -> Self {
        match (self, next) {
            (Self::Text(text), other) if text.is_empty() => other,
            (one, Self::Text(text)) if text.is_empty() => one,
            // Whether both commands print is not known.
            (one, other) => Self::Unknown(one.origin().max(other.origin())),
        }
    }
}

/// Word after expansion.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent properties of a word"
)]
pub(crate) struct Value {
    pub(crate) segments: Vec<Segment>,
    /// Whether no expansion contributed.
    pub(crate) is_written: bool,
    /// Whether the expansion may produce no word.
    pub(crate) may_be_missing: bool,
    /// Whether the expansion may produce several words.
    pub(crate) may_be_several: bool,
    /// Whether a pattern contributed.
    pub(crate) is_glob: bool,
    /// Output of a process substitution.
    pub(crate) stream: Option<Rc<Stream>>,
}

impl Value {
    pub(crate) fn written(text: &str) -> Self {
        Self {
            is_written: true,
            ..Self::known(text)
        }
    }

    pub(crate) fn known(text: &str) -> Self {
        let mut value = Self::default();
        value.push_text(text);
        value
    }

    /// Unknown text in any number of words.
    pub(crate) fn unknown(origin: Origin) -> Self {
        Self {
            segments: vec![Segment::Unknown(origin)],
            may_be_missing: true,
            may_be_several: true,
            ..Self::default()
        }
    }

    pub(crate) fn push_text(&mut self, text: &str) {
        match self.segments.last_mut() {
            Some(Segment::Text(last)) => last.push_str(text),
            _ if text.is_empty() => {}
            _ => self.segments.push(Segment::Text(text.to_owned())),
        }
    }

    pub(crate) fn push(&mut self, segment: Segment) {
        match (segment, self.segments.last_mut()) {
            (Segment::Text(text), _) => self.push_text(&text),
            (Segment::Unknown(new), Some(Segment::Unknown(origin))) => *origin = new.max(*origin),
            (other, _) => self.segments.push(other),
        }
    }

    /// Returns the text if all of it is known.
    pub(crate) fn literal(&self) -> Option<&str> {
        match self.segments.as_slice() {
            [] => Some(""),
            [Segment::Text(text)] => Some(text),
            _ => None,
        }
    }

    /// Returns the text if the word is written without expansions.
    pub(crate) fn fixed(&self) -> Option<&str> {
        self.literal().filter(|_| self.is_written)
    }

    /// Returns the known text before the first unknown segment.
    pub(crate) fn prefix(&self) -> &str {
        match self.segments.first() {
            Some(Segment::Text(text)) => text,
            _ => "",
        }
    }

    pub(crate) fn origin(&self) -> Option<Origin> {
        let origins = self.segments.iter().filter_map(|segment| match segment {
            Segment::Unknown(origin) => Some(*origin),
            _ => None,
        });
        let stream = self.stream.as_ref().map(|stream| stream.origin());
        origins.chain(stream).max()
    }

    /// Returns the text for reports: `?` replaces unknown text.
    pub(crate) fn shown(&self) -> String {
        let segments = self.segments.iter().map(|segment| match segment {
            Segment::Text(text) => text.as_str(),
            Segment::Any => "*",
            Segment::One | Segment::Unknown(_) => "?",
        });
        segments.collect()
    }

    /// Returns the word after its first `bytes` bytes, which are known text.
    pub(crate) fn after(&self, bytes: usize) -> Self {
        let mut rest = self.clone();
        if let Some(Segment::Text(text)) = rest.segments.first_mut() {
            *text = text.get(bytes..).unwrap_or_default().to_owned();
            if text.is_empty() {
                rest.segments.remove(0);
            }
        }
        rest
    }

    /// Replaces `pattern` in the known text.
    pub(crate) fn replaced(&self, pattern: &str, by: &Self) -> Self {
        let mut result = self.clone();
        if !self.shown().contains(pattern) {
            return result;
        }
        result.is_written = false;
        result.segments.clear();
        for segment in &self.segments {
            let Segment::Text(text) = segment else {
                result.push(segment.clone());
                continue;
            };
            for (at, part) in text.split(pattern).enumerate() {
                if at > 0 {
                    by.segments.iter().for_each(|one| result.push(one.clone()));
                }
                result.push_text(part);
            }
        }
        result
    }
}

/// Returns `true` if `segments` can match all of `name`, ignoring case.
pub(crate) fn may_match(segments: &[Segment], name: &str) -> bool {
    if let [Segment::Text(text)] = segments {
        return text.eq_ignore_ascii_case(name);
    }
    // Ends of the possible matches of the segments so far.
    let mut ends = vec![0];
    for segment in segments {
        ends = match segment {
            Segment::Text(text) => {
                let matches = |at: &usize| {
                    name.get(*at..at + text.len())
                        .is_some_and(|part| part.eq_ignore_ascii_case(text))
                };
                ends.into_iter()
                    .filter(matches)
                    .map(|at| at + text.len())
                    .collect()
            }
            Segment::One => {
                let next = |at: usize| Some(at + name.get(at..)?.chars().next()?.len_utf8());
                ends.into_iter().filter_map(next).collect()
            }
            Segment::Any | Segment::Unknown(_) => match ends.first() {
                Some(first) => (*first..=name.len()).collect(),
                None => return false,
            },
        };
    }
    ends.contains(&name.len())
}

pub(crate) fn is_name(text: &str) -> bool {
    text.starts_with(|letter: char| letter == '_' || letter.is_ascii_alphabetic())
        && text
            .chars()
            .all(|letter| letter == '_' || letter.is_ascii_alphanumeric())
}
