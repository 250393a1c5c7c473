//! Progress bar on standard error; hidden without a terminal.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tool_core::Progress;

use super::one_line;

/// Progress bar shared by steps and prompts, so that they do not overwrite each other. Clones share
/// one bar.
#[derive(Debug, Clone)]
pub struct Bar(ProgressBar);

impl Default for Bar {
    fn default() -> Self {
        Self::new()
    }
}

impl Bar {
    /// Creates a hidden bar.
    #[must_use]
    pub fn new() -> Self {
        Self(ProgressBar::with_draw_target(
            None,
            ProgressDrawTarget::hidden(),
        ))
    }

    /// Shows a running task.
    pub fn start(&self, what: &str) {
        // Setting a new target clears the drawn lines.
        if self.0.is_hidden() {
            self.0.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.0.set_style(ProgressStyle::default_spinner());
        self.0.set_message(one_line(what, 60));
        self.0.enable_steady_tick(Duration::from_millis(100));
    }

    /// Shows the progress of the task.
    pub fn progress(&self, progress: &Progress) {
        if let Some(total) = progress.total {
            self.0.set_style(ProgressStyle::default_bar());
            self.0.set_length(total);
        }
        self.0.set_position(progress.done);
        self.0.set_message(one_line(&progress.message, 60));
    }

    /// Hides the bar.
    pub fn hide(&self) {
        self.0.disable_steady_tick();
        self.0.finish_and_clear();
        // Hide first, because a reset redraws the bar.
        self.0.set_draw_target(ProgressDrawTarget::hidden());
        self.0.reset();
    }

    /// Prints a line above the bar.
    pub fn say(&self, line: &str) {
        self.0.suspend(|| super::say(line));
    }
}
