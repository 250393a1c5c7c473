//! Streamed text of a model.

use std::io::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use agent_loop::ReplyPiece;

/// Prints the text of a model as it arrives. Clones share their state.
#[derive(Debug, Clone, Default)]
pub struct Words {
    state: Arc<Mutex<State>>,
    /// Whether nothing is printed.
    silent: bool,
}

#[derive(Debug, Default)]
struct State {
    /// Whether the turn printed any text.
    shown: bool,
    /// Whether the last line is not terminated.
    open: bool,
}

impl Words {
    /// Creates a printer.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a printer that prints nothing.
    #[must_use]
    pub fn silent() -> Self {
        Self {
            silent: true,
            ..Self::default()
        }
    }

    /// Starts a turn.
    pub fn begin(&self) {
        *self.state() = State::default();
    }

    /// Prints a chunk if it is text.
    pub fn show(&self, piece: ReplyPiece<'_>) {
        if let ReplyPiece::Text(text) = piece
            && !self.silent
        {
            let mut state = self.state();
            state.shown = true;
            state.open = !text.ends_with('\n');
            let mut out = std::io::stdout().lock();
            // Ignore closed pipes.
            let _ = write!(out, "{}", sanitized(text)).and_then(|()| out.flush());
        }
    }

    /// Marks the printed text as invalid. A terminal cannot remove it.
    pub fn reset(&self) {
        if self.were_shown() {
            self.end();
            super::say("  … the text above is incomplete and starts again");
        }
        self.begin();
    }

    /// Terminates the line, if necessary.
    pub fn end(&self) {
        let was_open = std::mem::take(&mut self.state().open);
        if was_open {
            super::say("");
        }
    }

    /// Returns `true` if the last turn printed any text.
    #[must_use]
    pub fn were_shown(&self) -> bool {
        self.state().shown
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Removes control characters except newlines and tabs.
fn sanitized(text: &str) -> String {
    text.chars()
        .filter(|letter| !letter.is_control() || matches!(letter, '\n' | '\t'))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removes_control_characters() {
        assert_eq!(sanitized("a\n\u{1b}[31mb\r\tc\u{7}"), "a\n[31mb\tc");
    }
}
