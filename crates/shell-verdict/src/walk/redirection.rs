//! Redirections.

use super::super::state::State;
use super::super::syntax::{Command, Direction, Kind, Redirection, Target};
use super::super::value::{self, NUMBER, Stream};
use super::super::verdict::CommandRule;
use super::Walk;
use super::descriptors::{guess_of_shell, is_descriptor, receivers};
use super::reaching::Output;

/// Special builtins: the shell may exit if one of their redirections fails.
const SPECIAL: [&str; 15] = [
    ":", ".", "break", "continue", "eval", "exec", "exit", "export", "readonly", "return", "set",
    "shift", "times", "trap", "unset",
];

impl Walk<'_> {
    pub(super) fn redirected(&mut self, state: &mut State, command: &Command) -> Stream {
        if let Some(input) = &state.input {
            self.input = input.clone();
        }
        // Words and assignments are expanded first, so their commands still read the shell's input.
        let words = match &command.kind {
            Kind::Simple(simple) if self.remembers(simple) => {
                self.remembered(|walk| walk.words(state, &simple.words))
            }
            Kind::Simple(simple) => self.words(state, &simple.words),
            _ => Vec::new(),
        };
        let of_shell = self.input.clone();
        let errors = self.errors_come_back;
        let outer_guess = self.guessed_input.take();
        let (written, goes) = self.redirections(state, &command.redirections);
        if goes == Output::Somewhere && words.first().is_some_and(|name| is_special_builtin(name)) {
            self.may_end();
        }
        self.errors_come_back |= command.pipes_errors;
        self.has_own_input = command.redirections.iter().any(Redirection::is_text);
        let guess = std::mem::replace(&mut self.guessed_input, outer_guess);
        let of_command = guess.clone();
        let output = self.reading_its_own(state, command, of_command, |walk, state| {
            let inner = |walk: &mut Self, state: &mut State| match &command.kind {
                Kind::Simple(simple) if simple.is_empty() => walk.printed(command),
                Kind::Simple(simple) => walk.simple(state, simple, &words, &of_shell),
                compound => walk.compound(state, compound),
            };
            let guess = guess.or_else(|| guess_of_shell(state, command));
            walk.reading_a_guess(guess, |walk| {
                let mut guessed = state.clone();
                guessed.input = None;
                inner(walk, &mut guessed)
            });
            inner(walk, state)
        });
        if of_shell == Stream::Script && state.input.is_some() {
            self.goes_on_with(state);
        }
        let receivers = self.receivers_of(command);
        self.hands_on(state, &receivers, &output);
        self.note_downloads(&output, &written);
        let output = self.reaching(goes, output);
        let output = self.with_errors_of(command, goes, output);
        self.errors_stay |=
            self.errors_come_back && words.iter().take(2).any(|word| word == "exec");
        self.errors_come_back = errors || self.errors_stay;
        output
    }

    /// A command with its own stdin isolates `exec` redirections on both sides.
    fn reading_its_own(
        &mut self,
        state: &mut State,
        command: &Command,
        guess: Option<Stream>,
        inner: impl FnOnce(&mut Self, &mut State) -> Stream,
    ) -> Stream {
        let has_input = command.redirections.iter().any(Redirection::is_input);
        let outer = state.input.clone();
        if has_input {
            state.input = None;
        }
        let output = inner(self, state);
        let stays = std::mem::take(&mut self.stays_redirected);
        if stays {
            self.receivers_of_shell = receivers(&command.redirections);
        }
        match (has_input, stays) {
            (true, true) => state.read_from(&self.input, guess),
            (true, false) => state.input = outer,
            (false, _) => {}
        }
        output
    }

    /// A substitution of redirections only returns the content of the file.
    fn printed(&mut self, command: &Command) -> Stream {
        let reads = |redirection: &Redirection| {
            redirection.is_input() && redirection.direction == Direction::Read
        };
        if self.step() && command.redirections.iter().any(reads) {
            self.input.clone()
        } else {
            Stream::Empty
        }
    }

    /// Checks the targets and sets the input. Returns the written files and the target of the
    /// output.
    pub(super) fn redirections(
        &mut self,
        state: &mut State,
        redirections: &[Redirection],
    ) -> (Vec<String>, Output) {
        let mut written = Vec::new();
        let mut goes = Output::Here;
        for redirection in redirections {
            self.replaces_pipes(redirection);
            if let Some(name) = &redirection.variable {
                self.gets_a_number(state, name);
            }
            match &redirection.target {
                Target::Body(body) => {
                    let text =
                        self.remembered(|walk| body.get().map(|word| walk.value_of(state, word)));
                    self.feed(redirection, Stream::Text(text.unwrap_or_default()));
                }
                Target::Word(word) if redirection.direction == Direction::Text => {
                    self.is_of_bash_alone();
                    let text = self.remembered(|walk| walk.value_of(state, word));
                    self.feed(redirection, Stream::Text(text + "\n"));
                }
                Target::Word(word) => {
                    for path in self.word(state, word) {
                        goes = self.redirected_output(state, goes, redirection, &path);
                        self.redirection(state, redirection, path, &mut written);
                    }
                }
            }
        }
        (written, goes)
    }

    /// The shell assigns the descriptor number to a variable.
    pub(super) fn gets_a_number(&mut self, state: &mut State, name: &str) {
        self.check_environment(state, name, "?");
        state.assign(name, NUMBER.to_string());
    }

    fn feed(&mut self, redirection: &Redirection, input: Stream) {
        if redirection.is_input() {
            self.input = input;
        } else {
            self.note_descriptor(redirection, input);
        }
    }

    fn redirection(
        &mut self,
        state: &State,
        redirection: &Redirection,
        path: String,
        written: &mut Vec<String>,
    ) {
        let direction = redirection.direction;
        if direction == Direction::Duplicate && is_descriptor(&path) {
            self.duplicates(redirection, &path);
            return;
        }
        let sign = match direction {
            Direction::Read => "<",
            _ => ">",
        };
        self.listing(&[sign.to_owned(), path.clone()], |walk| {
            walk.judge_target(state, direction, &path);
        });
        if direction != Direction::Write {
            let seen = self.descriptor_at(&path).cloned();
            if let Some(seen) = seen.filter(|_| redirection.is_input()) {
                self.could_assume = true;
                self.guessed_input = Some(seen);
            }
            self.feed(redirection, self.content_of(&path));
        }
        if direction != Direction::Read {
            written.push(path);
        }
    }

    fn judge_target(&mut self, state: &State, direction: Direction, path: &str) {
        if path.contains("/dev/tcp") || path.contains("/dev/udp") {
            self.report(CommandRule::ReverseShell, path);
        }
        if direction != Direction::Write {
            self.reads(state, path, false);
        }
        if direction != Direction::Read {
            self.writes(state, path);
        }
    }

    pub(in super::super) fn content_of(&self, path: &str) -> Stream {
        if value::from_network(path) || self.is_download(path) {
            return Stream::Network;
        }
        if value::is_decoded(path) || self.is_decoding(path) {
            return Stream::Decoded;
        }
        if let Some(pipe) = self.pipe(path).or_else(|| self.telling_descriptor(path)) {
            return pipe.clone();
        }
        match path {
            "/dev/null" => Stream::Empty,
            "-" | "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0" => self.input.clone(),
            _ => Stream::Unknown,
        }
    }

    pub(in super::super) fn note_downloads(&mut self, output: &Stream, written: &[String]) {
        let files = match output {
            Stream::Network => &mut self.downloads,
            Stream::Decoded => &mut self.decodings,
            Stream::Text(text) if value::is_decoded(text) => &mut self.decodings,
            _ => return,
        };
        files.extend(written.iter().map(|path| file_name(path).to_owned()));
    }

    /// A known file name is sufficient, in any directory.
    pub(in super::super) fn is_download(&self, path: &str) -> bool {
        !self.downloads.is_empty() && self.downloads.contains(file_name(path))
    }

    pub(in super::super) fn is_decoding(&self, path: &str) -> bool {
        !self.decodings.is_empty() && self.decodings.contains(file_name(path))
    }
}

fn is_special_builtin(program: &str) -> bool {
    SPECIAL.contains(&program)
}

pub(in super::super) fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}
