//! Start and end of elements, and preformatted text.

use super::escape::longest_run;
use super::writer::Marker;
use super::{List, Renderer};
use crate::role::{Format, Role};

impl<'t> Renderer<'t> {
    /// Requires at least `lines` line breaks before the next text.
    pub(super) fn block_break(&mut self, lines: u8) {
        self.close_marks();
        self.writer.block_break(lines);
    }

    /// Returns the number of line breaks around a block without margins. Markdown ignores single
    /// ones.
    fn plain_block(&self) -> u8 {
        if self.is_markdown() { 2 } else { 1 }
    }

    pub(super) fn open(&mut self, role: Role<'t>) {
        if self.separate(role) {
            return;
        }
        match role {
            Role::Heading(level) => self.open_heading(level),
            Role::Quote => {
                self.block_break(2);
                self.writer.open(Marker::Quote);
            }
            Role::List(number) => self.open_list(number),
            Role::Item(number) => self.open_item(number),
            Role::Preformatted { language } => self.open_code(language),
            Role::Table(table) => self.open_table(table),
            Role::Row => self.open_row(),
            Role::Cell { .. } => self.open_cell(),
            Role::Definition => {
                self.block_break(1);
                self.writer.tighten();
                self.writer.open(Marker::Definition);
            }
            Role::Summary => {
                self.block_break(2);
                self.in_summary += 1;
            }
            Role::Superscript => self.superscript = true,
            Role::Reading => self.write_sign("("),
            Role::Quotation => self.write_sign("\""),
            Role::Block | Role::Term | Role::Paragraph | Role::Control => {}
        }
    }

    pub(super) fn close(&mut self, role: Role<'t>) {
        if self.separate(role) {
            return;
        }
        match role {
            Role::Heading(_) => self.close_heading(),
            Role::Quote => {
                self.block_break(2);
                self.writer.close();
            }
            Role::List(_) => {
                self.lists.pop();
                self.block_break(2);
            }
            Role::Item(_) => {
                self.block_break(1);
                self.writer.close();
            }
            Role::Preformatted { .. } if self.code.is_some() => self.close_code(),
            Role::Table(_) => self.close_table(),
            Role::Row => self.close_row(),
            Role::Cell { columns, rows } => self.close_cell(columns, rows),
            Role::Definition => {
                self.block_break(self.plain_block());
                self.writer.close();
            }
            Role::Summary => {
                self.block_break(2);
                self.in_summary = self.in_summary.saturating_sub(1);
            }
            Role::Superscript => self.superscript = false,
            Role::Reading => self.write_sign(")"),
            Role::Quotation => self.write_sign("\""),
            Role::Block
            | Role::Term
            | Role::Paragraph
            | Role::Control
            | Role::Preformatted { .. } => {}
        }
    }

    /// Separates the text before and after the start or end of an element. Returns whether nothing
    /// else is required.
    fn separate(&mut self, role: Role<'t>) -> bool {
        if let Some(code) = &mut self.code {
            let is_code = matches!(role, Role::Preformatted { .. });
            if !is_code && !is_inline(role) {
                code.end_line();
            }
            return !is_code;
        }
        match role {
            Role::Block | Role::Term => self.block_break(self.plain_block()),
            Role::Paragraph => self.block_break(2),
            Role::Control => self.writer.space(),
            _ => return false,
        }
        true
    }

    fn open_heading(&mut self, level: u8) {
        self.block_break(2);
        self.writer.open(Marker::Heading(level));
        self.writer.begin_one_line();
        self.in_heading += 1;
    }

    fn close_heading(&mut self) {
        self.close_marks();
        self.writer.drop_space();
        self.writer.end_one_line();
        self.in_heading = self.in_heading.saturating_sub(1);
        self.writer.close();
        self.block_break(2);
    }

    fn open_list(&mut self, number: Option<i64>) {
        let is_nested = !self.lists.is_empty();
        self.block_break(if is_nested { 1 } else { 2 });
        // A list that does not start at 1 can interrupt a paragraph only after a blank line.
        if is_nested && number.is_none_or(|number| number == 1) {
            self.writer.tighten();
        }
        self.lists.push(List {
            next: number,
            is_empty: true,
        });
    }

    fn open_item(&mut self, own: Option<i64>) {
        self.block_break(1);
        let marker = match self.lists.last_mut() {
            None => Marker::Bullet,
            Some(list) => {
                if !list.is_empty {
                    self.writer.tighten();
                }
                list.is_empty = false;
                match list.next {
                    None => Marker::Bullet,
                    Some(next) => {
                        let number = own.unwrap_or(next);
                        list.next = Some(number.saturating_add(1));
                        Marker::Number(number)
                    }
                }
            }
        };
        if !self.writer.is_one_line() {
            self.writer.open(marker);
            return;
        }
        // In a cell or a heading the items follow each other on one line.
        self.writer.open(Marker::Nothing);
        match marker {
            Marker::Number(number) => self.write_sign(&format!("{number}.")),
            _ => self.write_sign("•"),
        }
        self.writer.space();
    }

    /// Writes punctuation next to the adjacent word.
    fn write_sign(&mut self, sign: &str) {
        self.close_marks();
        if sign == ")" {
            self.writer.drop_space();
        }
        self.flush_tabs();
        self.writer.begin();
        self.writer.push(sign);
    }
}

fn is_inline(role: Role<'_>) -> bool {
    matches!(
        role,
        Role::Superscript | Role::Reading | Role::Quotation | Role::Control
    )
}

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

impl Renderer<'_> {
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
            self.write_words(text, Format::default());
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
