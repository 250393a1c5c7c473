//! The text as it grows, block by block.

/// How a block stands among its neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Block {
    /// With an empty line above.
    Apart,
    /// With an empty line above, unless the one above is an item too.
    Item,
    /// With an empty line above, unless the one above is a row too.
    Row,
}

/// The text so far, within its bound.
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

    /// Adds a block; what is blank is left out.
    pub(super) fn push(&mut self, block: Block, text: &str) {
        self.push_with("", block, text);
    }

    /// Adds a block with something in front of it.
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

    /// The next block stands apart.
    pub(super) fn part(&mut self) {
        self.last = Block::Apart;
    }

    /// Whether nothing more can be added, so that it is no use to read on.
    pub(super) fn is_full(&self) -> bool {
        self.cut
    }

    /// Says that something was left out.
    pub(super) fn cut(&mut self) {
        self.cut = true;
    }

    /// The text, whose last line ends too, and whether it was cut.
    pub(super) fn finish(mut self) -> (String, bool) {
        if self.text.len() > self.most {
            self.text.truncate(self.text.floor_char_boundary(self.most));
            self.cut = true;
        }
        if !self.text.is_empty() && !self.cut {
            self.text.push('\n');
        }
        (self.text, self.cut)
    }

    /// The text alone.
    pub(super) fn into_text(self) -> String {
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_of_one_kind_stand_close_and_others_apart() {
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
    fn the_text_is_cut_between_letters_at_its_bound() {
        let mut blocks = Blocks::new(4);
        blocks.push(Block::Apart, "aéé");
        blocks.push(Block::Apart, "more");

        assert_eq!(blocks.finish(), ("aé".to_owned(), true));
    }
}
