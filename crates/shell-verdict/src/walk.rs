//! Walk over a script: follows its commands and directories, and collects findings.
//!
//! The walk runs nothing and computes no values. Commands that may run are walked as if they do, once,
//! and a word that is not literal is dynamic.

mod control;
mod effects;
mod expand;
mod files;
mod options;
mod programs;
mod run;
mod shells;
mod simple;
mod text;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::rc::Rc;

use super::grant::Grant;
use super::judgement::{Finding, Judgement};
use super::limits::{
    ARGUMENT_WORK, MAX_LISTED_COMMANDS, MAX_NESTING, MAX_PART, MAX_STEPS, MAX_WORK,
};
use super::parse::{self, ParseError};
use super::settings::Settings;
use super::value::{Origin, Value};
use super::verdict::{CommandRule as Rule, CommandVerdict};
use super::words;

/// Variables whose value the launcher sets, or whose value changes what known words mean.
const LAUNCHER: [&str; 7] = ["CDPATH", "HOME", "IFS", "PWD", "TEMP", "TMP", "TMPDIR"];

/// Possible working directories; `None` is an unknown one.
pub(super) type Directories = Vec<Option<Rc<str>>>;

/// Standard input of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Input {
    Inherited,
    /// Literal here-document or here-string.
    Text(Rc<str>),
    Other(Origin),
}

impl Input {
    fn origin(&self) -> Origin {
        match self {
            Self::Other(origin) => *origin,
            Self::Inherited | Self::Text(_) => Origin::Unknown,
        }
    }
}

pub(super) struct Walk<'a> {
    settings: &'a Settings,
    judgement: Judgement,
    listed: BTreeSet<Vec<String>>,
    directories: Directories,
    start: Option<Rc<str>>,
    input: Input,
    /// Variables of the launcher that the command sets somewhere, so that their value is unknown.
    assigned: BTreeSet<String>,
    /// Variables that were set to the name of a new temporary file, with its directory.
    temporary: BTreeMap<String, String>,
    /// Functions, and whether they change the directory.
    functions: BTreeMap<String, bool>,
    /// Functions around the current command.
    defining: Vec<String>,
    /// Calls between functions, and whether they run concurrently.
    calls: BTreeSet<(String, String, bool)>,
    /// Base names of files with content from the network.
    downloads: BTreeSet<String>,
    /// Whether a build output may hold what was moved into it.
    holds_work: bool,
    /// Most harmful origin of the output so far.
    seen: Origin,
    steps: usize,
    work: usize,
    depth: usize,
    /// Number of enclosing commands that may not run, or that run in another shell.
    conditional: usize,
    /// Number of enclosing pipelines and background jobs.
    concurrent: usize,
    /// Nesting of text whose positions are not those of the input.
    evaluated: usize,
    /// Position of the current command.
    span: Range<usize>,
    /// Current command, as shown.
    part: String,
    is_over: bool,
}

impl<'a> Walk<'a> {
    fn new(settings: &'a Settings, directory: Option<&str>, assigned: BTreeSet<String>) -> Self {
        Self {
            settings,
            judgement: Judgement::default(),
            listed: BTreeSet::new(),
            directories: vec![directory.map(Rc::from)],
            start: directory.map(Rc::from),
            input: Input::Inherited,
            assigned,
            temporary: BTreeMap::new(),
            functions: BTreeMap::new(),
            defining: Vec::new(),
            calls: BTreeSet::new(),
            downloads: BTreeSet::new(),
            holds_work: false,
            seen: Origin::Unknown,
            steps: 0,
            work: 0,
            depth: 0,
            conditional: 0,
            concurrent: 0,
            evaluated: 0,
            span: 0..0,
            part: String::new(),
            is_over: false,
        }
    }

    /// Returns the result of `check`. If the command sets a variable of the launcher anywhere, a second walk
    /// adds what is found when its value is unknown everywhere, because loops, functions and traps do not
    /// run in the order of the text.
    pub(super) fn judge(
        settings: &'a Settings,
        directory: Option<&str>,
        check: impl Fn(&mut Self),
    ) -> Judgement {
        let mut walk = Self::new(settings, directory, BTreeSet::new());
        check(&mut walk);
        if !walk.assigned.is_empty() {
            let (assigned, judgement, listed) = (walk.assigned, walk.judgement, walk.listed);
            walk = Self {
                judgement,
                listed,
                ..Self::new(settings, directory, assigned)
            };
            check(&mut walk);
        }
        walk.judgement
    }

