//! Scripts of `sed`: files that they read and write, and commands that they run.

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Effect {
    Read(String),
    Write(String),
    /// Command, or an empty string for the text that `sed` processes.
    Run(String),
    /// Syntax that is not known.
    Unknown,
}

/// Returns the effects beyond printing.
pub(super) fn effects(script: &str) -> Vec<Effect> {
    let mut reader = Reader {
        rest: script,
        effects: Vec::new(),
    };
    while !reader.rest.is_empty() {
        if reader.command().is_none() {
            reader.effects.push(Effect::Unknown);
            break;
        }
    }
    reader.effects
}

struct Reader<'text> {
    rest: &'text str,
    effects: Vec<Effect>,
}

impl<'text> Reader<'text> {
    fn next(&mut self) -> Option<char> {
        let letter = self.rest.chars().next()?;
        self.rest = self.rest.get(letter.len_utf8()..)?;
        Some(letter)
    }

    fn skip(&mut self, letters: &str) {
        self.rest = self
            .rest
            .trim_start_matches(|letter| letters.contains(letter));
    }

    /// Reads the text up to the end of the line.
    fn line(&mut self) -> &'text str {
        let end = self.rest.find('\n').unwrap_or(self.rest.len());
        let (line, rest) = self.rest.split_at(end);
        self.rest = rest;
        line.trim_start()
    }

    /// Skips text up to an unescaped delimiter.
    fn delimited(&mut self, delimiter: char) -> Option<()> {
        let mut in_brackets = false;
        loop {
            match self.next()? {
                '\\' => {
                    self.next()?;
                }
                '[' => in_brackets = true,
                ']' => in_brackets = false,
                letter if letter == delimiter && !in_brackets => return Some(()),
                letter if letter == delimiter && !self.rest.contains(']') => return Some(()),
                _ => {}
            }
        }
    }

    fn address(&mut self) -> Option<()> {
        loop {
            self.skip(" \t,!~+0123456789$");
            match self.rest.chars().next() {
                Some('/') => {
                    self.next();
                    self.delimited('/')?;
                    self.skip("IM");
                }
                Some('\\') => {
                    self.next();
                    let delimiter = self.next()?;
                    self.delimited(delimiter)?;
                    self.skip("IM");
                }
                _ => return Some(()),
            }
        }
    }

    fn command(&mut self) -> Option<()> {
        self.skip(" \t\n;");
        if self.rest.is_empty() {
            return Some(());
        }
        self.address()?;
        match self.next()? {
            '#' => {
                self.line();
            }
            '{' | '}' | '=' | 'd' | 'D' | 'g' | 'G' | 'h' | 'H' | 'n' | 'N' | 'p' | 'P' | 'x'
            | 'z' | 'F' => {}
            'q' | 'Q' | 'l' | 'L' => self.skip(" 0123456789"),
            'b' | 't' | 'T' | ':' => {
                self.skip(" \t");
                let ends = [' ', '\t', '\n', ';', '}'];
                let end = self.rest.find(ends).unwrap_or(self.rest.len());
                self.rest = self.rest.get(end..)?;
            }
            'a' | 'i' | 'c' => while self.line().ends_with('\\') && self.next().is_some() {},
            'r' | 'R' => {
                let file = self.line().to_owned();
                self.effects.push(Effect::Read(file));
            }
            'w' | 'W' => {
                let file = self.line().to_owned();
                self.effects.push(Effect::Write(file));
            }
            'e' => {
                let command = self.line().to_owned();
                self.effects.push(Effect::Run(command));
            }
            letter @ ('s' | 'y') => self.substitution(letter == 's')?,
            _ => return None,
        }
        Some(())
    }

    fn substitution(&mut self, has_flags: bool) -> Option<()> {
        let delimiter = self.next()?;
        self.delimited(delimiter)?;
        self.delimited(delimiter)?;
        if !has_flags {
            return Some(());
        }
        loop {
            match self.rest.chars().next() {
                Some('e') => {
                    self.next();
                    self.effects.push(Effect::Run(String::new()));
                }
                Some('w') => {
                    self.next();
                    let file = self.line().to_owned();
                    self.effects.push(Effect::Write(file));
                }
                Some('g' | 'p' | 'i' | 'I' | 'm' | 'M' | '0'..='9') => {
                    self.next();
                }
                _ => return Some(()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Effect, effects};

    #[test]
    fn finds_files_and_commands() {
        for (script, expected) in [
            ("s/a/b/g", vec![]),
            ("1,20p", vec![]),
            ("s#w /etc/x#y#;s/e/w/", vec![]),
            ("/a/,/b/{s/x/y/;p}", vec![]),
            ("s/[/]e/x/", vec![]),
            ("w out", vec![Effect::Write("out".to_owned())]),
            ("s/a/b/w /etc/x", vec![Effect::Write("/etc/x".to_owned())]),
            ("s/a/b/e", vec![Effect::Run(String::new())]),
            ("1e ls", vec![Effect::Run("ls".to_owned())]),
            (
                "$r /etc/shadow",
                vec![Effect::Read("/etc/shadow".to_owned())],
            ),
            (":a e ls", vec![Effect::Run("ls".to_owned())]),
            ("b a;e ls", vec![Effect::Run("ls".to_owned())]),
            ("k", vec![Effect::Unknown]),
        ] {
            assert_eq!(effects(script), expected, "{script}");
        }
    }
}
