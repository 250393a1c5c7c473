//! Finding the end of an object or array in one pass, without recursion and without its values.

use crate::json::parse::{ParseLimits, read_number};

/// What a bracket begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scan {
    /// An object or array that ends before this byte.
    Whole(usize),
    /// Prose; it may go on with an object or array at this byte.
    Prose(usize),
    /// Something that begins like an object or array and is none, up to this byte.
    Broken(usize),
    /// Something that the text ends in.
    Unended,
}

/// Follows the bracket at byte `start` of `text`.
pub(super) fn scan(text: &str, start: usize) -> Scan {
    let mut scanner = Scanner {
        text,
        at: start,
        open: Vec::new(),
    };
    match scanner.follow() {
        Ok(()) => Scan::Whole(scanner.at),
        Err(stop) => scanner.stopped(stop, start),
    }
}

/// Why a value was not followed to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stop {
    /// The text ends.
    End,
    /// Something else stands here.
    Other,
}

/// What is read next.
#[derive(Debug, Clone, Copy)]
enum Next {
    Value,
    Key,
    /// The first key or item, or the end of an object or array that has none.
    First,
    AfterValue,
}

/// An object or array that was not closed yet.
#[derive(Debug, Clone, Copy)]
struct Open {
    at: usize,
    is_object: bool,
    /// Whether a key or an item was read, so that this is no bracket of prose.
    has_begun: bool,
}

struct Scanner<'t> {
    text: &'t str,
    at: usize,
    open: Vec<Open>,
}

impl Scanner<'_> {
    fn follow(&mut self) -> Result<(), Stop> {
        let mut next = Next::Value;
        loop {
            self.blanks();
            let byte = self.peek().ok_or(Stop::End)?;
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

    fn value(&mut self, byte: u8) -> Result<Next, Stop> {
        match byte {
            b'{' | b'[' => self.enter(byte == b'{'),
            b'"' => self.string(),
            _ => self.scalar(byte),
        }
    }

    fn enter(&mut self, is_object: bool) -> Result<Next, Stop> {
        if self.open.len() == ParseLimits::default().max_depth {
            // Brackets that many are no prose.
            self.begin();
            return Err(Stop::Other);
        }
        self.open.push(Open {
            at: self.at,
            is_object,
            has_begun: false,
        });
        self.at += 1;
        Ok(Next::First)
    }

    fn first(&mut self, byte: u8) -> Result<Next, Stop> {
        match byte {
            b'}' | b']' => self.leave(byte),
            _ if self.is_in_object() => self.key(byte),
            _ => self.value(byte),
        }
    }

    fn key(&mut self, byte: u8) -> Result<Next, Stop> {
        if byte != b'"' {
            return Err(Stop::Other);
        }
        self.string()?;
        self.blanks();
        if self.peek().ok_or(Stop::End)? != b':' {
            return Err(Stop::Other);
        }
        self.at += 1;
        self.begin();
        Ok(Next::Value)
    }

    fn after_value(&mut self, byte: u8) -> Result<Next, Stop> {
        self.begin();
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

    fn leave(&mut self, byte: u8) -> Result<Next, Stop> {
        if byte != if self.is_in_object() { b'}' } else { b']' } {
            return Err(Stop::Other);
        }
        self.open.pop();
        self.at += 1;
        Ok(Next::AfterValue)
    }

    /// Passes over a string; whether its escapes are right is seen when the whole value is read.
    fn string(&mut self) -> Result<Next, Stop> {
        let mut at = self.at + 1;
        loop {
            match self.text.as_bytes().get(at).ok_or(Stop::End)? {
                b'"' => break,
                b'\\' => at += 2,
                0..b' ' => return Err(Stop::Other),
                _ => at += 1,
            }
        }
        self.at = at + 1;
        Ok(Next::AfterValue)
    }

    fn scalar(&mut self, first: u8) -> Result<Next, Stop> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        if first == b'-' || first.is_ascii_digit() {
            let number = read_number(self.text, self.at);
            let is_cut = rest.bytes().all(is_of_number);
            let (_, end) = number.ok_or(if is_cut { Stop::End } else { Stop::Other })?;
            self.at = end;
            return Ok(Next::AfterValue);
        }
        for literal in ["true", "false", "null"] {
            if rest.starts_with(literal) {
                self.at += literal.len();
                return Ok(Next::AfterValue);
            }
            if literal.starts_with(rest) {
                return Err(Stop::End);
            }
        }
        Err(Stop::Other)
    }

    fn stopped(&self, stop: Stop, start: usize) -> Scan {
        let innermost = self.open.last().map_or(start, |open| open.at);
        // All brackets that are open end here with the innermost, so none of them needs another look.
        if !self.has_begun() {
            return match stop {
                Stop::End if !self.is_mention(innermost) => Scan::Unended,
                _ => Scan::Prose(innermost + 1),
            };
        }
        match (stop, self.end_of_broken()) {
            (Stop::Other, Some(end)) => Scan::Broken(end),
            _ => Scan::Unended,
        }
    }

    /// Whether the bracket at `at` stands alone in quotes, as where a text speaks of it.
    fn is_mention(&self, at: usize) -> bool {
        let bytes = self.text.as_bytes();
        let before = at.checked_sub(1).and_then(|before| bytes.get(before));
        before.is_some_and(|quote| b"\"'`".contains(quote)) && before == bytes.get(at + 1)
    }

    /// Where what is open is closed if no bracket but those in strings is left out.
    ///
    /// A string that holds the end of a line may be one that was not closed, or that has a raw line in it; whichever closes
    /// first is believed.
    fn end_of_broken(&self) -> Option<usize> {
        let mut counts =
            [true, false].map(|ends_at_line| Count::new(self.open.len(), ends_at_line));
        let mut bytes = self.text.bytes().enumerate().skip(self.at);
        bytes.find_map(|(at, byte)| {
            let closed = counts.each_mut().map(|count| count.closes(byte));
            closed.contains(&true).then_some(at + 1)
        })
    }

    fn begin(&mut self) {
        if let Some(open) = self.open.last_mut() {
            open.has_begun = true;
        }
    }

    fn has_begun(&self) -> bool {
        self.open.iter().any(|open| open.has_begun)
    }

    fn is_in_object(&self) -> bool {
        self.open.last().is_some_and(|open| open.is_object)
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }
}

/// Brackets that are open, counted without a look at what is between them.
struct Count {
    depth: usize,
    ends_at_line: bool,
    is_in_string: bool,
    is_escaped: bool,
}

impl Count {
    fn new(depth: usize, ends_at_line: bool) -> Self {
        Self {
            depth,
            ends_at_line,
            is_in_string: false,
            is_escaped: false,
        }
    }

    /// Whether `byte` closes the last of them.
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
