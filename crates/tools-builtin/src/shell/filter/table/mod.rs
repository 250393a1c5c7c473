//! The programs that the filter knows, as data.
//!
//! A row lists the options of a program one by one; what is not in the list is asked about. The signs in an option list: `-abc` in front are flags, and a word further on,
//! `-o=W` and `--out=W` take a value with an effect, `--color?` takes one only behind `=`, `-i!` asks, `-#` is a number, `*` is anything.
//! Effects: `V` plain text, `M` is a mode of files, `R` is read, `W` is written, `D` is the directory to work in, `C` is shell text, `P` is a pattern in place of the first
//! operand, `U` may name a file behind `@`, `L` is a file with names of
//! files that are read, `N` is an address, `J` are cookies, `K` is a setting of git, `Q` is a socket in place of a host, `T` is where an archive is packed or unpacked, `I` is
//! what awk includes, `2` is a name with a value behind it, `3` is a name with a file behind it that is read, `S` is a property of a build tool, `X` is code,
//! `F` is an archive, `E` is a version of a program, and asks where it is a path, `G` is a plugin, and asks unless it is left out,
//! `A` asks, and is judged as a command and as a path.

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

use super::verdict::Rule;

/// What the operands of a program are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operands {
    None,
    Any,
    Reads,
    /// Read with everything below.
    ReadsAll,
    Writes,
    Deletes,
    /// All but the last are read with everything below, the last is written.
    Copies,
    /// All but the last are moved away, the last is written.
    Moves,
    /// The first is written, the others are read with everything below.
    ArchiveThenReads,
    /// A pattern, then files to read.
    PatternThenReads,
    /// So many plain operands, then a command.
    Command(usize),
    /// The name of a row of its own, which the rest belongs to.
    Subcommand,
}

/// Programs that need more than a row.
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

/// One program, or several that are alike in everything.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    pub(super) names: &'static str,
    pub(super) rule: Option<Rule>,
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

/// A program that always comes under `rule`, whatever follows.
const fn ruled(names: &'static str, rule: Rule) -> Row {
    row(names, "*", Operands::Any).under(rule)
}

impl Row {
    const fn under(mut self, rule: Rule) -> Self {
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

/// The row of a program, or of a subcommand of `family`.
pub(super) fn find(family: &str, name: &str) -> Option<&'static Row> {
    INDEX.get(&(family, name)).copied()
}

/// Programs that are forbidden whatever they are told.
pub(super) fn forbidden() -> impl Iterator<Item = (&'static str, Rule)> {
    forbidden::PROGRAMS
        .iter()
        .flat_map(|row| row.names.split(' ').zip(std::iter::repeat(row.rule)))
        .filter_map(|(name, rule)| Some((name, rule?)))
}

/// Every row with its family.
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
    use crate::shell::filter::verdict::Rule;

    /// What options do with their values, as the head of this file says.
    const EFFECTS: &str = "VMRWDCPULNJKQTI23SXEGAF";

    #[test]
    fn a_row_holds_what_it_is_made_of() {
        let parts = |row: Row| (row.names, row.rule, row.options, row.operands, row.special);

        let made = row("a b", "-c", Operands::Reads)
            .under(Rule::Network)
            .with(Special::Sed);

        let expected = (
            "a b",
            Some(Rule::Network),
            "-c",
            Operands::Reads,
            Some(Special::Sed),
        );
        assert_eq!(parts(made), expected);
        let forbidding = ("d", Some(Rule::Secret), "*", Operands::Any, None);
        assert_eq!(parts(ruled("d", Rule::Secret)), forbidding);
    }

    #[test]
    fn no_row_stands_in_the_shadow_of_another() {
        let mut seen = HashSet::new();
        let names = rows().flat_map(|(family, row)| {
            let names = row.names.split(' ');
            names.map(move |name| (family, name))
        });

        let twice: Vec<_> = names.filter(|name| !seen.insert(*name)).collect();

        assert_eq!(twice, []);
    }

    #[test]
    fn every_option_is_written_in_the_signs_that_are_read() {
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
