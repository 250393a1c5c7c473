//! Syntax tree of shell text.

use std::cell::OnceCell;
use std::ops::Range;
use std::rc::Rc;

#[derive(Debug, Default)]
pub(crate) struct Script {
    pub(crate) items: Vec<Item>,
}

/// Chain of pipelines, run in the foreground or background.
#[derive(Debug)]
pub(crate) struct Item {
    pub(crate) chain: Vec<(Connector, Pipeline)>,
    pub(crate) background: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Connector {
    First,
    And,
    Or,
}

#[derive(Debug)]
pub(crate) struct Pipeline {
    /// After `!`.
    pub(crate) negated: bool,
    pub(crate) stages: Vec<Command>,
}

#[derive(Debug)]
pub(crate) struct Command {
    pub(crate) kind: Kind,
    pub(crate) redirections: Vec<Redirection>,
    pub(crate) span: Range<usize>,
}

#[derive(Debug)]
pub(crate) enum Kind {
    Simple {
        /// Names with their values, which are several for an array.
        assignments: Vec<(String, Vec<Word>)>,
        words: Vec<Word>,
    },
    Compound {
        form: Form,
        /// Items of a loop, or the subject and the patterns of `case`.
        words: Vec<Word>,
        /// Conditions and bodies, in the order of the text.
        scripts: Vec<Script>,
    },
}

#[derive(Debug)]
pub(crate) enum Form {
    Group,
    Subshell,
    If,
    Loop,
    For(String),
    Case,
    Function(String),
}

#[derive(Debug)]
pub(crate) struct Redirection {
    /// Explicit number, or the default of the operator.
    pub(crate) descriptor: u32,
    pub(crate) direction: Direction,
    pub(crate) target: Target,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    Read,
    Write,
    ReadWrite,
    /// `>&` and `<&` with a number or a file.
    Duplicate,
    /// Here-document or here-string.
    Text,
}

/// Word, or here-document body, which is read after its line.
#[derive(Debug)]
pub(crate) enum Target {
    Word(Word),
    Body(Rc<OnceCell<Word>>),
}

#[derive(Debug, Default)]
pub(crate) struct Word {
    pub(crate) parts: Vec<Part>,
}

#[derive(Debug)]
pub(crate) enum Part {
    /// Literal text.
    Literal(String),
    /// Text in which braces, globs and a tilde are special.
    Plain(String),
    /// `$name` and `${name...}`.
    Variable {
        name: String,
        /// What follows the name in braces, with which the result is not known.
        operand: Option<Word>,
        quoted: bool,
    },
    Substitution {
        script: Script,
        quoted: bool,
    },
    /// `<(...)` and `>(...)`.
    Process(Script),
    Arithmetic(Word),
}

impl Part {
    pub(crate) fn variable(name: String, quoted: bool) -> Self {
        Self::Variable {
            name,
            operand: None,
            quoted,
        }
    }
}

impl Script {
    /// Returns the words of a script that is one simple command of literal words.
    pub(crate) fn only_words(&self) -> Option<Vec<&str>> {
        if let [item] = self.items.as_slice()
            && let [(_, pipeline)] = item.chain.as_slice()
            && let [command] = pipeline.stages.as_slice()
            && let Kind::Simple { assignments, words } = &command.kind
            && assignments.is_empty()
            && command.redirections.is_empty()
        {
            return words.iter().map(Word::literal).collect();
        }
        None
    }
}

impl Word {
    /// Returns the text of a word without expansions.
    pub(crate) fn literal(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [Part::Plain(text) | Part::Literal(text)] => Some(text),
            // Double quotes begin with an empty part.
            [Part::Literal(empty), Part::Literal(text)] if empty.is_empty() => Some(text),
            _ => None,
        }
    }

    /// Returns the text of a word without quotes and expansions.
    pub(crate) fn plain(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [Part::Plain(text)] => Some(text),
            _ => None,
        }
    }
}
