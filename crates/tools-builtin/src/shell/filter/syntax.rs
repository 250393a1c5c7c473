//! The tree that shell text is read into.

use std::cell::OnceCell;
use std::ops::Range;
use std::rc::Rc;

/// Commands one after another.
#[derive(Debug, Default)]
pub(super) struct Script {
    pub(super) items: Vec<Item>,
}

/// A chain, waited for or not.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) chain: Vec<(Connector, Pipeline)>,
    pub(super) background: bool,
    /// The end of a line stands in front.
    pub(super) begins_line: bool,
}

/// When a pipeline of a chain runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Connector {
    First,
    And,
    Or,
}

/// Commands that feed each other.
#[derive(Debug)]
pub(super) struct Pipeline {
    pub(super) stages: Vec<Command>,
    /// A word such as `!` or `time` stands in front.
    pub(super) has_prefix: bool,
    /// The variable that the shell writes the pipes of a coprocess into.
    pub(super) coprocess: Option<String>,
}

/// One command with its redirections.
#[derive(Debug)]
pub(super) struct Command {
    pub(super) kind: Kind,
    pub(super) redirections: Vec<Redirection>,
    /// Its errors go through the pipe behind it, too.
    pub(super) pipes_errors: bool,
    pub(super) span: Range<usize>,
}

/// The forms of a command.
#[derive(Debug)]
pub(super) enum Kind {
    Simple(Simple),
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

/// Assignments and words.
#[derive(Debug, Default)]
pub(super) struct Simple {
    pub(super) assignments: Vec<Assignment>,
    pub(super) words: Vec<Word>,
}

impl Simple {
    /// Whether there are redirections alone.
    pub(super) fn is_empty(&self) -> bool {
        self.words.is_empty() && self.assignments.is_empty()
    }

    /// Whether the first word is nothing but an expansion that leaves no word behind where it gives nothing.
    pub(super) fn has_a_name_that_may_be_missing(&self) -> bool {
        let parts = self.words.first().map(|word| word.parts.as_slice());
        match parts {
            Some([Part::Substitution { quoted, .. }]) => !quoted,
            Some([Part::Variable(variable)]) => !variable.quoted,
            _ => false,
        }
    }

    /// Whether a word or a value has parts that are expanded.
    pub(super) fn is_expanded(&self) -> bool {
        let values = self
            .assignments
            .iter()
            .flat_map(|assignment| &assignment.value);
        self.words.iter().chain(values).any(Word::is_expanded)
    }
}

/// `name=value` and its relatives.
#[derive(Debug)]
pub(super) struct Assignment {
    pub(super) name: String,
    pub(super) subscript: Option<Word>,
    pub(super) append: bool,
    pub(super) value: Vec<Word>,
    pub(super) is_array: bool,
}

/// Where a stream of a command goes to or comes from.
#[derive(Debug)]
pub(super) struct Redirection {
    /// The number in front, or that which the operator stands for.
    pub(super) descriptor: u32,
    /// The variable that the shell writes a number of its own into.
    pub(super) variable: Option<String>,
    pub(super) direction: Direction,
    pub(super) target: Target,
}

impl Redirection {
    /// Whether this sets what the command reads.
    pub(super) fn is_input(&self) -> bool {
        self.descriptor == 0
    }

    /// Whether the text itself is the input.
    pub(super) fn is_text(&self) -> bool {
        self.direction == Direction::Text && self.is_input()
    }

    /// The commands that get what is written to it.
    pub(super) fn fed_scripts(&self) -> impl Iterator<Item = &Rc<Script>> {
        let parts = match &self.target {
            Target::Word(word) => word.parts.as_slice(),
            Target::Body(_) => &[],
        };
        parts.iter().filter_map(|part| match part {
            Part::Process {
                script,
                writes: true,
            } => Some(script),
            _ => None,
        })
    }
}

/// What a redirection does with its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    Read,
    Write,
    ReadWrite,
    /// `>&` and `<&`, which take a number or a file.
    Duplicate,
    /// The text itself is the input.
    Text,
}

/// A word, or the body of a here-document, which is read after its line.
#[derive(Debug, Clone)]
pub(super) enum Target {
    Word(Word),
    Body(Rc<OnceCell<Word>>),
}

/// A word before expansion.
#[derive(Debug, Clone, Default)]
pub(super) struct Word {
    pub(super) parts: Vec<Part>,
}

/// A piece of a word.
#[derive(Debug, Clone)]
pub(super) enum Part {
    /// Text that stands for itself.
    Literal(String),
    /// Text in which braces, globs and a tilde have a meaning.
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

/// What is done with the value of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operation {
    /// The value itself.
    Value,
    /// Its length.
    Length,
    /// The operand in place of nothing; assigned with `=`.
    Default { assigns: bool },
    /// A part of the value by numbers, which are arithmetic.
    Slice,
    /// The operand in place of something.
    Alternate,
    /// The value, or the end of the shell if there is none.
    Demanded,
    /// The value of the variable whose name this one holds.
    Indirect,
    /// Anything else: the result is not known.
    Other,
}

impl Word {
    pub(super) fn is_expanded(&self) -> bool {
        let mut parts = self.parts.iter();
        parts.any(|part| !matches!(part, Part::Literal(_) | Part::Plain(_)))
    }

    /// The variables among its parts.
    pub(super) fn variables(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Part::Variable(variable) => Some(variable.name.as_str()),
            _ => None,
        })
    }

    /// The text of a word without any quote or expansion.
    pub(super) fn plain(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [Part::Plain(text)] => Some(text),
            _ => None,
        }
    }
}
