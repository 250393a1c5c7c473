//! Asking the person at the terminal.

use std::io::{IsTerminal, Write};

use async_trait::async_trait;
use tokio::sync::Mutex;
use tool_core::approval::{Answer, ApprovalRequest, Approver, Decision};

use super::Bar;

/// Asks the person at the terminal, one question at a time; where there is no terminal, the answer is no.
#[derive(Debug)]
pub struct TerminalApprover {
    bar: Bar,
    asking: Mutex<()>,
}

impl TerminalApprover {
    /// Creates an approver that hides `bar` while it asks.
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
        let block = request.to_string();
        let answer = tokio::task::spawn_blocking(move || ask(&block)).await;
        let lost = |_| no("The question could not be asked");
        Decision::new(request, answer.unwrap_or_else(lost))
    }
}

/// Prints the block, which ends in the question, and reads until the answer is one of three.
fn ask(block: &str) -> Answer {
    let (stdin, mut stdout) = (std::io::stdin(), std::io::stdout());
    let _ = write!(stdout, "\n{block}");
    if !stdin.is_terminal() {
        let _ = writeln!(stdout, "n (there is no terminal to ask at)\n");
        return no("There is no terminal to ask at");
    }
    loop {
        let _ = stdout.flush();
        let mut line = String::new();
        if stdin.read_line(&mut line).unwrap_or(0) == 0 {
            return no("The terminal was closed");
        }
        if let Some(answer) = answer_of(&line) {
            return answer;
        }
        let _ = write!(stdout, "Type y, n or always: ");
    }
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
mod tests {
    use super::*;

    #[test]
    fn only_the_three_answers_are_answers() {
        for (line, answer) in [
            ("y\n", Some(Answer::Approve)),
            (" NO ", Some(Answer::Deny { reason: None })),
            ("always\r\n", Some(Answer::Always)),
            ("\n", None),
            ("yy", None),
        ] {
            assert_eq!(answer_of(line), answer, "{line:?}");
        }
    }
}
