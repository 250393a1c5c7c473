//! What parts of a text tell of themselves, without being walked.

use super::super::syntax::{
    Command, Connector, Kind, Part, Pipeline, Redirection, Script, Simple, Target, Word,
};

impl Word {
    /// Whether a part is a folder, or nothing.
    pub(super) fn tells_a_folder(&self) -> bool {
        let mut parts = self.parts.iter();
        parts.any(
            |part| matches!(part, Part::Substitution { script, .. } if script.tells_a_folder()),
        )
    }

    /// Whether it fails where the folder is missing that it tells.
    fn fails_without_its_folder(&self) -> bool {
        let is_substitution = |part: &&Part| matches!(part, Part::Substitution { .. });
        self.tells_a_folder() && self.parts.iter().filter(is_substitution).count() == 1
    }
}

impl Script {
    /// Whether this tells where a folder is, or nothing if there is none.
    pub(super) fn tells_a_folder(&self) -> bool {
        let [item] = self.items.as_slice() else {
            return false;
        };
        let [(_, first), (Connector::And, second)] = item.chain.as_slice() else {
            return false;
        };
        let is = |pipeline: &Pipeline, name: &str| matches!(pipeline.stages.as_slice(), [command] if command.plain_name() == Some(name));
        !item.background && is(first, "cd") && is(second, "pwd")
    }
}

/// Shells that take commands from whoever writes to them.
const SHELLS: [&str; 6] = ["sh", "bash", "dash", "zsh", "ksh", "ash"];
/// Programs whose output is known, but which have to be installed.
const RARE: [&str; 2] = ["rev", "xxd"];
const TALKING: [&str; 6] = ["nc", "ncat", "netcat", "socat", "telnet", "openssl"];

fn is_silent(program: &str) -> bool {
    matches!(program, ":" | "true" | "false" | "echo" | "printf")
}

impl Command {
    /// Whether this is a simple command with parts that are expanded.
    pub(super) fn is_simple_and_expanded(&self) -> bool {
        let target = |redirection: &Redirection| match &redirection.target {
            Target::Word(word) => word.is_expanded(),
            Target::Body(_) => false,
        };
        match &self.kind {
            Kind::Simple(simple) => simple.is_expanded() || self.redirections.iter().any(target),
            _ => false,
        }
    }

    /// Whether this is a command that has nothing to complain about.
    pub(super) fn is_silent(&self) -> bool {
        match &self.kind {
            Kind::Simple(simple) => {
                let is_safe = simple.words.is_empty() || self.plain_name().is_some_and(is_silent);
                is_safe && !simple.is_expanded()
            }
            // What is in them has told of itself.
            Kind::Function { .. }
            | Kind::Group(_)
            | Kind::Subshell(_)
            | Kind::If { .. }
            | Kind::Loop { .. } => true,
            _ => false,
        }
    }

    fn plain_name(&self) -> Option<&str> {
        match &self.kind {
            Kind::Simple(simple) => simple.words.first().and_then(Word::plain),
            _ => None,
        }
    }

    /// The words of a simple command, as far as they are plain.
    fn plain_words(&self) -> Vec<&str> {
        match &self.kind {
            Kind::Simple(simple) => simple.words.iter().filter_map(Word::plain).collect(),
            _ => Vec::new(),
        }
    }

    fn is_program(&self, names: &[&str]) -> bool {
        let words = self.plain_words();
        let file = words.first().and_then(|name| name.rsplit('/').next());
        file.is_some_and(|file| names.contains(&file))
    }

    /// Whether this is a shell that runs what it reads.
    fn is_open_shell(&self) -> bool {
        let words = self.plain_words();
        let options = words.get(1..).unwrap_or_default();
        let only_options = |word: &&str| word.starts_with('-') && !word.contains('c');
        self.is_program(&SHELLS) && options.iter().all(only_options)
    }
}

impl Pipeline {
    /// Whether what a shell answers goes to another host.
    pub(super) fn gives_a_shell(&self) -> bool {
        let shell = self.stages.iter().position(Command::is_open_shell);
        shell.is_some_and(|at| {
            let mut behind = self.stages.iter().skip(at + 1);
            behind.any(|command| command.is_program(&TALKING))
        })
    }

    /// Whether some program is run for each line of an input without an end.
    pub(super) fn repeats_without_end(&self) -> bool {
        let source = self
            .stages
            .iter()
            .position(|command| command.is_program(&["yes"]));
        source.is_some_and(|at| {
            let mut behind = self.stages.iter().skip(at + 1);
            behind.any(|command| command.is_program(&["xargs", "parallel"]))
        })
    }

    /// Whether what prints its output is a program that not every machine has.
    pub(super) fn may_print_nothing(&self) -> bool {
        let last = self.stages.last();
        last.is_some_and(|command| command.is_program(&RARE))
    }

    /// The simple command that it is, if it is one.
    fn simple(&self) -> Option<(&Command, &Simple)> {
        let [command] = self.stages.as_slice() else {
            return None;
        };
        match &command.kind {
            Kind::Simple(simple) => Some((command, simple)),
            _ => None,
        }
    }

    /// Whether it succeeds or fails, if that is certain whatever else there is.
    pub(super) fn certain_end(&self) -> Option<bool> {
        let (command, simple) = self.simple()?;
        if self.has_prefix || !command.redirections.is_empty() || simple.is_expanded() {
            return None;
        }
        match simple.words.first().map(Word::plain) {
            None | Some(Some("true" | ":")) => Some(true),
            Some(Some("false")) => Some(false),
            _ => None,
        }
    }

    /// The program of the shell that it is, if it succeeds as long as that program is what it is called.
    pub(super) fn succeeds(&self) -> Option<&str> {
        let (command, simple) = self.simple()?;
        let is_alone = self.coprocess.is_none() && !self.has_prefix;
        // What it prints may not be taken elsewhere.
        let is_sure = is_alone && command.redirections.is_empty() && simple.assignments.is_empty();
        let name = simple.words.first().and_then(Word::plain);
        let goes_up = |word: &Word| {
            let path = word.plain().unwrap_or("?");
            path.split('/').all(|part| matches!(part, "" | "." | ".."))
        };
        let words = simple.words.get(1..).unwrap_or_default();
        let is_text = |word: &Word| !word.plain().is_some_and(|text| text.starts_with('-'));
        name.filter(|name| match *name {
            "echo" => is_sure,
            // Without a format it fails.
            "printf" => is_sure && words.first().is_some_and(is_text),
            // These folders there are.
            "cd" => is_sure && words.iter().all(goes_up),
            _ => false,
        })
    }

    /// The variable that is a folder if this succeeds.
    pub(super) fn assigned_folder(&self) -> Option<&str> {
        let (_, simple) = self.simple()?;
        // Of several, only the last says whether it failed.
        match simple.assignments.as_slice() {
            [assignment] if simple.words.is_empty() && !self.has_prefix => {
                let mut words = assignment.value.iter();
                words
                    .all(Word::fails_without_its_folder)
                    .then_some(&assignment.name)
            }
            _ => None,
        }
    }

    /// Whether nothing behind it runs.
    pub(super) fn leaves(&self) -> bool {
        let [command] = self.stages.as_slice() else {
            return false;
        };
        match &command.kind {
            Kind::Simple(simple) => matches!(
                simple.words.first().and_then(Word::plain),
                Some("exit" | "return" | "break" | "continue")
            ),
            Kind::Group(script) => script.items.last().is_some_and(|item| {
                !item.background && matches!(item.chain.as_slice(), [(_, last)] if last.leaves())
            }),
            _ => false,
        }
    }
}
