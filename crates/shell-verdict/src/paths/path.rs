//! Absolute paths whose components may be patterns.

use crate::value::{Segment, Value, may_match};

pub(super) type Part = Vec<Segment>;

/// Absolute path, whose components may be patterns.
#[derive(Debug, Clone)]
pub(crate) struct Path {
    pub(super) parts: Vec<Part>,
    /// Whether unknown text follows.
    pub(super) open: bool,
}

impl Path {
    /// Resolves `value` in `directory`, which is `None` if it is unknown.
    pub(crate) fn of(value: &Value, directory: Option<&str>) -> Self {
        let mut path = Self {
            parts: Vec::new(),
            open: false,
        };
        if !value.prefix().starts_with('/') {
            let Some(directory) = directory else {
                path.open = true;
                return path;
            };
            directory
                .split('/')
                .for_each(|part| path.enter(vec![Segment::Text(part.to_owned())]));
        }
        let mut part = Part::new();
        for segment in &value.segments {
            match segment {
                Segment::Unknown(_) => {
                    path.open = true;
                    return path;
                }
                Segment::Text(text) => {
                    for (at, piece) in text.split('/').enumerate() {
                        if at > 0 {
                            path.enter(std::mem::take(&mut part));
                        }
                        if !piece.is_empty() {
                            part.push(Segment::Text(piece.to_owned()));
                        }
                    }
                }
                pattern => part.push(pattern.clone()),
            }
        }
        path.enter(part);
        path
    }

    fn enter(&mut self, part: Part) {
        match part.as_slice() {
            [] => {}
            [Segment::Text(text)] if text == "." || text.is_empty() => {}
            [Segment::Text(text)] if text == ".." => {
                self.parts.pop();
            }
            _ => self.parts.push(part),
        }
        let process = self
            .parts
            .first()
            .is_some_and(|part| may_match(part, "proc"))
            && self.parts.len() >= 3;
        if process && self.parts.last().is_some_and(|part| is_text(part, "root")) {
            self.parts.clear();
        } else if process && self.parts.last().is_some_and(|part| is_text(part, "cwd")) {
            self.open = true;
        }
    }

    fn texts(&self) -> Option<Vec<&str>> {
        let texts = self.parts.iter().map(|part| match part.as_slice() {
            [Segment::Text(text)] => Some(text.as_str()),
            _ => None,
        });
        texts.collect::<Option<_>>().filter(|_| !self.open)
    }

    /// Returns the text of a path without patterns.
    pub(crate) fn literal(&self) -> Option<String> {
        self.texts().map(|texts| format!("/{}", texts.join("/")))
    }

    pub(super) fn last(&self) -> &[Segment] {
        self.parts.last().map_or(&[], Vec::as_slice)
    }

    pub(super) fn has_patterns(&self) -> bool {
        self.parts
            .iter()
            .flatten()
            .any(|segment| !matches!(segment, Segment::Text(_)))
    }

    /// Returns the directory whose content a trailing `*` or `.*` matches.
    pub(super) fn without_trailing_patterns(mut self) -> Self {
        let matches_all = |part: &[Segment]| {
            let rest = match part {
                [Segment::Text(dot), rest @ ..] if dot == "." => rest,
                rest => rest,
            };
            !rest.is_empty()
                && rest
                    .iter()
                    .all(|one| matches!(one, Segment::Any | Segment::One))
        };
        while matches_all(self.last()) {
            self.parts.pop();
        }
        self
    }

    /// Returns `true` if the path may be `target` or below it.
    pub(super) fn may_reach(&self, skip: usize, target: &str) -> bool {
        let mut parts = self.parts.iter().skip(skip);
        target
            .split('/')
            .all(|name| parts.next().is_some_and(|part| may_match(part, name)))
    }
}

pub(super) fn is_text(part: &[Segment], name: &str) -> bool {
    matches!(part, [Segment::Text(text)] if text == name)
}
