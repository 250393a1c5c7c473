//! Decisions about calls that require approval.

use std::io::{self, BufRead, IsTerminal, Read, Write};

use async_trait::async_trait;
use clap::ValueEnum;
use tool_core::RegistryBuilder;
use tool_core::approval::{Answer, ApprovalRequest, Approver, Decision, approver_fn};
use tools_builtin::toolsets::ToolsetName;

/// Maximum length of an answer in bytes.
const MAX_ANSWER: u64 = 1024;

/// Handling of calls that require approval.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Approval {
    /// Run them. Denied calls stay denied.
    All,
    /// Prompt at the terminal; deny them without a terminal.
    #[default]
    Ask,
    /// Deny them.
    None,
}

impl Approval {
    /// Configures the approver. A prompt is possible only if standard input is not used for data.
    /// With the contract `cli_agent`, the prompt has the form of its document.
    pub(crate) fn configure(
        self,
        builder: RegistryBuilder,
        can_ask: bool,
        contract: ToolsetName,
    ) -> RegistryBuilder {
        match self {
            Self::All => builder.approver(approver_fn(|_request| Answer::Approve)),
            Self::Ask if can_ask && is_attended() => {
                let is_brief = contract == ToolsetName::CliAgent;
                builder.approver(Terminal { is_brief })
            }
            // A registry without an approver denies calls that require approval.
            Self::Ask | Self::None => builder,
        }
    }
}

fn is_attended() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Prompts the user at the terminal.
struct Terminal {
    /// Whether contents are shown only by their size.
    is_brief: bool,
}

#[async_trait]
impl Approver for Terminal {
    async fn decide(&self, request: &ApprovalRequest) -> Decision {
        let prompt = if self.is_brief {
            format!("{request:#}")
        } else {
            request.to_string()
        };
        let answer = tokio::task::spawn_blocking(move || ask(&prompt)).await;
        let no = Answer::Deny { reason: None };
        Decision::new(request, answer.map_or(no, |line| answer_of(&line)))
    }
}

/// Shows the prompt and reads one line; empty at end of input.
fn ask(prompt: &str) -> String {
    let mut line = String::new();
    let shown = write!(io::stderr(), "{prompt}").and_then(|()| io::stderr().flush());
    if shown.is_ok() {
        // Read errors and empty lines deny the call.
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
