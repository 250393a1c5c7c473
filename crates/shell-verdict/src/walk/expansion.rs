//! Expansion of words into values.

use std::rc::Rc;

use super::super::limits::{MAX_BRACES, WORD_WORK};
use super::super::parse::UNKNOWN;
use super::super::syntax::{Operation, Part, Script, Variable, Word};
use super::fields::Piece;
use super::state::Words;
use super::{Origin, Rule, Segment, Stream, Value, Walk, braces};

impl Walk<'_> {
    /// Expands a word of a command.
    pub(super) fn expand(&mut self, word: &Word) -> Vec<Value> {
        if let Some(text) = word.plain()
            && (text == "[" || !text.contains(['{', '*', '?', '[', '~', UNKNOWN]))
        {
            return vec![Value::written(text)];
        }
        if self.is_over {
            return Vec::new();
        }
        let pieces = self.pieces(word);
        let words = self.braces(pieces);
        self.charge(words.len() * WORD_WORK);
        let is_one = words.len() == 1;
        let mut values: Vec<Value> = words
            .into_iter()
            .flat_map(|pieces| self.fields(pieces, true))
            .collect();
        if !is_one {
            for value in &mut values {
                value.is_written = false;
            }
        }
        values
    }

    /// Expands braces, or returns an unknown word after a limit.
    fn braces(&mut self, pieces: Vec<Piece>) -> Vec<Vec<Piece>> {
        let opening = pieces.iter().filter(|piece| piece.is('{')).count();
        if opening == 0 {
            return vec![pieces];
        }
        if opening > MAX_BRACES {
            self.report_limit();
        } else if let Ok(words) = braces::expand(&pieces, &mut self.work) {
            return words;
        } else {
            self.stop_at_limit();
        }
        let words = vec![vec![Segment::Unknown(Origin::Unknown)]];
        vec![vec![Piece::Expansion {
            words,
            quoted: false,
            several: true,
        }]]
    }

    /// Expands a word that is not split and not a pattern.
    pub(super) fn expand_assigned(&mut self, word: &Word) -> Vec<Value> {
        let pieces = self.pieces(word);
        self.fields(pieces, false)
    }

    pub(super) fn arithmetic(&mut self, word: &Word) {
        for value in self.expand_assigned(word) {
            self.check_evaluated(&value);
            if !value.is_written {
                self.report(Rule::Dynamic);
            }
        }
    }

    /// Reports text that arithmetic, `[[` and some builtins expand again.
    pub(super) fn check_evaluated(&mut self, value: &Value) {
        let is_hazard = value.segments.iter().any(|segment| match segment {
            Segment::Text(text) => {
                (text.contains("$(") || text.contains('`')) && text.contains(['[', '$', '`'])
            }
            _ => false,
        });
        if is_hazard {
            self.report(Rule::Opaque);
            let text = value.shown();
            self.search_code(&text);
        }
    }

    fn pieces(&mut self, word: &Word) -> Vec<Piece> {
        let mut pieces = Vec::new();
        for (at, part) in word.parts.iter().enumerate() {
            if self.is_over {
                break;
            }
            match part {
                Part::Literal(text) => push_literal(text, &mut pieces),
                Part::Plain(text) => {
                    let rest = if at == 0 {
                        self.tilde(text, &mut pieces)
                    } else {
                        text
                    };
                    pieces.extend(rest.chars().map(Piece::Plain));
                }
                Part::Variable(variable) => {
                    let piece = self.variable(variable);
                    self.charge(piece.size());
                    pieces.push(piece);
                }
                Part::Substitution { script, quoted } => {
                    let output = self.substitution(script);
                    pieces.push(substituted(&output, *quoted));
                }
                Part::Process { script, writes } => {
                    let output = self.subshell(|walk| {
                        if *writes {
                            walk.state.stdin = Rc::new(Stream::Unknown(Origin::Unknown));
                        }
                        walk.deeper(Stream::empty(), |walk| walk.script(script))
                    });
                    pieces.push(Piece::Stream(Rc::new(output)));
                }
                Part::Arithmetic(inner) => {
                    self.arithmetic(inner);
                    pieces.push(Piece::unknown(Origin::Unknown, true));
                }
            }
        }
        pieces
    }

    /// Expands a leading `~`. Returns the rest of the text.
    fn tilde<'text>(&self, text: &'text str, pieces: &mut Vec<Piece>) -> &'text str {
        let Some(rest) = text.strip_prefix('~') else {
            return text;
        };
        let length = rest.find('/').unwrap_or(rest.len());
        let home = match rest.get(..length).unwrap_or_default() {
            "" => self.settings.paths.home.clone(),
            "root" => "/root".to_owned(),
            "+" => match self.state.directory() {
                Some(directory) => directory.to_string(),
                None => UNKNOWN.to_string(),
            },
            "-" => UNKNOWN.to_string(),
            name if name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte)) =>
            {
                format!("/home/{name}")
            }
            _ => return text,
        };
        push_literal(&home, pieces);
        rest.get(length..).unwrap_or_default()
    }

    fn substitution(&mut self, script: &Rc<Script>) -> Stream {
        self.subshell(|walk| walk.deeper(Stream::empty(), |walk| walk.script(script)))
    }

    fn variable(&mut self, variable: &Variable) -> Piece {
        if let Some(subscript) = &variable.subscript
            && !matches!(subscript.plain(), Some("@" | "*"))
        {
            self.arithmetic(subscript);
        }
        let quoted = variable.quoted;
        let operand = self.expand_assigned(&variable.operand);
        let origin = operand
            .iter()
            .filter_map(Value::origin)
            .max()
            .unwrap_or(Origin::Unknown);
        let known = self.known(variable);
        match variable.operation {
            Operation::Value => match known {
                Some(words) => Piece::words(words, quoted),
                None => Self::unknown(variable, is_list(variable)),
            },
            Operation::Default { assigns } => {
                if assigns {
                    self.state.forget(&variable.name);
                }
                match known.filter(|words| words.iter().any(|word| !word.is_empty())) {
                    Some(words) => Piece::words(words, quoted),
                    None => Piece::unknown(origin, quoted),
                }
            }
            Operation::Other | Operation::Indirect => {
                self.expand_again(known, &operand);
                Self::unknown(
                    variable,
                    is_list(variable) || variable.operation == Operation::Indirect,
                )
            }
            Operation::Slice => Self::unknown(variable, false),
            Operation::Length | Operation::Alternate | Operation::Demanded => {
                Piece::unknown(origin, quoted)
            }
        }
    }

    fn unknown(variable: &Variable, several: bool) -> Piece {
        let is_job = variable.name == "!";
        let origin = if is_job { Origin::Job } else { Origin::Unknown };
        let words = vec![vec![Segment::Unknown(origin)]];
        Piece::Expansion {
            words,
            quoted: variable.quoted,
            several,
        }
    }

    /// Checks a value that `${x@P}` or `${!x}` expands again.
    fn expand_again(&mut self, known: Option<Words>, operand: &[Value]) {
        let plain = |segment: &Segment| matches!(segment, Segment::Text(text) if !text.contains(['$', '`', '\\']));
        let is_plain = known
            .as_ref()
            .is_some_and(|words| words.iter().flatten().all(plain));
        for segments in known.into_iter().flatten() {
            self.check_evaluated(&Value {
                segments,
                ..Value::default()
            });
        }
        let is_prompt = |value: &Value| value.literal().is_some_and(|text| text.contains("@P"));
        if !is_plain && operand.iter().any(is_prompt) {
            self.report(Rule::Opaque);
        }
    }

    fn known(&self, variable: &Variable) -> Option<Words> {
        let name = variable.name.as_str();
        match name {
            "@" | "*" => {
                return self
                    .state
                    .positional
                    .as_deref()
                    .map(|values| segments(values));
            }
            "HOME" if self.state.variable(name).is_none() => {
                return Some(vec![text(&self.settings.paths.home)]);
            }
            "PWD" => {
                return self
                    .state
                    .directory()
                    .map(|directory| vec![text(&directory)]);
            }
            _ => {}
        }
        if let Ok(number @ 1..) = name.parse::<usize>() {
            let values = self.state.positional.as_deref()?;
            return Some(
                values
                    .get(number - 1)
                    .map_or_else(Vec::new, |value| vec![value.segments.clone()]),
            );
        }
        let words = self.state.variable(name)?;
        match &variable.subscript {
            Some(subscript) if matches!(subscript.plain(), Some("@" | "*")) => Some(words.clone()),
            Some(_) => None,
            None => Some(
                words
                    .first()
                    .map_or_else(Vec::new, |word| vec![word.clone()]),
            ),
        }
    }
}

fn push_literal(text: &str, pieces: &mut Vec<Piece>) {
    pieces.push(Piece::Quoted(text.to_owned()));
}

fn substituted(output: &Stream, quoted: bool) -> Piece {
    match output {
        Stream::Text(known) => Piece::words(vec![text(known.trim_end_matches('\n'))], quoted),
        Stream::Unknown(origin) => Piece::unknown(*origin, quoted),
    }
}

fn text(text: &str) -> Vec<Segment> {
    if text.is_empty() {
        Vec::new()
    } else {
        vec![Segment::Text(text.to_owned())]
    }
}

fn segments(values: &[Value]) -> Words {
    values.iter().map(|value| value.segments.clone()).collect()
}

fn is_list(variable: &Variable) -> bool {
    matches!(variable.name.as_str(), "@" | "*")
        || variable
            .subscript
            .as_ref()
            .is_some_and(|subscript| matches!(subscript.plain(), Some("@" | "*")))
}
