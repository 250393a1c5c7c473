//! Output of a command that reaches the reader of the enclosing commands.

use super::super::paths::Places;
use super::super::state::State;
use super::super::syntax::{Command, Direction, Redirection};
use super::super::value::{self, Stream};
use super::Walk;
use super::descriptors::is_descriptor;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Output {
    /// Output of the enclosing commands.
    Here,
    /// Unknown target, or a command that may not run.
    Somewhere,
    /// Target without a reader.
    Away,
}

impl Walk<'_> {
    /// Returns the target after `redirection`.
    pub(super) fn redirected_output(
        &mut self,
        state: &State,
        before: Output,
        redirection: &Redirection,
        path: &str,
    ) -> Output {
        let copies = redirection.direction == Direction::Duplicate && is_descriptor(path);
        let is_output = redirection.descriptor == 1;
        let is_error = copies && path == "2";
        let is_nothing = path == "/dev/null" || copies && path == "-";
        let is_known = is_nothing || is_output && is_error;
        let is_copy = redirection.direction == Direction::Duplicate || may_be_device(state, path);
        self.joins_outputs |= is_copy && !is_known;
        let is_of_errors =
            redirection.descriptor == 2 || is_output && redirection.direction == Direction::Write;
        if is_copy && !is_known && is_of_errors {
            // Errors follow the current target of the output.
            self.errors_come_back |= path != "1" || before == Output::Here;
        } else if redirection.descriptor == 2 && is_nothing {
            self.errors_come_back = false;
        }
        // Targets that certainly exist.
        let is_sure = is_nothing
            || copies && matches!(path, "0" | "1" | "2")
            || redirection.is_input() && (path == "/dev/stdin" || self.pipe(path).is_some());
        match before {
            _ if is_output && (is_error || is_nothing) => Output::Away,
            _ if is_output && !(copies && path == "1") => Output::Somewhere,
            // If a file is missing, the command does not run.
            Output::Here if !is_sure => Output::Somewhere,
            _ => before,
        }
    }

    pub(super) fn reaching(&self, output: Output, printed: Stream) -> Stream {
        // Zsh also passes the output to the next stage of a pipe.
        let may_come_back = self.joins_outputs || self.shells.is_zsh();
        match (output, printed) {
            (Output::Away, Stream::Text(_)) if !may_come_back => Stream::Empty,
            (Output::Here, printed) => printed,
            (_, printed) => known_to_be_doubtful(printed),
        }
    }

    pub(super) fn with_errors_of(&self, command: &Command, goes: Output, output: Stream) -> Stream {
        // The shell prints an error for a missing file.
        let is_silent = !self.traces && goes != Output::Somewhere && command.is_silent();
        if self.errors_come_back && !is_silent {
            with_errors(output)
        } else {
            output
        }
    }

    /// Records text that redirects errors to the output.
    pub(super) fn note_joined_outputs(&mut self, text: &str) {
        self.joins_outputs |= text.contains("|&") || text.contains("&>");
    }
}

/// Returns `true` if a path may refer to a descriptor, possibly through a symlink.
fn may_be_device(state: &State, path: &str) -> bool {
    path.starts_with('/') || is_device(state, path)
}

pub(in super::super) fn is_device(state: &State, path: &str) -> bool {
    let mut folders = state.directories.iter();
    folders.any(|folder| {
        let path = Places::resolve(path, folder.as_deref());
        path.is_none_or(|path| path.starts_with("/dev/") || path.starts_with("/proc/"))
    })
}

/// Adds unknown lines.
pub(super) fn with_errors(output: Stream) -> Stream {
    match output {
        Stream::Empty => Stream::Text(format!("{}\n", value::UNKNOWN)),
        other => known_to_be_doubtful(other),
    }
}

/// Output that may be missing; harmful content counts.
pub(super) fn known_to_be_doubtful(output: Stream) -> Stream {
    match output {
        Stream::Text(text) => Stream::Text(format!("{}\n{text}\n", value::UNKNOWN)),
        other => other,
    }
}
