//! Simple commands: their assignments and redirections.

use std::rc::Rc;

use super::files::Reach;
use super::run::base_name;
use super::{Input, Origin, Rule, Value, Walk};
use crate::syntax::{Assignment, Direction, Redirection, SimpleCommand, Target};
use crate::value::Source;

/// Variables without an effect on other programs, beyond language and logs.
const HARMLESS: &str = "LANG LANGUAGE TZ TERM COLUMNS LINES NO_COLOR FORCE_COLOR CLICOLOR CI RUST_BACKTRACE \
    RUST_LOG CARGO_TERM_COLOR DEBUG VERBOSE PYTHONDONTWRITEBYTECODE";

impl Walk<'_> {
    pub(super) fn simple(
        &mut self,
        simple: &SimpleCommand,
        redirections: &[Redirection],
    ) -> Origin {
        let words: Vec<Value> = simple
            .words
            .iter()
            .flat_map(|word| self.expand(word))
            .collect();
        self.part = Self::show(&words);
        let targets = self.redirect(redirections);
        if words.is_empty() && !self.step(&[]) {
            return Origin::Unknown;
        }
        for assignment in &simple.assignments {
            self.assignment(assignment, &words);
        }
        let origin = if words.is_empty() {
            self.input.origin()
        } else {
            self.run(&words)
        };
        self.save(&targets, origin);
        origin
    }

    fn assignment(&mut self, assignment: &Assignment, words: &[Value]) {
        let values: Vec<Value> = assignment
            .value
            .iter()
            .map(|word| self.expand_assigned(word))
            .collect();
        if let Some(subscript) = &assignment.subscript {
            self.arithmetic(subscript);
        }
        let name = assignment.name.as_str();
        let value = match values.as_slice() {
            [one] => one.clone(),
            _ => Value::known(""),
        };
        if words.is_empty() {
            self.part = format!("{name}={}", value.shown());
            self.list(vec![self.part.clone()]);
        }
        let is_whole =
            value.source() == Some(Source::Temporary) && !assignment.append && !assignment.is_array;
        let temporary = is_whole.then(|| value.shown().strip_suffix("/?"));
        match temporary.flatten() {
            // The name is known afterwards if the assignment surely ran, and no other one exists.
            Some(directory)
                if words.is_empty()
                    && self.conditional == 0
                    && !self.temporary.contains_key(name) =>
            {
                self.temporary.insert(name.to_owned(), directory.to_owned());
            }
            _ => self.assign(name),
        }
        if self.environment(name, &value) && !words.is_empty() {
            self.list(vec![format!("{name}={}", value.shown())]);
        }
        for value in &values {
            self.search(value);
        }
    }

    /// Checks a variable for other programs. Returns `false` if it is harmless.
    pub(super) fn environment(&mut self, name: &str, value: &Value) -> bool {
        let is_harmless = HARMLESS.split(' ').any(|known| known == name) || name.starts_with("LC_");
        if is_harmless && value.literal().is_some() {
            return false;
        }
        let part = format!("{name}={}", value.shown());
        self.add(Rule::Environment, part, None, None, false);
        self.search(value);
        true
    }

    /// Opens the files of redirections and sets standard input. Returns the files that the output goes
    /// to.
    pub(super) fn redirect(&mut self, redirections: &[Redirection]) -> Vec<Value> {
        let mut targets = Vec::new();
        for redirection in redirections {
            let value = match &redirection.target {
                Target::Word(word) if redirection.direction == Direction::Text => {
                    self.expand_assigned(word)
                }
                Target::Word(word) => self.expand_one(word),
                Target::Body(body) => match body.get() {
                    Some(word) => self.expand_assigned(word),
                    None => Value::unknown(Origin::Unknown),
                },
            };
            if let Some(name) = &redirection.variable {
                self.assign(name);
            }
            if redirection.variable.is_some() || redirection.descriptor > 2 {
                self.report(Rule::Construct);
            }
            self.redirect_one(redirection, value, &mut targets);
        }
        targets
    }

    fn redirect_one(&mut self, redirection: &Redirection, value: Value, targets: &mut Vec<Value>) {
        let is_number = |text: &str| {
            text == "-" || !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
        };
        let is_descriptor = value.literal().is_some_and(is_number);
        let origin = value.origin().unwrap_or(Origin::Unknown);
        self.report_dynamic(std::slice::from_ref(&value));
        match redirection.direction {
            Direction::Text => {
                let text = value.literal().map(Rc::from);
                let input = text.map_or(Input::Other(origin), Input::Text);
                if redirection.is_input() {
                    self.input = input;
                }
            }
            Direction::Duplicate if redirection.is_input() => {
                self.input = Input::Other(Origin::Unknown);
            }
            Direction::Duplicate if is_descriptor => {}
            Direction::Read | Direction::ReadWrite => {
                self.read(&value);
                if redirection.direction == Direction::ReadWrite {
                    self.write_to(&value, false, Reach::File);
                }
                let origin = if self.is_download(&value) {
                    Origin::Download
                } else {
                    origin
                };
                if redirection.is_input() {
                    self.input = Input::Other(origin);
                }
            }
            _ => self.redirect_output(redirection, value, targets),
        }
    }

    fn redirect_output(
        &mut self,
        redirection: &Redirection,
        value: Value,
        targets: &mut Vec<Value>,
    ) {
        const HARMLESS: [&str; 3] = ["/dev/null", "/dev/stdout", "/dev/stderr"];
        self.write_to(&value, false, Reach::File);
        if !value.literal().is_some_and(|file| HARMLESS.contains(&file)) {
            self.list(vec![">".to_owned(), value.shown().to_owned()]);
            if redirection.descriptor != 2 {
                targets.push(value);
            }
        }
    }

    /// Remembers files with content from the network.
    pub(super) fn save(&mut self, files: &[Value], origin: Origin) {
        if origin == Origin::Download {
            let names = files.iter().filter_map(Value::literal).map(base_name);
            self.downloads.extend(names.map(str::to_owned));
        }
    }

    pub(super) fn is_download(&self, file: &Value) -> bool {
        file.origin() == Some(Origin::Download)
            || file
                .literal()
                .is_some_and(|name| self.downloads.contains(base_name(name)))
    }
}
