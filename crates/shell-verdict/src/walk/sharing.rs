//! Commands that read the same input sequentially.

use super::super::state::State;
use super::super::syntax::{Command, Direction, Kind, Redirection, Target, Word};
use super::super::value::{Stream, UNKNOWN};
use super::super::verdict::CommandRule;
use super::Walk;
use super::reaching::known_to_be_doubtful;

const NOT_READING: [&str; 28] = [
    ":", "[", "break", "cd", "continue", "cp", "declare", "dirname", "echo", "exit", "export",
    "false", "local", "ls", "mkdir", "mv", "printf", "pwd", "readonly", "return", "rm", "set",
    "shift", "sleep", "test", "touch", "true", "unset",
];
/// Programs that read a part of their input, with the minimum number of words.
const READING_A_PART: [(&str, usize); 13] = [
    ("read", usize::MAX),
    ("mapfile", usize::MAX),
    ("readarray", usize::MAX),
    ("line", usize::MAX),
    ("dd", usize::MAX),
    ("head", 0),
    ("sed", 1),
    ("grep", 1),
    ("egrep", 1),
    ("fgrep", 1),
    ("awk", 1),
    ("gawk", 1),
    ("mawk", 1),
];

impl Walk<'_> {
    /// Input that `command` reads is not available to the following commands.
    pub(super) fn note_reading(&mut self, command: &Command) {
        match &self.input {
            Stream::Text(text) if !text.starts_with(UNKNOWN) && may_read(command) => {
                let rest = std::mem::replace(&mut self.input, Stream::Empty);
                self.input = known_to_be_doubtful(rest);
            }
            // The start of the next command is unknown.
            Stream::Script if reads_a_part(command) => self.report(CommandRule::Opaque, ""),
            _ => {}
        }
    }

    pub(super) fn goes_on_with(&mut self, state: &State) {
        self.report(CommandRule::Opaque, "exec");
        if let Some(Stream::Text(text)) = state.guessed_input() {
            self.suspect(state, &text);
        }
    }
}

fn may_read(command: &Command) -> bool {
    let reads = match &command.kind {
        Kind::Simple(simple) => match simple.words.first().map(Word::plain) {
            Some(Some(name)) => {
                let asks = |word: &Word| {
                    let text = word.plain().unwrap_or("-i");
                    text.starts_with('-') && text.contains('i')
                };
                !NOT_READING.contains(&name)
                    || simple.is_expanded()
                    || simple.words.iter().any(asks)
            }
            Some(None) => true,
            None => simple.is_expanded(),
        },
        Kind::Function { .. } => false,
        _ => true,
    };
    reads && !command.redirections.iter().any(is_input_of_its_own)
}

fn reads_a_part(command: &Command) -> bool {
    let Kind::Simple(simple) = &command.kind else {
        return false;
    };
    if command.redirections.iter().any(is_input_of_its_own) {
        return false;
    }
    let mut words = simple.words.iter();
    let needed = words.find_map(|word| {
        let mut programs = READING_A_PART.iter();
        programs.find(|(name, _)| word.plain() == Some(name))
    });
    let is_operand = |word: &&Word| {
        let text = word.plain().unwrap_or("?");
        !text.starts_with(['-', '+']) && !text.bytes().all(|digit| digit.is_ascii_digit())
    };
    needed.is_some_and(|(_, most)| words.filter(is_operand).count() <= *most)
}

fn is_input_of_its_own(redirection: &Redirection) -> bool {
    let is_shared = match &redirection.target {
        Target::Body(_) => false,
        Target::Word(word) => {
            let path = word.plain().unwrap_or("/dev/stdin");
            redirection.direction == Direction::Duplicate
                || path != "/dev/null" && (path.starts_with("/dev/") || path.starts_with("/proc/"))
        }
    };
    redirection.is_input() && (redirection.is_text() || !is_shared)
}
