//! Text under construction, in blocks.

/// Separation of a block from the previous one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Block {
    /// Blank line.
    Apart,
    /// Blank line, unless the previous block is an item too.
    Item,
    /// Blank line, unless the previous block is a row too.
    Row,
}

/// Text under construction, up to a maximum size.
#[derive(Debug)]
pub(super) struct Blocks {
    text: String,
    last: Block,
    most: usize,
    cut: bool,
}

impl Blocks {
    pub(super) fn new(most: usize) -> Self {
        Self {
            text: String::new(),
            last: Block::Apart,
            most,
            cut: false,
        }
    }

    /// Adds a block unless it is blank.
    pub(super) fn push(&mut self, block: Block, text: &str) {
        self.push_with("", block, text);
    }

    /// Adds a block with a prefix.
    pub(super) fn push_with(&mut self, prefix: &str, block: Block, text: &str) {
        if self.cut || (text.trim().is_empty() && prefix.trim().is_empty()) {
            return;
        }
        if !self.text.is_empty() {
            let close = block == self.last && block != Block::Apart;
            self.text.push_str(if close { "\n" } else { "\n\n" });
        }
        self.last = block;
        self.text.push_str(prefix);
        let room = self.most.saturating_sub(self.text.len());
        let end = text.floor_char_boundary(room.min(text.len()));
        self.cut = end < text.len();
        self.text.push_str(text.get(..end).unwrap_or_default());
    }

    /// Separates the next block with a blank line.
    pub(super) fn part(&mut self) {
        self.last = Block::Apart;
    }

    /// Returns whether the limit was reached, so that nothing more can be added.
    pub(super) fn is_full(&self) -> bool {
        self.cut
    }

    /// Marks the text as truncated.
    pub(super) fn cut(&mut self) {
        self.cut = true;
    }

    /// Returns the text with a final newline, and whether it was truncated.
    pub(super) fn finish(mut self) -> (String, bool) {
        if self.text.len() > self.most {
            self.text.truncate(self.text.floor_char_boundary(self.most));
            self.cut = true;
        }
        // A truncated text may end in the middle of a line, so it gets no final newline.
        if !self.text.is_empty() && !self.cut {
            self.text.push('\n');
        }
        (self.text, self.cut)
    }

    pub(super) fn into_text(self) -> String {
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_lines_separate_different_kinds() {
        let mut blocks = Blocks::new(1000);
        for (block, text) in [
            (Block::Apart, "a"),
            (Block::Apart, "b"),
            (Block::Apart, " "),
            (Block::Item, "- 1"),
            (Block::Item, "- 2"),
            (Block::Row, "x\ty"),
        ] {
            blocks.push(block, text);
        }

        assert_eq!(
            blocks.finish(),
            ("a\n\nb\n\n- 1\n- 2\n\nx\ty\n".to_owned(), false)
        );
    }

    #[test]
    fn truncates_at_character_boundary() {
        let mut blocks = Blocks::new(4);
        blocks.push(Block::Apart, "aéé");
        blocks.push(Block::Apart, "more");

        assert_eq!(blocks.finish(), ("aé".to_owned(), true));
    }
}
