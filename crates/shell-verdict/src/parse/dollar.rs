//! Expansions, backquotes and process substitution.

use std::rc::Rc;

use super::super::syntax::{Operation, Part, Variable, Word};
use super::cursor::{Parsed, Parser};

impl Parser<'_> {
    pub(super) fn dollar(&mut self, quoted: bool, parts: &mut Vec<Part>) -> Parsed<()> {
        self.next();
        match self.peek() {
            Some('\'') if !quoted => parts.push(self.escaped_quoted()?),
            Some('"') if !quoted => self.double_quoted(parts)?,
            Some('(') => parts.push(self.substitution(quoted)?),
            Some('[') => {
                self.next();
                let inner = self.nested(|parser| parser.text_until(']', quoted))?;
                self.expect("]")?;
                parts.push(Part::Arithmetic(Rc::new(inner)));
            }
            Some('{') => {
                self.next();
                let variable = self.nested(|parser| parser.braced_variable(quoted))?;
                parts.push(Part::Variable(Rc::new(variable)));
            }
            Some(letter) if letter == '_' || letter.is_ascii_alphabetic() => {
                let name = self.name()?;
                parts.push(simple_variable(name, quoted));
            }
            Some(letter) if letter.is_ascii_digit() || "@*#?-$!".contains(letter) => {
                self.next();
                parts.push(simple_variable(letter.to_string(), quoted));
            }
            _ => parts.push(Part::Literal("$".to_owned())),
        }
        Ok(())
    }

    pub(super) fn name(&mut self) -> Parsed<String> {
        let mut name = String::new();
        while let Some(letter) = self.peek() {
            let belongs = letter == '_'
                || letter.is_ascii_alphabetic()
                || (letter.is_ascii_digit() && !name.is_empty());
            if !belongs {
                break;
            }
            name.push(letter);
            self.at += 1;
        }
        if name.is_empty() {
            return Err(self.unexpected());
        }
        Ok(name)
    }

    fn substitution(&mut self, quoted: bool) -> Parsed<Part> {
        if self.is_at("((")
            && let Some(inner) = self.arithmetic_text(false)?
        {
            return Ok(Part::Arithmetic(Rc::new(inner)));
        }
        self.next();
        let script = Rc::new(self.inner_script()?);
        Ok(Part::Substitution { script, quoted })
    }

    pub(super) fn process_substitution(&mut self) -> Parsed<Part> {
        let writes = self.next() == Some('>');
        self.next();
        let script = Rc::new(self.inner_script()?);
        Ok(Part::Process { script, writes })
    }

    /// Pending here-documents of the outer line are not read inside.
    fn inner_script(&mut self) -> Parsed<super::Script> {
        let flat_end = self.flat_end()?;
        let outer = std::mem::take(&mut self.pending);
        let script = self.nested(Self::script)?;
        if self.has_pending_bodies() || flat_end.is_some_and(|end| end != self.at) {
            return Err(self.unexpected());
        }
        self.pending = outer;
        self.expect(")")?;
        Ok(script)
    }

    /// Returns the end of a substitution that begins with two parentheses. Bash takes the matching
    /// parenthesis and treats comments and here-documents as text. Input that hides a parenthesis
    /// in another way is a syntax error.
    fn flat_end(&mut self) -> Parsed<Option<usize>> {
        if !self.is_at("(") {
            return Ok(None);
        }
        let start = self.at;
        let end = self.matching_parenthesis();
        self.at = start;
        let end = end.ok_or(self.unexpected())?;
        let text = self.text.get(start..end).unwrap_or_default();
        let nests_quotes = text.contains('"') && (text.contains("$(") || text.contains("${"));
        if nests_quotes || text.contains(['`', '#']) || text.contains("$'") {
            return Err(self.unexpected());
        }
        Ok(Some(end))
    }

    pub(super) fn backquoted(&mut self, quoted: bool) -> Parsed<Part> {
        self.next();
        let mut text = String::new();
        loop {
            match self.next_raw() {
                None => return Err(self.unexpected()),
                Some('`') => break,
                Some('\\') => match self.next_raw() {
                    Some(escaped @ ('`' | '\\' | '$')) => text.push(escaped),
                    Some('"') if quoted => text.push('"'),
                    Some(other) => text.extend(['\\', other]),
                    None => return Err(self.unexpected()),
                },
                Some(other) => text.push(other),
            }
        }
        let script = self.nested(|parser| super::script(&text, parser.depth))?;
        Ok(Part::Substitution {
            script: Rc::new(script),
            quoted,
        })
    }

    /// Bash requires adjacent parentheses at both ends; otherwise nothing is consumed.
    pub(super) fn arithmetic_text(&mut self, separators: bool) -> Parsed<Option<Word>> {
        let start = self.at;
        self.next();
        self.next();
        let inner_start = self.at;
        let Some(inner_end) = self.matching_parenthesis() else {
            self.at = start;
            return Ok(None);
        };
        let text = self.text.get(inner_start..inner_end).unwrap_or_default();
        self.at = inner_end + 1;
        if !self.take(")") {
            self.at = start;
            return Ok(None);
        }
        // Commands can look like arithmetic, so accept only plain arithmetic.
        let in_disguise = text.contains(['\\', '"', '\'', '`', '\n'])
            || (text.contains(';') && !separators)
            || (text.contains(['{', '}']) && !text.contains("${"));
        if in_disguise {
            return Err(self.unexpected());
        }
        self.nested(|parser| super::expanded_text(text, parser.depth))
            .map(Some)
    }

    /// Returns the position of the closing parenthesis. Does not recurse, because that would read
    /// the input once per level.
    fn matching_parenthesis(&mut self) -> Option<usize> {
        let mut open = 1_usize;
        while let Some(letter) = self.next_raw() {
            match letter {
                '(' => open += 1,
                ')' => open -= 1,
                '\\' => {
                    self.next_raw();
                }
                '\'' => while self.next_raw()? != '\'' {},
                '"' => self.skip_double_quoted()?,
                _ => {}
            }
            if open == 0 {
                return Some(self.at - 1);
            }
        }
        None
    }

    fn skip_double_quoted(&mut self) -> Option<()> {
        loop {
            match self.next_raw()? {
                '"' => return Some(()),
                '\\' => {
                    self.next_raw();
                }
                _ => {}
            }
        }
    }

    fn braced_variable(&mut self, quoted: bool) -> Parsed<Variable> {
        let length = self.is_at("#") && !self.is_at("#}") && self.take("#");
        let indirect = self.is_at("!") && !self.is_at("!}") && self.take("!");
        let name = self.parameter_name()?;
        let subscript = if self.take("[") {
            Some(self.subscript()?)
        } else {
            None
        };
        let mut operation = self.operation();
        if length {
            operation = Operation::Length;
        } else if indirect {
            operation = Operation::Indirect;
        }
        let operand = self.text_until('}', quoted)?;
        self.expect("}")?;
        Ok(Variable {
            name,
            subscript,
            operation,
            operand,
            quoted,
        })
    }

    fn subscript(&mut self) -> Parsed<Word> {
        let subscript = self.text_until(']', true)?;
        self.expect("]")?;
        Ok(subscript)
    }

    fn parameter_name(&mut self) -> Parsed<String> {
        match self.peek() {
            Some(letter) if "@*#?-$!".contains(letter) => {
                self.next();
                Ok(letter.to_string())
            }
            Some(digit) if digit.is_ascii_digit() => {
                let mut name = String::new();
                while let Some(digit) = self.peek().filter(char::is_ascii_digit) {
                    name.push(digit);
                    self.at += 1;
                }
                Ok(name)
            }
            _ => self.name(),
        }
    }

    fn operation(&mut self) -> Operation {
        if self.is_at("}") {
            return Operation::Value;
        }
        let colon = self.take(":");
        if self.take("=") {
            return Operation::Default { assigns: true };
        }
        if self.take("-") {
            return Operation::Default { assigns: false };
        }
        if self.take("+") {
            return Operation::Alternate;
        }
        if self.take("?") {
            return Operation::Demanded;
        }
        if colon {
            Operation::Slice
        } else {
            Operation::Other
        }
    }
}

fn simple_variable(name: String, quoted: bool) -> Part {
    Part::Variable(Rc::new(Variable {
        name,
        subscript: None,
        operation: Operation::Value,
        operand: Word::default(),
        quoted,
    }))
}
