//! Who decides about calls that need approval.

use std::io::{self, BufRead, IsTerminal, Read, Write};

use async_trait::async_trait;
use clap::ValueEnum;
use tool_core::RegistryBuilder;
use tool_core::approval::{Answer, ApprovalRequest, Approver, Decision, approver_fn};

/// The longest answer that is read, in bytes.
const MAX_ANSWER: u64 = 1024;

/// What becomes of calls that need approval.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Approval {
    /// They run; what is denied stays denied.
    All,
    /// You are asked at the terminal; without one they are denied.
    #[default]
    Ask,
    /// They are denied.
    None,
}

impl Approval {
    /// Sets who decides. A person can only be asked where standard input holds nothing else.
    pub(crate) fn configure(self, builder: RegistryBuilder, can_ask: bool) -> RegistryBuilder {
        match self {
            Self::All => builder.approver(approver_fn(|_request| Answer::Approve)),
            Self::Ask if can_ask && is_attended() => builder.approver(Terminal),
            // A registry without an approver denies what would ask.
            Self::Ask | Self::None => builder,
        }
    }
}

fn is_attended() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks the person at the terminal.
struct Terminal;

#[async_trait]
impl Approver for Terminal {
    async fn decide(&self, request: &ApprovalRequest) -> Decision {
        let prompt = request.to_string();
        let answer = tokio::task::spawn_blocking(move || ask(&prompt)).await;
        let no = Answer::Deny { reason: None };
        Decision::new(request, answer.map_or(no, |line| answer_of(&line)))
    }
}

/// Shows the prompt and reads one line; nothing when nobody answers.
fn ask(prompt: &str) -> String {
    let mut line = String::new();
    let shown = write!(io::stderr(), "{prompt}").and_then(|()| io::stderr().flush());
    if shown.is_ok() {
        // What cannot be read is no answer, and no answer is a no.
        let _ = io::stdin().lock().take(MAX_ANSWER).read_line(&mut line);
    }
    line
}

fn answer_of(line: &str) -> Answer {
    match line.trim().to_ascii_lowercase().as_str() {
        "y" | "yes" => Answer::Approve,
        "always" => Answer::Always,
        _ => Answer::Deny { reason: None },
    }
}
