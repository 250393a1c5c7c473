//! Simple commands: assignments, redirections and words.

use std::rc::Rc;

use super::super::syntax::{Assignment, Direction, Redirection, SimpleCommand, Target};
use super::{Origin, Rule, Stream, Value, Walk};

/// Targets of standard output; `None` if it is not redirected.
pub(super) type Targets = Option<Vec<Value>>;

impl Walk<'_> {
    pub(super) fn simple(
        &mut self,
        simple: &SimpleCommand,
        redirections: &[Redirection],
    ) -> Stream {
        let words: Vec<Value> = simple
            .words
            .iter()
            .flat_map(|word| self.expand(word))
            .collect();
        self.part = Self::show(&words);
        let targets = self.redirect(redirections);
        if words.is_empty() && !self.step(&[]) {
            return Stream::empty();
        }
        for assignment in &simple.assignments {
            self.assign(assignment, words.is_empty(), &words);
        }
        let output = if words.is_empty() {
            // Only input and output of an empty command, such as `$(< file)`.
            match (simple.assignments.is_empty(), redirections.is_empty()) {
                (true, false) => Rc::unwrap_or_clone(Rc::clone(&self.state.stdin)),
                _ => Stream::empty(),
            }
        } else {
            let output = self.run(&words);
            if matches!(self.state.stdin.as_ref(), Stream::Text(_)) {
                // The command may have read a part.
                self.state.stdin = Rc::new(Stream::Unknown(Origin::Unknown));
            }
            output
        };
        self.redirected_by(redirections, targets, output)
    }

    fn assign(&mut self, assignment: &Assignment, is_alone: bool, words: &[Value]) {
        let values: Vec<Value> = assignment
            .value
            .iter()
            .flat_map(|word| self.expand_assigned(word))
            .collect();
        if let Some(subscript) = &assignment.subscript {
            self.arithmetic(subscript);
        }
        let name = assignment.name.as_str();
        let value = values.first().cloned().unwrap_or_default();
        if !is_alone && !is_declaration(words) {
            if self.environment(name, &value) {
                self.list(vec![format!("{name}={}", value.shown())]);
            }
            return;
        }
        let shown: Vec<String> = values.iter().map(Value::shown).collect();
        self.part = format!("{name}={}", shown.join(" "));
        if is_alone {
            self.list(vec![self.part.clone()]);
        }
        self.environment(name, &value);
        if name == "IFS" {
            self.state.splits_oddly = true;
        }
        self.keep(assignment, values);
    }

    /// Remembers an assigned value if it is known.
    fn keep(&mut self, assignment: &Assignment, values: Vec<Value>) {
        let name = assignment.name.as_str();
        let is_one = |value: &Value| !value.may_be_several && value.stream.is_none();
        let is_known = assignment.subscript.is_none() && values.iter().all(is_one);
        let mut known = match (is_known, assignment.append, self.state.variable(name)) {
            (true, true, Some(before)) => before.clone(),
            (true, false, _) => Vec::new(),
            _ => return self.state.forget(name),
        };
        match (assignment.append && !assignment.is_array, known.last_mut()) {
            (true, Some(last)) => {
                let mut joined = Value {
                    segments: std::mem::take(last),
                    ..Value::default()
                };
                let added = values.into_iter().flat_map(|value| value.segments);
                added.for_each(|segment| joined.push(segment));
                *last = joined.segments;
            }
            _ => known.extend(values.into_iter().map(|value| value.segments)),
        }
        self.state.set(name, known);
    }

    /// Opens the files of redirections and sets standard input.
    pub(super) fn redirect(&mut self, redirections: &[Redirection]) -> Targets {
        let mut targets: Targets = None;
        for redirection in redirections {
            let (values, is_body) = match &redirection.target {
                Target::Word(word) if redirection.direction == Direction::Text => {
                    (self.expand_assigned(word), false)
                }
                Target::Word(word) => (self.expand(word), false),
                Target::Body(body) => (
                    body.get()
                        .map(|word| self.expand_assigned(word))
                        .unwrap_or_default(),
                    true,
                ),
            };
            let value = match <[Value; 1]>::try_from(values) {
                Ok([value]) => value,
                Err(values) if values.is_empty() => Value::known(""),
                Err(_) => Value::unknown(Origin::Unknown),
            };
            if redirection.variable.is_some() || redirection.descriptor > 2 {
                self.report(Rule::Construct);
            }
            self.redirect_one(redirection, value, is_body, &mut targets);
        }
        targets
    }

    fn redirect_one(
        &mut self,
        redirection: &Redirection,
        value: Value,
        is_body: bool,
        targets: &mut Targets,
    ) {
        let is_descriptor = value.literal().is_some_and(|text| {
            text == "-" || !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
        });
        if redirection.direction != Direction::Text && !value.is_written {
            self.report(Rule::Dynamic);
        }
        match redirection.direction {
            Direction::Text => {
                let origin = value.origin().unwrap_or(Origin::Unknown);
                let text = value
                    .literal()
                    .map(|text| text.to_owned() + if is_body { "" } else { "\n" });
                if redirection.is_input() {
                    self.state.stdin = Rc::new(text.map_or(Stream::Unknown(origin), Stream::Text));
                }
            }
            Direction::Duplicate if redirection.is_input() => {
                self.state.stdin = Rc::new(Stream::Unknown(Origin::Unknown));
            }
            Direction::Duplicate if is_descriptor => {}
            Direction::Read => self.redirect_input(redirection, &value),
            Direction::ReadWrite if redirection.is_input() => {
                self.redirect_input(redirection, &value);
                self.write_in_place(&value);
            }
            _ => self.redirect_output(redirection, value, targets),
        }
    }

    fn redirect_input(&mut self, redirection: &Redirection, value: &Value) {
        self.read(value);
        if redirection.is_input() {
            let origin = if self.is_download(value) {
                Origin::Download
            } else {
                Origin::Unknown
            };
            let stream = value.stream.clone();
            self.state.stdin = stream.unwrap_or_else(|| Rc::new(Stream::Unknown(origin)));
        }
    }

    fn redirect_output(&mut self, redirection: &Redirection, value: Value, targets: &mut Targets) {
        const HARMLESS: [&str; 4] = ["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"];
        self.write_in_place(&value);
        if !value.fixed().is_some_and(|file| HARMLESS.contains(&file)) {
            self.list(vec![">".to_owned(), value.shown()]);
        }
        if redirection.descriptor != 2 {
            targets.get_or_insert_with(Vec::new).push(value);
        }
    }

    /// Returns the output after redirections.
    pub(super) fn redirected_by(
        &mut self,
        redirections: &[Redirection],
        targets: Targets,
        output: Stream,
    ) -> Stream {
        let origin = output.origin();
        let output = self.redirected(targets, output);
        // Duplicates may exchange output and errors.
        let duplicates = |redirection: &Redirection| {
            redirection.direction == Direction::Duplicate && !redirection.is_input()
        };
        if redirections.iter().any(duplicates) {
            Stream::Unknown(origin)
        } else {
            output
        }
    }

    /// Remembers files with downloaded content. Returns the output that is not redirected.
    fn redirected(&mut self, targets: Targets, output: Stream) -> Stream {
        let Some(targets) = targets else {
            return output;
        };
        for target in targets {
            if target.fixed() == Some("/dev/stdout") {
                return output;
            }
            if output.origin() == Origin::Download {
                self.remember_download(&target);
            }
        }
        Stream::empty()
    }

    pub(super) fn report_dynamic(&mut self, values: &[Value]) {
        if values.iter().any(|value| !value.is_written) {
            self.report(Rule::Dynamic);
        }
    }

    pub(super) fn remember_download(&mut self, file: &Value) {
        if let Some(name) = file.literal() {
            Rc::make_mut(&mut self.state.downloads).insert(base_name(name).to_owned());
        }
    }

    pub(super) fn is_download(&self, file: &Value) -> bool {
        let name = file.literal().map(base_name);
        name.is_some_and(|name| self.state.downloads.contains(name))
    }
}

pub(super) fn base_name(path: &str) -> &str {
    path.trim_end_matches('/')
        .rsplit('/')
        .next()
        .unwrap_or(path)
}

fn is_declaration(words: &[Value]) -> bool {
    let name = words.first().and_then(Value::literal);
    matches!(
        name,
        Some("declare" | "typeset" | "local" | "export" | "readonly")
    )
}
