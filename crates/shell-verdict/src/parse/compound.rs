//! Groups, branches, loops and functions.

use std::rc::Rc;

use super::super::syntax::{Kind, Script, Word};
use super::cursor::{Parsed, Parser};

impl Parser<'_> {
    pub(super) fn compound(&mut self) -> Parsed<Option<Kind>> {
        if self.is_at("((")
            && let Some(inner) = self.arithmetic_text(false)?
        {
            return Ok(Some(Kind::Arithmetic(inner)));
        }
        if self.take("(") {
            let script = self.nested(Self::script_with_commands)?;
            self.expect(")")?;
            return Ok(Some(Kind::Subshell(script)));
        }
        // At this position `time` is the program.
        let Some(reserved) = self.peek_reserved().filter(|word| *word != "time") else {
            return Ok(None);
        };
        self.take(reserved);
        self.nested(|parser| parser.reserved_command(reserved))
            .map(Some)
    }

    fn reserved_command(&mut self, reserved: &str) -> Parsed<Kind> {
        match reserved {
            "{" => {
                let script = self.script_with_commands()?;
                self.expect_reserved("}")?;
                Ok(Kind::Group(script))
            }
            "if" => self.branches(),
            "while" | "until" => {
                let condition = self.script_with_commands()?;
                let body = self.loop_body()?;
                Ok(Kind::Loop { condition, body })
            }
            "for" | "select" => self.for_loop(),
            "case" => self.case(),
            "function" => self.function(),
            "[[" => self.test(),
            _ => Err(self.unexpected()),
        }
    }

    fn branches(&mut self) -> Parsed<Kind> {
        let mut branches = Vec::new();
        loop {
            let condition = self.script_with_commands()?;
            self.expect_reserved("then")?;
            branches.push((condition, self.script_with_commands()?));
            if !self.take_reserved("elif") {
                break;
            }
        }
        let otherwise = if self.take_reserved("else") {
            Some(self.script_with_commands()?)
        } else {
            None
        };
        self.expect_reserved("fi")?;
        Ok(Kind::If {
            branches,
            otherwise,
        })
    }

    fn loop_body(&mut self) -> Parsed<Script> {
        let end = if self.take_reserved("{") {
            "}"
        } else {
            self.expect_reserved("do")?;
            "done"
        };
        let body = self.script_with_commands()?;
        self.expect_reserved(end)?;
        Ok(body)
    }

    fn for_loop(&mut self) -> Parsed<Kind> {
        self.skip_blanks();
        if self.is_at("((") {
            let header = self.arithmetic_text(true)?.ok_or(self.unexpected())?;
            self.loop_separator()?;
            let body = self.loop_body()?;
            return Ok(Kind::CountingFor { header, body });
        }
        let name = self.name()?;
        self.skip_lines()?;
        let items = if self.take_reserved("in") {
            Some(self.words_of_line()?)
        } else {
            None
        };
        self.loop_separator()?;
        let body = self.loop_body()?;
        Ok(Kind::For { name, items, body })
    }

    fn loop_separator(&mut self) -> Parsed<()> {
        self.skip_blanks();
        if self.peek() == Some(';') {
            self.at += 1;
        }
        self.skip_lines()?;
        Ok(())
    }

    fn words_of_line(&mut self) -> Parsed<Vec<Word>> {
        let mut words = Vec::new();
        loop {
            self.skip_blanks();
            if matches!(self.peek(), Some(';' | '\n') | None) {
                return Ok(words);
            }
            words.push(self.some_word()?);
        }
    }

    fn case(&mut self) -> Parsed<Kind> {
        self.skip_blanks();
        let subject = self.some_word()?;
        self.skip_lines()?;
        self.expect_reserved("in")?;
        let mut arms = Vec::new();
        loop {
            self.skip_lines()?;
            if self.take_reserved("esac") {
                return Ok(Kind::Case { subject, arms });
            }
            self.take("(");
            let patterns = self.case_patterns()?;
            arms.push((patterns, self.script()?));
            if !(self.take(";;&") || self.take(";;") || self.take(";&")) {
                self.expect_reserved("esac")?;
                return Ok(Kind::Case { subject, arms });
            }
        }
    }

    fn case_patterns(&mut self) -> Parsed<Vec<Word>> {
        let mut patterns = Vec::new();
        loop {
            self.skip_blanks();
            patterns.push(self.some_word()?);
            self.skip_blanks();
            if self.take(")") {
                return Ok(patterns);
            }
            self.expect("|")?;
        }
    }

    fn function(&mut self) -> Parsed<Kind> {
        self.skip_blanks();
        let name = self.word()?.plain().ok_or(self.unexpected())?.to_owned();
        self.skip_blanks();
        if self.take("(") {
            self.skip_blanks();
            self.expect(")")?;
        }
        self.function_body(name)
    }

    pub(super) fn function_body(&mut self, name: String) -> Parsed<Kind> {
        self.skip_lines()?;
        let start = self.at;
        let kind = self.nested(Self::compound)?.ok_or(self.unexpected())?;
        let body = Rc::new(self.redirected(kind, start)?);
        Ok(Kind::Function { name, body })
    }

    /// Only the expansions within `[[ ... ]]` matter.
    fn test(&mut self) -> Parsed<Kind> {
        let mut words = Vec::new();
        loop {
            self.skip_lines()?;
            match self.peek() {
                None | Some(';') => return Err(self.unexpected()),
                Some('(' | ')' | '|' | '&') => self.at += 1,
                Some('<' | '>') if !self.is_at("<(") && !self.is_at(">(") => self.at += 1,
                Some(_) if self.take_reserved("]]") => return Ok(Kind::Test(words)),
                Some(_) => words.push(self.some_word()?),
            }
        }
    }
}
