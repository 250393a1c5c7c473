//! Simple commands of a call, and rules about them.

use serde::{Deserialize, Serialize};

/// Characters that mean something to a shell, or quote. A rule is compared with words, so it can't contain them.
const NOT_PLAIN: &str = "'\"\\`$;&|<>(){}*?[]~#!\n";

/// Options that run programs, read another configuration or write elsewhere. A rule for `git diff` doesn't cover them,
/// because nobody thinks of them who allows it.
const POWERFUL: [&str; 30] = [
    "--command",
    "--config",
    "--config-env",
    "--directory",
    "--editor",
    "--eval",
    "--exec",
    "--exec-path",
    "--ext-diff",
    "--git-dir",
    "--import",
    "--init-file",
    "--loader",
    "--manifest-path",
    "--open-files-in-pager",
    "--out-dir",
    "--output",
    "--output-dir",
    "--output-file",
    "--pager",
    "--prefix",
    "--rcfile",
    "--receive-pack",
    "--require",
    "--rsh",
    "--script-shell",
    "--target-dir",
    "--textconv",
    "--upload-pack",
    "--work-tree",
];
const POWERFUL_LETTERS: [char; 5] = ['c', 'C', 'e', 'o', 'O'];

/// A simple command of a call that runs commands, such as one command of a pipeline.
///
/// # Examples
/// ```
/// use tool_core::approval::{CommandPart, Coverage};
/// use tool_core::{CallPlan, RiskLevel};
///
/// let test = CommandPart::new(["cargo", "test"], Coverage::Allowable);
/// let tail = CommandPart::new(["tail", "-5"], Coverage::Harmless);
/// let plan = CallPlan::of(RiskLevel::Dangerous).with_commands([test, tail]);
/// assert_eq!(plan.findings.commands()[1].words, ["tail", "-5"]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CommandPart {
    /// Program and arguments. Those of a redirection are `>` and the file, and an assignment is one word.
    pub words: Vec<String>,
    /// What a rule that allows commands may decide about it.
    pub coverage: Coverage,
}

/// What a rule that [allows a command](super::Policy::allow_command) may decide about a simple command.
///
/// # Examples
/// See [`CommandPart`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Coverage {
    /// The command needs no rule, because it only reads.
    Harmless,
    /// The command is allowed if a rule covers its words.
    Allowable,
    /// No rule about its words may allow the command, for example because nothing confines it.
    Never,
}

impl CommandPart {
    /// Creates a part from its words.
    pub fn new<Word: Into<String>>(
        words: impl IntoIterator<Item = Word>,
        coverage: Coverage,
    ) -> Self {
        Self {
            words: words.into_iter().map(Into::into).collect(),
            coverage,
        }
    }

    /// Returns the words of a rule that would allow the command and its like: program and subcommand, or everything if
    /// an option follows the program.
    pub(super) fn suggested(&self) -> Option<String> {
        if self.coverage == Coverage::Never {
            return None;
        }
        let words = match self.words.as_slice() {
            [_, second, ..] if second.starts_with('-') => &*self.words,
            words => words.get(..2).unwrap_or(words),
        };
        let text = words.join(" ");
        CommandWords::parse(&text).ok().map(|_| text)
    }
}

/// First words of commands, in a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CommandWords(Vec<String>);

impl CommandWords {
    /// Parses the text of a rule, such as `cargo test`.
    ///
    /// # Errors
    /// Returns the reason if the text is more than plain words.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        if let Some(special) = text.chars().find(|letter| NOT_PLAIN.contains(*letter)) {
            return Err(format!(
                "`command` has the character {special:?}; it must be plain words, such as `cargo test`"
            ));
        }
        let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        match words.first() {
            None => Err("`command` is empty; it must be plain words, such as `cargo test`".into()),
            Some(first) if first.contains('=') => {
                Err("`command` begins with an assignment; it must begin with a program".into())
            }
            Some(_) => Ok(Self(words)),
        }
    }

    /// Returns whether a command begins with these words.
    pub(super) fn begin(&self, part: &CommandPart) -> bool {
        part.words.starts_with(&self.0)
    }

    /// Returns whether a rule that allows these words allows a command.
    pub(super) fn cover(&self, part: &CommandPart) -> bool {
        let more = part.words.get(self.0.len()..).unwrap_or_default();
        part.coverage != Coverage::Never
            && self.begin(part)
            && !more.iter().any(|word| is_powerful(word))
    }
}

/// Returns whether a word is an option that runs programs or writes elsewhere, even if it is abbreviated.
fn is_powerful(word: &str) -> bool {
    let name = word.split('=').next().unwrap_or(word);
    if name.starts_with("--") {
        return name.len() > 3 && POWERFUL.iter().any(|option| option.starts_with(name));
    }
    let letters = name.strip_prefix('-').unwrap_or_default();
    letters.contains(POWERFUL_LETTERS)
}

/// Returns whether a redirection inside the workspace needs no rule of its own: what it writes is held by the sandbox.
pub(super) fn is_redirection(part: &CommandPart) -> bool {
    part.coverage == Coverage::Allowable && part.words.first().is_some_and(|word| word == ">")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(line: &str) -> CommandPart {
        CommandPart::new(line.split(' '), Coverage::Allowable)
    }

    #[test]
    fn words_cover_longer_commands_without_powerful_options() {
        for (rule, command, covered) in [
            ("cargo test", "cargo test", true),
            ("cargo test", "cargo test -p demo", true),
            ("cargo test", "cargo test --offline -- --nocapture", true),
            ("cargo test", "cargo testx", false),
            ("cargo test", "cargo --config x test", false),
            ("cargo test", "cargo test --config x", false),
            ("cargo test", "cargo test --target-dir=/x", false),
            ("git diff", "git diff --stat", true),
            ("git diff", "git diff --ext-diff", false),
            ("git diff", "git diff --outpu=x", false),
            ("git diff", "git diff -ox", false),
            ("git diff --ext-diff", "git diff --ext-diff HEAD", true),
            ("make", "make -C other", false),
            ("ls", "LD_PRELOAD=x ls", false),
        ] {
            let words = CommandWords::parse(rule).unwrap();

            assert_eq!(words.cover(&part(command)), covered, "{rule}: {command}");
        }
    }

    #[test]
    fn rules_are_plain_words() {
        for text in ["", " ", "ls; rm x", "echo 'a b'", "A=1 ls", "ls *", "a > b"] {
            assert!(CommandWords::parse(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn suggestions_name_program_and_subcommand() {
        for (command, suggested) in [
            ("cargo test -p demo", Some("cargo test")),
            ("make", Some("make")),
            ("python3 -c print(1)", None),
            ("pytest -q tests", Some("pytest -q tests")),
            ("touch a*", None),
        ] {
            assert_eq!(part(command).suggested().as_deref(), suggested, "{command}");
        }
    }
}
