//! The pipes of process substitutions, which have the names of files.

use super::super::syntax::{Direction, Redirection};
use super::super::value::{PIPE, Stream};
use super::Walk;

/// The number in the name of the first pipe, which is the descriptor that the shell takes for it. Later ones only differ from each other.
const FIRST: usize = 63;
/// Pipes of which it is known what they give; the descriptors below have other uses.
const MOST_PIPES: usize = 50;
/// Descriptors below have other uses than pipes.
const LEAST_DESCRIPTOR: u32 = 10;

/// A pipe that is open.
#[derive(Debug)]
pub(super) struct Pipe {
    number: usize,
    output: Stream,
}

impl Walk<'_> {
    /// The name of a new pipe that gives `output`. No text can forge it, and no other pipe ever has the same.
    pub(super) fn open_pipe(&mut self, output: Stream) -> String {
        let number = FIRST + self.pipes_so_far;
        self.pipes_so_far += 1;
        if self.pipes.len() < MOST_PIPES {
            self.pipes.push(Pipe { number, output });
        }
        format!("/dev/fd/{PIPE}{number}{PIPE}")
    }

    /// How many pipes there are.
    pub(super) fn open_pipes(&self) -> usize {
        self.pipes.len()
    }

    /// Forgets the pipes of a command that is done.
    pub(super) fn close_pipes(&mut self, before: usize) {
        self.pipes.truncate(before);
    }

    /// A redirection may put something else in the place of a pipe that is open.
    pub(super) fn replaces_pipes(&mut self, redirection: &Redirection) {
        // For a name the shell takes a number that is free, unless it is told to copy or to close.
        let takes_free =
            redirection.descriptor == u32::MAX && redirection.direction != Direction::Duplicate;
        if redirection.descriptor >= LEAST_DESCRIPTOR && !takes_free {
            for pipe in &mut self.pipes {
                pipe.output = Stream::Unknown;
            }
        }
    }

    /// What the pipe of this name gives, if there is one. A number that the text itself has written tells nothing.
    pub(super) fn pipe(&self, path: &str) -> Option<&Stream> {
        let number = path.strip_prefix("/dev/fd/")?.strip_prefix(PIPE)?;
        let number: usize = number.strip_suffix(PIPE)?.parse().ok()?;
        let pipe = self.pipes.iter().find(|pipe| pipe.number == number)?;
        Some(&pipe.output)
    }

    /// The text that the pipe of this name gives, if that is known.
    pub(in super::super) fn pipe_text(&self, path: &str) -> Option<String> {
        match self.pipe(path)? {
            Stream::Text(text) => Some(text.clone()),
            _ => None,
        }
    }
}
