//! Words after expansion: literal, or known only when the command runs.

/// Source of text that is not known, from harmless to harmful.
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

/// What decides about the unknown part of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Source {
    /// Name that `mktemp` chooses.
    Temporary,
    /// Pattern, which only matches entries below its literal beginning.
    Pattern,
    /// Variable, substitution or braces.
    Expansion,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    Literal(String),
    Dynamic(Dynamic),
}

/// Word that is known only when the command runs. Nothing computes it; what it begins with still
/// tells where a path is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Dynamic {
    /// Text for reports, in which `?` replaces what is unknown.
    shown: String,
    /// Length of the literal beginning.
    known: usize,
    pub(crate) source: Source,
    pub(crate) origin: Origin,
    /// Whether the word may be several words, or none.
    pub(crate) splits: bool,
}

impl Value {
    pub(crate) fn known(text: &str) -> Self {
        Self::Literal(text.to_owned())
    }

    /// Unknown text in any number of words.
    pub(crate) fn unknown(origin: Origin) -> Self {
        let mut builder = Builder::default();
        builder.dynamic("?", Source::Expansion, origin, true);
        builder.build()
    }

    pub(crate) fn literal(&self) -> Option<&str> {
        match self {
            Self::Literal(text) => Some(text),
            Self::Dynamic(_) => None,
        }
    }

    /// Returns the text before the first unknown part.
    pub(crate) fn prefix(&self) -> &str {
        match self {
            Self::Literal(text) => text,
            Self::Dynamic(word) => word.shown.get(..word.known).unwrap_or_default(),
        }
    }

    /// Returns the text for reports.
    pub(crate) fn shown(&self) -> &str {
        match self {
            Self::Literal(text) => text,
            Self::Dynamic(word) => &word.shown,
        }
    }

    pub(crate) fn origin(&self) -> Option<Origin> {
        match self {
            Self::Literal(_) => None,
            Self::Dynamic(word) => Some(word.origin),
        }
    }

    pub(crate) fn splits(&self) -> bool {
        matches!(self, Self::Dynamic(word) if word.splits)
    }

    pub(crate) fn source(&self) -> Option<Source> {
        match self {
            Self::Literal(_) => None,
            Self::Dynamic(word) => Some(word.source),
        }
    }

    /// Returns `true` for a dynamic word that a program may read as an option.
    pub(crate) fn may_be_option(&self) -> bool {
        let prefix = self.prefix();
        // No program has options with a dot, so that `*.o` matches none.
        let is_file = self.source() == Some(Source::Pattern) && self.shown().contains('.');
        !is_file
            && self.literal().is_none()
            && (self.splits() || prefix.is_empty() || prefix == "-")
    }

    /// Returns the word after its first `bytes` bytes, which are known.
    pub(crate) fn after(&self, bytes: usize) -> Self {
        let rest = |text: &str| text.get(bytes..).unwrap_or_default().to_owned();
        match self {
            Self::Literal(text) => Self::Literal(rest(text)),
            Self::Dynamic(word) => Self::Dynamic(Dynamic {
                shown: rest(&word.shown),
                known: word.known.saturating_sub(bytes),
                ..word.clone()
            }),
        }
    }

    /// Returns the word with unknown text for each `pattern`, such as `{}`.
    pub(crate) fn replaced(&self, pattern: &str, by: &Self) -> Self {
        let Some(at) = self.shown().find(pattern).filter(|_| !pattern.is_empty()) else {
            return self.clone();
        };
        let (before, rest) = self.shown().split_at(at);
        let mut builder = Builder::default();
        builder.text(
            before
                .get(..self.prefix().len().min(at))
                .unwrap_or_default(),
        );
        builder.text(by.prefix());
        let source = by.source().unwrap_or(Source::Expansion);
        let origin = by.origin().max(self.origin()).unwrap_or(Origin::Unknown);
        builder.dynamic(
            "?",
            source,
            origin,
            self.splits() || before.is_empty() && by.splits(),
        );
        builder.text(rest.get(pattern.len()..).unwrap_or_default());
        builder.build()
    }
}

/// Collects the parts of a word.
#[derive(Debug, Default)]
pub(crate) struct Builder {
    shown: String,
    dynamic: Option<Dynamic>,
}

impl Builder {
    pub(crate) fn text(&mut self, text: &str) {
        self.shown.push_str(text);
    }

    pub(crate) fn dynamic(&mut self, shown: &str, source: Source, origin: Origin, splits: bool) {
        let known = self.shown.len();
        self.shown.push_str(shown);
        let word = self.dynamic.get_or_insert(Dynamic {
            shown: String::new(),
            known,
            source,
            origin,
            splits,
        });
        word.source = word.source.max(source);
        word.origin = word.origin.max(origin);
        word.splits |= splits;
    }

    pub(crate) fn build(self) -> Value {
        match self.dynamic {
            None => Value::Literal(self.shown),
            Some(word) => Value::Dynamic(Dynamic {
                shown: self.shown,
                ..word
            }),
        }
    }
}

pub(crate) fn is_name(text: &str) -> bool {
    text.starts_with(|letter: char| letter == '_' || letter.is_ascii_alphabetic())
        && text
            .chars()
            .all(|letter| letter == '_' || letter.is_ascii_alphanumeric())
}
