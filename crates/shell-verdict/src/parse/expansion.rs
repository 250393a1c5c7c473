//! Expansions, backquotes and process substitution.

use super::super::syntax::{Part, Script, Word};
use super::UNKNOWN;
use super::cursor::{Parsed, Parser};

/// Names of parameters that are one sign.
const SIGNS: &str = "@*#?-$!";

impl Parser<'_> {
    pub(super) fn dollar(&mut self, quoted: bool, parts: &mut Vec<Part>) -> Parsed<()> {
        self.next();
        let part = match self.peek() {
            Some('\'') if !quoted => self.escaped_quoted()?,
            Some('"') if !quoted => return self.double_quoted(parts),
            Some('(') if self.is_at("((") => Part::Arithmetic(self.arithmetic()?),
            Some('(') => {
                let script = self.inner_script()?;
                Part::Substitution { script, quoted }
            }
            // An old form of arithmetic.
            Some('[') => return Err(self.unexpected()),
            Some('{') => self.nested(|parser| parser.braced_variable(quoted))?,
            Some(letter) if letter == '_' || letter.is_ascii_alphabetic() => {
                Part::variable(self.name()?, quoted)
            }
            Some(letter) if letter.is_ascii_digit() || SIGNS.contains(letter) => {
                self.next();
                Part::variable(letter.to_string(), quoted)
            }
            _ => Part::Literal("$".to_owned()),
        };
        parts.push(part);
        Ok(())
    }

    pub(super) fn name(&mut self) -> Parsed<String> {
        let mut name = String::new();
        while let Some(letter) = self.peek()
            && (letter == '_'
                || letter.is_ascii_alphabetic()
                || letter.is_ascii_digit() && !name.is_empty())
        {
            name.push(letter);
            self.at += 1;
        }
        if name.is_empty() {
            return Err(self.unexpected());
        }
        Ok(name)
    }

    pub(super) fn process_substitution(&mut self) -> Parsed<Part> {
        self.next();
        self.inner_script().map(Part::Process)
    }

    /// Reads a script in parentheses. Pending here-documents of the outer line are not read inside.
    fn inner_script(&mut self) -> Parsed<Script> {
        self.expect("(")?;
        // Bash reads two parentheses in another way.
        if self.is_at("(") {
            return Err(self.unexpected());
        }
        let outer = std::mem::take(&mut self.pending);
        let script = self.nested(Self::script)?;
        if !self.pending.is_empty() {
            return Err(self.unexpected());
        }
        self.pending = outer;
        self.expect(")")?;
        Ok(script)
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
        Ok(Part::Substitution { script, quoted })
    }

    /// Reads `((...))`. Commands can look like arithmetic, so only plain arithmetic is accepted.
    pub(super) fn arithmetic(&mut self) -> Parsed<Word> {
        self.expect("((")?;
        let rest = self.rest();
        let mut open = 0_usize;
        let end = rest.find(|letter| {
            let closes = letter == ')' && open == 0;
            match letter {
                '(' => open += 1,
                ')' => open = open.saturating_sub(1),
                _ => {}
            }
            closes
        });
        let (text, after) = rest.split_at(end.ok_or(self.unexpected())?);
        let in_disguise = text.contains(['\\', '"', '\'', '`', '\n', ';'])
            || text.contains(['{', '}']) && !text.contains("${");
        if in_disguise || !after.starts_with("))") {
            return Err(self.unexpected());
        }
        self.at += text.len() + 2;
        self.nested(|parser| super::expanded_text(text, parser.depth))
    }

    fn braced_variable(&mut self, quoted: bool) -> Parsed<Part> {
        self.expect("{")?;
        let is_length = self.is_at("#") && !self.is_at("#}") && self.take("#");
        let name = self.parameter_name()?;
        let is_value = !is_length && self.take("}");
        let operand = if is_value {
            None
        } else {
            Some(self.text_until_brace(quoted)?)
        };
        Ok(Part::Variable {
            name,
            operand,
            quoted,
        })
    }

    fn parameter_name(&mut self) -> Parsed<String> {
        match self.peek() {
            Some(sign) if SIGNS.contains(sign) => {
                self.next();
                Ok(sign.to_string())
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

    /// Reads text with quotes and expansions up to the closing brace.
    fn text_until_brace(&mut self, quoted: bool) -> Parsed<Word> {
        let mut parts = Vec::new();
        loop {
            match self.peek() {
                Some('}') => break,
                // Within double quotes, the meaning of `'` depends on the operator.
                None => return Err(self.unexpected()),
                Some('\'') if quoted => return Err(self.unexpected()),
                Some(letter) => self.word_part(letter, &mut parts)?,
            }
        }
        self.next();
        Ok(Word { parts })
    }

    /// Reads `$'...'`, in which only the most frequent escapes are decoded.
    fn escaped_quoted(&mut self) -> Parsed<Part> {
        self.next();
        let mut text = String::new();
        loop {
            match self.next_raw() {
                None => return Err(self.unexpected()),
                Some('\'') => return Ok(Part::Literal(text)),
                Some('\\') => text.push(match self.next_raw() {
                    Some('n') => '\n',
                    Some('t') => '\t',
                    Some(same @ ('\\' | '\'' | '"')) => same,
                    _ => UNKNOWN,
                }),
                Some(other) => text.push(other),
            }
        }
    }
}
