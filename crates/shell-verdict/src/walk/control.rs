//! Scripts, chains, pipelines and compound commands.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::{Directories, Input, Origin, Rule, Value, Walk};
use crate::limits::MAX_DIRECTORIES;
use crate::syntax::{Command, Connector, Item, Kind, Part, Pipeline, Script, Word};

impl Walk<'_> {
    /// Returns the most harmful origin of the output.
    pub(super) fn script(&mut self, script: &Script) -> Origin {
        let mut origin = Origin::Unknown;
        for item in &script.items {
            if self.is_over {
                break;
            }
            let next = if item.background {
                self.report(Rule::Construct);
                self.concurrent += 1;
                let origin = self.subshell(|walk| walk.chain(item));
                self.concurrent -= 1;
                origin
            } else {
                self.chain(item)
            };
            origin = origin.max(next);
        }
        origin
    }

    fn chain(&mut self, item: &Item) -> Origin {
        let mut origin = Origin::Unknown;
        let first = self.directories.clone();
        // Directories in which the chain may end early.
        let mut exits: Directories = Vec::new();
        for (connector, pipeline) in &item.chain {
            if *connector != Connector::First {
                exits.extend(self.directories.iter().cloned());
            }
            if *connector == Connector::Or {
                self.add_directories(&first);
                self.conditional += 1;
            }
            origin = origin.max(self.pipeline(pipeline));
            if *connector == Connector::Or {
                self.conditional -= 1;
            }
        }
        self.add_directories(&exits);
        // A `cd` that fails changes nothing.
        self.add_directories(&first);
        origin
    }

    pub(super) fn add_directories(&mut self, others: &[Option<Rc<str>>]) {
        for other in others {
            if !self.directories.contains(other) {
                self.directories.push(other.clone());
            }
        }
        if self.directories.len() > MAX_DIRECTORIES {
            self.directories = vec![None];
            self.report_limit();
        }
    }

    fn pipeline(&mut self, pipeline: &Pipeline) -> Origin {
        if let Some(name) = &pipeline.coprocess {
            self.report(Rule::Construct);
            self.assign(name);
        } else if let [one] = pipeline.stages.as_slice() {
            return self.command(one);
        }
        self.concurrent += 1;
        let mut input = self.input.clone();
        let mut origin = Origin::Unknown;
        for stage in &pipeline.stages {
            origin = self.subshell(|walk| {
                walk.input = input;
                walk.command(stage)
            });
            input = Input::Other(origin);
        }
        self.concurrent -= 1;
        origin
    }

    pub(super) fn command(&mut self, command: &Command) -> Origin {
        if self.is_over {
            return Origin::Unknown;
        }
        if self.evaluated == 0 {
            self.span = command.span.clone();
        }
        let input = self.input.clone();
        let origin = match &command.kind {
            Kind::SimpleCommand(simple) => self.simple(simple, &command.redirections),
            kind => {
                let targets = self.redirect(&command.redirections);
                if !self.step(&[]) {
                    return Origin::Unknown;
                }
                let origin = self.deeper(|walk| walk.compound(kind));
                self.save(&targets, origin);
                origin
            }
        };
        self.input = input;
        origin
    }

    fn compound(&mut self, kind: &Kind) -> Origin {
        match kind {
            Kind::SimpleCommand(_) => Origin::Unknown,
            Kind::Group(script) => self.script(script),
            Kind::Subshell(script) => self.subshell(|walk| walk.script(script)),
            Kind::If {
                branches,
                otherwise,
            } => {
                let bodies = branches
                    .iter()
                    .flat_map(|(condition, body)| [condition, body]);
                let scripts: Vec<&Script> = bodies.chain(otherwise).collect();
                self.alternatives(&scripts)
            }
            Kind::Loop { condition, body } => {
                if always_succeeds(condition) {
                    self.report_endless(body);
                }
                self.repeat(&[condition, body])
            }
            Kind::For { name, items, body } => {
                self.assign(name);
                self.check_items(items.iter().flatten());
                self.repeat(&[body])
            }
            Kind::CountingFor { header, body } => {
                self.arithmetic(header);
                if lacks_test(header) {
                    self.report_endless(body);
                }
                self.repeat(&[body])
            }
            Kind::Case { subject, arms } => {
                let patterns = arms.iter().flat_map(|(patterns, _)| patterns);
                self.check_items(std::iter::once(subject).chain(patterns));
                let bodies: Vec<&Script> = arms.iter().map(|(_, body)| body).collect();
                self.alternatives(&bodies)
            }
            Kind::Function { name, body } => self.define(name, body),
            Kind::Test(words) => self.test(words),
            Kind::Arithmetic(word) => {
                self.arithmetic(word);
                Origin::Unknown
            }
        }
    }

    /// Checks the words of a compound command.
    fn check_items<'w>(&mut self, words: impl Iterator<Item = &'w Word>) {
        for word in words {
            let values = self.expand(word);
            self.report_dynamic(&values);
            self.sweep(&values, false);
        }
    }

    /// Walks scripts of which some run.
    fn alternatives(&mut self, scripts: &[&Script]) -> Origin {
        let before = self.directories.clone();
        let mut ends = before.clone();
        let mut origin = Origin::Unknown;
        self.conditional += 1;
        for script in scripts {
            self.directories.clone_from(&before);
            origin = origin.max(self.script(script));
            ends.append(&mut self.directories);
        }
        self.conditional -= 1;
        self.directories = before;
        self.add_directories(&ends);
        origin
    }

    /// Walks scripts that may run any number of times. One that changes the directory runs in any
    /// directory after that.
    fn repeat(&mut self, scripts: &[&Script]) -> Origin {
        let before = self.directories.clone();
        let mut origin = self.alternatives(scripts);
        if self.directories != before {
            self.add_directories(&[None]);
            origin = origin.max(self.alternatives(scripts));
        }
        origin
    }

    /// Walks the body of a function once, as if it were called here.
    fn define(&mut self, name: &str, body: &Command) -> Origin {
        self.report(Rule::Construct);
        self.defining.push(name.to_owned());
        let before = self.directories.clone();
        self.conditional += 1;
        self.deeper(|walk| walk.command(body));
        self.conditional -= 1;
        self.defining.pop();
        let moves = self.directories != before;
        self.directories = before;
        *self.functions.entry(name.to_owned()).or_default() |= moves;
        Origin::Unknown
    }

    /// Notes a call of a function. Returns `false` if `name` is none.
    pub(super) fn call(&mut self, name: &str) -> bool {
        if let Some(caller) = self.defining.last() {
            let call = (caller.clone(), name.to_owned(), self.concurrent > 0);
            self.calls.insert(call);
        }
        let is_being_defined = self.defining.iter().any(|own| own == name);
        let moves = self.functions.get(name).copied();
        if moves == Some(true) {
            self.add_directories(&[None]);
        }
        if moves.is_some() || is_being_defined {
            self.report(Rule::Construct);
        }
        moves.is_some() || is_being_defined
    }

    /// Reports functions that call themselves, directly or through others.
    pub(super) fn report_recursion(&mut self) {
        let mut worst = None;
        for name in self.functions.keys() {
            let mut reached: BTreeSet<&str> = BTreeSet::new();
            let mut next = vec![name.as_str()];
            let mut is_concurrent = false;
            while let Some(caller) = next.pop() {
                for (_, callee, concurrent) in self.calls.iter().filter(|(own, ..)| own == caller) {
                    is_concurrent |= *concurrent;
                    if self.functions.contains_key(callee) && reached.insert(callee) {
                        next.push(callee);
                    }
                }
            }
            if reached.contains(name.as_str()) {
                let rule = if is_concurrent {
                    Rule::ForkBomb
                } else {
                    Rule::Endless
                };
                worst = worst.max(Some(rule));
            }
        }
        if let Some(rule) = worst {
            self.report(rule);
        }
    }

    fn report_endless(&mut self, body: &Script) {
        if body.items.iter().any(|item| item.background) {
            self.report(Rule::ForkBomb);
        } else if !exits_loop(body) {
            self.report(Rule::Endless);
        }
    }

    fn test(&mut self, words: &[Word]) -> Origin {
        const EVALUATING: [&str; 8] = ["-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-v", "-R"];
        let mut plain = words.iter().filter_map(Word::plain);
        let evaluates = plain.any(|word| EVALUATING.contains(&word));
        if evaluates {
            self.report(Rule::Construct);
        }
        let values: Vec<Value> = words.iter().map(|word| self.expand_one(word)).collect();
        if evaluates {
            self.check_evaluated(&values);
        }
        self.report_dynamic(&values);
        Origin::Unknown
    }
}

