//! Scripts, chains, pipelines and compound commands.

use std::rc::Rc;

use super::super::limits::MOST_ALTERNATIVES;
use super::super::syntax::{Command, Connector, Item, Kind, Part, Pipeline, Script, Word};
use super::super::value::{Origin, Stream, Value};
use super::super::verdict::CommandRule as Rule;
use super::Walk;
use super::state::State;

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
            Kind::Simple(simple) => self.simple(simple, &command.redirections),
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
            && !matches!(&command.kind, Kind::Simple(simple) if simple.words.first().and_then(Word::plain) == Some("exec"))
        {
            self.state.stdin = stdin;
        }
        output
    }

    fn compound(&mut self, kind: &Kind) -> Stream {
        match kind {
            Kind::Simple(_) => Stream::empty(),
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
                if !self.state.define(name, body) {
                    self.over();
                }
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

    fn endless(&mut self, condition: &Script, body: &Script) -> Stream {
        if always_succeeds(condition) {
            self.report_endless(body);
        }
        self.repeat(|walk| {
            let output = walk.script(condition);
            output.then(walk.script(body))
        })
    }

    fn report_endless(&mut self, body: &Script) {
        if body.items.iter().any(|item| item.background) {
            self.report(Rule::ForkBomb);
        } else if !leaves(body) {
            self.report(Rule::Endless);
        }
    }

    /// Walks a body as the first and as any later iteration.
    fn repeat(&mut self, mut body: impl FnMut(&mut Self) -> Stream) -> Stream {
        let before = self.state.clone();
        let output = body(self);
        self.state.join(&before);
        if self.state != before {
            body(self);
            self.state.join(&before);
        }
        uncertain(output)
    }

    fn for_loop(&mut self, name: &str, items: Option<&[Word]>, body: &Script) -> Stream {
        let items: Vec<Value> = match items {
            Some(words) => words.iter().flat_map(|word| self.expand(word)).collect(),
            None => self
                .state
                .positional
                .as_deref()
                .map_or_else(|| vec![Value::unknown(Origin::Unknown)], Clone::clone),
        };
        self.report_dynamic(&items);
        let is_known =
            items.len() <= MOST_ALTERNATIVES && items.iter().all(|item| item.literal().is_some());
        let before = self.state.clone();
        let mut output = Stream::empty();
        if is_known {
            for item in &items {
                self.state.set(name, vec![item.segments.clone()]);
                output = output.then(self.script(body));
            }
        } else {
            self.state.forget(name);
            if let [item] = items.as_slice()
                && item
                    .origin()
                    .is_none_or(|origin| origin == Origin::Download)
            {
                self.state.set(name, vec![item.segments.clone()]);
            }
            output = self.repeat(|walk| walk.script(body));
        }
        self.state.join(&before);
        self.state.forget(name);
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

/// Output of commands that may run or not.
fn uncertain(output: Stream) -> Stream {
    match output {
        Stream::Text(text) if text.is_empty() => Stream::Text(text),
        other => Stream::Unknown(other.origin()),
    }
}

/// Returns `true` for the header of a counting loop without a test, such as `((;;))`.
fn lacks_test(header: &Word) -> bool {
    match header.parts.as_slice() {
        [] => true,
        [Part::Plain(text) | Part::Literal(text)] => text
            .split(';')
            .nth(1)
            .is_some_and(|test| test.trim().is_empty()),
        _ => false,
    }
}

fn always_succeeds(condition: &Script) -> bool {
    let [item] = condition.items.as_slice() else {
        return false;
    };
    let [(_, pipeline)] = item.chain.as_slice() else {
        return false;
    };
    let [command] = pipeline.stages.as_slice() else {
        return false;
    };
    match &command.kind {
        Kind::Simple(simple) => {
            let words: Vec<&str> = simple.words.iter().filter_map(Word::plain).collect();
            matches!(
                words.as_slice(),
                ["true" | ":" | "false"] | ["[", _, "]"] | ["test", _]
            ) && words.len() == simple.words.len()
        }
        Kind::Arithmetic(word) => !word.is_expanded(),
        _ => false,
    }
}

/// Returns `true` if the body contains a command that leaves the loop.
fn leaves(body: &Script) -> bool {
    let stages = body
        .items
        .iter()
        .flat_map(|item| &item.chain)
        .flat_map(|(_, pipeline)| &pipeline.stages);
    stages.into_iter().any(|command| match &command.kind {
        Kind::Simple(simple) => {
            matches!(
                simple.words.first().and_then(Word::plain),
                Some("break" | "exit" | "return")
            )
        }
        Kind::Group(script) => leaves(script),
        Kind::If {
            branches,
            otherwise,
        } => {
            branches.iter().any(|(_, body)| leaves(body)) || otherwise.as_ref().is_some_and(leaves)
        }
        Kind::Case { arms, .. } => arms.iter().any(|(_, body)| leaves(body)),
        _ => false,
    })
}
