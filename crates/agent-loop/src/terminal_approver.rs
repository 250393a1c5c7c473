//! Approval at the terminal.

use std::io::{self, BufRead, IsTerminal, Read, Write};
use std::sync::Arc;

use async_trait::async_trait;
use tool_core::approval::{Answer, ApprovalRequest, Approver, Decision};

/// Maximum length of a line, in bytes.
const MAX_LINE: u64 = 1024;
/// Number of invalid lines after which the call is denied.
const MAX_LINES: usize = 20;

/// Prompts the user at the terminal of the process, one request at a time. Denies calls without a
/// terminal.
///
/// The prompt shows the complete request, and a preview on demand. The user types `y`, `n` or
/// `always`; the end of the input, an overlong line or 20 invalid lines deny the call. The prompt of a
/// cancelled call reads one more line.
///
/// # Examples
/// ```
/// use agent_loop::TerminalApprover;
/// use tool_core::Registry;
///
/// let registry = Registry::builder().approver(TerminalApprover::new()).build();
/// assert!(registry.list().is_empty());
/// ```
#[derive(Clone, Default)]
pub struct TerminalApprover {
    settings: Settings,
    before_prompt: Option<Arc<dyn Fn() + Send + Sync>>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Settings {
    is_on_stderr: bool,
    is_brief: bool,
}

impl TerminalApprover {
    /// Creates an approver that prompts on standard output and reads standard input.
    pub fn new() -> Self {
        Self::default()
    }

    /// Prompts on standard error, for programs that write data to standard output.
    #[must_use]
    pub fn on_stderr(mut self) -> Self {
        self.settings.is_on_stderr = true;
        self
    }

    /// Shows long contents only by their size, like the alternate form of [`ApprovalRequest`].
    #[must_use]
    pub fn brief(mut self) -> Self {
        self.settings.is_brief = true;
        self
    }

    /// Calls `hook` before each prompt, for example to hide a progress bar.
    #[must_use]
    pub fn before_prompt(mut self, hook: impl Fn() + Send + Sync + 'static) -> Self {
        self.before_prompt = Some(Arc::new(hook));
        self
    }
}

#[async_trait]
impl Approver for TerminalApprover {
    async fn decide(&self, request: &ApprovalRequest) -> Decision {
        if let Some(hook) = &self.before_prompt {
            hook();
        }
        let (settings, asked) = (self.settings, request.clone());
        // Reading a terminal blocks, and a runtime with one thread would stop with it.
        let answer = tokio::task::spawn_blocking(move || settings.ask_at_terminal(&asked)).await;
        let lost = |_| no("The prompt failed");
        Decision::new(request, answer.unwrap_or_else(lost))
    }
}

impl Settings {
    fn ask_at_terminal(self, request: &ApprovalRequest) -> Answer {
        // Other registries of the process may prompt at the same time, so lock the input first.
        let mut lines = io::stdin().lock();
        if self.is_on_stderr {
            let is_attended = io::stdin().is_terminal() && io::stderr().is_terminal();
            self.ask(request, is_attended, &mut lines, &mut io::stderr())
        } else {
            let is_attended = io::stdin().is_terminal();
            self.ask(request, is_attended, &mut lines, &mut io::stdout())
        }
    }

    fn ask(
        self,
        request: &ApprovalRequest,
        is_attended: bool,
        lines: &mut impl BufRead,
        shown: &mut impl Write,
    ) -> Answer {
        let prompt = self.prompt(request);
        // A failure is detected before the answer is read.
        let _ = writeln!(shown);
        if !is_attended {
            let _ = writeln!(shown, "{prompt}n (no terminal)\n");
            return no("No terminal is available");
        }
        ask(request, &prompt, lines, shown)
    }

    fn prompt(self, request: &ApprovalRequest) -> String {
        if self.is_brief {
            format!("{request:#}")
        } else {
            request.to_string()
        }
    }
}

/// Prints the prompt, which ends in the question, and reads lines until one is a valid answer. End
/// of input denies the call.
fn ask(
    request: &ApprovalRequest,
    prompt: &str,
    lines: &mut impl BufRead,
    shown: &mut impl Write,
) -> Answer {
    let _ = write!(shown, "{prompt}");
    for _ in 0..MAX_LINES {
        // Do not approve a call that could not be shown.
        if shown.flush().is_err() {
            return no("The prompt could not be shown");
        }
        let mut line = String::new();
        let read = lines.by_ref().take(MAX_LINE).read_line(&mut line);
        if read.unwrap_or(0) == 0 {
            return no("The terminal was closed");
        }
        // Its rest might look like an answer.
        if line.len() as u64 == MAX_LINE {
            return no("The answer was too long");
        }
        if let Some(answer) = answer_of(&line) {
            return answer;
        }
        let _ = match (&request.preview, line.trim()) {
            (Some(preview), "p") => write!(shown, "\n{preview}\nApprove? (y/n/always): "),
            (Some(_), _) => write!(shown, "Type y, n or always, or p to preview the change: "),
            (None, _) => write!(shown, "Type y, n or always: "),
        };
    }
    no("No valid answer was given")
}

fn answer_of(line: &str) -> Option<Answer> {
    match line.trim().to_ascii_lowercase().as_str() {
        "y" | "yes" => Some(Answer::Approve),
        "n" | "no" => Some(Answer::Deny { reason: None }),
        "always" => Some(Answer::Always),
        _ => None,
    }
}

fn no(reason: &str) -> Answer {
    Answer::Deny {
        reason: Some(reason.to_owned()),
    }
}

tool_core::debug_fields!(TerminalApprover, this => settings: this.settings);

#[cfg(test)]
mod tests;
