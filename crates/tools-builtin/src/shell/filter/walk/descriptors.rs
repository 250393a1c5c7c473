//! What other descriptors give, and who gets what is written, for harm alone.

use std::rc::Rc;

use super::super::state::State;
use super::super::syntax::{Command, Direction, Kind, Redirection, Script};
use super::super::value::Stream;
use super::Walk;

/// Commands that get what is written to a descriptor.
pub(super) type Receiver = (u32, Rc<Script>);

impl Walk<'_> {
    /// The descriptor `path` may still give what it was seen to get.
    pub(super) fn guess_input(&mut self, redirection: &Redirection, path: &str) {
        let number = path.trim_end_matches('-').parse().ok();
        let seen = number.and_then(|number: u32| self.descriptors.get(&number));
        if redirection.is_input() {
            self.guessed_input = seen.cloned();
        }
    }

    /// Runs `inner` with what it may read, of which only harm counts.
    pub(super) fn reading_a_guess(
        &mut self,
        guess: Option<Stream>,
        inner: impl FnOnce(&mut Self) -> Stream,
    ) {
        // Once is enough: within each other, such commands would be walked again and again.
        if let Some(guess) = guess.filter(|_| !self.counts_harm_only) {
            let outer = std::mem::replace(&mut self.input, guess);
            self.for_harm(inner);
            self.input = outer;
        }
    }

    /// The commands that get what `command` writes: its own, or else those that an `exec` gave to the shell.
    pub(super) fn receivers_of(&self, command: &Command) -> Vec<Rc<Script>> {
        let all = receivers(&command.redirections).into_iter();
        let mut all: Vec<_> = all.map(|(_, script)| script).collect();
        let mut outputs = command.redirections.iter();
        let output = outputs.find(|redirection| {
            redirection.descriptor == 1 && redirection.direction != Direction::Read
        });
        // A copy of another descriptor may lead to any of those that the shell has.
        let gets = |descriptor: u32| match output {
            None => descriptor == 1,
            Some(output) => output.direction == Direction::Duplicate,
        };
        if matches!(command.kind, Kind::Simple(_)) && !self.counts_harm_only {
            let of_shell = self.receivers_of_shell.iter();
            let of_shell = of_shell.filter(|(descriptor, _)| gets(*descriptor));
            all.extend(of_shell.map(|(_, script)| Rc::clone(script)));
        }
        all
    }

    /// Judges the commands that get what a program writes, for harm alone.
    pub(super) fn hands_on(&mut self, state: &State, scripts: &[Rc<Script>], output: &Stream) {
        let is_telling = match output {
            Stream::Network | Stream::Decoded => true,
            Stream::Text(_) => !self.counts_harm_only,
            _ => false,
        };
        for script in scripts.iter().filter(|_| is_telling) {
            let outer = std::mem::replace(&mut self.input, output.clone());
            self.for_harm(|walk| walk.deeper(|walk| walk.script(&mut state.clone(), script)));
            self.input = outer;
        }
    }
}

/// The commands behind the process substitutions that are written to, with the descriptors that lead to them.
pub(super) fn receivers(redirections: &[Redirection]) -> Vec<Receiver> {
    let of = |redirection: &Redirection| {
        let descriptor = redirection.descriptor;
        let scripts = redirection.fed_scripts().cloned();
        let scripts = scripts.map(move |script| (descriptor, script));
        scripts.collect::<Vec<_>>()
    };
    redirections.iter().flat_map(of).collect()
}
