//! Table of known programs.
//!
//! A row is a complete form of a command: its options with the kind of their values, and its
//! operands. Several rows may have the same name; the first one whose form matches the arguments
//! applies. Anything else, an abbreviated option included, raises the finding of the last row for
//! other forms, which is `unknown_option` by default.

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
    /// Any words; those that look like paths are read.
    Any,
    /// At most this number of words.
    AtMost(usize),
    /// Words that begin with `+`.
    Formats,
    Reads,
    Writes,
    /// Creates directories, which destroys nothing.
    Creates,
    Deletes,
    /// Reads all operands but the last, and writes the last.
    Copies,
    /// Moves all operands but the last, and writes the last.
    Moves,
    /// Pattern, followed by files to read.
    PatternThenReads,
    /// Lines for `sed` to print, such as `1,5p`, followed by files to read.
    LinesThenReads,
    /// Program text, followed by files to change.
    ProgramThenWrites,
    /// Mode or owner, followed by files that get it.
    ModeThenPermits,
    /// Number of operands before a command.
    Command(usize),
    /// Command to which words of the input are added.
    Items,
    /// Text for a shell.
    Script,
    /// Subcommand with its own rows; without one, the other rows of the program apply.
    Subcommand,
}

impl Operands {
    /// Returns `true` if words after the first operand are no options.
    pub(super) fn end_options(self) -> bool {
        matches!(
            self,
            Self::Command(_) | Self::Items | Self::Subcommand | Self::Script
        )
    }

    /// Returns `true` if the first operand is no path.
    pub(super) fn begin_with_pattern(self) -> bool {
        matches!(
            self,
            Self::PatternThenReads | Self::LinesThenReads | Self::ProgramThenWrites
        )
    }
}

/// Handlers for programs that need more than a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Handler {
    ChangeDirectory,
    Eval,
    Find,
    Kill,
    /// Names of variables, which the shell expands again.
    Names,
    Shell,
    Test,
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
    Read,
    Write,
    /// Directory below which files are written.
    Directory,
    /// Words of a command, up to `;` or `+`.
    Command,
    /// Setting or text that may run a program.
    Setting,
}

impl Kind {
    /// Reads the sign at the end of an option in a row.
    fn of(option: &str) -> (&str, Self) {
        const SIGNS: [(char, Kind); 8] = [
            ('?', Kind::Optional),
            ('=', Kind::Plain),
            ('%', Kind::Pattern),
            ('<', Kind::Read),
            ('>', Kind::Write),
            ('/', Kind::Directory),
            ('$', Kind::Command),
            ('^', Kind::Setting),
        ];
        let mut signs = SIGNS.into_iter();
        let found = signs.find_map(|(sign, kind)| Some((option.strip_suffix(sign)?, kind)));
        found.unwrap_or((option, Kind::Flag))
    }
}

/// Words that raise a finding with this rule and explanation, wherever they are. `&` joins words that
/// must all occur, and `*` matches any text at an end. Such words only make a verdict stricter.
pub(super) type Alarm = (&'static str, Rule, &'static str);

#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    pub(super) names: &'static str,
    /// Options, such as `-abc` (letters, where `#` is any digit), `--all` and `+name` for `-name`. A sign
    /// at the end tells the kind of their value.
    options: &'static str,
    pub(super) operands: Operands,
    /// Finding of a command that matches; a command without one only reads.
    pub(super) rule: Option<Rule>,
    pub(super) explanation: Option<&'static str>,
    /// Options and first operands of which one must be present.
    pub(super) needs: &'static str,
    /// Finding of a command that matches no row.
    pub(super) otherwise: Option<(Rule, &'static str)>,
    pub(super) handler: Option<Handler>,
    pub(super) alarms: &'static [Alarm],
    /// Whether the program writes to the files that it is told to write, instead of replacing them.
    pub(super) in_place: bool,
    /// Whether the output comes from the network.
    pub(super) downloads: bool,
    /// Whether a checkpoint of the workspace restores what the command destroys.
    pub(super) covered: bool,
}

const fn row(names: &'static str, operands: Operands, options: &'static str) -> Row {
    Row {
        names,
        options,
        operands,
        rule: None,
        explanation: None,
        needs: "",
        otherwise: None,
        handler: None,
        alarms: &[],
        in_place: false,
        downloads: false,
        covered: false,
    }
}

/// A program whose options do not matter, because the rule is about all of its forms.
const fn ruled(names: &'static str, rule: Rule) -> Row {
    row(names, Operands::Any, "*").under(rule)
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

    const fn needs(mut self, flags: &'static str) -> Self {
        self.needs = flags;
        self
    }

    const fn otherwise(mut self, rule: Rule, explanation: &'static str) -> Self {
        self.otherwise = Some((rule, explanation));
        self
    }

    const fn alarms(mut self, alarms: &'static [Alarm]) -> Self {
        self.alarms = alarms;
        self
    }

    const fn in_place(mut self) -> Self {
        self.in_place = true;
        self
    }

    const fn downloads(mut self) -> Self {
        self.downloads = true;
        self
    }

    const fn covered(mut self) -> Self {
        self.covered = true;
        self
    }

    /// Returns `true` for a row about all forms of a program.
    pub(super) fn is_open(&self) -> bool {
        self.options.starts_with('*')
    }

    /// Returns the kind of a short option.
    pub(super) fn letter(&self, letter: char) -> Option<Kind> {
        let number = if letter.is_ascii_digit() { '#' } else { letter };
        let mut options = self.options.split(' ');
        options.find_map(|option| {
            let (letters, kind) = Kind::of(option.strip_prefix('-')?);
            let has = !letters.starts_with('-') && letters.contains([letter, number]);
            has.then_some(kind)
        })
    }

    /// Returns the kind of an option in full, such as `--all` or `-name`.
    pub(super) fn long(&self, name: &str) -> Option<Kind> {
        let single = name.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
        let mut options = self.options.split(' ');
        options.find_map(|option| {
            let (own, kind) = Kind::of(option);
            let has = match single {
                Some(single) => own.strip_prefix('+') == Some(single),
                None => own == name,
            };
            has.then_some(kind)
        })
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
    ("git", git::COMMANDS),
    ("npm", development::NPM),
];

/// Forms of one program, in the order of the table.
pub(super) type Forms = &'static [&'static Row];

static INDEX: LazyLock<HashMap<(&'static str, &'static str), Forms>> = LazyLock::new(|| {
    let mut index: HashMap<_, Vec<&'static Row>> = HashMap::new();
    for (family, rows) in TABLES {
        for row in *rows {
            for name in row.names.split(' ') {
                index.entry((*family, name)).or_default().push(row);
            }
        }
    }
    let forms = index.into_iter().map(|(name, rows)| (name, &*rows.leak()));
    forms.collect()
});

/// Returns the forms of a program, or none if it is not known.
pub(super) fn find(family: &str, name: &str) -> Forms {
    INDEX.get(&(family, name)).copied().unwrap_or_default()
}

#[cfg(test)]
pub(super) mod tests;
