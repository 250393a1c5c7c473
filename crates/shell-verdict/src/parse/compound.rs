//! Groups, branches, loops and functions.

use super::super::syntax::{Connector, Form, Item, Kind, Part, Pipeline, Script, Word};
use super::cursor::{Parsed, Parser};

fn compound(form: Form, words: Vec<Word>, scripts: Vec<Script>) -> Kind {
    Kind::Compound {
        form,
        words,
        scripts,
    }
}

impl Parser<'_> {
    pub(super) fn compound(&mut self) -> Parsed<Option<Kind>> {
        if self.is_at("((") {
            // The effects are those of `: $((...))`.
            let name = Part::Plain(":".to_owned());
            let parts = [name, Part::Arithmetic(self.arithmetic()?)];
            let words = parts.map(|part| Word { parts: vec![part] }).into();
            let assignments = Vec::new();
            return Ok(Some(Kind::Simple { assignments, words }));
        }
        if self.take("(") {
            let script = self.nested(Self::script_with_commands)?;
            self.expect(")")?;
            return Ok(Some(compound(Form::Subshell, Vec::new(), vec![script])));
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
        let (form, scripts) = match reserved {
            "{" => (Form::Group, vec![self.script_before("}")?]),
            "if" => (Form::If, self.branches()?),
            "while" | "until" => {
                let condition = self.script_before("do")?;
                (Form::Loop, vec![condition, self.script_before("done")?])
            }
            "for" | "select" => return self.for_loop(),
            "case" => return self.case(),
            _ => return Err(self.unexpected()),
        };
        Ok(compound(form, Vec::new(), scripts))
    }

    fn script_before(&mut self, end: &str) -> Parsed<Script> {
        let script = self.script_with_commands()?;
        self.expect_reserved(end)?;
        Ok(script)
    }

    fn branches(&mut self) -> Parsed<Vec<Script>> {
        let mut scripts = Vec::new();
        loop {
            scripts.push(self.script_before("then")?);
            scripts.push(self.script_with_commands()?);
            if !self.take_reserved("elif") {
                break;
            }
        }
        if self.take_reserved("else") {
            scripts.push(self.script_with_commands()?);
        }
        self.expect_reserved("fi")?;
        Ok(scripts)
    }

    fn for_loop(&mut self) -> Parsed<Kind> {
        self.skip_blanks();
        let name = self.name()?;
        self.skip_lines()?;
        let mut items = Vec::new();
        if self.take_reserved("in") {
            loop {
                self.skip_blanks();
                if matches!(self.peek(), Some(';' | '\n') | None) {
                    break;
                }
                items.push(self.some_word()?);
            }
        }
        self.skip_blanks();
        self.take(";");
        self.skip_lines()?;
        self.expect_reserved("do")?;
        let body = self.script_before("done")?;
        Ok(compound(Form::For(name), items, vec![body]))
    }

    fn case(&mut self) -> Parsed<Kind> {
        self.skip_blanks();
        let mut words = vec![self.some_word()?];
        let mut scripts = Vec::new();
        self.skip_lines()?;
        self.expect_reserved("in")?;
        loop {
            self.skip_lines()?;
            if self.take_reserved("esac") {
                break;
            }
            self.take("(");
            self.case_patterns(&mut words)?;
            scripts.push(self.script()?);
            if !(self.take(";;&") || self.take(";;") || self.take(";&")) {
                self.expect_reserved("esac")?;
                break;
            }
        }
        Ok(compound(Form::Case, words, scripts))
    }

    fn case_patterns(&mut self, words: &mut Vec<Word>) -> Parsed<()> {
        loop {
            self.skip_blanks();
            words.push(self.some_word()?);
            self.skip_blanks();
            if self.take(")") {
                return Ok(());
            }
            self.expect("|")?;
        }
    }

    /// Reads what follows the name of a function.
    pub(super) fn function(&mut self, name: String) -> Parsed<Kind> {
        self.expect("(")?;
        self.skip_blanks();
        self.expect(")")?;
        self.skip_lines()?;
        let start = self.at;
        let kind = self.nested(Self::compound)?.ok_or(self.unexpected())?;
        let body = Pipeline {
            negated: false,
            stages: vec![self.redirected(kind, start)?],
        };
        let body = Item {
            chain: vec![(Connector::First, body)],
            background: false,
        };
        let script = Script { items: vec![body] };
        Ok(compound(Form::Function(name), Vec::new(), vec![script]))
    }
}
