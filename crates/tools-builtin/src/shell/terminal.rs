//! Last command of a session.

#[cfg(test)]
mod tests;

mod history;
mod last_command;

pub use history::{ExecutedCommand, TerminalHistory};
pub use last_command::{LastCommand, LastCommandInput};
