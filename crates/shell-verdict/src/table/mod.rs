//! Table of known programs.
//!
//! A row lists all known options; others require approval. Syntax of an option list:
//!
//! - leading `-abc`: flags; a later word is a long flag
//! - `-o=W`, `--out=W`: option with a value of effect `W`
//! - `--color?`: value only after `=`
//! - `-i!`: requires approval
//! - `-#`: number
//! - `*`: any option
//!
//! Effects of values:
//!
//! - `V` plain text; `M` file mode; `N` address; `J` cookies; `X` code; `C` shell text
//! - `R` read; `W` written; `F` archive; `T` directory of an archive's content; `D` working
//!   directory
//! - `P` pattern that replaces the first operand; `U` may name a file after `@`; `L` list of files
//!   to read
//! - `K` git setting; `Q` socket that replaces a host; `I` awk include; `S` build property
//! - `2` name followed by a value; `3` name followed by a file to read
//! - `E` program version, paths require approval; `G` plugin, requires approval unless it starts with
//!   `no:`
//! - `A` requires approval, and is checked as a command and as a path

mod containers;
mod development;
mod files;
mod forbidden;
mod forms;
mod git;
mod hosting;
mod network;
mod packages;
mod shell;
mod system;
mod text;
mod tools;

pub(super) use forms::harmful_form;

use std::collections::HashMap;
use std::sync::LazyLock;

use super::verdict::CommandRule;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operands {
    None,
    Any,
    Reads,
    /// Reads recursively.
    ReadsAll,
    Writes,
    Deletes,
    /// Reads all operands but the last recursively, and writes the last.
    Copies,
    /// Moves all operands but the last, and writes the last.
    Moves,
    /// Writes the first operand, and reads the others recursively.
    ArchiveThenReads,
    /// Pattern, followed by files to read.
    PatternThenReads,
    /// Number of operands before a command.
    Command(usize),
    /// Subcommand with its own row.
    Subcommand,
}

/// Handlers for programs that need more than a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Special {
    Archive,
    Assign,
    Awk,
    Chmod,
    ChangeDirectory,
    Dd,
    Echo,
    Env,
    Eval,
    Export,
    Fetch,
    Find,
    Interpreter,
    Kill,
    Link,
    Make,
    Netcat,
    Parallel,
    Repeat,
    Runner,
    Sed,
    Set,
    Shell,
    Source,
    Tar,
    Trap,
    Xargs,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    pub(super) names: &'static str,
    pub(super) rule: Option<CommandRule>,
    pub(super) options: &'static str,
    pub(super) operands: Operands,
    pub(super) special: Option<Special>,
}

const fn row(names: &'static str, options: &'static str, operands: Operands) -> Row {
    Row {
        names,
        rule: None,
        options,
        operands,
        special: None,
    }
}

const fn ruled(names: &'static str, rule: CommandRule) -> Row {
    row(names, "*", Operands::Any).under(rule)
}

impl Row {
    const fn under(mut self, rule: CommandRule) -> Self {
        self.rule = Some(rule);
        self
    }

    const fn with(mut self, special: Special) -> Self {
        self.special = Some(special);
        self
    }
}

