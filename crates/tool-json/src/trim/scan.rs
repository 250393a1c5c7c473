//! Search for the end of an object or array, in one pass without recursion.

use crate::error::ParseLimits;
use crate::parser::read_number;

/// Kind of the text after a bracket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scan {
    /// An object or array that ends before this byte.
    Complete(usize),
    /// Prose up to this byte.
    Prose(usize),
    /// An invalid object or array, up to this byte.
    Invalid(usize),
    /// An object or array without its end.
    Truncated,
}

/// Scans the text after the bracket at byte `start`.
pub(super) fn scan(text: &str, start: usize) -> Scan {
    let mut scanner = Scanner {
        text,
        at: start,
        open: Vec::new(),
    };
    match scanner.run() {
        Ok(()) => Scan::Complete(scanner.at),
        Err(stop) => scanner.stopped(stop, start),
    }
}

/// Reason why a scan stopped before the end of the value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StopReason {
    /// End of the text.
    End,
    /// An unexpected character.
    Unexpected,
}

/// Expected token.
#[derive(Debug, Clone, Copy)]
enum Next {
    Value,
    Key,
    /// The first key or item, or the end of an empty object or array.
    First,
    AfterValue,
}

/// An open object or array.
#[derive(Debug, Clone, Copy)]
struct Open {
    at: usize,
    is_object: bool,
    /// Whether it has a key or item, which excludes prose.
    has_content: bool,
}

struct Scanner<'t> {
    text: &'t str,
    at: usize,
    open: Vec<Open>,
}

