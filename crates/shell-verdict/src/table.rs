//! Table of known programs.
//!
//! A row without a rule only reads; such rows list every option that reaches `allow`. Rows with a
//! rule list the options that name files to read or write, directories and commands.

mod development;
mod files;
mod forbidden;
mod git;
mod network;
mod reads;
mod shell;

use std::collections::HashMap;
use std::sync::LazyLock;

use super::verdict::CommandRule as Rule;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operands {
    /// Any operand has an unknown effect.
    None,
    Any,
    Reads,
    Writes,
    /// Creates directories, which destroys nothing.
    Creates,
    Deletes,
    /// Reads all operands but the last, and writes the last.
    Copies,
    /// Moves all operands but the last, and writes the last.
    Moves,
    /// Reads the first operand, and creates the directory that the second names.
    Clones,
    /// Writes the first operand, and reads the others.
    ArchiveThenReads,
    /// Pattern, followed by files to read.
    PatternThenReads,
    /// Number of operands before a command.
    Command(usize),
    /// Subcommand with its own row; without one, the row of the program applies.
    Subcommand,
}

/// Handlers for programs that need more than a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Handler {
    Alias,
    Assign,
    Awk,
    Cat,
    ChangeDirectory,
    Decoder,
    Dd,
    Download,
    Echo,
    Env,
    Eval,
    Exec,
    Exports,
    Fd,
    Find,
    Interpreter,
    Jq,
    Kill,
    Link,
    Netcat,
    Parallel,
    Permissions,
    Sed,
    Set,
    Shell,
    Source,
    Tar,
    Tee,
    Test,
    Trap,
    Xargs,
}

/// Kind of an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Flag,
    /// Value only in the same word.
    Optional,
    Plain,
    /// Pattern that replaces the first operand.
    Pattern,
    /// Name and value in two words.
    Pair,
    Read,
    Write,
    /// Directory below which files are written.
    Directory,
    /// Text for a shell.
    Shell,
}

/// Letters of short options, and long options.
type Options = (&'static str, &'static str);

/// Words, of which one raises a finding with this rule and explanation. `&` joins words that must
/// all occur, and a trailing `*` matches a prefix.
pub(super) type Trigger = (&'static str, Rule, &'static str);

#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    pub(super) names: &'static str,
    pub(super) rule: Option<Rule>,
    pub(super) explanation: Option<&'static str>,
    pub(super) operands: Operands,
    pub(super) handler: Option<Handler>,
    pub(super) triggers: &'static [Trigger],
    /// Words with which the program only displays.
    pub(super) displays: &'static str,
    /// Whether the program writes to the files that it is told to write, instead of replacing them.
    pub(super) in_place: bool,
    options: [(Kind, Options); 9],
}

const fn row(names: &'static str, operands: Operands) -> Row {
    Row {
        names,
        rule: None,
        explanation: None,
        operands,
        handler: None,
        triggers: &[],
        displays: "",
        in_place: false,
        options: [(Kind::Flag, ("", "")); 9],
    }
}

const fn ruled(names: &'static str, rule: Rule) -> Row {
    row(names, Operands::Any).under(rule)
}

macro_rules! setters {
    ($($name:ident = $kind:ident, $at:literal;)*) => {
        impl Row {
            $(const fn $name(mut self, letters: &'static str, longs: &'static str) -> Self {
                self.options[$at] = (Kind::$kind, (letters, longs));
                self
            })*
        }
    };
}

setters! {
    flags = Flag, 0;
    optional = Optional, 1;
    plain = Plain, 2;
    pattern = Pattern, 3;
    pair = Pair, 4;
    read = Read, 5;
    write = Write, 6;
    directory = Directory, 7;
    shell = Shell, 8;
}

impl Row {
    const fn under(mut self, rule: Rule) -> Self {
        self.rule = Some(rule);
        self
    }

    const fn with(mut self, handler: Handler) -> Self {
        self.handler = Some(handler);
        self
    }

    const fn explained(mut self, explanation: &'static str) -> Self {
        self.explanation = Some(explanation);
        self
    }

    const fn triggers(mut self, triggers: &'static [Trigger]) -> Self {
        self.triggers = triggers;
        self
    }

