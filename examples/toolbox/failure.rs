//! Why a command ends without an answer.

use std::fmt::Display;
use std::io;
use std::process::ExitCode;

/// Why a command ends without an answer.
#[derive(Debug)]
pub(crate) enum Failure {
    /// What it was given cannot be used.
    Input(String),
    /// What it has to say cannot be written.
    Output(io::Error),
}

impl Failure {
    /// Something that cannot be used, and why.
    pub(crate) fn input(what: impl Display, why: impl Display) -> Self {
        Self::Input(format!("{what}: {why}"))
    }

    /// Says one line on standard error, and the exit status.
    pub(crate) fn report(self) -> ExitCode {
        match self {
            // Whoever reads has seen enough, as `head` does.
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
