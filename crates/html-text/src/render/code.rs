//! Preformatted text.

use super::Renderer;
use super::escape::longest_run;

/// Content of a `<pre>`.
#[derive(Debug, Default)]
pub(super) struct Code {
    text: String,
    language: String,
    /// Number of enclosing `<pre>` elements.
    depth: usize,
}

impl Code {
    pub(super) fn push(&mut self, text: &str) {
        let text = if self.text.is_empty() {
            text.strip_prefix('\n').unwrap_or(text)
        } else {
            text
        };
        self.text.push_str(text);
    }

    pub(super) fn line_break(&mut self) {
        self.text.push('\n');
    }

    /// Ends the line unless it is empty.
    pub(super) fn end_line(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
    }
}

impl Renderer<'_, '_> {
    pub(super) fn open_code(&mut self, language: &str) {
        self.close_marks();
        match &mut self.code {
            Some(code) => {
                code.end_line();
                code.depth += 1;
            }
            None => {
                self.code = Some(Code {
                    language: language.to_owned(),
                    ..Code::default()
                });
            }
        }
    }

    pub(super) fn close_code(&mut self) {
        let Some(mut code) = self.code.take() else {
            return;
        };
        if code.depth > 0 {
            code.depth -= 1;
            code.end_line();
            self.code = Some(code);
            return;
        }
        let text = code.text.trim_end();
        if text.is_empty() {
            return;
        }
        if self.writer.is_one_line() {
            self.write_words(text, super::Format::default());
            return;
        }
        self.block_break(2);
        self.flush_tabs();
        self.write_code(text, &code.language);
        self.block_break(2);
    }

    fn write_code(&mut self, text: &str, language: &str) {
        let fence = if self.is_markdown() {
            "`".repeat((longest_run(text, '`') + 1).max(3))
        } else {
            String::new()
        };
        self.writer.begin();
        if self.is_markdown() {
            self.writer.push(&fence);
            self.writer.push(language);
            self.writer.new_line();
        }
        for (number, line) in text.split('\n').enumerate() {
            if number > 0 {
                self.writer.new_line();
            }
            self.writer.push(line.trim_end());
        }
        if self.is_markdown() {
            self.writer.new_line();
            self.writer.push(&fence);
        }
    }
}
