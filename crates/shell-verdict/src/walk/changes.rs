//! Possible changes by a part of the script, determined without walking it.

use std::collections::BTreeSet;

use super::super::syntax::{Command, Kind, Pipeline, Script, Simple, Word};

/// Builtins that assign variables without `name=value`.
const ASSIGNING: [&str; 19] = [
    "eval",
    "source",
    ".",
    "read",
    "mapfile",
    "readarray",
    "getopts",
    "unset",
    "let",
    "set",
    "shift",
    "declare",
    "typeset",
    "local",
    "export",
    "readonly",
    "printf",
    "builtin",
    "trap",
];

/// Builtins that change the positional parameters.
const SHIFTING: [&str; 6] = ["eval", "source", ".", "set", "shift", "builtin"];

/// Possible changes.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "the flags are independent")]
pub(super) struct Changes {
    pub(super) names: BTreeSet<String>,
    /// Whether any variable may change.
    pub(super) everything: bool,
    /// Whether the positional parameters may change.
    pub(super) positional: bool,
    pub(super) called: BTreeSet<String>,
    /// Whether the commands may leave the enclosing loop.
    pub(super) leaves: bool,
    /// Whether a background command starts.
    pub(super) background: bool,
}

impl Changes {
    pub(super) fn of(script: &Script) -> Self {
        let mut changes = Self::default();
        changes.script(script);
        changes
    }

    pub(super) fn script(&mut self, script: &Script) {
        for item in &script.items {
            self.background |= item.background;
            for (_, pipeline) in &item.chain {
                self.pipeline(pipeline);
            }
        }
    }

    fn pipeline(&mut self, pipeline: &Pipeline) {
        for command in &pipeline.stages {
            self.command(command);
        }
    }

    fn command(&mut self, command: &Command) {
        match &command.kind {
            Kind::Simple(simple) => self.simple(simple),
            Kind::Group(script) | Kind::Subshell(script) => self.script(script),
            Kind::If {
                branches,
                otherwise,
            } => {
                for (condition, body) in branches {
                    self.script(condition);
                    self.script(body);
                }
                if let Some(script) = otherwise {
                    self.script(script);
                }
            }
            Kind::Loop { condition, body } => {
                self.script(condition);
                self.script(body);
            }
            Kind::For { name, body, .. } => {
                self.names.insert(name.clone());
                self.script(body);
            }
            Kind::CountingFor { body, .. } => {
                self.everything = true;
                self.script(body);
            }
            Kind::Case { arms, .. } => {
                for (_, body) in arms {
                    self.script(body);
                }
            }
            Kind::Function { .. } | Kind::Test(_) => {}
            Kind::Arithmetic(_) => self.everything = true,
        }
    }

    fn simple(&mut self, simple: &Simple) {
        let first = simple.words.first().map(Word::plain);
        // In front of another program, assignments apply only to that program.
        let stay = first.is_none_or(|name| name.is_none_or(|name| ASSIGNING.contains(&name)));
        let reads = matches!(first, Some(Some("read" | "mapfile" | "readarray")));
        for assignment in simple.assignments.iter().filter(|_| stay && !reads) {
            self.names.insert(assignment.name.clone());
        }
        match simple.words.first().map(Word::plain) {
            None => {}
            Some(None) => self.everything = true,
            Some(Some(name)) => {
                self.everything |= ASSIGNING.contains(&name);
                self.positional |= SHIFTING.contains(&name);
                self.called.insert(name.to_owned());
                self.leaves |= matches!(name, "break" | "exit" | "return" | "exec");
            }
        }
    }
}

pub(super) fn always_holds(condition: &Script) -> bool {
    let [item] = condition.items.as_slice() else {
        return false;
    };
    let [(_, pipeline)] = item.chain.as_slice() else {
        return false;
    };
    let [command] = pipeline.stages.as_slice() else {
        return false;
    };
    match &command.kind {
        Kind::Simple(simple) => {
            let words: Vec<_> = simple.words.iter().map(|word| word.plain().unwrap_or_default()).collect();
            matches!(words.as_slice(), ["true" | ":" | "false"] | ["[", _, "]"] | ["test", _])
        }
        Kind::Arithmetic(word) => word.parts.iter().all(|part| {
            matches!(part, super::super::syntax::Part::Literal(text) if text.trim().chars().all(|letter| letter.is_ascii_digit()))
        }),
        _ => false,
    }
}
