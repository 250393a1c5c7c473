//! Outline of shell text, as parsed by the filter.

use crate::filter::parse;
use crate::filter::syntax::{
    Assignment, Command, Connector, Direction, Kind, Operation, Part, Redirection, Script,
    SimpleCommand, Target, Variable, Word,
};
use crate::outline::{Outline, Refused, Rendered, arithmetic, is_operator};

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
        if let Kind::SimpleCommand(simple) = &command.kind {
            self.simple(simple, &command.redirections);
            return;
        }
        self.compound(&command.kind);
        let redirections = self.redirections(&command.redirections);
        self.outline.add_redirections(&redirections);
    }

    fn simple(&mut self, simple: &SimpleCommand, redirections: &[Redirection]) {
        let mut words: Vec<String> = simple.words.iter().map(|word| self.word(word)).collect();
        words.extend(
            simple
                .assignments
                .iter()
                .map(|assignment| self.assignment(assignment)),
        );
        words.extend(self.redirections(redirections));
        self.outline.add(words.join(" "));
    }

    fn compound(&mut self, kind: &Kind) {
        match kind {
            Kind::SimpleCommand(_) => {}
            Kind::Group(script) => self.between("{", script, "}"),
            Kind::Subshell(script) => self.between("(", script, ")"),
            Kind::If {
                branches,
                otherwise,
            } => {
                for (condition, script) in branches {
                    self.between("if", condition, "then");
                    self.script(script);
                }
                if let Some(script) = otherwise {
                    self.outline.add("else");
                    self.script(script);
                }
                self.outline.add("fi");
            }
            Kind::Loop { .. } | Kind::For { .. } | Kind::CountingFor { .. } => self.repeated(kind),
            Kind::Case { subject, arms } => self.case(subject, arms),
            Kind::Function { name, body } => {
                self.outline.add(format!("function {name}"));
                self.command(body);
            }
            Kind::Test(words) => self.test(words),
            Kind::Arithmetic(word) => {
                let word = self.word(word);
                self.outline.add(format!("(( {}", arithmetic(&word)));
            }
        }
    }

    fn repeated(&mut self, kind: &Kind) {
        match kind {
            Kind::Loop { condition, body } => {
                self.between("while", condition, "do");
                self.script(body);
                self.outline.add("done");
            }
            Kind::For { name, items, body } => {
                let items: Vec<String> =
                    items.iter().flatten().map(|word| self.word(word)).collect();
                self.between(&format!("for {name} {}", items.join(" ")), body, "done");
            }
            Kind::CountingFor { header, body } => {
                self.word(header);
                self.between("for ((", body, "done");
            }
            _ => {}
        }
    }

    fn case(&mut self, subject: &Word, arms: &[(Vec<Word>, Script)]) {
        let subject = self.word(subject);
        self.outline.add(format!("case {subject}"));
        for (patterns, script) in arms {
            let patterns: Vec<String> = patterns.iter().map(|word| self.word(word)).collect();
            self.between(&patterns.join(" | "), script, ";;");
        }
        self.outline.add("esac");
    }

    fn test(&mut self, words: &[Word]) {
        let is_pattern = words.iter().any(|word| word.plain() == Some("=~"));
        let words = words
            .iter()
            .filter(|word| !word.plain().is_some_and(is_operator));
        let words: Vec<String> = words.map(|word| self.word(word)).collect();
        self.outline.add(if is_pattern {
            "[[".to_owned()
        } else {
            format!("[[ {}", words.join(" "))
        });
    }

    fn assignment(&mut self, assignment: &Assignment) -> String {
        if let Some(subscript) = &assignment.subscript {
            self.word(subscript);
        }
        let values: Vec<String> = assignment
            .value
            .iter()
            .map(|word| self.word(word))
            .collect();
        let sign = if assignment.append { "+=" } else { "=" };
        let subscript = if assignment.subscript.is_some() {
            "[]"
        } else {
            ""
        };
        let value = if assignment.is_array {
            format!("({})", values.join(" "))
        } else {
            values.concat()
        };
        format!("{}{subscript}{sign}{value}", assignment.name)
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
                Part::Variable(variable) => rendered.expanded(&self.variable(variable)),
                Part::Substitution { script, .. } => {
                    self.between("$(", script, ")");
                    rendered.expanded("$()");
                }
                Part::Process { script, writes } => {
                    let sign = if *writes { ">(" } else { "<(" };
                    self.between(sign, script, ")");
                    rendered.expanded(sign);
                }
                Part::Arithmetic(word) => {
                    self.word(word);
                    rendered.expanded("$(())");
                }
            }
        }
        rendered.0
    }

    fn variable(&mut self, variable: &Variable) -> String {
        if let Some(subscript) = &variable.subscript {
            self.word(subscript);
        }
        let operand = self.word(&variable.operand);
        match variable.operation {
            Operation::Default { .. } | Operation::Alternate | Operation::Demanded => {
                format!("{} {operand}", variable.name)
            }
            _ => variable.name.clone(),
        }
    }
}
