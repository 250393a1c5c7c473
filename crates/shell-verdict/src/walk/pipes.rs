//! Pipes of process substitutions, which have file names.

use super::super::syntax::{Direction, Redirection};
use super::super::value::{PIPE, Stream};
use super::Walk;

/// Descriptor of the first pipe in bash. Later pipes only need distinct numbers.
const FIRST: usize = 63;
/// Maximum number of tracked pipes; lower descriptors have other uses.
const MOST_PIPES: usize = 50;
const LEAST_DESCRIPTOR: u32 = 10;

#[derive(Debug)]
pub(super) struct Pipe {
    number: usize,
    output: Stream,
}

impl Walk<'_> {
    /// Creates a pipe with a unique name that the input cannot forge.
    pub(super) fn open_pipe(&mut self, output: Stream) -> String {
        let number = FIRST + self.pipes_so_far;
        self.pipes_so_far += 1;
        if self.pipes.len() < MOST_PIPES {
            self.pipes.push(Pipe { number, output });
        }
        format!("/dev/fd/{PIPE}{number}{PIPE}")
    }

    pub(super) fn open_pipes(&self) -> usize {
        self.pipes.len()
    }

    pub(super) fn close_pipes(&mut self, before: usize) {
        self.pipes.truncate(before);
    }

    /// A redirection may replace an open pipe.
    pub(super) fn replaces_pipes(&mut self, redirection: &Redirection) {
        // A named descriptor gets a free number, except for copies and closes.
        let takes_free =
            redirection.descriptor == u32::MAX && redirection.direction != Direction::Duplicate;
        if redirection.descriptor >= LEAST_DESCRIPTOR && !takes_free {
            for pipe in &mut self.pipes {
                pipe.output = Stream::Unknown;
            }
        }
    }

    /// Numbers written in the text itself do not match.
    pub(super) fn pipe(&self, path: &str) -> Option<&Stream> {
        let number = path.strip_prefix("/dev/fd/")?.strip_prefix(PIPE)?;
        let number: usize = number.strip_suffix(PIPE)?.parse().ok()?;
        let pipe = self.pipes.iter().find(|pipe| pipe.number == number)?;
        Some(&pipe.output)
    }

    pub(in super::super) fn pipe_text(&self, path: &str) -> Option<String> {
        match self.pipe(path)? {
            Stream::Text(text) => Some(text.clone()),
            _ => None,
        }
    }
}
