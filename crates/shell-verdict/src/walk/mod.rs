//! Walk through the commands of a script with the known state of the shell.

mod again;
mod arithmetic;
mod assembly;
mod braces;
mod changes;
mod control;
mod descriptors;
mod environment;
mod expansion;
mod failing;
mod fixed;
mod functions;
mod guessing;
mod lists;
mod loops;
mod options;
mod parameters;
mod pipes;
mod reaching;
mod redirection;
mod reporting;
mod sharing;
mod shells;
mod simple;
mod telling;
mod written;

pub(super) use control::known_to_be_there_or_not;
pub(super) use expansion::only_directory;
pub(super) use reaching::is_device;
pub(super) use redirection::file_name;
pub(super) use shells::{Installed, Printing};

use descriptors::Receiver;
use failing::Endings;
use pipes::Pipe;
use shells::Shells;
use written::Written;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Range;
use std::rc::Rc;

use super::limits::{MOST_FOR_FURTHER_SHELLS, MOST_NESTING, MOST_STEPS, MOST_WORK};
use super::parse::{self, ParseError};
use super::paths::Places;
use super::settings::Settings;
use super::state::State;
use super::syntax::Command;
use super::value::Stream;
use super::verdict::{CommandRule, Judgement};

/// Cost of a word in addition to its bytes.
const WORK_OF_A_WORD: usize = 16;

#[derive(Debug)]
struct Function {
    body: Rc<Command>,
    is_called: bool,
}

/// State of one check.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "the flags are independent")]
pub(super) struct Walk<'filter> {
    pub(super) places: &'filter Places,
    pub(super) settings: &'filter Settings,
    judgement: Judgement,
    pub(super) shells: Shells,
    reports: usize,
    listed: HashSet<Vec<String>>,
    /// Whether the host trusts the current program.
    pub(super) trusts_program: bool,
    /// Report only forbidden findings, because the rest already requires approval.
    counts_harm_only: bool,
    /// Whether the commands run on another machine or in a container.
    pub(super) is_elsewhere: bool,
    /// Whether unknown variables have their possible values.
    assumes: bool,
    /// Whether such assumptions would change a word of the current command.
    could_assume: bool,
    /// Whether a directory is assumed to be missing.
    lacks_folder: bool,
    /// Whether the expansion is stored or printed, so that possibly missing parts are unknown.
    is_remembered: bool,
    /// Whether the current command has its own stdin.
    pub(super) has_own_input: bool,
    /// Whether an archive from the network was unpacked.
    pub(super) has_unpacked: bool,
    depth: usize,
    steps: usize,
    work: usize,
    text_bytes: usize,
    /// Position of evaluated text in the checked text.
    frame: Option<Range<usize>>,
    span: Range<usize>,
    functions: BTreeMap<String, Vec<Function>>,
    /// Functions that are being walked.
    active: Vec<String>,
    /// Number of enclosing concurrent commands.
    parallel: usize,
    /// Files with content from the network.
    pub(super) downloads: BTreeSet<String>,
    /// Files that the command writes, and files that must not be written.
    written: Written,
    /// Number of enclosing commands that may run at any time or repeatedly.
    out_of_order: usize,
    /// Files with decoded content.
    pub(super) decodings: BTreeSet<String>,
    /// Open process substitutions.
    pipes: Vec<Pipe>,
    pipes_so_far: usize,
    /// Whether the last command was `exec` with redirections only, which persist.
    pub(super) stays_redirected: bool,
    pub(super) input: Stream,
    /// Possible input from another descriptor.
    guessed_input: Option<Stream>,
    /// Possible content of other descriptors.
    descriptors: BTreeMap<u32, Stream>,
    /// Commands that read the output of the shell itself after `exec`.
    receivers_of_shell: Vec<Receiver>,
    /// Whether output to another descriptor may be read as stdout.
    joins_outputs: bool,
    /// Whether stderr is a part of the output.
    errors_come_back: bool,
    /// Whether this lasts until the end, because of `exec`.
    errors_stay: bool,
    /// Whether the shell prints its commands to stderr (`set -x`).
    pub(super) traces: bool,
    endings: Endings,
    /// Whether integer variables exist.
    has_numbers: bool,
    /// Whether a value contains a command substitution, which arithmetic would run.
    hidden_substitution: bool,
    arithmetic: Option<Range<usize>>,
}

