//! Simple commands: assignments, words and redirections.

use std::cell::OnceCell;
use std::rc::Rc;

use super::super::syntax::{
    Assignment, Command, Direction, Kind, Part, Redirection, SimpleCommand, Target, Word,
};
use super::cursor::{Parsed, Parser, PendingBody};

impl Parser<'_> {
    pub(super) fn simple_command(&mut self, start: usize) -> Parsed<Command> {
        let mut simple = SimpleCommand::default();
        let mut redirections = Vec::new();
        let mut end = start;
        loop {
            self.skip_blanks();
            if let Some(redirection) = self.redirection()? {
                redirections.push(redirection);
            } else if self.at_word() {
                self.word_or_assignment(&mut simple)?;
            } else if self.peek() == Some('(') {
                return self.function_after_name(&simple, redirections.is_empty(), start);
            } else {
                break;
            }
            end = self.at;
        }
        if end == start {
            return Err(self.unexpected());
        }
        Ok(Command {
            kind: Kind::SimpleCommand(simple),
            redirections,
            pipes_errors: false,
            span: start..end,
        })
    }

    fn at_word(&mut self) -> bool {
        match self.peek() {
            None => false,
            Some(letter) => !Self::is_meta(letter) || self.is_at("<(") || self.is_at(">("),
        }
    }

    fn word_or_assignment(&mut self, simple: &mut SimpleCommand) -> Parsed<()> {
        let declares = simple
            .words
            .first()
            .and_then(Word::plain)
            .is_some_and(|name| {
                matches!(
                    name,
                    "declare" | "typeset" | "local" | "export" | "readonly"
                )
            });
        if (simple.words.is_empty() || declares)
            && let Some(assignment) = self.assignment()?
        {
            if declares {
                // Keep assignments as words too, to preserve their order relative to options and
                // names.
                simple.words.push(declared_word(&assignment));
            }
            simple.assignments.push(assignment);
            return Ok(());
        }
        simple.words.push(self.word()?);
        Ok(())
    }

    fn function_after_name(
        &mut self,
        simple: &SimpleCommand,
        without_redirections: bool,
        start: usize,
    ) -> Parsed<Command> {
        let name = match (simple.words.as_slice(), simple.assignments.is_empty()) {
            ([word], true) if without_redirections => word.plain().map(str::to_owned),
            _ => None,
        };
        let name = name.ok_or(self.unexpected())?;
        self.take("(");
        self.skip_blanks();
        self.expect(")")?;
        let kind = self.nested(|parser| parser.function_body(name))?;
        Ok(Command {
            kind,
            redirections: Vec::new(),
            pipes_errors: false,
            span: start..self.at,
        })
    }

    fn assignment(&mut self) -> Parsed<Option<Assignment>> {
        let start = self.at;
        if !self.may_be_assignment() {
            return Ok(None);
        }
        let Ok(name) = self.name() else {
            return Ok(None);
        };
        let subscript = match self.peek() {
            Some('[') => self.assignment_subscript()?,
            _ => None,
        };
        let append = self.take("+=");
        if !append && !self.take("=") {
            self.at = start;
            return Ok(None);
        }
        let is_array = self.peek() == Some('(');
        let value = if is_array {
            self.nested(Self::array_items)?
        } else {
            vec![self.word()?]
        };
        Ok(Some(Assignment {
            name,
            subscript,
            append,
            value,
            is_array,
        }))
    }

    fn may_be_assignment(&self) -> bool {
        let belongs = |byte: &u8| *byte == b'_' || byte.is_ascii_alphanumeric();
        let behind = self.rest().bytes().find(|byte| !belongs(byte));
        matches!(behind, Some(b'=' | b'+' | b'[' | b'\\'))
    }

    /// A subscript requires a following `=`; otherwise the brackets are a glob.
    fn assignment_subscript(&mut self) -> Parsed<Option<Word>> {
        let start = self.at;
        self.take("[");
        let subscript = self.nested(|parser| parser.text_until(']', false))?;
        if !self.take("]") || !(self.is_at("=") || self.is_at("+=")) {
            self.at = start;
            return Ok(None);
        }
        Ok(Some(subscript))
    }

    fn array_items(&mut self) -> Parsed<Vec<Word>> {
        self.take("(");
        let mut items = Vec::new();
        loop {
            self.skip_lines()?;
            if self.take(")") {
                return Ok(items);
            }
            items.push(self.some_word()?);
        }
    }

    pub(super) fn redirections(&mut self) -> Parsed<Vec<Redirection>> {
        let mut redirections = Vec::new();
        loop {
            self.skip_blanks();
            match self.redirection()? {
                Some(redirection) => redirections.push(redirection),
                None => return Ok(redirections),
            }
        }
    }

    fn redirection(&mut self) -> Parsed<Option<Redirection>> {
        if !matches!(self.peek(), Some('<' | '>' | '&' | '{' | '0'..='9')) {
            return Ok(None);
        }
        let start = self.at;
        let (descriptor, variable) = self.descriptor();
        let reads = self.is_at("<");
        let operator = self.redirection_operator();
        let Some((direction, is_body)) = operator else {
            self.at = start;
            return Ok(None);
        };
        let strips_tabs = is_body && self.take("-");
        self.skip_blanks();
        let word = self.some_word()?;
        let target = if is_body {
            Target::Body(self.expect_body(&word, strips_tabs)?)
        } else {
            Target::Word(word)
        };
        Ok(Some(Redirection {
            descriptor: descriptor.unwrap_or(u32::from(!reads)),
            variable,
            direction,
            target,
        }))
    }

    fn descriptor(&mut self) -> (Option<u32>, Option<String>) {
        if self.take("{") {
            let name = self.name().ok().filter(|_| self.take("}"));
            return (name.is_some().then_some(u32::MAX), name);
        }
        let mut number = None;
        while let Some(digit) = self.peek().and_then(|letter| letter.to_digit(10)) {
            let before: u32 = number.unwrap_or_default();
            number = Some(before.saturating_mul(10).saturating_add(digit));
            self.at += 1;
        }
        (number, None)
    }

    fn redirection_operator(&mut self) -> Option<(Direction, bool)> {
        const OPERATORS: [(&str, Direction, bool); 11] = [
            ("<<<", Direction::Text, false),
            ("<<", Direction::Text, true),
            ("<>", Direction::ReadWrite, false),
            ("<&", Direction::Duplicate, false),
            (">&", Direction::Duplicate, false),
            (">>", Direction::Write, false),
            (">|", Direction::Write, false),
            ("&>>", Direction::Write, false),
            ("&>", Direction::Write, false),
            ("<", Direction::Read, false),
            (">", Direction::Write, false),
        ];
        if self.is_at("<(") || self.is_at(">(") {
            return None;
        }
        OPERATORS
            .into_iter()
            .find(|(text, _, _)| self.take(text))
            .map(|(_, direction, is_body)| (direction, is_body))
    }

    fn expect_body(&mut self, word: &Word, strips_tabs: bool) -> Parsed<Rc<OnceCell<Word>>> {
        let mut delimiter = String::new();
        let mut is_quoted = false;
        for part in &word.parts {
            match part {
                Part::Literal(text) => {
                    is_quoted = true;
                    delimiter.push_str(text);
                }
                Part::Plain(text) => delimiter.push_str(text),
                _ => return Err(self.unexpected()),
            }
        }
        let body = Rc::new(OnceCell::new());
        self.pending.push(PendingBody {
            delimiter,
            is_quoted,
            strips_tabs,
            body: Rc::clone(&body),
        });
        Ok(body)
    }
}

fn declared_word(assignment: &Assignment) -> Word {
    Word {
        parts: vec![Part::Literal(format!("{}=", assignment.name))],
    }
}
