//! Steps of scripted tools.

use std::fmt;
use std::future::pending;
use std::panic::resume_unwind;
use std::time::Duration;

use tool_core::{Progress, ToolContext, ToolError, ToolOutput};

/// Behavior of a [`ScriptedTool`](crate::ScriptedTool) in one call: delays, reports and the outcome.
///
/// # Examples
/// ```
/// use std::time::Duration;
/// use tool_core::{Progress, ToolError};
/// use tool_test::Step;
///
/// let steps = [
///     Step::fails(ToolError::failed("The printer is out of paper")),
///     Step::gives("printed").after(Duration::from_secs(2)).reports(Progress::new("half")),
///     Step::panics("on fire"),
///     Step::hangs(),
/// ];
/// assert_eq!(steps.len(), 4);
/// ```
pub struct Step {
    actions: Vec<Action>,
    end: End,
}

enum Action {
    Wait(Duration),
    CallEvent(Progress),
    Say(Box<dyn FnOnce(&ToolContext) + Send>),
}

enum End {
    Gives(ToolOutput),
    Fails(ToolError),
    Panics(String),
    Hangs,
}

impl Step {
    fn ends(end: End) -> Self {
        Self {
            actions: Vec::new(),
            end,
        }
    }

    /// Creates a step that returns this output.
    #[must_use]
    pub fn gives(output: impl Into<ToolOutput>) -> Self {
        Self::ends(End::Gives(output.into()))
    }

    /// Creates a step that fails with this error.
    #[must_use]
    pub fn fails(error: ToolError) -> Self {
        Self::ends(End::Fails(error))
    }

    /// Creates a step that panics with this message.
    #[must_use]
    pub fn panics(text: impl Into<String>) -> Self {
        Self::ends(End::Panics(text.into()))
    }

    /// Creates a step that never finishes.
    #[must_use]
    pub fn hangs() -> Self {
        Self::ends(End::Hangs)
    }

    /// Adds a delay, measured by tokio's clock.
    #[must_use]
    pub fn after(self, latency: Duration) -> Self {
        self.with(Action::Wait(latency))
    }

    /// Adds a progress report.
    #[must_use]
    pub fn reports(self, progress: Progress) -> Self {
        self.with(Action::CallEvent(progress))
    }

    /// Adds a function that uses the context, for example to add a warning.
    #[must_use]
    pub fn says(self, what: impl FnOnce(&ToolContext) + Send + 'static) -> Self {
        self.with(Action::Say(Box::new(what)))
    }

    fn with(mut self, action: Action) -> Self {
        self.actions.push(action);
        self
    }

    pub(super) async fn run(self, cx: &ToolContext) -> Result<ToolOutput, ToolError> {
        for action in self.actions {
            match action {
                Action::Wait(latency) => tokio::time::sleep(latency).await,
                Action::CallEvent(progress) => cx.progress(&progress),
                Action::Say(what) => what(cx),
            }
        }
        match self.end {
            End::Gives(output) => Ok(output),
            End::Fails(error) => Err(error),
            // Skip the panic hook, which would print to the test's output.
            End::Panics(text) => resume_unwind(Box::new(text)),
            End::Hangs => pending().await,
        }
    }
}

impl fmt::Debug for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = match &self.end {
            End::Gives(_) => "gives",
            End::Fails(_) => "fails",
            End::Panics(_) => "panics",
            End::Hangs => "hangs",
        };
        f.debug_struct("Step")
            .field("end", &end)
            .finish_non_exhaustive()
    }
}
