//! Fields, such as page numbers and tables of contents.

/// Fields: instructions, and what they gave. Fields stand in the instructions of others too.
#[derive(Debug, Default)]
pub(super) struct Fields {
    in_instruction: Vec<bool>,
    instructions: usize,
}

impl Fields {
    /// Whether what is written is an instruction, and no text.
    pub(super) fn in_instruction(&self) -> bool {
        self.instructions > 0
    }

    /// What begins, comes to its result, or ends here.
    pub(super) fn turn(&mut self, kind: &str) {
        match kind {
            "begin" => {
                self.in_instruction.push(true);
                self.instructions += 1;
            }
            "separate" => {
                if let Some(field) = self.in_instruction.last_mut()
                    && std::mem::take(field)
                {
                    self.instructions -= 1;
                }
            }
            "end" if self.in_instruction.pop() == Some(true) => self.instructions -= 1,
            _ => {}
        }
    }

    /// An instruction that did not end in its paragraph hides nothing more.
    pub(super) fn end_paragraph(&mut self) {
        if self.instructions > 0 {
            self.in_instruction.fill(false);
            self.instructions = 0;
        }
    }
}
