//! Scripts, chains, pipelines and compound commands.

use std::rc::Rc;

use super::{Input, Rule, Walk};
use crate::syntax::{Command, Connector, Form, Item, Kind, Script, Word};

impl Walk<'_> {
    pub(super) fn script(&mut self, script: &Script) {
        for item in &script.items {
            if self.is_over {
                return;
            }
            if !item.background {
                self.chain(item);
                continue;
            }
            self.report(Rule::Construct);
            if self.context.endless {
                self.report(Rule::Endless);
            }
            self.scoped(|walk| {
                walk.context.concurrent = true;
                walk.chain(item);
            });
        }
    }

    /// A `cd` may fail or not run, so that only what follows it by `&&` certainly runs in its directory.
    fn chain(&mut self, item: &Item) {
        let start = self.context.directory.clone();
        let mut is_certain = true;
        for (connector, pipeline) in &item.chain {
            is_certain &= *connector != Connector::Or;
            if !is_certain {
                self.leave(start.as_ref());
            }
            self.pipeline(&pipeline.stages);
            is_certain &= !pipeline.negated;
            if !is_certain {
                self.leave(start.as_ref());
            }
        }
        self.leave(start.as_ref());
    }

    /// Forgets the directory if it has changed since `start`. Outside the workspace, every command is at
    /// least as harmful, so that such a directory stays.
    fn leave(&mut self, start: Option<&Rc<str>>) {
        let directory = self.context.directory.as_ref();
        if directory != start && directory.is_some_and(|path| self.settings.may_start_in(path)) {
            self.context.directory = None;
        }
    }

    fn pipeline(&mut self, stages: &[Command]) {
        if let [one] = stages {
            return self.command(one);
        }
        for (at, stage) in stages.iter().enumerate() {
            self.scoped(|walk| {
                walk.context.concurrent = true;
                if at > 0 {
                    walk.context.input = Input::Unknown;
                }
                walk.command(stage);
            });
        }
    }

    fn command(&mut self, command: &Command) {
        if self.is_over {
            return;
        }
        if !self.context.evaluated {
            self.context.span = command.span.clone();
        }
        let input = self.context.input.clone();
        match &command.kind {
            Kind::Simple { assignments, words } => {
                self.simple(assignments, words, &command.redirections);
            }
            Kind::Compound {
                form,
                words,
                scripts,
            } => {
                self.redirect(&command.redirections);
                if self.step(&[]) {
                    self.deeper(|walk| walk.compound(form, words, scripts));
                }
            }
        }
        self.context.input = input;
    }

    /// Walks the scripts of a compound command in sequence.
    fn compound(&mut self, form: &Form, words: &[Word], scripts: &[Script]) {
        for word in words {
            let value = self.expand(word);
            self.report_dynamic(&value);
            self.sweep(&value, false);
        }
        let (repeated, endless) = (self.context.repeated, self.context.endless);
        match form {
            Form::Subshell => {
                return self.scoped(|walk| scripts.iter().for_each(|script| walk.script(script)));
            }
            // Its body is walked as if it were called here.
            Form::Function(name) => {
                self.report(Rule::Construct);
                self.functions.insert(name.clone());
                self.defining.push(name.clone());
                self.context.repeated = true;
            }
            Form::For(name) => {
                self.assign(name);
                self.context.repeated = true;
            }
            Form::Loop => {
                self.report(Rule::Construct);
                (self.context.repeated, self.context.endless) = (true, true);
            }
            Form::Group | Form::If | Form::Case => {}
        }
        for script in scripts {
            self.script(script);
        }
        if matches!(form, Form::Function(_)) {
            self.defining.pop();
        }
        (self.context.repeated, self.context.endless) = (repeated, endless);
    }

    /// Reports a call of a function. Returns `false` if `name` is none.
    pub(super) fn call(&mut self, name: &str) -> bool {
        let is_function = self.functions.contains(name);
        // A function may call itself through any other one.
        let may_recur = !self.defining.is_empty() && self.context.concurrent;
        if is_function {
            let is_own = self.defining.iter().any(|own| own == name);
            self.report(match (may_recur, is_own) {
                (true, true) => Rule::ForkBomb,
                (true, false) => Rule::Endless,
                (false, _) => Rule::Construct,
            });
        }
        is_function
    }
}
