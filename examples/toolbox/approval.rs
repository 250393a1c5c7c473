//! Decisions about calls that require approval.

use std::io::{self, IsTerminal};

use agent_loop::TerminalApprover;
use clap::ValueEnum;
use tool_core::RegistryBuilder;
use tool_core::approval::{Answer, approver_fn};
use tools_builtin::toolsets::ToolsetName;

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
                let terminal = TerminalApprover::new().on_stderr();
                if contract == ToolsetName::CliAgent {
                    builder.approver(terminal.brief())
                } else {
                    builder.approver(terminal)
                }
            }
            // A registry without an approver denies calls that require approval.
            Self::Ask | Self::None => builder,
        }
    }
}

fn is_attended() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}
