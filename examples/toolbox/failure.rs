//! Errors that stop a command.

use std::fmt::Display;
use std::io;
use std::process::ExitCode;

/// Error that stops a command.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Unusable input or options.
    Input(String),
    /// Error writing to standard output.
    Output(io::Error),
}

impl Failure {
    /// Creates an error for unusable input.
    pub(crate) fn input(what: impl Display, why: impl Display) -> Self {
        Self::Input(format!("{what}: {why}"))
    }

    /// Prints the error on one line to standard error and returns the exit status.
    pub(crate) fn report(self) -> ExitCode {
        match self {
            // The reader, such as `head`, has closed the pipe.
            Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
            Self::Output(error) => wrong(&format!("standard output cannot be written: {error}")),
            Self::Input(line) => wrong(&line),
        }
    }
}

fn wrong(line: &str) -> ExitCode {
    eprintln!("toolbox: {}", line.replace('\n', " "));
    ExitCode::from(2)
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}
