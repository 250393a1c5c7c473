//! Here-documents. Their bodies follow the line that contains the operator.

use super::super::syntax::{Part, Word};
use super::cursor::{Parsed, Parser, PendingBody};
use super::expanded_text;

impl Parser<'_> {
    pub(super) fn read_pending_bodies(&mut self) -> Parsed<()> {
        for pending in std::mem::take(&mut self.pending) {
            let text = self.body_text(&pending)?;
            let word = if pending.is_quoted {
                Word {
                    parts: vec![Part::Literal(text)],
                }
            } else {
                self.nested(|parser| expanded_text(&text, parser.depth))?
            };
            let _ = pending.body.set(word);
        }
        Ok(())
    }

    fn body_text(&mut self, pending: &PendingBody) -> Parsed<String> {
        let mut text = String::new();
        loop {
            if self.rest().is_empty() {
                return Err(self.unexpected());
            }
            let line = self.body_line(pending);
            if line == pending.delimiter {
                return Ok(text);
            }
            // Bash joins lines before it searches for the delimiter.
            if !pending.is_quoted && line.ends_with('\\') {
                return Err(self.unexpected());
            }
            text.push_str(&line);
            text.push('\n');
        }
    }

    fn body_line(&mut self, pending: &PendingBody) -> String {
        let line = self.rest().split('\n').next().unwrap_or_default();
        self.at = (self.at + line.len() + 1).min(self.text.len());
        if pending.strips_tabs {
            line.trim_start_matches('\t').to_owned()
        } else {
            line.to_owned()
        }
    }
}
