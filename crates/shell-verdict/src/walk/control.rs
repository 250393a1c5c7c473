//! Scripts, chains, pipelines and compound commands.

use std::rc::Rc;

use super::super::syntax::{Command, Connector, Item, Kind, Pipeline, Script, Word};
use super::loops::{lacks_test, uncertain};
use super::state::State;
use super::{Origin, Rule, Stream, Walk};

impl Walk<'_> {
    /// Returns the output.
    pub(super) fn script(&mut self, script: &Script) -> Stream {
        let mut output = Stream::empty();
        for item in &script.items {
            if self.is_over {
                break;
            }
            let next = if item.background {
                self.report(Rule::Construct);
                self.concurrent += 1;
                let output = self.subshell(|walk| walk.chain(item));
                self.concurrent -= 1;
                output
            } else {
                self.chain(item)
            };
            output = output.then(next);
        }
        output
    }

    fn chain(&mut self, item: &Item) -> Stream {
        let mut output = Stream::empty();
        // States in which the chain may end early.
        let mut exits: Vec<State> = Vec::new();
        let first_directories = self.state.directories.clone();
        for (connector, pipeline) in &item.chain {
            match connector {
                Connector::First => {}
                Connector::And => exits.push(self.state.clone()),
                Connector::Or => {
                    exits.push(self.state.clone());
                    self.state.add_directories(&first_directories);
                }
            }
            output = output.then(self.pipeline(pipeline));
        }
        exits.dedup();
        for exit in &exits {
            self.state.join(exit);
        }
        // The first command may fail, and a failed `cd` changes nothing.
        self.state.add_directories(&first_directories);
        if self.state.is_cut {
            self.report_limit();
        }
        if item.chain.len() > 1 {
            Stream::Unknown(output.origin())
        } else {
            output
        }
    }

    fn pipeline(&mut self, pipeline: &Pipeline) -> Stream {
        if pipeline.coprocess.is_some() {
            self.report(Rule::Construct);
            return self.subshell(|walk| {
                walk.state.stdin = Rc::new(Stream::Unknown(Origin::Unknown));
                walk.stages(&pipeline.stages)
            });
        }
        match pipeline.stages.as_slice() {
            [] => Stream::empty(),
            [one] => self.command(one),
            stages => {
                self.concurrent += 1;
                let output = self.stages(stages);
                self.concurrent -= 1;
                output
            }
        }
    }

    fn stages(&mut self, stages: &[Command]) -> Stream {
        let mut input = Rc::clone(&self.state.stdin);
        for stage in stages {
            let output = self.subshell(|walk| {
                walk.state.stdin = Rc::clone(&input);
                walk.command(stage)
            });
            input = Rc::new(output);
        }
        Rc::unwrap_or_clone(input)
    }

    pub(super) fn command(&mut self, command: &Command) -> Stream {
        if self.is_over {
            return Stream::empty();
        }
        if self.evaluated == 0 {
            self.span = command.span.clone();
        }
        let stdin = Rc::clone(&self.state.stdin);
        let output = match &command.kind {
            Kind::SimpleCommand(simple) => self.simple(simple, &command.redirections),
            kind => {
                let targets = self.redirect(&command.redirections);
                if !self.step(&[]) {
                    return Stream::empty();
                }
                let output = self.deeper(Stream::empty(), |walk| walk.compound(kind));
                self.redirected_by(&command.redirections, targets, output)
            }
        };
        if !command.redirections.is_empty()
            && !matches!(&command.kind, Kind::SimpleCommand(simple) if simple.words.first().and_then(Word::plain) == Some("exec"))
        {
            self.state.stdin = stdin;
        }
        output
    }

    fn compound(&mut self, kind: &Kind) -> Stream {
        match kind {
            Kind::SimpleCommand(_) => Stream::empty(),
            Kind::Group(script) => self.script(script),
            Kind::Subshell(script) => self.subshell(|walk| walk.script(script)),
            Kind::If {
                branches,
                otherwise,
            } => self.branches(branches, otherwise.as_ref()),
            Kind::Loop { condition, body } => self.endless(condition, body),
            Kind::For { name, items, body } => self.for_loop(name, items.as_deref(), body),
            Kind::CountingFor { header, body } => {
                self.report(Rule::Construct);
                self.arithmetic(header);
                self.state.forget_all_variables();
                if lacks_test(header) {
                    self.report_endless(body);
                }
                self.repeat(|walk| walk.script(body))
            }
            Kind::Case { subject, arms } => self.case(subject, arms),
            Kind::Function { name, body } => {
                self.state.define(name, body);
                self.called.remove(name);
                Stream::empty()
            }
            Kind::Test(words) => self.test(words),
            Kind::Arithmetic(word) => {
                self.report(Rule::Construct);
                self.arithmetic(word);
                self.state.forget_all_variables();
                Stream::empty()
            }
        }
    }

    fn test(&mut self, words: &[Word]) -> Stream {
        const EVALUATING: [&str; 8] = ["-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-v", "-R"];
        let evaluates = words
            .iter()
            .filter_map(Word::plain)
            .any(|word| EVALUATING.contains(&word));
        if evaluates {
            self.report(Rule::Construct);
        }
        for word in words {
            let values = self.expand(word);
            if evaluates {
                for value in &values {
                    self.check_evaluated(value);
                }
            }
            self.report_dynamic(&values);
        }
        Stream::empty()
    }

    fn branches(&mut self, branches: &[(Script, Script)], otherwise: Option<&Script>) -> Stream {
        let mut ends: Vec<State> = Vec::new();
        let mut output = Stream::empty();
        for (condition, body) in branches {
            output = output.then(self.script(condition));
            let base = self.state.clone();
            output = output.then(self.script(body));
            ends.push(std::mem::replace(&mut self.state, base));
        }
        if let Some(otherwise) = otherwise {
            output = output.then(self.script(otherwise));
        }
        ends.dedup();
        for end in &ends {
            self.state.join(end);
        }
        uncertain(output)
    }

    fn case(&mut self, subject: &Word, arms: &[(Vec<Word>, Script)]) -> Stream {
        let values = self.expand(subject);
        self.report_dynamic(&values);
        let mut output = Stream::empty();
        let mut joined = self.state.clone();
        for (patterns, body) in arms {
            for pattern in patterns {
                self.expand(pattern);
            }
            let base = self.state.clone();
            output = output.then(self.script(body));
            joined.join(&std::mem::replace(&mut self.state, base));
        }
        self.state = joined;
        uncertain(output)
    }

    /// Walks functions that nothing called, because other shells may call them.
    pub(super) fn uncalled_functions(&mut self) {
        for (name, body) in self.state.functions() {
            if self.called.insert(name.clone()) && !self.is_over {
                self.subshell(|walk| {
                    walk.state.positional = None;
                    walk.call(&name, &body);
                });
            }
        }
    }

    pub(super) fn call(&mut self, name: &str, body: &Rc<Command>) -> Stream {
        self.called.insert(name.to_owned());
        if self.calls.iter().any(|active| active == name) {
            let rule = if self.concurrent > 0 {
                Rule::ForkBomb
            } else {
                Rule::Endless
            };
            self.report(rule);
            self.state.forget_all();
            return Stream::Unknown(Origin::Unknown);
        }
        self.calls.push(name.to_owned());
        let concurrent = std::mem::take(&mut self.concurrent);
        let output = self.deeper(Stream::empty(), |walk| walk.command(body));
        self.concurrent = concurrent;
        self.calls.pop();
        output
    }
}
