//! Function definitions and calls.

use std::rc::Rc;

use super::super::state::State;
use super::super::syntax::Command;
use super::super::value::{FIELDS, Stream};
use super::super::verdict::CommandRule;
use super::{Function, Walk};

impl Walk<'_> {
    pub(super) fn define(&mut self, state: &mut State, name: &str, body: &Rc<Command>) -> Stream {
        let known = self.functions.entry(name.to_owned()).or_default();
        if !known
            .iter()
            .any(|function| Rc::ptr_eq(&function.body, body))
        {
            known.push(Function {
                body: Rc::clone(body),
                is_called: false,
            });
        }
        state.define(name);
        Stream::Empty
    }

    pub(in super::super) fn call(
        &mut self,
        state: &mut State,
        name: &str,
        arguments: &[String],
    ) -> Stream {
        if self.active.iter().any(|active| active == name) {
            let rule = if self.parallel > 0 {
                CommandRule::ForkBomb
            } else {
                CommandRule::Endless
            };
            self.report(rule, name);
            state.forget_all();
            return Stream::Unknown;
        }
        let bodies: Vec<_> = match self.functions.get_mut(name) {
            Some(functions) => functions
                .iter_mut()
                .map(|function| {
                    function.is_called = true;
                    Rc::clone(&function.body)
                })
                .collect(),
            None => return Stream::Empty,
        };
        let outer = state.clone();
        let positional = state.positional.replace(Rc::from(arguments));
        self.active.push(name.to_owned());
        let mut output = Stream::Empty;
        for body in bodies {
            let before = state.clone();
            let inner = self.within_function(&outer, |walk| walk.command(state, &body));
            output = output.then(inner);
            state.join(&before);
        }
        self.active.pop();
        state.leave_function(&outer);
        state.positional = positional;
        output
    }

    /// Functions without a visible call may still be called.
    pub(super) fn functions_never_called(&mut self, directory: Option<&str>) {
        while let Some(name) = self.waiting_function() {
            if !self.step() {
                return;
            }
            let mut state = State::in_directory(directory);
            self.call(&mut state, &name, &[FIELDS.to_string()]);
        }
    }

    fn waiting_function(&self) -> Option<String> {
        self.functions.iter().find_map(|(name, functions)| {
            let waiting = functions.iter().any(|function| !function.is_called);
            waiting.then(|| name.clone())
        })
    }
}