const TABLES: &[(&str, &[Row])] = &[
    ("", forbidden::PROGRAMS),
    ("", shell::PROGRAMS),
    ("", files::PROGRAMS),
    ("", text::PROGRAMS),
    ("", network::PROGRAMS),
    ("", development::PROGRAMS),
    ("", containers::PROGRAMS),
    ("", hosting::PROGRAMS),
    ("gh", hosting::GH),
    ("gh pr", hosting::GH_KIND),
    ("gh issue", hosting::GH_KIND),
    ("gh run", hosting::GH_KIND),
    ("gh repo", hosting::GH_KIND),
    ("gh release", hosting::GH_KIND),
    ("gh workflow", hosting::GH_KIND),
    ("gh label", hosting::GH_KIND),
    ("gh search", hosting::GH_SEARCH),
    ("gh auth", hosting::GH_AUTH),
    ("terraform", hosting::TERRAFORM),
    ("terraform state", hosting::TERRAFORM_LISTS),
    ("terraform workspace", hosting::TERRAFORM_LISTS),
    ("", tools::PROGRAMS),
    ("", packages::PROGRAMS),
    ("", system::PROGRAMS),
    ("openssl", tools::OPENSSL),
    ("opam", tools::OPAM),
    ("zig", tools::BUILDERS),
    ("pre-commit", tools::PRE_COMMIT),
    ("cargo", development::CARGO),
    ("cmake -E", development::CMAKE_TOOLS),
    ("npm", development::NPM),
    ("uv", packages::UV),
    ("uv pip", packages::UV_PIP),
    ("uv python", packages::UV_LISTS),
    ("uv tool", packages::UV_LISTS),
    ("bundle", packages::OTHERS),
    ("hatch", packages::OTHERS),
    ("go work", development::GO_WORK),
    ("go", development::GO),
    ("go tool", development::GO_TOOL),
    ("go mod", development::GO_MOD),
    ("kubectl", containers::KUBECTL),
    ("kubectl auth", containers::KUBECTL_AUTH),
    ("kubectl config", containers::KUBECTL_CONFIG),
    ("kubectl rollout", containers::KUBECTL_ROLLOUT),
    ("coverage", development::COVERAGE),
    ("docker", containers::DOCKER),
    ("docker container", containers::CONTAINER),
    ("docker image", containers::OBJECTS),
    ("docker volume", containers::OBJECTS),
    ("docker network", containers::OBJECTS),
    ("docker context", containers::OBJECTS),
    ("docker system", containers::DOCKER_SYSTEM),
    ("docker-compose", containers::COMPOSE),
    ("docker compose", containers::COMPOSE),
    ("pip", development::PIP),
    ("rustup", development::RUSTUP),
    ("dotnet", development::DOTNET),
    ("swift", development::SWIFT),
    ("mix", development::MIX),
    ("composer", development::COMPOSER),
    ("git", git::COMMANDS),
    ("git stash", git::STASH),
    ("git remote", git::REMOTE),
    ("git worktree", git::WORKTREE),
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

/// Returns the programs that are always forbidden.
pub(super) fn forbidden() -> impl Iterator<Item = (&'static str, CommandRule)> {
    forbidden::PROGRAMS
        .iter()
        .flat_map(|row| row.names.split(' ').zip(std::iter::repeat(row.rule)))
        .filter_map(|(name, rule)| Some((name, rule?)))
}

/// Returns every row with its family.
#[cfg(test)]
pub(super) fn rows() -> impl Iterator<Item = (&'static str, &'static Row)> {
    TABLES
        .iter()
        .flat_map(|(family, rows)| rows.iter().map(move |row| (*family, row)))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{Operands, Row, Special, row, rows, ruled};
    use crate::verdict::CommandRule;

    /// Effects of option values, as listed in the module documentation.
    const EFFECTS: &str = "VMRWDCPULNJKQTI23SXEGAF";

    #[test]
    fn row_builder_sets_fields() {
        let parts = |row: Row| (row.names, row.rule, row.options, row.operands, row.special);

        let made = row("a b", "-c", Operands::Reads)
            .under(CommandRule::Network)
            .with(Special::Sed);

        let expected = (
            "a b",
            Some(CommandRule::Network),
            "-c",
            Operands::Reads,
            Some(Special::Sed),
        );
        assert_eq!(parts(made), expected);
        let forbidding = ("d", Some(CommandRule::Secret), "*", Operands::Any, None);
        assert_eq!(parts(ruled("d", CommandRule::Secret)), forbidding);
    }

    #[test]
    fn rows_have_unique_names() {
        let mut seen = HashSet::new();
        let names = rows().flat_map(|(family, row)| {
            let names = row.names.split(' ');
            names.map(move |name| (family, name))
        });

        let twice: Vec<_> = names.filter(|name| !seen.insert(*name)).collect();

        assert_eq!(twice, []);
    }

    #[test]
    fn option_lists_use_known_syntax() {
        let is_known = |token: &str| {
            let token = token.trim_end_matches(['?', '!']);
            let (name, effect) = token.split_once('=').unwrap_or((token, "V"));
            name.starts_with('-') && effect.len() == 1 && EFFECTS.contains(effect)
        };
        let options = rows().filter(|(_, row)| !matches!(row.options, "*" | ""));

        let unknown: Vec<_> = options
            .flat_map(|(_, row)| row.options.split(' ').map(move |token| (row.names, token)))
            .filter(|(_, token)| !is_known(token))
            .collect();

        assert_eq!(unknown, []);
    }
}
