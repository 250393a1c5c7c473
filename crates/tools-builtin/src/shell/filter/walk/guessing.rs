//! What may be run besides what is certain: judged for harm alone, because it is asked about already.

use super::super::state::State;
use super::super::syntax::Command;
use super::super::value::{self, Stream};
use super::{Walk, file_name};

/// Programs that are looked for among the arguments of a program that is not known.
const TELLING: [&str; 17] = [
    "sudo", "doas", "pkexec", "run0", "rm", "dd", "shred", "sh", "bash", "dash", "zsh", "ksh",
    "env", "xargs", "find", "eval", "nohup",
];
/// Commands among the arguments of one program that are tried.
const MOST_GUESSES: usize = 4;

impl Walk<'_> {
    /// Runs `inner`, of which only what is forbidden counts.
    pub(in super::super) fn for_harm<T>(&mut self, inner: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.counts_harm_only, true);
        let endings = std::mem::take(&mut self.endings);
        let result = inner(self);
        self.endings = endings;
        self.counts_harm_only = outer;
        result
    }

    /// Judges text that a program hands to a shell, for harm alone.
    pub(in super::super) fn suspect(&mut self, state: &State, text: &str) {
        if !text.trim().is_empty() {
            self.for_harm(|walk| walk.in_shell("sh", |walk| walk.again(&mut state.clone(), text)));
        }
    }

    /// Judges a setting that may be a command with something in front, such as `exec=` or `!`.
    pub(in super::super) fn suspect_setting(&mut self, state: &State, setting: &str) {
        let is_part_of_name =
            |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
        let value = match setting.split_once('=') {
            Some((name, value)) if !name.is_empty() && name.chars().all(is_part_of_name) => value,
            _ => setting,
        };
        // The way of TOML to write a text.
        let inner = value
            .strip_prefix('"')
            .and_then(|rest| rest.strip_suffix('"'));
        let text = inner.unwrap_or(value).trim_start_matches(['!', '|', ' ']);
        self.suspect(state, text);
        self.for_harm(|walk| walk.substituted_again(state, text));
        if let Some(text) = self.pipe_text(value) {
            self.suspect(state, &text);
        }
    }

    /// Judges the commands that may stand among the arguments of a program, for harm alone.
    pub(in super::super) fn suspect_arguments(&mut self, state: &State, words: &[String]) {
        let mut left = MOST_GUESSES;
        for (at, word) in words.iter().enumerate() {
            let word = behind_option(word);
            let first = word.split_whitespace().next().unwrap_or_default();
            if left == 0 || !TELLING.contains(&file_name(first)) {
                continue;
            }
            left -= 1;
            if first.len() < word.len() {
                self.suspect(state, word);
            } else {
                let command = words.get(at..).unwrap_or_default();
                self.for_harm(|walk| {
                    walk.deeper(|walk| walk.run_program(&mut state.clone(), command))
                });
            }
        }
    }

    /// Judges a text that only counts as a command if it begins with a program that tells itself.
    pub(in super::super) fn suspect_text(&mut self, state: &State, text: &str) {
        self.suspect_arguments(state, &[format!("{text} ")]);
    }

    /// Walks a command, and once more with what its variables may hold if that is not known.
    pub(super) fn with_assumptions(&mut self, state: &mut State, command: &Command) -> Stream {
        if self.assumes || !command.is_simple_and_expanded() {
            return self.redirected(state, command);
        }
        let before = state.clone();
        let input = self.input.clone();
        let outer = std::mem::take(&mut self.could_assume);
        let output = self.redirected(state, command);
        if std::mem::replace(&mut self.could_assume, outer) && !self.is_exhausted() {
            self.input = input;
            self.assumes = true;
            self.for_harm(|walk| walk.redirected(&mut before.clone(), command));
            self.assumes = false;
            self.lacks_folder = false;
        }
        output
    }

    /// Whether it is tried here what happens where a folder is missing; otherwise that is worth trying.
    pub(super) fn assumes_no_folder(&mut self) -> bool {
        self.could_assume = true;
        self.lacks_folder |= self.assumes;
        self.assumes
    }

    /// The value of a variable that is not known, under assumptions.
    pub(super) fn assumed(&mut self, guess: Option<&str>) -> Option<String> {
        let guess = guess.filter(|guess| !guess.is_empty() && !value::is_open(guess))?;
        self.could_assume = true;
        self.assumes.then(|| guess.to_owned())
    }
}

/// The value that is glued to an option, or the word itself.
fn behind_option(word: &str) -> &str {
    if !word.starts_with('-') {
        return word;
    }
    match word.split_once('=') {
        Some((_, value)) => value,
        None => word.get(2..).unwrap_or_default(),
    }
}
