//! Words after expansion: literal, or known only when the command runs.

/// What decides about the unknown part of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Source {
    /// Name that `mktemp` chooses, or numbers in braces.
    Name,
    /// Pattern, which only matches entries below its literal beginning.
    Pattern,
    /// Variable, substitution or braces.
    Expansion,
}

/// Word of a command. Nothing computes a dynamic one; what it begins with still tells where a path is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Value {
    /// Text for reports, in which `?` replaces what is unknown.
    shown: String,
    dynamic: Option<Dynamic>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Dynamic {
    /// Length of the literal beginning.
    known: usize,
    source: Source,
    /// Whether the word may be several words, or none.
    splits: bool,
}

impl Value {
    pub(crate) fn known(text: &str) -> Self {
        Self {
            shown: text.to_owned(),
            dynamic: None,
        }
    }

    /// Unknown text in any number of words.
    pub(crate) fn unknown() -> Self {
        let mut word = Self::default();
        word.push_dynamic("?", Source::Expansion, true);
        word
    }

    pub(crate) fn push(&mut self, text: &str) {
        self.shown.push_str(text);
    }

    pub(crate) fn push_dynamic(&mut self, shown: &str, source: Source, splits: bool) {
        let known = self.shown.len();
        self.shown.push_str(shown);
        let dynamic = self.dynamic.get_or_insert(Dynamic {
            known,
            source,
            splits,
        });
        dynamic.source = dynamic.source.max(source);
        dynamic.splits |= splits;
    }

    pub(crate) fn literal(&self) -> Option<&str> {
        self.dynamic.is_none().then_some(&self.shown)
    }

    /// Returns the text before the first unknown part.
    pub(crate) fn prefix(&self) -> &str {
        let known = self
            .dynamic
            .map_or(self.shown.len(), |dynamic| dynamic.known);
        self.shown.get(..known).unwrap_or_default()
    }

    /// Returns the text for reports.
    pub(crate) fn shown(&self) -> &str {
        &self.shown
    }

    pub(crate) fn source(&self) -> Option<Source> {
        self.dynamic.map(|dynamic| dynamic.source)
    }

    pub(crate) fn splits(&self) -> bool {
        self.dynamic.is_some_and(|dynamic| dynamic.splits)
    }

    /// Returns `true` for a dynamic word that a program may read as an option.
    pub(crate) fn may_be_option(&self) -> bool {
        // No program has options with a dot, so that `*.o` matches none.
        let is_file = self.source() == Some(Source::Pattern) && self.shown.contains('.');
        let prefix = self.prefix();
        self.dynamic.is_some() && !is_file && (self.splits() || matches!(prefix, "" | "-"))
    }

    /// Returns the word after its first `bytes` bytes, which are known.
    pub(crate) fn after(&self, bytes: usize) -> Self {
        let dynamic = self.dynamic.map(|dynamic| Dynamic {
            known: dynamic.known.saturating_sub(bytes),
            ..dynamic
        });
        Self {
            shown: self.shown.get(bytes..).unwrap_or_default().to_owned(),
            dynamic,
        }
    }

    /// Returns the word with `item` instead of `pattern`, such as `{}`.
    pub(crate) fn replaced(&self, pattern: &str, item: &Self) -> Self {
        let at = self.prefix().find(pattern);
        let Some(at) = at.filter(|_| !pattern.is_empty()) else {
            return self.clone();
        };
        let (before, rest) = self.shown.split_at(at);
        let mut word = Self::known(before);
        word.push(item.prefix());
        let splits = self.splits() || before.is_empty() && item.splits();
        let unknown = item.shown.get(item.prefix().len()..).unwrap_or_default();
        word.push_dynamic(unknown, item.source().unwrap_or(Source::Expansion), splits);
        word.push(rest.get(pattern.len()..).unwrap_or_default());
        word
    }
}

pub(crate) fn is_name(text: &str) -> bool {
    text.starts_with(|letter: char| letter == '_' || letter.is_ascii_alphabetic())
        && text
            .chars()
            .all(|letter| letter == '_' || letter.is_ascii_alphanumeric())
}
