//! Lines, blank lines and line prefixes.

use super::Flavor;

/// Maximum number of quotes and lists that indent a line.
// Each line repeats the prefixes, so without a limit the text grows with the square of the depth.
const MAX_CONTAINERS: usize = 16;

/// Text under construction.
#[derive(Debug, Default)]
pub(super) struct Writer {
    text: String,
    flavor: Flavor,
    containers: Vec<Container>,
    /// Number of line breaks before the next text.
    breaks: u8,
    /// Number of line breaks within the paragraph before the next text.
    soft_breaks: u8,
    has_space: bool,
    /// Number of open elements that keep their text on one line.
    one_line: usize,
}

/// Line prefix while an element is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Marker {
    Nothing,
    Quote,
    Bullet,
    Number(i64),
    Heading(u8),
    Definition,
}

#[derive(Debug)]
struct Container {
    marker: Marker,
    /// Width of the marker in characters, or `None` if it is not written yet.
    width: Option<usize>,
}

impl Writer {
    pub(super) fn new(flavor: Flavor) -> Self {
        Self {
            flavor,
            ..Self::default()
        }
    }

    pub(super) fn len(&self) -> usize {
        self.text.len()
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn text_mut(&mut self) -> &mut String {
        &mut self.text
    }

    pub(super) fn into_text(mut self) -> String {
        self.text.truncate(self.text.trim_end().len());
        self.text
    }

    pub(super) fn open(&mut self, marker: Marker) {
        let is_deep =
            self.containers.len() >= MAX_CONTAINERS && !matches!(marker, Marker::Heading(_));
        let marker = if is_deep { Marker::Nothing } else { marker };
        self.containers.push(Container {
            marker,
            width: None,
        });
    }

    pub(super) fn close(&mut self) {
        self.containers.pop();
    }

    pub(super) fn begin_one_line(&mut self) {
        self.one_line += 1;
    }

    pub(super) fn end_one_line(&mut self) {
        self.one_line = self.one_line.saturating_sub(1);
    }

    pub(super) fn is_one_line(&self) -> bool {
        self.one_line > 0
    }

    pub(super) fn one_line_depth(&self) -> usize {
        self.one_line
    }

    /// Starts a table row within an element that keeps its text on one line.
    pub(super) fn begin_row(&mut self) {
        if self.text.is_empty() {
            self.prefix();
        } else {
            self.begin();
        }
    }

    /// Removes the text from `start` on and the line break before it.
    pub(super) fn take_back(&mut self, start: usize) {
        self.text.truncate(start);
        let end = self.text.trim_end_matches([' ', '\n', '>']).len();
        self.text.truncate(end);
        self.breaks = 1;
    }

    /// Requires at least `lines` line breaks before the next text.
    pub(super) fn block_break(&mut self, lines: u8) {
        if self.is_one_line() {
            self.space();
            return;
        }
        self.has_space = false;
        self.soft_breaks = 0;
        // The first block of an item starts on the line of the marker.
        let is_fresh = self
            .containers
            .last()
            .is_some_and(|last| last.width.is_none());
        let is_on_marker_line = is_fresh && self.breaks > 0;
        if !self.text.is_empty() && !is_on_marker_line {
            self.breaks = self.breaks.max(lines);
        }
    }

    /// Omits the blank line before the next text.
    pub(super) fn tighten(&mut self) {
        self.breaks = self.breaks.min(1);
    }

    pub(super) fn line_break(&mut self) {
        if self.is_one_line() {
            self.space();
        } else if self.breaks == 0 && !self.text.is_empty() {
            self.soft_breaks = (self.soft_breaks + 1).min(2);
            self.has_space = false;
        }
    }

    pub(super) fn space(&mut self) {
        self.has_space = self.breaks == 0 && self.soft_breaks == 0;
    }

    pub(super) fn drop_space(&mut self) {
        self.has_space = false;
    }

    /// Returns whether the next character is the first of a line.
    pub(super) fn is_at_line_start(&self) -> bool {
        self.breaks > 0 || self.soft_breaks > 0 || self.text.is_empty()
    }

    /// Returns whether the next character directly follows another one.
    pub(super) fn is_in_word(&self) -> bool {
        !self.is_at_line_start() && !self.has_space
    }

    /// Writes the pending line breaks or space, and the prefix of a new line.
    pub(super) fn begin(&mut self) {
        if self.text.is_empty() {
            self.prefix();
        } else if self.breaks > 0 {
            for _ in 1..self.breaks {
                self.blank_line();
            }
            self.new_line();
        } else if self.soft_breaks > 1 {
            self.blank_line();
            self.new_line();
        } else if self.soft_breaks > 0 {
            if self.flavor == Flavor::Markdown {
                // Two spaces at the end of a line are a line break in Markdown.
                self.text.push_str("  ");
            }
            self.new_line();
        } else if self.has_space && !self.text.ends_with(['\t', '\n']) {
            self.text.push(' ');
        }
        self.breaks = 0;
        self.soft_breaks = 0;
        self.has_space = false;
    }

    pub(super) fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Starts a new line.
    pub(super) fn new_line(&mut self) {
        self.text.push('\n');
        self.prefix();
    }

    /// Writes a line that contains only quote markers.
    pub(super) fn blank_line(&mut self) {
        self.text.push('\n');
        let from = self.text.len();
        let open = self
            .containers
            .iter()
            .take_while(|container| container.width.is_some());
        let last_quote = open
            .enumerate()
            .filter(|(_, container)| container.marker == Marker::Quote)
            .last();
        let count = last_quote.map_or(0, |(place, _)| place + 1);
        for container in self.containers.iter().take(count) {
            container.continue_line(&mut self.text);
        }
        let end = self.text.get(from..).unwrap_or_default().trim_end().len();
        self.text.truncate(from + end);
    }

    fn prefix(&mut self) {
        let flavor = self.flavor;
        for container in &mut self.containers {
            container.begin_line(&mut self.text, flavor);
        }
    }
}

impl Container {
    fn begin_line(&mut self, text: &mut String, flavor: Flavor) {
        if self.width.is_some() {
            self.continue_line(text);
            return;
        }
        let from = text.len();
        match (self.marker, flavor) {
            (Marker::Bullet, Flavor::Plain) => text.push_str("• "),
            (Marker::Bullet, Flavor::Markdown) => text.push_str("- "),
            (Marker::Number(number), _) => {
                text.push_str(&number.to_string());
                text.push_str(". ");
            }
            (Marker::Quote, Flavor::Markdown) => text.push_str("> "),
            (Marker::Definition, Flavor::Markdown) => text.push_str(": "),
            (Marker::Heading(level), Flavor::Markdown) => {
                text.extend(std::iter::repeat_n('#', usize::from(level)));
                text.push(' ');
            }
            _ => {}
        }
        let written = text.get(from..).unwrap_or_default();
        self.width = Some(written.chars().count());
    }

    fn continue_line(&self, text: &mut String) {
        if self.marker == Marker::Quote && self.width != Some(0) {
            text.push_str("> ");
        } else {
            text.extend(std::iter::repeat_n(' ', self.width.unwrap_or_default()));
        }
    }
}
