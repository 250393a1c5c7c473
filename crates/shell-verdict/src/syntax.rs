//! Syntax tree of shell text.

use std::cell::OnceCell;
use std::ops::Range;
use std::rc::Rc;

#[derive(Debug, Default)]
pub(super) struct Script {
    pub(super) items: Vec<Item>,
}

/// Chain of pipelines, run in the foreground or background.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) chain: Vec<(Connector, Pipeline)>,
    pub(super) background: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Connector {
    First,
    And,
    Or,
}

#[derive(Debug)]
pub(super) struct Pipeline {
    pub(super) stages: Vec<Command>,
    /// Variable that receives the pipe descriptors of a coprocess.
    pub(super) coprocess: Option<String>,
}

#[derive(Debug)]
pub(super) struct Command {
    pub(super) kind: Kind,
    pub(super) redirections: Vec<Redirection>,
    /// Whether stderr also goes through the following pipe (`|&`).
    pub(super) pipes_errors: bool,
    pub(super) span: Range<usize>,
}

#[derive(Debug)]
pub(super) enum Kind {
    SimpleCommand(SimpleCommand),
    Group(Script),
    Subshell(Script),
    If {
        branches: Vec<(Script, Script)>,
        otherwise: Option<Script>,
    },
    Loop {
        condition: Script,
        body: Script,
    },
    For {
        name: String,
        items: Option<Vec<Word>>,
        body: Script,
    },
    CountingFor {
        header: Word,
        body: Script,
    },
    Case {
        subject: Word,
        arms: Vec<(Vec<Word>, Script)>,
    },
    Function {
        name: String,
        body: Rc<Command>,
    },
    Test(Vec<Word>),
    Arithmetic(Word),
}

#[derive(Debug, Default)]
pub(super) struct SimpleCommand {
    pub(super) assignments: Vec<Assignment>,
    pub(super) words: Vec<Word>,
}

#[derive(Debug)]
pub(super) struct Assignment {
    pub(super) name: String,
    pub(super) subscript: Option<Word>,
    pub(super) append: bool,
    pub(super) value: Vec<Word>,
    pub(super) is_array: bool,
}

#[derive(Debug)]
pub(super) struct Redirection {
    /// Explicit number, or the default of the operator.
    pub(super) descriptor: u32,
    /// Variable that receives the descriptor number (`{name}>`).
    pub(super) variable: Option<String>,
    pub(super) direction: Direction,
    pub(super) target: Target,
}

impl Redirection {
    /// Returns `true` if this sets stdin.
    pub(super) fn is_input(&self) -> bool {
        self.descriptor == 0
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    Read,
    Write,
    ReadWrite,
    /// `>&` and `<&` with a number or a file.
    Duplicate,
    /// Here-document or here-string.
    Text,
}

/// Word, or here-document body, which is read after its line.
#[derive(Debug, Clone)]
pub(super) enum Target {
    Word(Word),
    Body(Rc<OnceCell<Word>>),
}

#[derive(Debug, Clone, Default)]
pub(super) struct Word {
    pub(super) parts: Vec<Part>,
}

#[derive(Debug, Clone)]
pub(super) enum Part {
    /// Literal text.
    Literal(String),
    /// Text in which braces, globs and a tilde are special.
    Plain(String),
    Variable(Rc<Variable>),
    Substitution {
        script: Rc<Script>,
        quoted: bool,
    },
    /// `<(...)` and `>(...)`.
    Process {
        script: Rc<Script>,
        writes: bool,
    },
    Arithmetic(Rc<Word>),
}

/// `$name` and `${name...}`.
#[derive(Debug)]
pub(super) struct Variable {
    pub(super) name: String,
    pub(super) subscript: Option<Word>,
    pub(super) operation: Operation,
    pub(super) operand: Word,
    pub(super) quoted: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operation {
    Value,
    Length,
    /// `-` and `=`.
    Default {
        assigns: bool,
    },
    /// Substring with arithmetic offsets.
    Slice,
    /// `+`.
    Alternate,
    /// `?`.
    Demanded,
    /// `${!name}`.
    Indirect,
    /// Other operations, with an unknown result.
    Other,
}

impl Word {
    pub(super) fn is_expanded(&self) -> bool {
        let mut parts = self.parts.iter();
        parts.any(|part| !matches!(part, Part::Literal(_) | Part::Plain(_)))
    }

    /// Returns the text of a word without quotes and expansions.
    pub(super) fn plain(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [Part::Plain(text)] => Some(text),
            _ => None,
        }
    }
}
