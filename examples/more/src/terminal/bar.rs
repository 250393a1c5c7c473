//! Progress bar on standard error; hidden without a terminal.

use std::io::Write;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tool_core::Progress;

use super::one_line;

/// Progress bar shared by steps and prompts, so that they do not overwrite each other. Clones share
/// one bar.
#[derive(Debug, Clone)]
pub struct Bar {
    bar: ProgressBar,
    /// Whether lines are printed to standard error.
    on_stderr: bool,
}

impl Default for Bar {
    fn default() -> Self {
        Self::new()
    }
}

impl Bar {
    /// Creates a hidden bar.
    #[must_use]
    pub fn new() -> Self {
        Self {
            bar: ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden()),
            on_stderr: false,
        }
    }

    /// Creates a hidden bar whose lines are printed to standard error.
    #[must_use]
    pub fn on_stderr() -> Self {
        Self {
            on_stderr: true,
            ..Self::new()
        }
    }

    /// Returns `true` if lines are printed to standard error.
    #[must_use]
    pub fn is_on_stderr(&self) -> bool {
        self.on_stderr
    }

    /// Shows a running task.
    pub fn start(&self, what: &str) {
        // Setting a new target clears the drawn lines.
        if self.bar.is_hidden() {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.set_style(ProgressStyle::default_spinner());
        self.bar.set_message(one_line(what, 60));
        self.bar.enable_steady_tick(Duration::from_millis(100));
    }

    /// Shows the progress of the task.
    pub fn progress(&self, progress: &Progress) {
        if let Some(total) = progress.total {
            self.bar.set_style(ProgressStyle::default_bar());
            self.bar.set_length(total);
        }
        self.bar.set_position(progress.done);
        self.bar.set_message(one_line(&progress.message, 60));
    }

    /// Hides the bar.
    pub fn hide(&self) {
        self.bar.disable_steady_tick();
        self.bar.finish_and_clear();
        // Hide first, because a reset redraws the bar.
        self.bar.set_draw_target(ProgressDrawTarget::hidden());
        self.bar.reset();
    }

    /// Prints a line above the bar.
    pub fn say(&self, line: &str) {
        self.bar.suspend(|| {
            if self.on_stderr {
                let _ = writeln!(std::io::stderr(), "{line}");
            } else {
                super::say(line);
            }
        });
    }
}