    const fn in_place(mut self) -> Self {
        self.in_place = true;
        self
    }

    const fn displays(mut self, words: &'static str) -> Self {
        self.displays = words;
        self
    }

    /// Returns the kind of a short option.
    pub(super) fn letter(&self, letter: char) -> Option<Kind> {
        let number = if letter.is_ascii_digit() { '#' } else { letter };
        let mut options = self.options.iter();
        let found =
            options.find(|(_, (letters, _))| letters.contains(letter) || letters.contains(number));
        found.map(|(kind, _)| *kind)
    }

    /// Returns the kind of an option in full, such as `--all` or `-name`.
    pub(super) fn long(&self, name: &str) -> Option<Kind> {
        let mut options = self.options.iter();
        let found = options.find(|(_, (_, longs))| longs.split(' ').any(|long| long == name));
        found.map(|(kind, _)| *kind)
    }

    /// Returns `true` if some option or operand names a file that is written.
    pub(super) fn writes(&self) -> bool {
        let writes = |(kind, options): &(Kind, Options)| {
            matches!(kind, Kind::Write | Kind::Directory) && *options != ("", "")
        };
        self.options.iter().any(writes)
            || !matches!(
                self.operands,
                Operands::None
                    | Operands::Any
                    | Operands::Reads
                    | Operands::PatternThenReads
                    | Operands::Command(_)
                    | Operands::Subcommand
            )
    }

    /// Returns every option with its kind.
    #[cfg(test)]
    pub(super) fn all_options(&self) -> Vec<(Kind, String)> {
        let all = self.options.iter().flat_map(|(kind, (letters, longs))| {
            let letters = letters
                .chars()
                .map(|letter| format!("-{}", if letter == '#' { '8' } else { letter }));
            let longs = longs
                .split(' ')
                .filter(|long| !long.is_empty())
                .map(str::to_owned);
            letters.chain(longs).map(|option| (*kind, option))
        });
        all.collect()
    }
}

/// Rows of programs, and of the subcommands of a program.
const TABLES: &[(&str, &[Row])] = &[
    ("", development::PROGRAMS),
    ("", files::PROGRAMS),
    ("", forbidden::PROGRAMS),
    ("", network::PROGRAMS),
    ("", reads::PROGRAMS),
    ("", shell::PROGRAMS),
    ("cargo", development::CARGO),
    ("cmake -E", files::CMAKE_TOOLS),
    ("composer", development::INSTALLERS),
    ("conda", development::ENVIRONMENTS),
    ("dotnet", development::DOTNET),
    ("git", git::COMMANDS),
    ("git remote", git::REMOTE),
    ("git stash", git::STASH),
    ("git worktree", git::WORKTREE),
    ("go", development::GO),
    ("go mod", development::GO_MOD),
    ("mix", development::MIX),
    ("npm", development::NPM),
    ("pip", development::PIP),
    ("poetry", development::ENVIRONMENTS),
    ("rustup", development::RUSTUP),
    ("swift", development::SWIFT),
    ("uv", development::ENVIRONMENTS),
    ("uv pip", development::PIP),
];

static INDEX: LazyLock<HashMap<(&'static str, &'static str), &'static Row>> = LazyLock::new(|| {
    let mut index = HashMap::new();
    for (family, rows) in TABLES {
        for row in *rows {
            for name in row.names.split(' ') {
                index.entry((*family, name)).or_insert(row);
            }
        }
    }
    index
});

pub(super) fn find(family: &str, name: &str) -> Option<&'static Row> {
    INDEX.get(&(family, name)).copied()
}

/// Returns `true` for programs that are forbidden by name in every form.
pub(super) fn is_forbidden(name: &str) -> bool {
    let row = find("", name).and_then(|row| row.rule);
    row.is_some_and(|rule| rule.verdict() == super::CommandVerdict::Forbid)
}

/// Returns every row with its family.
#[cfg(test)]
pub(super) fn rows() -> impl Iterator<Item = (&'static str, &'static Row)> {
    TABLES
        .iter()
        .flat_map(|(family, rows)| rows.iter().map(move |row| (*family, row)))
}

#[cfg(test)]
mod tests;
