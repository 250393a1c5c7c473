//! Approval at the terminal.

use std::io::{BufRead, IsTerminal, Read, Write};

use async_trait::async_trait;
use tokio::sync::Mutex;
use tool_core::approval::{Answer, ApprovalRequest, Approver, Decision};

use super::Bar;

/// Maximum length of a line, in bytes.
const MAX_LINE: u64 = 1024;
/// Number of invalid lines after which the call is denied.
const MAX_LINES: usize = 20;

/// Prompts the user at the terminal, one request at a time. Denies calls without a terminal.
#[derive(Debug)]
pub struct TerminalApprover {
    bar: Bar,
    asking: Mutex<()>,
}

impl TerminalApprover {
    /// Creates an approver that hides `bar` during prompts.
    #[must_use]
    pub fn new(bar: Bar) -> Self {
        Self {
            bar,
            asking: Mutex::new(()),
        }
    }
}

#[async_trait]
impl Approver for TerminalApprover {
    async fn decide(&self, request: &ApprovalRequest) -> Decision {
        let _one_at_a_time = self.asking.lock().await;
        self.bar.hide();
        let asked = request.clone();
        let answer = tokio::task::spawn_blocking(move || ask_at_terminal(&asked)).await;
        let lost = |_| no("The prompt failed");
        Decision::new(request, answer.unwrap_or_else(lost))
    }
}

fn ask_at_terminal(request: &ApprovalRequest) -> Answer {
    let (stdin, mut stdout) = (std::io::stdin(), std::io::stdout());
    let _ = writeln!(stdout);
    if !stdin.is_terminal() {
        let _ = writeln!(stdout, "{request}n (no terminal)\n");
        return no("No terminal is available");
    }
    ask(request, &mut stdin.lock(), &mut stdout)
}

/// Prints the request, which ends in the question, and reads lines until one is a valid answer. End
/// of input denies the call.
fn ask(request: &ApprovalRequest, lines: &mut impl BufRead, shown: &mut impl Write) -> Answer {
    let _ = write!(shown, "{request}");
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

#[cfg(test)]
mod tests;
