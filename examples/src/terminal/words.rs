//! The words of a model as they come.

use std::io::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use agent_loop::ReplyPiece;

/// Prints the words of a model as they come. Clones are one.
#[derive(Debug, Clone, Default)]
pub struct Words(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    /// Whether the turn has brought words.
    shown: bool,
    /// Whether the last line is open.
    open: bool,
}

impl Words {
    /// Creates a printer that has shown nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Begins a turn.
    pub fn begin(&self) {
        *self.state() = State::default();
    }

    /// Shows a piece, if it is of what the model says.
    pub fn show(&self, piece: ReplyPiece<'_>) {
        if let ReplyPiece::Text(text) = piece {
            let mut state = self.state();
            state.shown = true;
            state.open = !text.ends_with('\n');
            let mut out = std::io::stdout().lock();
            // A reader that went away is no reason to stop.
            let _ = write!(out, "{}", harmless(text)).and_then(|()| out.flush());
        }
    }

    /// Ends the line, if it is open.
    pub fn end(&self) {
        let was_open = std::mem::take(&mut self.state().open);
        if was_open {
            super::say("");
        }
    }

    /// Whether the last turn brought words.
    #[must_use]
    pub fn were_shown(&self) -> bool {
        self.state().shown
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A text without what a terminal would obey; its lines stay.
fn harmless(text: &str) -> String {
    text.chars()
        .filter(|letter| !letter.is_control() || matches!(letter, '\n' | '\t'))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_hold_nothing_that_a_terminal_obeys() {
        assert_eq!(harmless("a\n\u{1b}[31mb\r\tc\u{7}"), "a\n[31mb\tc");
    }
}
