//! Walking through the commands of a text as a shell would, with what is known about its state.

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
use super::verdict::{Judgement, Rule};

/// What a word costs besides its bytes.
const WORK_OF_A_WORD: usize = 16;

/// A function that the text defines.
#[derive(Debug)]
struct Function {
    body: Rc<Command>,
    is_called: bool,
}

/// One judgement in the making.
#[derive(Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each says something else about the place that the walk has come to"
)]
pub(super) struct Walk<'filter> {
    pub(super) places: &'filter Places,
    pub(super) settings: &'filter Settings,
    judgement: Judgement,
    pub(super) shells: Shells,
    /// How often something was reported.
    reports: usize,
    /// The commands that are listed.
    listed: HashSet<Vec<String>>,
    /// The program that is judged is one that the host trusts.
    pub(super) trusts_program: bool,
    /// Only what is forbidden counts, because the rest was asked about already.
    counts_harm_only: bool,
    /// What is walked runs on another machine or in a container.
    pub(super) is_elsewhere: bool,
    /// Variables of unknown value are taken for what they were seen to hold.
    assumes: bool,
    /// A word of the current command would be another one under such assumptions.
    could_assume: bool,
    /// Such an assumption is that a folder is missing.
    lacks_folder: bool,
    /// What is expanded is remembered or printed, so that what may be missing of it counts as unknown.
    is_remembered: bool,
    /// The current command has an input of its own.
    pub(super) has_own_input: bool,
    /// An archive from the network was unpacked.
    pub(super) has_unpacked: bool,
    depth: usize,
    steps: usize,
    work: usize,
    text_bytes: usize,
    /// Where the text stands that is walked, if it is not the judged text itself.
    frame: Option<Range<usize>>,
    span: Range<usize>,
    functions: BTreeMap<String, Vec<Function>>,
    /// Functions whose bodies are being walked.
    active: Vec<String>,
    /// How many commands around run at the same time as others.
    parallel: usize,
    /// Files that hold what came from the network.
    pub(super) downloads: BTreeSet<String>,
    /// What was written, and what must not have been.
    written: Written,
    /// How many commands around may run at any time, or again.
    out_of_order: usize,
    /// Files that hold what was decoded.
    pub(super) decodings: BTreeSet<String>,
    /// What the process substitutions around give, in their order.
    pipes: Vec<Pipe>,
    /// How many pipes there have been.
    pipes_so_far: usize,
    /// The last command was `exec` alone, so that its redirections stay.
    pub(super) stays_redirected: bool,
    /// What the current command reads.
    pub(super) input: Stream,
    /// What the current command may read from another descriptor.
    guessed_input: Option<Stream>,
    /// What other descriptors were seen to get.
    descriptors: BTreeMap<u32, Stream>,
    /// Commands that get what the shell itself writes since an `exec` said so.
    receivers_of_shell: Vec<Receiver>,
    /// What goes to another descriptor may be read as output.
    joins_outputs: bool,
    /// Errors are a part of the output of the commands that are walked.
    errors_come_back: bool,
    /// They will be until the end, since an `exec` said so.
    errors_stay: bool,
    /// The shell tells among the errors what it runs.
    pub(super) traces: bool,
    /// How the commands that are walked may have ended.
    endings: Endings,
    /// There are variables that only take numbers.
    has_numbers: bool,
    /// A value holds the text of a substitution; arithmetic would run it.
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

    /// Walks the judged text itself.
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

    /// Walks one command that no shell sees.
    pub(super) fn arguments(&mut self, arguments: &[String], directory: Option<&str>) {
        self.span = 0..arguments.len();
        self.run(&mut State::in_directory(directory), arguments);
    }

    /// What was done so far: commands, and bytes of the words that were made.
    #[cfg(test)]
    pub(super) fn effort(&self) -> (usize, usize) {
        (self.steps, self.work)
    }

    /// Whether walking it for other shells costs little. A larger text is asked about in place of that.
    pub(super) fn may_be_walked_again(&mut self) -> bool {
        let (steps, work) = MOST_FOR_FURTHER_SHELLS;
        let is_small = self.steps <= steps && self.work <= work;
        if !is_small {
            self.report(Rule::Opaque, "sh");
        }
        is_small
    }

    pub(super) fn finish(mut self) -> Judgement {
        if let (true, Some(span)) = (self.hidden_substitution, self.arithmetic.take()) {
            self.report_at(Rule::Opaque, "", span);
        }
        self.doubt_what_was_written();
        self.judgement
    }

    fn not_parsed(&mut self, error: ParseError, text: &str) {
        match error {
            ParseError::TooDeep => self.report(Rule::Limit, ""),
            ParseError::Syntax(at) => {
                let at = if self.frame.is_none() && self.depth == 0 {
                    at..at
                } else {
                    self.span.clone()
                };
                self.report_at(Rule::Syntax, "", at);
                self.forbidden_names(text);
            }
        }
    }

    /// In a text that has no tree, a name of a forbidden program is enough.
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
                self.report(Rule::Unwanted, name);
            }
        }
    }

    /// Runs `inner` one level deeper, or says that this is too deep.
    pub(super) fn deeper<T>(&mut self, inner: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.depth >= MOST_NESTING {
            self.report(Rule::Limit, "");
            return None;
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        Some(result)
    }

    /// Counts a command; false once there are too many.
    pub(super) fn step(&mut self) -> bool {
        self.steps += 1;
        if self.steps == MOST_STEPS {
            self.report(Rule::Limit, "");
        }
        !self.is_exhausted()
    }

    /// Counts what `words` cost to make or to judge; false once there was too much.
    pub(super) fn spend(&mut self, words: &[String]) -> bool {
        self.spend_bytes(words.iter().map(|word| word.len() + WORK_OF_A_WORD).sum())
    }

    pub(super) fn spend_bytes(&mut self, bytes: usize) -> bool {
        let before = self.work;
        self.work = self.work.saturating_add(bytes);
        if before <= MOST_WORK && self.work > MOST_WORK {
            self.report(Rule::Limit, "");
        }
        !self.is_exhausted()
    }

    /// Whether the text is over a limit already, so that nothing more needs to be found.
    pub(super) fn is_exhausted(&self) -> bool {
        self.steps >= MOST_STEPS || self.work > MOST_WORK
    }
}