/// Returns `true` for the header of a counting loop without a test, such as `((;;))`.
fn lacks_test(header: &Word) -> bool {
    match header.parts.as_slice() {
        [] => true,
        [Part::Plain(text) | Part::Literal(text)] => {
            let middle = text.split(';').nth(1);
            middle.is_some_and(|middle| middle.trim().is_empty())
        }
        _ => false,
    }
}

fn commands(script: &Script) -> impl Iterator<Item = &Command> {
    let chains = script.items.iter().flat_map(|item| &item.chain);
    chains.flat_map(|(_, pipeline)| &pipeline.stages)
}

fn always_succeeds(condition: &Script) -> bool {
    let mut all = commands(condition);
    let (Some(command), None) = (all.next(), all.next()) else {
        return false;
    };
    match &command.kind {
        Kind::SimpleCommand(simple) => {
            let words: Option<Vec<&str>> = simple.words.iter().map(Word::plain).collect();
            let words = words.unwrap_or_default();
            matches!(
                words.as_slice(),
                ["true" | ":" | "false"] | ["[", _, "]"] | ["test", _]
            )
        }
        Kind::Arithmetic(word) => !word.is_expanded(),
        _ => false,
    }
}

/// Returns `true` if the body contains a command that leaves the loop.
fn exits_loop(body: &Script) -> bool {
    commands(body).any(|command| match &command.kind {
        Kind::SimpleCommand(simple) => {
            let name = simple.words.first().and_then(Word::plain);
            matches!(name, Some("break" | "exit" | "return"))
        }
        Kind::Group(script) => exits_loop(script),
        Kind::If {
            branches,
            otherwise,
        } => {
            let mut bodies = branches.iter().map(|(_, body)| body).chain(otherwise);
            bodies.any(exits_loop)
        }
        Kind::Case { arms, .. } => arms.iter().any(|(_, body)| exits_loop(body)),
        _ => false,
    })
}
