//! Content and readers of other descriptors, checked for damage only.

use std::rc::Rc;

use super::super::paths::Places;
use super::super::state::State;
use super::super::syntax::{Command, Direction, Kind, Redirection, Script};
use super::super::value::{NUMBER, Stream};
use super::Walk;

/// Placeholder for numbers that the shell chooses.
const CHOSEN: u32 = u32::MAX;

/// Commands that read from a descriptor.
pub(super) type Receiver = (u32, Rc<Script>);

impl Walk<'_> {
    /// Descriptors with numbers chosen by the shell share one entry.
    pub(super) fn note_descriptor(&mut self, redirection: &Redirection, input: Stream) {
        let before = self.descriptors.remove(&redirection.descriptor);
        let before = before.filter(|_| redirection.descriptor == CHOSEN);
        let all = before.map_or(input.clone(), |before| before.then(input));
        self.descriptors.insert(redirection.descriptor, all);
    }

    /// A part of the copied descriptor may already be read, so its content is unknown.
    pub(super) fn duplicates(&mut self, redirection: &Redirection, path: &str) {
        if matches!(path, "0" | "-") {
            return;
        }
        let seen = self.seen_descriptor(path.trim_end_matches('-')).cloned();
        if !redirection.is_input() {
            self.note_descriptor(redirection, seen.unwrap_or(Stream::Unknown));
            return;
        }
        self.could_assume |= seen.is_some();
        self.guessed_input.clone_from(&seen);
        let input = seen.filter(|_| self.counts_harm_only);
        self.input = input.unwrap_or(Stream::Unknown);
    }

    fn seen_descriptor(&self, number: &str) -> Option<&Stream> {
        let number = if is_chosen(number) {
            CHOSEN
        } else {
            number.parse().ok()?
        };
        self.descriptors.get(&number)
    }

    pub(in super::super) fn descriptor_at(&self, path: &str) -> Option<&Stream> {
        if self.descriptors.is_empty() || !path.starts_with('/') {
            return None;
        }
        let path = Places::resolve(path, None)?;
        let (folder, number) = path.rsplit_once('/')?;
        // Any process may be the shell itself.
        let is_folder =
            folder == "/dev/fd" || folder.starts_with("/proc/") && folder.ends_with("/fd");
        self.seen_descriptor(number).filter(|_| is_folder)
    }

    /// Like [`Self::descriptor_at`], but only if its content counts.
    pub(super) fn telling_descriptor(&self, path: &str) -> Option<&Stream> {
        let seen = self.descriptor_at(path)?;
        let is_telling = self.counts_harm_only || matches!(seen, Stream::Network | Stream::Decoded);
        is_telling.then_some(seen)
    }

    pub(super) fn has_descriptors(&self) -> bool {
        !self.descriptors.is_empty()
    }

    /// Runs `inner` with its possible input, for damage only.
    pub(super) fn reading_a_guess(
        &mut self,
        guess: Option<Stream>,
        inner: impl FnOnce(&mut Self) -> Stream,
    ) {
        // Nested commands would be walked again and again.
        if let Some(guess) = guess.filter(|_| !self.counts_harm_only) {
            let outer = std::mem::replace(&mut self.input, guess);
            self.for_harm(inner);
            self.input = outer;
        }
    }

    /// Returns the commands that read the output of `command`, or else the ones set by `exec`.
    pub(super) fn receivers_of(&self, command: &Command) -> Vec<Rc<Script>> {
        let all = receivers(&command.redirections).into_iter();
        let mut all: Vec<_> = all.map(|(_, script)| script).collect();
        let mut outputs = command.redirections.iter();
        let output = outputs.find(|redirection| {
            redirection.descriptor == 1 && redirection.direction != Direction::Read
        });
        // A copy may refer to any descriptor of the shell.
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

pub(super) fn guess_of_shell(state: &State, command: &Command) -> Option<Stream> {
    let mut redirections = command.redirections.iter();
    let reads = matches!(command.kind, Kind::Simple(_)) && !redirections.any(Redirection::is_input);
    state.guessed_input().filter(|_| reads)
}

/// Returns the scripts in writing process substitutions, with their descriptors.
pub(super) fn receivers(redirections: &[Redirection]) -> Vec<Receiver> {
    let of = |redirection: &Redirection| {
        let descriptor = redirection.descriptor;
        let scripts = redirection.fed_scripts().cloned();
        let scripts = scripts.map(move |script| (descriptor, script));
        scripts.collect::<Vec<_>>()
    };
    redirections.iter().flat_map(of).collect()
}

pub(super) fn is_descriptor(path: &str) -> bool {
    let number = path.trim_end_matches('-');
    is_chosen(number) || number.bytes().all(|digit| digit.is_ascii_digit())
}

fn is_chosen(number: &str) -> bool {
    number.strip_prefix(NUMBER) == Some("")
}
