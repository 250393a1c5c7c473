//! Walk over a script: expands words, follows directories and variables, and collects findings.

mod braces;
mod builtins;
mod code;
mod control;
mod decoded;
mod editors;
mod effects;
mod expansion;
mod fields;
mod files;
mod find;
mod lookup;
mod loops;
mod options;
mod printed;
mod programs;
mod run;
mod sed;
mod shells;
mod simple;
mod state;
mod subcommands;
mod variables;
mod wrappers;

use std::collections::BTreeSet;
use std::ops::Range;

use super::grant::Grant;
use super::judgement::{Finding, Judgement};
use super::limits::{
    ARGUMENT_WORK, MAX_LISTED_COMMANDS, MAX_NESTING, MAX_PART, MAX_STEPS, MAX_WORK,
};
use super::parse::{self, ParseError};
use super::settings::Settings;
use super::value::{Origin, Segment, Stream, Value};
use super::verdict::{CommandRule as Rule, CommandVerdict};
use super::words;
use state::State;

pub(super) struct Walk<'a> {
    settings: &'a Settings,
    judgement: Judgement,
    listed: BTreeSet<Vec<String>>,
    state: State,
    steps: usize,
    work: usize,
    depth: usize,
    /// Position of the current command.
    span: Range<usize>,
    /// Nesting of text whose positions are not those of the input.
    evaluated: usize,
    /// Nesting of text that may be code, of which only the damage counts.
    searched: usize,
    /// Current command, as shown.
    part: String,
    /// Functions that run.
    calls: Vec<String>,
    called: BTreeSet<String>,
    /// Number of enclosing pipelines and background jobs within the current function.
    concurrent: usize,
    is_over: bool,
}

impl<'a> Walk<'a> {
    pub(super) fn new(settings: &'a Settings, directory: Option<&str>) -> Self {
        Self {
            settings,
            judgement: Judgement::default(),
            listed: BTreeSet::new(),
            state: State::new(directory),
            steps: 0,
            work: 0,
            depth: 0,
            span: 0..0,
            evaluated: 0,
            searched: 0,
            part: String::new(),
            calls: Vec::new(),
            called: BTreeSet::new(),
            concurrent: 0,
            is_over: false,
        }
    }

    /// Checks a script.
    pub(super) fn text(&mut self, text: &str) {
        match parse::script(text, 0) {
            Ok(script) => {
                self.script(&script);
                self.uncalled_functions();
            }
            Err(ParseError::Syntax(at)) => {
                let at = at.min(text.len());
                self.report_at(Rule::Syntax, at..text.len().min(at + 1));
            }
            Err(ParseError::TooDeep) => self.report_limit(),
        }
    }

    /// Checks a program with arguments.
    pub(super) fn arguments(&mut self, arguments: &[String]) {
        self.span = 0..arguments.len();
        self.evaluated = 1;
        let words: Vec<Value> = arguments
            .iter()
            .map(|argument| Value::written(argument))
            .collect();
        self.run(&words);
    }

    pub(super) fn finish(self) -> Judgement {
        self.judgement
    }

    pub(super) fn report_at(&mut self, rule: Rule, span: Range<usize>) {
        let before = std::mem::replace(&mut self.span, span);
        self.add(rule, String::new(), None, None);
        self.span = before;
    }

    fn report(&mut self, rule: Rule) {
        self.add(rule, self.part.clone(), None, None);
    }

    fn explain(&mut self, rule: Rule, explanation: &'static str) {
        self.add(rule, self.part.clone(), Some(explanation), None);
    }

    fn add(
        &mut self,
        rule: Rule,
        part: String,
        explanation: Option<&'static str>,
        grant: Option<Grant>,
    ) {
        let verdict = self.settings.verdict(rule);
        let counts = self.searched == 0 || rule.is_damage() || rule == Rule::Limit;
        if verdict == CommandVerdict::Allow || !counts {
            return;
        }
        let part = shortened(part);
        let finding = Finding::new(rule, verdict, part, self.span.clone()).granted(grant);
        self.judgement.add(match explanation {
            Some(explanation) => finding.explained(explanation),
            None => finding,
        });
    }

    /// Reports that a part is beyond a limit and not examined.
    pub(super) fn report_limit(&mut self) {
        self.report_at(Rule::Limit, 0..0);
    }

    /// Reports that a limit of the total work is exceeded. Nothing is walked after this.
    fn stop_at_limit(&mut self) {
        self.is_over = true;
        self.report_limit();
    }

    /// Counts a command and the size of its words. Returns `false` if a limit is exceeded.
    fn step(&mut self, words: &[Value]) -> bool {
        if self.is_over {
            return false;
        }
        self.steps += 1;
        self.work += words
            .iter()
            .map(|word| word.prefix().len() + ARGUMENT_WORK)
            .sum::<usize>();
        if self.steps > MAX_STEPS || self.work > MAX_WORK {
            self.stop_at_limit();
        }
        !self.is_over
    }

    fn charge(&mut self, work: usize) {
        self.work += work;
        if self.work > MAX_WORK && !self.is_over {
            self.stop_at_limit();
        }
    }

    /// Lists a command for policies.
    fn list(&mut self, words: Vec<String>) {
        if self.searched > 0 || self.listed.contains(&words) {
            return;
        }
        if self.listed.len() >= MAX_LISTED_COMMANDS {
            return self.report_limit();
        }
        self.listed.insert(words.clone());
        self.judgement.add_command(words);
    }

    /// Runs `inner` in a subshell.
    fn subshell<T>(&mut self, inner: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.state.clone();
        let result = inner(self);
        self.state = before;
        result
    }

    /// Runs `inner` one level deeper.
    fn deeper<T>(&mut self, default: T, inner: impl FnOnce(&mut Self) -> T) -> T {
        if self.is_over {
            return default;
        }
        if self.depth >= MAX_NESTING {
            self.report_limit();
            return default;
        }
        self.depth += 1;
        let part = self.part.clone();
        let result = inner(self);
        self.part = part;
        self.depth -= 1;
        result
    }

    /// Walks text as a script of the current shell.
    fn evaluate(&mut self, text: &str) -> Stream {
        self.charge(text.len());
        self.deeper(Stream::empty(), |walk| {
            walk.evaluated += 1;
            let output = match parse::script(text, walk.depth) {
                Ok(script) => walk.script(&script),
                Err(ParseError::Syntax(_)) => {
                    walk.report(Rule::Syntax);
                    Stream::empty()
                }
                Err(ParseError::TooDeep) => {
                    walk.report_limit();
                    Stream::empty()
                }
            };
            walk.evaluated -= 1;
            output
        })
    }

    fn show(words: &[Value]) -> String {
        let shown: Vec<String> = words.iter().map(Value::shown).collect();
        shortened(words::join_part(&shown))
    }
}

fn shortened(mut part: String) -> String {
    if let Some((end, _)) = part.char_indices().nth(MAX_PART) {
        part.truncate(end);
    }
    part
}
