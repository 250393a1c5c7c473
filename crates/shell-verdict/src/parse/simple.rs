//! Simple commands: assignments, words and redirections.

use std::cell::OnceCell;
use std::rc::Rc;

use super::super::syntax::{Command, Direction, Kind, Part, Redirection, Target, Word};
use super::cursor::{Parsed, Parser, PendingBody};

impl Parser<'_> {
    pub(super) fn simple_command(&mut self, start: usize) -> Parsed<Command> {
        let (mut assignments, mut words) = (Vec::new(), Vec::new());
        let mut redirections = Vec::new();
        let mut end = start;
        loop {
            self.skip_blanks();
            if let Some(redirection) = self.redirection()? {
                redirections.push(redirection);
            } else if self.at_word() {
                match self.assignment(words.is_empty())? {
                    Some(assignment) => assignments.push(assignment),
                    None => words.push(self.word()?),
                }
            } else {
                break;
            }
            end = self.at;
        }
        let kind = match (assignments.as_slice(), words.as_slice()) {
            ([], [word]) if self.peek() == Some('(') => {
                let name = word.plain().ok_or(self.unexpected())?.to_owned();
                let function = self.nested(|parser| parser.function(name))?;
                end = self.at;
                function
            }
            _ if self.peek() == Some('(') => return Err(self.unexpected()),
            _ => Kind::Simple { assignments, words },
        };
        if end == start {
            return Err(self.unexpected());
        }
        Ok(Command {
            kind,
            redirections,
            span: start..end,
        })
    }

    fn at_word(&mut self) -> bool {
        match self.peek() {
            None => false,
            Some(letter) => !Self::is_meta(letter) || self.is_at("<(") || self.is_at(">("),
        }
    }

    fn assignment(&mut self, is_first: bool) -> Parsed<Option<(String, Vec<Word>)>> {
        let start = self.at;
        let Some(name) = self.name().ok().filter(|_| is_first) else {
            self.at = start;
            return Ok(None);
        };
        let appends = self.take("+=");
        if !appends && !self.take("=") {
            self.at = start;
            return Ok(None);
        }
        let mut values = if self.take("(") {
            self.nested(Self::array_items)?
        } else {
            vec![self.word()?]
        };
        if let Some(first) = values.first_mut().filter(|_| appends) {
            first.parts.insert(0, Part::variable(name.clone(), true));
        }
        Ok(Some((name, values)))
    }

    fn array_items(&mut self) -> Parsed<Vec<Word>> {
        let mut items = Vec::new();
        loop {
            self.skip_lines()?;
            if self.take(")") {
                return Ok(items);
            }
            items.push(self.some_word()?);
        }
    }

    pub(super) fn redirection(&mut self) -> Parsed<Option<Redirection>> {
        if !matches!(self.peek(), Some('<' | '>' | '&' | '{' | '0'..='9')) {
            return Ok(None);
        }
        let start = self.at;
        let is_name = self.take("{") && self.name().is_ok() && self.take("}");
        if !is_name {
            self.at = start;
        }
        let descriptor = self.descriptor();
        let reads = self.is_at("<");
        let Some((direction, is_body)) = self.redirection_operator() else {
            self.at = start;
            return Ok(None);
        };
        // `{name}>` sets a variable.
        if is_name {
            return Err(self.unexpected());
        }
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
            direction,
            target,
        }))
    }

    fn descriptor(&mut self) -> Option<u32> {
        let rest = self.rest();
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let number = rest.get(..digits).filter(|digits| !digits.is_empty())?;
        self.at += digits;
        Some(number.parse().unwrap_or(u32::MAX))
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
            let (Part::Literal(text) | Part::Plain(text)) = part else {
                return Err(self.unexpected());
            };
            is_quoted |= matches!(part, Part::Literal(_));
            delimiter.push_str(text);
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
