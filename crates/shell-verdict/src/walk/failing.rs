//! Expansions that may fail. On a failure, bash skips the rest of the line, including the enclosing
//! commands, and continues with the next line.

use super::super::state::State;
use super::super::syntax::{Assignment, Operation, Script, Variable};
use super::super::value::{self, Stream};
use super::control::known_to_be_some;
use super::lists::is_list;
use super::{Walk, arithmetic, parameters};

/// Cost of joining two states.
const WORK_OF_A_JOIN: usize = 64;

/// Early exits in the commands that are walked.
#[derive(Debug, Default)]
pub(super) struct Endings {
    /// State at failed expansions.
    failed: Option<State>,
    /// Whether a loop, a function or the shell may have ended.
    is_left: bool,
    /// Whether the shell may have ended.
    is_over: bool,
}

impl Endings {
    fn note(&mut self, state: &State) {
        match &mut self.failed {
            Some(failed) => failed.join(state),
            None => self.failed = Some(state.clone()),
        }
    }

    fn cut(&self, output: Stream) -> Stream {
        let is_certain = self.failed.is_none() && !self.is_left && !self.is_over;
        if is_certain {
            output
        } else {
            known_to_be_some(output)
        }
    }
}

impl Walk<'_> {
    pub(super) fn lines(&mut self, state: &mut State, script: &Script) -> Stream {
        let outer = std::mem::take(&mut self.endings);
        let mut output = Stream::Empty;
        let mut line = Stream::Empty;
        for item in &script.items {
            if item.begins_line {
                let done = std::mem::replace(&mut line, Stream::Empty);
                output = output.then(self.end_line(state, done));
            }
            line = line.then(self.item(state, item));
            if self.is_exhausted() {
                break;
            }
        }
        output = output.then(self.end_line(state, line));
        let inner = std::mem::replace(&mut self.endings, outer);
        self.endings.is_left |= inner.is_left;
        self.endings.is_over |= inner.is_over;
        output
    }

    /// Effects that outlast the line are kept for the following lines.
    fn end_line(&mut self, state: &mut State, output: Stream) -> Stream {
        let endings = std::mem::take(&mut self.endings);
        let output = endings.cut(output);
        self.endings.is_left = endings.is_left;
        self.endings.is_over = endings.is_over;
        endings.failed.inspect(|failed| state.join(failed));
        output
    }

    /// Walks another shell, to which failures are limited.
    pub(in super::super) fn contained(
        &mut self,
        inner: impl FnOnce(&mut Self) -> Stream,
    ) -> Stream {
        let outer = std::mem::take(&mut self.endings);
        let output = inner(self);
        let inner = std::mem::replace(&mut self.endings, outer);
        inner.cut(output)
    }

    /// A failure in a function body ends the enclosing line, with the state that a return would
    /// leave.
    pub(super) fn within_function(
        &mut self,
        before: &State,
        inner: impl FnOnce(&mut Self) -> Stream,
    ) -> Stream {
        let outer = std::mem::take(&mut self.endings);
        let output = inner(self);
        let inner = std::mem::replace(&mut self.endings, outer);
        let output = inner.cut(output);
        self.endings.is_over |= inner.is_over;
        if let Some(mut failed) = inner.failed {
            failed.leave_function(before);
            failed.positional.clone_from(&before.positional);
            self.endings.note(&failed);
        }
        output
    }

    /// If an expansion in `inner` fails, its effects since `before` may be missing.
    pub(super) fn failing_before(&mut self, before: &State, inner: impl FnOnce(&mut Self)) {
        let outer = std::mem::take(&mut self.endings);
        inner(self);
        let inner = std::mem::replace(&mut self.endings, outer);
        self.endings.is_over |= inner.is_over;
        if let Some(failed) = inner.failed {
            self.endings.note(before);
            self.endings.note(&failed);
        }
    }

    pub(in super::super) fn may_fail(&mut self, state: &State) {
        if self.spend_bytes(WORK_OF_A_JOIN) {
            self.endings.note(state);
        }
    }

    pub(in super::super) fn may_leave(&mut self) {
        self.endings.is_left = true;
    }

    pub(in super::super) fn may_end(&mut self) {
        self.endings.is_over = true;
    }

    /// Syntax that is an error in shells without bash extensions.
    pub(super) fn is_of_bash_alone(&mut self) {
        if self.shells.are_plain() {
            self.may_end();
        }
    }

    pub(in super::super) fn computes(&mut self, state: &State, text: &str) {
        if !arithmetic::is_sure(text, state) {
            self.may_fail(state);
        }
    }

    pub(in super::super) fn computes_subscript(&mut self, state: &State, name: &str) {
        if let Some((_, subscript)) = name.split_once('[') {
            self.computes_place(state, subscript.trim_end_matches(']'));
        }
    }

    pub(super) fn computes_place(&mut self, state: &State, subscript: &str) {
        if subscript.is_empty() {
            self.may_fail(state);
        }
        self.computes(state, subscript);
    }

    pub(in super::super) fn computes_value(&mut self, state: &State, value: &str) {
        if self.has_numbers {
            self.computes(state, value);
        }
    }

    pub(super) fn fails_to_expand(
        &mut self,
        state: &State,
        variable: &Variable,
        operand: &str,
        value: Option<&str>,
    ) {
        let is_slice = matches!(variable.operation, Operation::Slice | Operation::Indirect);
        if is_slice {
            self.is_of_bash_alone();
        }
        let is_sure = match variable.operation {
            Operation::Slice => parameters::may_be_sliced(value, operand),
            Operation::Indirect => {
                is_list(variable)
                    || matches!(operand, "*" | "@")
                    || value.is_some_and(value::is_name)
            }
            Operation::Default { assigns: true } => {
                self.computes_value(state, operand);
                value::is_name(&variable.name) && !state.is_read_only(&variable.name)
            }
            Operation::Demanded => {
                self.may_end();
                true
            }
            Operation::Other if !is_of_all_shells(operand) => {
                self.is_of_bash_alone();
                true
            }
            _ => true,
        };
        if !is_sure || state.is_reference(&variable.name) {
            self.may_fail(state);
        }
    }

    pub(super) fn declares_numbers(
        &mut self,
        state: &State,
        arguments: &[String],
        assignments: &[Assignment],
    ) {
        let is_flag = |word: &String| word.starts_with('-') && word.contains('i');
        self.has_numbers |= arguments.iter().any(is_flag);
        for assignment in assignments {
            let value = state.value(&assignment.name).unwrap_or_default();
            self.computes_value(state, &value);
        }
    }
}

fn is_of_all_shells(operand: &str) -> bool {
    operand.starts_with(['#', '%'])
}
