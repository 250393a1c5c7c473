//! Walk over a script: follows its commands and directories, and collects findings.
//!
//! The walk runs nothing and computes no values. Commands that may run are walked as if they do, once,
//! and a word that is not literal is dynamic.

mod arguments;
mod control;
mod effects;
mod expand;
mod files;
mod handlers;
mod run;
mod simple;
mod text;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::rc::Rc;

use super::grant::Grant;
use super::judgement::{Finding, Judgement, SimpleCommand};
use super::limits::{
    ARGUMENT_WORK, MAX_LISTED_COMMANDS, MAX_NESTING, MAX_PART, MAX_STEPS, MAX_WORK,
};
use super::parse::{self, ParseError};
use super::settings::Settings;
use super::value::Value;
use super::verdict::{CommandRule as Rule, CommandVerdict};
use super::words;

/// Variables whose value the launcher sets, or whose value changes what known words mean.
const LAUNCHER: [&str; 7] = ["CDPATH", "HOME", "IFS", "PWD", "TEMP", "TMP", "TMPDIR"];

/// Standard input of a command.
#[derive(Debug, Clone, Default)]
enum Input {
    #[default]
    Inherited,
    /// Literal here-document or here-string.
    Text(Rc<str>),
    Unknown,
}

/// What a command inherits. A subshell has its own.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent properties")]
struct Context {
    /// Working directory, if it is known.
    directory: Option<Rc<str>>,
    input: Input,
    /// In a pipeline or a background job.
    concurrent: bool,
    /// In a loop, a function or a trap.
    repeated: bool,
    /// In a loop that may not end.
    endless: bool,
    /// In text whose positions are not those of the input.
    evaluated: bool,
    /// Position of the current command.
    span: Range<usize>,
    /// Current command, as shown.
    part: String,
    /// Its index in the listed commands.
    listed: Option<usize>,
}

#[expect(clippy::struct_excessive_bools, reason = "independent properties")]
pub(super) struct Walk<'a> {
    settings: &'a Settings,
    judgement: Judgement,
    listed: BTreeMap<Vec<String>, usize>,
    context: Context,
    start: Option<Rc<str>>,
    /// Whether the values of the launcher's variables are known.
    knows_variables: bool,
    /// Whether the command sets such a variable.
    sets_variables: bool,
    /// Variables that were set to the name of a new temporary file, with its directory.
    temporary: BTreeMap<String, String>,
    functions: BTreeSet<String>,
    /// Whether functions or code that is not known may change the directory.
    moves: bool,
    /// Functions around the current command.
    defining: Vec<String>,
    /// Whether a command has downloaded something.
    downloads: bool,
    steps: usize,
    work: usize,
    depth: usize,
    is_over: bool,
}

impl<'a> Walk<'a> {
    fn new(settings: &'a Settings, directory: Option<&str>, knows_variables: bool) -> Self {
        let directory: Option<Rc<str>> = directory.map(Rc::from);
        Self {
            settings,
            judgement: Judgement::default(),
            listed: BTreeMap::new(),
            context: Context {
                directory: directory.clone(),
                ..Context::default()
            },
            start: directory,
            knows_variables,
            sets_variables: false,
            temporary: BTreeMap::new(),
            functions: BTreeSet::new(),
            moves: false,
            defining: Vec::new(),
            downloads: false,
            steps: 0,
            work: 0,
            depth: 0,
            is_over: false,
        }
    }

    /// Returns the result of `check`. If the command sets a variable of the launcher anywhere, a second walk
    /// adds what is found when no value is known, because loops, functions and traps do not run in the
    /// order of the text.
    pub(super) fn judge(
        settings: &'a Settings,
        directory: Option<&str>,
        check: impl Fn(&mut Self),
    ) -> Judgement {
        let mut walk = Self::new(settings, directory, true);
        check(&mut walk);
        if walk.sets_variables {
            let (judgement, listed) = (walk.judgement, walk.listed);
            walk = Self {
                judgement,
                listed,
                ..Self::new(settings, directory, false)
            };
            check(&mut walk);
        }
        walk.judgement
    }

    /// Checks a script.
    pub(super) fn text(&mut self, text: &str) {
        match parse::script(text, 0) {
            Ok(script) => self.script(&script),
            Err(ParseError::Syntax(at)) => {
                let at = at.min(text.len());
                self.report_at(Rule::Syntax, at..text.len().min(at + 1));
            }
            Err(ParseError::TooDeep) => self.report_limit(),
        }
    }

