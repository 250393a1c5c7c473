//! Fields, such as page numbers and tables of contents.

/// Open fields. A field has an instruction and a result; instructions may contain other fields.
#[derive(Debug, Default)]
pub(super) struct Fields {
    in_instruction: Vec<bool>,
    instructions: usize,
}

impl Fields {
    /// Returns whether the current text is part of an instruction.
    pub(super) fn in_instruction(&self) -> bool {
        self.instructions > 0
    }

    /// Handles the start, separator or end of a field.
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

    /// Closes instructions at the end of their paragraph, so that they hide no further text.
    pub(super) fn end_paragraph(&mut self) {
        if self.instructions > 0 {
            self.in_instruction.fill(false);
            self.instructions = 0;
        }
    }
}
