//! Names of files and directories that commands must not change unasked.

use crate::value::{Segment, may_match};

/// Name of one or several components, in which `*` and `?` are patterns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProtectedName {
    parts: Vec<Vec<Segment>>,
}

impl ProtectedName {
    /// Returns `None` for a name without components.
    pub(crate) fn new(name: &str) -> Option<Self> {
        let parts = name.split('/').filter(|part| !matches!(*part, "" | "."));
        let parts: Vec<_> = parts.map(pattern).collect();
        (!parts.is_empty()).then_some(Self { parts })
    }

    /// Directory of a repository's settings and hooks.
    pub(super) fn repository() -> Self {
        Self {
            parts: vec![vec![Segment::Text(".git".to_owned())]],
        }
    }

    /// Returns `true` if `path` is or may be this name or below it. If `tree`, files are written
    /// below `path`, so that an ancestor of the name is enough.
    pub(super) fn protects(&self, path: &[Vec<Segment>], tree: bool) -> bool {
        (0..path.len()).any(|start| {
            let below = path.get(start..).unwrap_or_default();
            let complete = below.len() >= self.parts.len();
            (complete || tree)
                && below
                    .iter()
                    .zip(&self.parts)
                    .all(|(part, name)| may_be(part, name))
        })
    }
}

fn pattern(text: &str) -> Vec<Segment> {
    let mut segments = Vec::new();
    for letter in text.chars() {
        match (letter, segments.last_mut()) {
            ('*', _) => segments.push(Segment::Any),
            ('?', _) => segments.push(Segment::One),
            (other, Some(Segment::Text(text))) => text.push(other),
            (other, _) => segments.push(Segment::Text(other.to_string())),
        }
    }
    segments
}

fn may_be(part: &[Segment], name: &[Segment]) -> bool {
    match (part, name) {
        ([Segment::Text(text)], _) => may_match(name, canonical(text)),
        // A leading pattern does not match a leading dot.
        ([Segment::Any | Segment::One, ..], [Segment::Text(text)]) if text.starts_with('.') => {
            false
        }
        (_, [Segment::Text(text)]) => may_match(part, text),
        _ => true,
    }
}

/// Removes what file systems ignore at the end of a name, and expands the short name of `.git`.
fn canonical(text: &str) -> &str {
    let text = text.trim_end_matches(['.', ' ']);
    if text.eq_ignore_ascii_case("git~1") {
        ".git"
    } else {
        text
    }
}
