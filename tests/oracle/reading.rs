//! Outline of shell text, as parsed by the filter.

use crate::filter::parse;
use crate::filter::syntax::{
    Command, Connector, Direction, Form, Kind, Part, Redirection, Script, Target, Word,
};
use crate::outline::{Outline, Refused, Rendered};

pub(crate) fn outline(text: &str) -> Result<Outline, Refused> {
    let tree = parse::script(text, 0).map_err(|_| Refused)?;
    let mut reading = Reading::default();
    reading.script(&tree);
    Ok(reading.outline)
}

#[derive(Default)]
struct Reading {
    outline: Outline,
}

impl Reading {
    fn script(&mut self, script: &Script) {
        for item in &script.items {
            for (connector, pipeline) in &item.chain {
                match connector {
                    Connector::First => {}
                    Connector::And => self.outline.add("&&"),
                    Connector::Or => self.outline.add("||"),
                }
                for (at, command) in pipeline.stages.iter().enumerate() {
                    if at > 0 {
                        self.outline.add("|");
                    }
                    self.command(command);
                }
            }
            if item.background {
                self.outline.add("&");
            }
        }
    }

    fn between(&mut self, opening: &str, script: &Script, closing: &str) {
        self.outline.add(opening);
        self.script(script);
        self.outline.add(closing);
    }

    fn command(&mut self, command: &Command) {
        match &command.kind {
            Kind::Simple { assignments, words } => {
                let mut words: Vec<String> = words.iter().map(|word| self.word(word)).collect();
                let assignments = assignments.iter();
                words.extend(assignments.map(|(name, value)| self.assignment(name, value)));
                words.extend(self.redirections(&command.redirections));
                self.outline.add(words.join(" "));
            }
            Kind::Compound {
                form,
                words,
                scripts,
            } => {
                self.compound(form, words, scripts);
                let redirections = self.redirections(&command.redirections);
                self.outline.add_redirections(&redirections);
            }
        }
    }

    fn compound(&mut self, form: &Form, words: &[Word], scripts: &[Script]) {
        match (form, scripts) {
            (Form::Group, [script]) => self.between("{", script, "}"),
            (Form::Subshell, [script]) => self.between("(", script, ")"),
            (Form::If, scripts) => {
                for pair in scripts.chunks(2) {
                    match pair {
                        [condition, script] => {
                            self.between("if", condition, "then");
                            self.script(script);
                        }
                        _ => {
                            self.outline.add("else");
                            pair.iter().for_each(|script| self.script(script));
                        }
                    }
                }
                self.outline.add("fi");
            }
            (Form::Loop, [condition, body]) => {
                self.between("while", condition, "do");
                self.script(body);
                self.outline.add("done");
            }
            (Form::For(name), [body]) => {
                let items: Vec<String> = words.iter().map(|word| self.word(word)).collect();
                self.between(&format!("for {name} {}", items.join(" ")), body, "done");
            }
            (Form::Case, scripts) => {
                let words: Vec<String> = words.iter().map(|word| self.word(word)).collect();
                self.outline.add(format!("case {}", words.join(" ")));
                scripts
                    .iter()
                    .for_each(|script| self.between("in", script, ";;"));
                self.outline.add("esac");
            }
            (Form::Function(name), [body]) => {
                self.outline.add(format!("function {name}"));
                self.script(body);
            }
            (form, _) => panic!("{form:?} has other scripts"),
        }
    }

    fn assignment(&mut self, name: &str, value: &[Word]) -> String {
        let values: Vec<String> = value.iter().map(|word| self.word(word)).collect();
        format!("{name}={}", values.join(" "))
    }

    fn redirections(&mut self, redirections: &[Redirection]) -> Vec<String> {
        redirections
            .iter()
            .map(|redirection| self.redirection(redirection))
            .collect()
    }

    fn redirection(&mut self, redirection: &Redirection) -> String {
        let sign = match (redirection.direction, &redirection.target) {
            (Direction::Text, Target::Body(_)) => "<<",
            (Direction::Text, Target::Word(_)) => "<<<",
            (Direction::Read, _) => "<",
            (Direction::Write, _) => ">",
            (Direction::ReadWrite, _) => "<>",
            (Direction::Duplicate, _) => "&",
        };
        let target = match &redirection.target {
            Target::Word(word) => self.word(word),
            Target::Body(body) => body.get().map(|word| self.word(word)).unwrap_or_default(),
        };
        format!("{sign}{target}")
    }

    fn word(&mut self, word: &Word) -> String {
        let mut rendered = Rendered::default();
        for part in &word.parts {
            match part {
                Part::Literal(text) => rendered.quoted(text),
                Part::Plain(text) => rendered.plain(text),
                Part::Variable { name, operand, .. } => {
                    let operand = operand.as_ref().map(|word| self.word(word));
                    rendered.expanded(&indirect(name, operand.as_deref().unwrap_or_default()));
                }
                Part::Substitution { script, .. } => {
                    self.between("$(", script, ")");
                    rendered.expanded("$()");
                }
                Part::Process(script) => {
                    self.between("<(", script, ")");
                    rendered.expanded("<(");
                }
                Part::Arithmetic(word) => {
                    self.word(word);
                    rendered.expanded("$(())");
                }
            }
        }
        rendered.0
    }
}

/// Returns the name in `${!name}`, or the plain one.
fn indirect(name: &str, operand: &str) -> String {
    let end = operand.find(|letter: char| letter != '_' && !letter.is_alphanumeric());
    let inner = &operand[..end.unwrap_or(operand.len())];
    if name == "!" && !inner.is_empty() {
        inner.to_owned()
    } else {
        name.to_owned()
    }
}
