//! Simple commands: their assignments and redirections.

use std::rc::Rc;

use super::files::Reach;
use super::{Input, Rule, Value, Walk};
use crate::syntax::{Direction, Redirection, Target, Word};
use crate::value::Source;

/// Variables without an effect on other programs, beyond language and logs.
const HARMLESS: &str = "LANG LANGUAGE TZ TERM COLUMNS LINES NO_COLOR FORCE_COLOR CLICOLOR CI RUST_BACKTRACE \
    RUST_LOG CARGO_TERM_COLOR DEBUG VERBOSE PYTHONDONTWRITEBYTECODE";

impl Walk<'_> {
    pub(super) fn simple(
        &mut self,
        assignments: &[(String, Vec<Word>)],
        words: &[Word],
        redirections: &[Redirection],
    ) {
        let words: Vec<Value> = words.iter().map(|word| self.expand(word)).collect();
        self.context.part = Self::show(&words);
        let around = self.context.listed;
        self.redirect(redirections);
        self.context.listed = around;
        if words.is_empty() && !self.step(&[]) {
            return;
        }
        for (name, values) in assignments {
            self.assignment(name, values, words.is_empty());
        }
        self.context.listed = around;
        self.run(&words);
    }

    fn assignment(&mut self, name: &str, words: &[Word], is_alone: bool) {
        let values = words.iter().map(|word| self.expand_assigned(word));
        let values: Vec<Value> = values.collect();
        let value = match values.as_slice() {
            [one] => one.clone(),
            _ => Value::default(),
        };
        let part = format!("{name}={}", value.shown());
        if is_alone {
            self.context.part.clone_from(&part);
            self.list(vec![part.clone()]);
        }
        // Such a name is known afterwards if no other value exists.
        let directory = value.shown().strip_suffix("/?").filter(|_| {
            is_alone && value.source() == Some(Source::Name) && !self.temporary.contains_key(name)
        });
        self.assign(name);
        if let Some(directory) = directory {
            self.temporary.insert(name.to_owned(), directory.to_owned());
        }
        if !is_alone && !is_harmless(name, &value) {
            self.list(vec![part]);
        }
        self.environment(name, &value);
        for value in values {
            self.search(&value);
        }
    }

    /// Checks a variable for other programs.
    pub(super) fn environment(&mut self, name: &str, value: &Value) {
        if is_harmless(name, value) {
            return;
        }
        let part = format!("{name}={}", value.shown());
        let rule = Rule::Environment;
        self.add(rule, &part, rule.reason(), None, false);
        self.search(value);
    }

    /// Opens the files of redirections and sets standard input.
    pub(super) fn redirect(&mut self, redirections: &[Redirection]) {
        const HARMLESS: [&str; 3] = ["/dev/null", "/dev/stdout", "/dev/stderr"];
        for redirection in redirections {
            let direction = redirection.direction;
            let value = match &redirection.target {
                Target::Word(word) if direction != Direction::Text => self.expand(word),
                Target::Word(word) => self.expand_assigned(word),
                Target::Body(body) => match body.get() {
                    Some(word) => self.expand_assigned(word),
                    None => Value::unknown(),
                },
            };
            let is_input = redirection.descriptor == 0;
            let writes = match direction {
                Direction::Duplicate => !is_input && !is_descriptor(&value),
                _ => matches!(direction, Direction::Write | Direction::ReadWrite),
            };
            if redirection.descriptor > 2 {
                self.report(Rule::Construct);
            }
            self.report_dynamic(&value);
            if matches!(direction, Direction::Read | Direction::ReadWrite) {
                self.read(&value);
            }
            if writes && !HARMLESS.contains(&value.shown()) {
                self.list(vec![">".to_owned(), value.shown().to_owned()]);
            }
            if writes {
                self.write(&value, false, Reach::File);
            }
            if is_input {
                let text = value.literal().filter(|_| direction == Direction::Text);
                self.context.input =
                    text.map_or(Input::Unknown, |text| Input::Text(Rc::from(text)));
            }
        }
    }
}

/// Returns `true` for a variable without an effect on other programs.
fn is_harmless(name: &str, value: &Value) -> bool {
    let is_known = HARMLESS.split(' ').any(|known| known == name) || name.starts_with("LC_");
    is_known && value.literal().is_some()
}

/// Returns `true` for the number of a descriptor, or `-`.
fn is_descriptor(value: &Value) -> bool {
    let text = value.literal().unwrap_or_default();
    text == "-" || !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}
