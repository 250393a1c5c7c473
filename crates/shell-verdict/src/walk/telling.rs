//! Properties of commands that are known without walking them.

use super::super::syntax::{
    Command, Connector, Kind, Part, Pipeline, Redirection, Script, Simple, Target, Word,
};

impl Word {
    pub(super) fn tells_a_folder(&self) -> bool {
        let mut parts = self.parts.iter();
        parts.any(
            |part| matches!(part, Part::Substitution { script, .. } if script.tells_a_folder()),
        )
    }

    fn fails_without_its_folder(&self) -> bool {
        let is_substitution = |part: &&Part| matches!(part, Part::Substitution { .. });
        self.tells_a_folder() && self.parts.iter().filter(is_substitution).count() == 1
    }
}

impl Script {
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

/// Shells that run commands from their input.
const SHELLS: [&str; 6] = ["sh", "bash", "dash", "zsh", "ksh", "ash"];
/// Programs with known output that may not be installed.
const RARE: [&str; 2] = ["rev", "xxd"];
const TALKING: [&str; 6] = ["nc", "ncat", "netcat", "socat", "telnet", "openssl"];

fn is_silent(program: &str) -> bool {
    matches!(program, ":" | "true" | "false" | "echo" | "printf")
}

impl Command {
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

    pub(super) fn is_silent(&self) -> bool {
        match &self.kind {
            Kind::Simple(simple) => {
                let is_safe = simple.words.is_empty() || self.plain_name().is_some_and(is_silent);
                is_safe && !simple.is_expanded()
            }
            // The commands within are checked separately.
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

    fn is_open_shell(&self) -> bool {
        let words = self.plain_words();
        let options = words.get(1..).unwrap_or_default();
        let only_options = |word: &&str| word.starts_with('-') && !word.contains('c');
        self.is_program(&SHELLS) && options.iter().all(only_options)
    }
}

impl Pipeline {
    /// Returns `true` if a shell sends its output to another host.
    pub(super) fn gives_a_shell(&self) -> bool {
        let shell = self.stages.iter().position(Command::is_open_shell);
        shell.is_some_and(|at| {
            let mut behind = self.stages.iter().skip(at + 1);
            behind.any(|command| command.is_program(&TALKING))
        })
    }

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

    pub(super) fn may_print_nothing(&self) -> bool {
        let last = self.stages.last();
        last.is_some_and(|command| command.is_program(&RARE))
    }

    fn simple(&self) -> Option<(&Command, &Simple)> {
        let [command] = self.stages.as_slice() else {
            return None;
        };
        match &command.kind {
            Kind::Simple(simple) => Some((command, simple)),
            _ => None,
        }
    }

    /// Returns the certain result, if it does not depend on other state.
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

    /// Returns the builtin if it certainly succeeds, provided its name is not redefined.
    pub(super) fn succeeds(&self) -> Option<&str> {
        let (command, simple) = self.simple()?;
        let is_alone = self.coprocess.is_none() && !self.has_prefix;
        // Its output must not be redirected.
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
            // Parent directories always exist.
            "cd" => is_sure && words.iter().all(goes_up),
            _ => false,
        })
    }

    pub(super) fn assigned_folder(&self) -> Option<&str> {
        let (_, simple) = self.simple()?;
        // Only the last of several assignments determines the status.
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

    /// Returns `true` if no following command runs.
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