    /// Checks a script.
    pub(super) fn text(&mut self, text: &str) {
        match parse::script(text, 0) {
            Ok(script) => {
                self.script(&script);
                self.report_recursion();
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
        let words: Vec<Value> = arguments.iter().map(|text| Value::known(text)).collect();
        self.run(&words);
    }

    pub(super) fn report_at(&mut self, rule: Rule, span: Range<usize>) {
        let before = std::mem::replace(&mut self.span, span);
        self.add(rule, String::new(), None, None, false);
        self.span = before;
    }

    fn report(&mut self, rule: Rule) {
        self.add(rule, self.part.clone(), None, None, false);
    }

    fn explain(&mut self, rule: Rule, explanation: &'static str) {
        self.add(rule, self.part.clone(), Some(explanation), None, false);
    }

    /// Adds a finding. `covered` is whether a checkpoint restores what is lost.
    fn add(
        &mut self,
        rule: Rule,
        part: String,
        explanation: Option<&'static str>,
        grant: Option<Grant>,
        covered: bool,
    ) {
        let verdict = self.settings.verdict(rule, covered);
        if verdict == CommandVerdict::Allow {
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

    /// Counts a command and the size of its words. Returns `false` if a limit is exceeded.
    fn step(&mut self, words: &[Value]) -> bool {
        self.steps += 1;
        let work = words.iter().map(|word| word.shown().len() + ARGUMENT_WORK);
        self.charge(work.sum());
        if self.steps > MAX_STEPS && !self.is_over {
            self.is_over = true;
            self.report_limit();
        }
        !self.is_over
    }

    /// Counts work. Nothing is walked after the limit.
    fn charge(&mut self, work: usize) {
        self.work += work;
        if self.work > MAX_WORK && !self.is_over {
            self.is_over = true;
            self.report_limit();
        }
    }

    /// Lists a command for policies.
    fn list(&mut self, words: Vec<String>) {
        if self.listed.contains(&words) {
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
        let before = (self.directories.clone(), self.input.clone());
        self.conditional += 1;
        let result = inner(self);
        self.conditional -= 1;
        (self.directories, self.input) = before;
        result
    }

    /// Runs `inner` one level deeper.
    fn deeper(&mut self, inner: impl FnOnce(&mut Self) -> Origin) -> Origin {
        if self.is_over {
            return Origin::Unknown;
        }
        if self.depth >= MAX_NESTING {
            self.report_limit();
            return Origin::Unknown;
        }
        self.depth += 1;
        let part = self.part.clone();
        let result = inner(self);
        self.part = part;
        self.depth -= 1;
        result
    }

    /// Walks text as a script of another shell.
    fn evaluate(&mut self, text: &str) -> Origin {
        self.charge(text.len());
        self.subshell(|walk| {
            walk.deeper(|walk| {
                walk.evaluated += 1;
                let origin = match parse::script(text, walk.depth) {
                    Ok(script) => walk.script(&script),
                    Err(error) => {
                        walk.report(match error {
                            ParseError::Syntax(_) => Rule::Syntax,
                            ParseError::TooDeep => Rule::Limit,
                        });
                        Origin::Unknown
                    }
                };
                walk.evaluated -= 1;
                origin
            })
        })
    }

    /// Forgets the value of a variable that the command sets.
    fn assign(&mut self, name: &str) {
        if LAUNCHER.contains(&name) || self.temporary.contains_key(name) {
            self.assigned.insert(name.to_owned());
        }
    }

    /// Forgets all variables, because the command may set any of them.
    fn assign_all(&mut self) {
        let temporary = self.temporary.keys().cloned();
        self.assigned
            .extend(LAUNCHER.map(str::to_owned).into_iter().chain(temporary));
    }

    fn is_set_by_launcher(&self, name: &str) -> bool {
        !self.assigned.contains(name)
    }

    fn show(words: &[Value]) -> String {
        let shown: Vec<String> = words.iter().map(|word| word.shown().to_owned()).collect();
        shortened(words::join_part(&shown))
    }
}

fn shortened(mut part: String) -> String {
    if let Some((end, _)) = part.char_indices().nth(MAX_PART) {
        part.truncate(end);
    }
    part
}