impl<'filter> Walk<'filter> {
    pub(super) fn new(settings: &'filter Settings, installed: Installed) -> Self {
        Self {
            shells: Shells::of(installed),
            places: &settings.places,
            settings,
            judgement: Judgement::default(),
            reports: 0,
            listed: HashSet::new(),
            trusts_program: false,
            counts_harm_only: false,
            is_elsewhere: false,
            assumes: false,
            could_assume: false,
            lacks_folder: false,
            is_remembered: false,
            has_own_input: false,
            has_unpacked: false,
            depth: 0,
            steps: 0,
            work: 0,
            text_bytes: 0,
            frame: None,
            span: 0..0,
            functions: BTreeMap::new(),
            active: Vec::new(),
            parallel: 0,
            downloads: BTreeSet::new(),
            written: Written::default(),
            out_of_order: 0,
            decodings: BTreeSet::new(),
            pipes: Vec::new(),
            pipes_so_far: 0,
            stays_redirected: false,
            input: Stream::Empty,
            guessed_input: None,
            descriptors: BTreeMap::new(),
            receivers_of_shell: Vec::new(),
            joins_outputs: false,
            errors_come_back: false,
            errors_stay: false,
            traces: false,
            endings: Endings::default(),
            has_numbers: false,
            hidden_substitution: false,
            arithmetic: None,
        }
    }

    pub(super) fn text(&mut self, text: &str, directory: Option<&str>) {
        let mut state = State::in_directory(directory);
        self.note_joined_outputs(text);
        match parse::script(text, 0) {
            Ok(script) => {
                self.lines(&mut state, &script);
                self.functions_never_called(directory);
            }
            Err(error) => self.not_parsed(error, text),
        }
    }

    /// Walks one command without a shell.
    pub(super) fn arguments(&mut self, arguments: &[String], directory: Option<&str>) {
        self.span = 0..arguments.len();
        self.run(&mut State::in_directory(directory), arguments);
    }

    #[cfg(test)]
    pub(super) fn effort(&self) -> (usize, usize) {
        (self.steps, self.work)
    }

    /// Returns `true` if a pass for another shell is cheap. Otherwise reports that approval is
    /// required.
    pub(super) fn may_be_walked_again(&mut self) -> bool {
        let (steps, work) = MOST_FOR_FURTHER_SHELLS;
        let is_small = self.steps <= steps && self.work <= work;
        if !is_small {
            self.report(CommandRule::Opaque, "sh");
        }
        is_small
    }

    pub(super) fn finish(mut self) -> Judgement {
        if let (true, Some(span)) = (self.hidden_substitution, self.arithmetic.take()) {
            self.report_at(CommandRule::Opaque, "", span);
        }
        self.doubt_what_was_written();
        self.judgement
    }

    fn not_parsed(&mut self, error: ParseError, text: &str) {
        match error {
            ParseError::TooDeep => self.report(CommandRule::Limit, ""),
            ParseError::Syntax(at) => {
                let at = if self.frame.is_none() && self.depth == 0 {
                    at..at
                } else {
                    self.span.clone()
                };
                self.report_at(CommandRule::Syntax, "", at);
                self.forbidden_names(text);
            }
        }
    }

    /// In text that does not parse, the name of a forbidden program is sufficient.
    pub(super) fn forbidden_names(&mut self, text: &str) {
        let separators = |letter: char| {
            letter.is_whitespace() || letter.is_control() || ";&|()<>`$\"'{}=".contains(letter)
        };
        for word in text.split(separators) {
            let name = word.rsplit('/').next().unwrap_or_default();
            if let Some(rule) = super::program::forbidden_by_name(name)
                && !self.settings.trusts(name)
            {
                self.report(rule, name);
            }
            if self.settings.is_unwanted(name) {
                self.report(CommandRule::Unwanted, name);
            }
        }
    }

    pub(super) fn deeper<T>(&mut self, inner: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.depth >= MOST_NESTING {
            self.report(CommandRule::Limit, "");
            return None;
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        Some(result)
    }

    /// Returns `false` if there are too many commands.
    pub(super) fn step(&mut self) -> bool {
        self.steps += 1;
        if self.steps == MOST_STEPS {
            self.report(CommandRule::Limit, "");
        }
        !self.is_exhausted()
    }

    /// Returns `false` if the words exceed the work limit.
    pub(super) fn spend(&mut self, words: &[String]) -> bool {
        self.spend_bytes(words.iter().map(|word| word.len() + WORK_OF_A_WORD).sum())
    }

    pub(super) fn spend_bytes(&mut self, bytes: usize) -> bool {
        let before = self.work;
        self.work = self.work.saturating_add(bytes);
        if before <= MOST_WORK && self.work > MOST_WORK {
            self.report(CommandRule::Limit, "");
        }
        !self.is_exhausted()
    }

    pub(super) fn is_exhausted(&self) -> bool {
        self.steps >= MOST_STEPS || self.work > MOST_WORK
    }
}