    /// Checks a program with arguments.
    pub(super) fn arguments(&mut self, arguments: &[String]) {
        self.context.span = 0..arguments.len();
        self.context.evaluated = true;
        let words: Vec<Value> = arguments.iter().map(|text| Value::known(text)).collect();
        self.run(&words);
    }

    pub(super) fn report_at(&mut self, rule: Rule, span: Range<usize>) {
        let before = std::mem::replace(&mut self.context.span, span);
        self.add(rule, "", rule.reason(), None, false);
        self.context.span = before;
    }

    fn report(&mut self, rule: Rule) {
        self.explain(rule, rule.reason());
    }

    fn explain(&mut self, rule: Rule, explanation: &'static str) {
        let part = self.context.part.clone();
        self.add(rule, &part, explanation, None, false);
    }

    /// Adds a finding. `covered` is whether a checkpoint restores what is lost.
    fn add(
        &mut self,
        rule: Rule,
        part: &str,
        explanation: &'static str,
        grant: Option<Grant>,
        covered: bool,
    ) {
        let verdict = self.settings.verdict(rule, covered);
        if verdict > CommandVerdict::Allow {
            let finding = Finding {
                rule,
                verdict,
                part: part.chars().take(MAX_PART).collect(),
                span: self.context.span.clone(),
                grants: rule.grant().into_iter().chain(grant).collect(),
                explanation,
            };
            self.judgement.add(finding, self.context.listed);
        }
    }

    /// Reports that a part is beyond a limit and not examined.
    pub(super) fn report_limit(&mut self) {
        self.report_at(Rule::Limit, 0..0);
    }

    /// Counts a command and the size of its words. Returns `false` if a limit is exceeded.
    fn step(&mut self, words: &[Value]) -> bool {
        if self.is_over {
            return false;
        }
        self.steps += 1;
        let work = words.iter().map(|word| word.shown().len() + ARGUMENT_WORK);
        self.charge(work.sum());
        !self.is_over
    }

    /// Counts work. Nothing is walked after a limit.
    fn charge(&mut self, work: usize) {
        self.work += work;
        if (self.work > MAX_WORK || self.steps > MAX_STEPS) && !self.is_over {
            self.is_over = true;
            self.report_limit();
        }
    }

    /// Lists a command for policies. The next findings are about it.
    fn list(&mut self, words: Vec<String>) {
        self.context.listed = self.listed.get(&words).copied();
        if self.context.listed.is_some() {
            return;
        }
        let index = self.listed.len();
        if index >= MAX_LISTED_COMMANDS {
            return self.report_limit();
        }
        self.listed.insert(words.clone(), index);
        self.judgement.commands.push(SimpleCommand {
            words,
            verdict: CommandVerdict::Allow,
            rules: Vec::new(),
        });
        self.context.listed = Some(index);
    }

    /// Runs `inner` with its own context.
    fn scoped(&mut self, inner: impl FnOnce(&mut Self)) {
        let before = self.context.clone();
        inner(self);
        self.context = before;
    }

    /// Runs `inner` one level deeper.
    fn deeper(&mut self, inner: impl FnOnce(&mut Self)) {
        if self.is_over {
            return;
        }
        if self.depth >= MAX_NESTING {
            return self.report_limit();
        }
        self.depth += 1;
        let (part, listed) = (self.context.part.clone(), self.context.listed);
        inner(self);
        (self.context.part, self.context.listed) = (part, listed);
        self.depth -= 1;
    }

    /// Walks text as a script of another shell.
    fn evaluate(&mut self, text: &str) {
        self.charge(text.len());
        self.scoped(|walk| {
            walk.context.evaluated = true;
            walk.deeper(|walk| match parse::script(text, walk.depth) {
                Ok(script) => walk.script(&script),
                Err(ParseError::Syntax(_)) => walk.report(Rule::Syntax),
                Err(ParseError::TooDeep) => walk.report(Rule::Limit),
            });
        });
    }

    /// Notes that a variable is set.
    fn assign(&mut self, name: &str) {
        self.sets_variables |= LAUNCHER.contains(&name) || self.temporary.contains_key(name);
    }

    /// Forgets what is known about variables and the directory, because any code may run.
    fn forget(&mut self) {
        self.sets_variables = true;
        self.moves = true;
        self.context.directory = None;
    }

    fn show(words: &[Value]) -> String {
        let shown: Vec<String> = words.iter().map(|word| word.shown().to_owned()).collect();
        words::join_part(&shown).chars().take(MAX_PART).collect()
    }
}