impl Scanner<'_> {
    fn run(&mut self) -> Result<(), StopReason> {
        let mut next = Next::Value;
        loop {
            self.spaces();
            let byte = self.peek().ok_or(StopReason::End)?;
            next = match next {
                Next::Value => self.value(byte)?,
                Next::Key => self.key(byte)?,
                Next::First => self.first(byte)?,
                Next::AfterValue => self.after_value(byte)?,
            };
            if self.open.is_empty() {
                return Ok(());
            }
        }
    }

    fn value(&mut self, byte: u8) -> Result<Next, StopReason> {
        match byte {
            b'{' | b'[' => self.enter(byte == b'{'),
            b'"' => self.string(),
            _ => self.scalar(byte),
        }
    }

    fn enter(&mut self, is_object: bool) -> Result<Next, StopReason> {
        if self.open.len() == ParseLimits::default().max_depth {
            // Prose does not have this number of brackets.
            self.mark_content();
            return Err(StopReason::Unexpected);
        }
        self.open.push(Open {
            at: self.at,
            is_object,
            has_content: false,
        });
        self.at += 1;
        Ok(Next::First)
    }

    fn first(&mut self, byte: u8) -> Result<Next, StopReason> {
        match byte {
            b'}' | b']' => self.leave(byte),
            _ if self.is_in_object() => self.key(byte),
            _ => self.value(byte),
        }
    }

    fn key(&mut self, byte: u8) -> Result<Next, StopReason> {
        if byte != b'"' {
            return Err(StopReason::Unexpected);
        }
        self.string()?;
        self.spaces();
        if self.peek().ok_or(StopReason::End)? != b':' {
            return Err(StopReason::Unexpected);
        }
        self.at += 1;
        self.mark_content();
        Ok(Next::Value)
    }

    fn after_value(&mut self, byte: u8) -> Result<Next, StopReason> {
        self.mark_content();
        if byte != b',' {
            return self.leave(byte);
        }
        self.at += 1;
        Ok(if self.is_in_object() {
            Next::Key
        } else {
            Next::Value
        })
    }

    fn leave(&mut self, byte: u8) -> Result<Next, StopReason> {
        if byte != if self.is_in_object() { b'}' } else { b']' } {
            return Err(StopReason::Unexpected);
        }
        self.open.pop();
        self.at += 1;
        Ok(Next::AfterValue)
    }

    /// Skips a string. The parser checks its escapes later.
    fn string(&mut self) -> Result<Next, StopReason> {
        let mut at = self.at + 1;
        loop {
            match self.text.as_bytes().get(at).ok_or(StopReason::End)? {
                b'"' => break,
                b'\\' => at += 2,
                0..b' ' => return Err(StopReason::Unexpected),
                _ => at += 1,
            }
        }
        self.at = at + 1;
        Ok(Next::AfterValue)
    }

    fn scalar(&mut self, first: u8) -> Result<Next, StopReason> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        if first == b'-' || first.is_ascii_digit() {
            let number = read_number(self.text, self.at);
            // `-` or `1e` at the end of the text is a number that was cut off.
            let is_truncated = rest.bytes().all(is_of_number);
            let (_, end) = number.ok_or(if is_truncated {
                StopReason::End
            } else {
                StopReason::Unexpected
            })?;
            self.at = end;
            return Ok(Next::AfterValue);
        }
        for literal in ["true", "false", "null"] {
            if rest.starts_with(literal) {
                self.at += literal.len();
                return Ok(Next::AfterValue);
            }
            if literal.starts_with(rest) {
                return Err(StopReason::End);
            }
        }
        Err(StopReason::Unexpected)
    }

    fn stopped(&self, stop: StopReason, start: usize) -> Scan {
        let innermost = self.open.last().map_or(start, |open| open.at);
        // The outer open brackets are prose, too, so the scan continues after the innermost.
        if !self.has_content() {
            return match stop {
                StopReason::End if !self.is_mention(innermost) => Scan::Truncated,
                _ => Scan::Prose(innermost + 1),
            };
        }
        match (stop, self.end_of_invalid()) {
            (StopReason::Unexpected, Some(end)) => Scan::Invalid(end),
            _ => Scan::Truncated,
        }
    }

    /// Returns `true` if the bracket at `at` is the only quoted character, as in prose about brackets.
    fn is_mention(&self, at: usize) -> bool {
        let bytes = self.text.as_bytes();
        // "Arguments start with `{`" would otherwise look truncated.
        let before = at.checked_sub(1).and_then(|before| bytes.get(before));
        before.is_some_and(|quote| b"\"'`".contains(quote)) && before == bytes.get(at + 1)
    }

    /// Returns the end of the invalid value, by counting brackets outside strings.
    ///
    /// A newline in a string may mean that the string is not closed, or that it contains a raw newline. The reading that closes
    /// the value first is used.
    fn end_of_invalid(&self) -> Option<usize> {
        let mut counts = [true, false].map(|ends_at_line| BracketCounter {
            depth: self.open.len(),
            ends_at_line,
            is_in_string: false,
            is_escaped: false,
        });
        let mut bytes = self.text.bytes().enumerate().skip(self.at);
        bytes.find_map(|(at, byte)| {
            let closed = counts.each_mut().map(|count| count.closes(byte));
            closed.contains(&true).then_some(at + 1)
        })
    }

    fn mark_content(&mut self) {
        if let Some(open) = self.open.last_mut() {
            open.has_content = true;
        }
    }

    fn has_content(&self) -> bool {
        self.open.iter().any(|open| open.has_content)
    }

    fn is_in_object(&self) -> bool {
        self.open.last().is_some_and(|open| open.is_object)
    }

    fn spaces(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }
}

/// Counter of open brackets.
struct BracketCounter {
    depth: usize,
    ends_at_line: bool,
    is_in_string: bool,
    is_escaped: bool,
}

impl BracketCounter {
    /// Returns `true` if `byte` closes the last bracket.
    fn closes(&mut self, byte: u8) -> bool {
        let is_escaped = std::mem::take(&mut self.is_escaped);
        match byte {
            b'"' if !is_escaped => self.is_in_string = !self.is_in_string,
            b'\\' if !is_escaped => self.is_escaped = self.is_in_string,
            b'\n' if self.ends_at_line => self.is_in_string = false,
            b'{' | b'[' if !self.is_in_string => self.depth += 1,
            b'}' | b']' if !self.is_in_string => self.depth = self.depth.saturating_sub(1),
            _ => return false,
        }
        self.depth == 0
    }
}

fn is_of_number(byte: u8) -> bool {
    byte.is_ascii_digit() || b"+-.eE".contains(&byte)
}
