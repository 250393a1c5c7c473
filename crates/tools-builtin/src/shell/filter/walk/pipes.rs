//! The pipes of process substitutions, which have the names of files.

use super::super::syntax::Redirection;
use super::super::value::Stream;
use super::Walk;

/// The descriptor that the shell takes for the first pipe; the next one is below it.
const FIRST: usize = 63;
/// Pipes of which it is known what they give; the descriptors below have other uses.
const MOST_PIPES: usize = 50;

impl Walk<'_> {
    /// The name of a new pipe that gives `output`.
    pub(super) fn open_pipe(&mut self, output: Stream) -> String {
        let descriptor = FIRST - self.pipes.len().min(MOST_PIPES);
        if self.pipes.len() < MOST_PIPES {
            self.pipes.push(output);
        }
        format!("/dev/fd/{descriptor}")
    }

    /// How many pipes there are.
    pub(super) fn open_pipes(&self) -> usize {
        self.pipes.len()
    }

    /// Forgets the pipes of a command that is done.
    pub(super) fn close_pipes(&mut self, before: usize) {
        self.pipes.truncate(before);
    }

    /// Whether one of `redirections` may take the descriptor of a pipe.
    pub(super) fn note_descriptors(&mut self, redirections: &[Redirection]) {
        let may_hide = |redirection: &Redirection| (10..=63).contains(&redirection.descriptor);
        self.hides_pipes |= redirections.iter().any(may_hide);
    }

    /// What the pipe of this name gives, if there is one.
    pub(super) fn pipe(&self, path: &str) -> Option<&Stream> {
        let descriptor: usize = path.strip_prefix("/dev/fd/")?.parse().ok()?;
        let pipe = self.pipes.get(FIRST.checked_sub(descriptor)?)?;
        (!self.hides_pipes).then_some(pipe)
    }

    /// The text that the pipe of this name gives, if that is known.
    pub(in super::super) fn pipe_text(&self, path: &str) -> Option<String> {
        match self.pipe(path)? {
            Stream::Text(text) => Some(text.clone()),
            _ => None,
        }
    }
}
