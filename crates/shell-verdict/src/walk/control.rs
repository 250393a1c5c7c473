//! Lists, pipes, branches, loops and functions.

use std::rc::Rc;

use super::super::state::State;
use super::super::syntax::{Command, Connector, Item, Kind, Pipeline, Script, Word};
use super::super::value::{NUMBER, Stream};
use super::super::verdict::CommandRule;
use super::Walk;
use super::changes::Changes;
use super::reaching::{Output, known_to_be_doubtful, with_errors};

/// Arithmetic operators of `[[`.
const COMPARING: [&str; 6] = ["-eq", "-ne", "-lt", "-le", "-gt", "-ge"];
/// Operators of `[[` with a variable name, possibly with a subscript.
const EVALUATING: [&str; 2] = ["-v", "-R"];

impl Walk<'_> {
    pub(super) fn script(&mut self, state: &mut State, script: &Script) -> Stream {
        let mut output = Stream::Empty;
        let mut may_fail = false;
        for item in &script.items {
            if may_fail && state.stops_early {
                self.may_end();
            }
            output = output.then(self.item(state, item));
            may_fail |= state.stops_early && !self.certainly_succeeds(item);
            if self.is_exhausted() {
                break;
            }
        }
        output
    }

    pub(super) fn item(&mut self, state: &mut State, item: &Item) -> Stream {
        if !item.background {
            let output = self.chain(state, &item.chain);
            state.settle();
            return output;
        }
        self.parallel += 1;
        let output = self.contained(|walk| {
            walk.out_of_order(|walk| walk.chain(&mut state.clone(), &item.chain))
        });
        self.parallel -= 1;
        // It may be printed before or after the other output.
        known_to_be_doubtful(output)
    }

    fn chain(&mut self, state: &mut State, chain: &[(Connector, Pipeline)]) -> Stream {
        let mut output = Stream::Empty;
        // State if a preceding command failed.
        let mut failed: Option<State> = None;
        let mut end = None;
        let mut before: Option<&Pipeline> = None;
        for (connector, pipeline) in chain {
            let is_sure = match connector {
                Connector::First => true,
                Connector::And => {
                    end == Some(true) || before.is_some_and(|before| self.succeeds(before))
                }
                Connector::Or => end == Some(false),
            };
            let next = match connector {
                Connector::First => self.pipeline(state, pipeline),
                Connector::And => {
                    if end != Some(true) {
                        join_into(&mut failed, state.after_failure());
                    }
                    state.failed = None;
                    let folder = before.and_then(Pipeline::assigned_folder);
                    folder.inspect(|name| state.is_something(name));
                    self.pipeline(state, pipeline)
                }
                Connector::Or => {
                    join_into(&mut failed, state.after_failure());
                    state.failed = None;
                    let mut other = failed.take().unwrap_or_default();
                    let next = self.pipeline(&mut other, pipeline);
                    if end == Some(false) {
                        *state = other;
                    } else if pipeline.leaves() {
                        let folder = before.and_then(Pipeline::assigned_folder);
                        folder.inspect(|name| state.is_something(name));
                    } else {
                        state.join(&other);
                    }
                    next
                }
            };
            end = self.certain_end(*connector, pipeline);
            before = Some(pipeline);
            output = output.then(if is_sure {
                next
            } else {
                known_to_be_some(next)
            });
        }
        if let Some(failed) = failed {
            state.join(&failed);
        }
        output
    }

    fn certainly_succeeds(&self, item: &Item) -> bool {
        let [(connector, pipeline)] = item.chain.as_slice() else {
            return false;
        };
        self.succeeds(pipeline) || self.certain_end(*connector, pipeline) == Some(true)
    }

    fn succeeds(&self, pipeline: &Pipeline) -> bool {
        let program = pipeline.succeeds();
        program.is_some_and(|name| !self.functions.contains_key(name))
    }

    /// Returns the certain result of the chain after `pipeline`, if `pipeline` runs.
    fn certain_end(&self, connector: Connector, pipeline: &Pipeline) -> Option<bool> {
        let end = pipeline.certain_end()?;
        let mut names = ["true", "false", ":"].iter();
        let is_redefined = names.any(|name| self.functions.contains_key(*name));
        // If an alternative fails, it may not have been needed.
        let may_be_skipped = connector == Connector::Or && !end;
        (!is_redefined && !may_be_skipped).then_some(end)
    }

    fn pipeline(&mut self, state: &mut State, pipeline: &Pipeline) -> Stream {
        let Some(name) = &pipeline.coprocess else {
            let output = self.stages(state, pipeline);
            return if pipeline.has_prefix && self.errors_come_back {
                // `time` prints the duration to stderr.
                with_errors(output)
            } else if pipeline.has_prefix {
                // Not every shell or machine has `time`.
                known_to_be_there_or_not(output)
            } else {
                output
            };
        };
        self.gets_a_number(state, name);
        // A coprocess runs concurrently and reads from its own pipe.
        let mut inner = state.clone();
        inner.input = None;
        let outer = std::mem::replace(&mut self.input, Stream::Unknown);
        let output = self.contained(|walk| walk.stages(&mut inner, pipeline));
        self.input = outer;
        // A coprocess writes to its own pipe.
        self.reaching(Output::Away, output)
    }

    fn stages(&mut self, state: &mut State, pipeline: &Pipeline) -> Stream {
        if let [command] = pipeline.stages.as_slice() {
            return self.command(state, command);
        }
        if pipeline.gives_a_shell() {
            self.report(CommandRule::ReverseShell, "");
        }
        if pipeline.repeats_without_end() {
            self.report(CommandRule::Endless, "");
        }
        let output = self.each_stage(state, pipeline);
        let output = if pipeline.may_print_nothing() {
            known_to_be_there_or_not(output)
        } else {
            output
        };
        // Check the content of other descriptors once, for damage only.
        if self.has_descriptors() && !self.counts_harm_only {
            self.for_harm(|walk| walk.each_stage(state, pipeline));
        }
        output
    }

    fn each_stage(&mut self, state: &State, pipeline: &Pipeline) -> Stream {
        self.parallel += 1;
        let outer = self.input.clone();
        let errors = self.errors_come_back;
        let mut output = Stream::Empty;
        for (at, command) in pipeline.stages.iter().enumerate() {
            let mut inner = state.clone();
            if at > 0 {
                inner.input = None;
            }
            // Errors of the other stages do not go through the pipe.
            self.errors_come_back = errors && at + 1 == pipeline.stages.len();
            output = self.contained(|walk| walk.command(&mut inner, command));
            self.input = output.clone();
        }
        self.errors_come_back = errors;
        if errors {
            output = with_errors(output);
        }
        self.input = outer;
        let first = pipeline.stages.first();
        first.inspect(|command| self.note_reading(command));
        self.parallel -= 1;
        output
    }

    pub(super) fn command(&mut self, state: &mut State, command: &Command) -> Stream {
        let span = std::mem::replace(&mut self.span, command.span.clone());
        if let Stream::Paths(paths) = &self.input {
            let paths = Rc::clone(paths);
            self.spend(&paths);
        }
        let outer = self.input.clone();
        let pipes = self.open_pipes();
        // The flag applies to the enclosing command.
        let is_remembered = std::mem::take(&mut self.is_remembered);
        let output = self.deeper(|walk| walk.with_assumptions(state, command));
        self.is_remembered = is_remembered;
        self.close_pipes(pipes);
        self.input = outer;
        self.note_reading(command);
        self.span = span;
        output.unwrap_or(Stream::Unknown)
    }

    pub(super) fn compound(&mut self, state: &mut State, kind: &Kind) -> Stream {
        match kind {
            Kind::Simple(_) => Stream::Empty,
            Kind::Group(script) => self.script(state, script),
            Kind::Subshell(script) => {
                self.contained(|walk| walk.script(&mut state.clone(), script))
            }
            Kind::If {
                branches,
                otherwise,
            } => self.branches(state, branches, otherwise.as_ref()),
            Kind::Loop { condition, body } => {
                self.out_of_order(|walk| walk.endless_or_not(state, condition, body))
            }
            Kind::For { name, items, body } => {
                self.out_of_order(|walk| walk.for_loop(state, name, items.as_deref(), body))
            }
            Kind::CountingFor { header, body } => {
                self.is_of_bash_alone();
                self.note_arithmetic();
                let header = self.value_of(state, header);
                self.assigned_by_arithmetic(state, &header);
                if header
                    .split(';')
                    .nth(1)
                    .is_some_and(|test| test.trim().is_empty())
                {
                    self.endless(&Changes::of(body));
                }
                self.out_of_order(|walk| walk.repeated(state, body, None))
            }
            Kind::Case { subject, arms } => self.case(state, subject, arms),
            Kind::Function { name, body } => self.define(state, name, body),
            Kind::Test(words) => self.test(state, words),
            Kind::Arithmetic(word) => {
                self.arithmetic(state, word);
                state.forget_all();
                Stream::Empty
            }
        }
    }

    fn arithmetic(&mut self, state: &mut State, word: &Word) {
        let text = self.value_of(state, word);
        self.evaluated(state, &text);
    }

    fn test(&mut self, state: &mut State, words: &[Word]) -> Stream {
        self.note_arithmetic();
        let mut before = "";
        for (at, word) in words.iter().enumerate() {
            let text = self.value_of(state, word);
            let behind = words.get(at + 1).and_then(Word::plain).unwrap_or_default();
            if EVALUATING.contains(&before)
                || COMPARING.contains(&before)
                || COMPARING.contains(&behind)
            {
                self.evaluated(state, &text);
                self.computes_subscript(state, &text);
            }
            before = word.plain().unwrap_or_default();
        }
        Stream::Empty
    }

    fn branches(
        &mut self,
        state: &mut State,
        branches: &[(Script, Script)],
        otherwise: Option<&Script>,
    ) -> Stream {
        let mut output = Stream::Empty;
        let mut ends: Option<State> = None;
        for (condition, body) in branches {
            output = output.then(self.script(state, condition));
            let mut branch = state.clone();
            output = output.then(self.script(&mut branch, body));
            match &mut ends {
                Some(ends) => ends.join(&branch),
                None => ends = Some(branch),
            }
        }
        if let Some(script) = otherwise {
            output = output.then(self.script(state, script));
        }
        if let Some(ends) = ends {
            state.join(&ends);
        }
        known_to_be_one(output)
    }

    fn case(&mut self, state: &mut State, subject: &Word, arms: &[(Vec<Word>, Script)]) -> Stream {
        self.value_of(state, subject);
        let before = state.clone();
        let mut output = Stream::Empty;
        for (patterns, script) in arms {
            for pattern in patterns {
                self.value_of(state, pattern);
            }
            let mut arm = before.clone();
            output = output.then(self.script(&mut arm, script));
            state.join(&arm);
        }
        known_to_be_one(output)
    }
}

fn join_into(states: &mut Option<State>, state: State) {
    match states {
        Some(states) => states.join(&state),
        None => *states = Some(state),
    }
}

/// One of several outputs is printed, but network data stays network data.
pub(super) fn known_to_be_one(output: Stream) -> Stream {
    match output {
        Stream::Empty | Stream::Network | Stream::Decoded => output,
        _ => Stream::Unknown,
    }
}

/// The output may be missing. Harmful content counts, and numbers carry no information.
pub(super) fn known_to_be_some(output: Stream) -> Stream {
    match output {
        Stream::Text(_) => known_to_be_there_or_not(output),
        other => known_to_be_one(other),
    }
}

/// Like [`known_to_be_some`], but keeps file names, because some of them may be missing.
pub(in super::super) fn known_to_be_there_or_not(output: Stream) -> Stream {
    match output {
        Stream::Text(text) if text.trim_end() == NUMBER.to_string() => Stream::Text(text),
        other => known_to_be_doubtful(other),
    }
}
