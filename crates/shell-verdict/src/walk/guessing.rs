//! Possible commands, checked for damage only, because they already require approval.

use super::super::state::State;
use super::super::syntax::Command;
use super::super::value::{self, Stream};
use super::{Walk, file_name};

/// Programs that are searched for among the arguments of an unknown program.
const TELLING: [&str; 17] = [
    "sudo", "doas", "pkexec", "run0", "rm", "dd", "shred", "sh", "bash", "dash", "zsh", "ksh",
    "env", "xargs", "find", "eval", "nohup",
];
/// Maximum number of commands to try among the arguments of one program.
const MOST_GUESSES: usize = 4;

impl Walk<'_> {
    /// Runs `inner`, and reports only forbidden findings.
    pub(in super::super) fn for_harm<T>(&mut self, inner: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.counts_harm_only, true);
        let endings = std::mem::take(&mut self.endings);
        let result = inner(self);
        self.endings = endings;
        self.counts_harm_only = outer;
        result
    }

    pub(in super::super) fn suspect(&mut self, state: &State, text: &str) {
        if !text.trim().is_empty() {
            self.for_harm(|walk| walk.in_shell("sh", |walk| walk.again(&mut state.clone(), text)));
        }
    }

    /// Checks a setting that may contain a command after a prefix such as `exec=` or `!`.
    pub(in super::super) fn suspect_setting(&mut self, state: &State, setting: &str) {
        let is_part_of_name =
            |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
        let value = match setting.split_once('=') {
            Some((name, value)) if !name.is_empty() && name.chars().all(is_part_of_name) => value,
            _ => setting,
        };
        // TOML string.
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

    /// Checks text as a command only if it begins with a distinctive program name.
    pub(in super::super) fn suspect_text(&mut self, state: &State, text: &str) {
        self.suspect_arguments(state, &[format!("{text} ")]);
    }

    /// Walks a command, and again with possible values if its variables are unknown.
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

    /// Returns whether a missing directory is assumed; otherwise requests a pass with that
    /// assumption.
    pub(super) fn assumes_no_folder(&mut self) -> bool {
        self.could_assume = true;
        self.lacks_folder |= self.assumes;
        self.assumes
    }

    pub(super) fn assumed(&mut self, guess: Option<&str>) -> Option<String> {
        let guess = guess.filter(|guess| !guess.is_empty() && !value::is_open(guess))?;
        self.could_assume = true;
        self.assumes.then(|| guess.to_owned())
    }
}

fn behind_option(word: &str) -> &str {
    if !word.starts_with('-') {
        return word;
    }
    match word.split_once('=') {
        Some((_, value)) => value,
        None => word.get(2..).unwrap_or_default(),
    }
}
