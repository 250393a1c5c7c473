//! A bar that shows that something runs, on the standard error; nothing where that is no terminal.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tool_core::Progress;

use super::one_line;

/// A bar that steps and questions share, so that they do not write over each other. Clones are one bar.
#[derive(Debug, Clone)]
pub struct Bar(ProgressBar);

impl Default for Bar {
    fn default() -> Self {
        Self::new()
    }
}

impl Bar {
    /// Creates a bar that shows nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self(ProgressBar::with_draw_target(
            None,
            ProgressDrawTarget::hidden(),
        ))
    }

    /// Shows that something runs.
    pub fn start(&self, what: &str) {
        self.0.set_draw_target(ProgressDrawTarget::stderr());
        self.0.set_style(ProgressStyle::default_spinner());
        self.0.set_message(one_line(what, 60));
        self.0.enable_steady_tick(Duration::from_millis(100));
    }

    /// Shows how far it has come.
    pub fn progress(&self, progress: &Progress) {
        if let Some(total) = progress.total {
            self.0.set_style(ProgressStyle::default_bar());
            self.0.set_length(total);
        }
        self.0.set_position(progress.done);
        self.0.set_message(one_line(&progress.message, 60));
    }

    /// Shows nothing any more.
    pub fn hide(&self) {
        self.0.disable_steady_tick();
        self.0.finish_and_clear();
        self.0.reset();
        self.0.set_draw_target(ProgressDrawTarget::hidden());
    }

    /// Writes a line above the bar.
    pub fn say(&self, line: &str) {
        self.0.suspend(|| super::say(line));
    }
}
