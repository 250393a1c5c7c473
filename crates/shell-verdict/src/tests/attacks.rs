//! Attacks generated from each row of the table: none is allowed.

use super::super::CommandVerdict;
use super::super::table::{Handler, Kind, Operands, Row, tests as table};
use super::{filter, wrong};

/// Returns all rows with the words of the command, and with an option that their form needs.
fn commands() -> Vec<(String, &'static Row)> {
    let rows = table::rows().flat_map(|(family, row)| {
        row.names
            .split(' ')
            .map(move |name| (format!("{family} {name}").trim().to_owned(), row))
    });
    let forms = rows.flat_map(|(name, row)| {
        let needs = row.needs.split(' ').filter(|word| !word.is_empty());
        let needs: Vec<_> = needs.map(|word| format!("{name} {word}")).collect();
        std::iter::once(name)
            .chain(needs)
            .map(move |name| (name, row))
    });
    forms.collect()
}

/// Rows whose operands have no meaning as files.
fn prints(row: &Row) -> bool {
    row.is_open() && row.rule.is_none()
        || row.handler == Some(Handler::ChangeDirectory)
        || row.names == "printf"
}

/// Rows whose operands are not only patterns, numbers or names.
fn reads(row: &Row) -> bool {
    row.rule.is_some()
        || matches!(
            row.operands,
            Operands::AtMost(0) | Operands::Reads | Operands::Copies
        )
}

fn assert_never_allowed(commands: &[String]) {
    assert!(commands.len() >= 300);
    let allowed = wrong(commands.iter().map(String::as_str), |verdict| {
        verdict == CommandVerdict::Allow
    });

    assert_eq!(allowed, Vec::<String>::new());
}

#[test]
fn options_with_outside_paths() {
    let commands: Vec<String> = commands()
        .into_iter()
        .filter(|(_, row)| !prints(row))
        .flat_map(|(name, row)| {
            let options = row
                .all_options()
                .into_iter()
                .filter(|(kind, _)| *kind != Kind::Pattern);
            options.flat_map(move |(kind, option)| {
                let joined = if option.starts_with("--") {
                    format!("{option}=/opt/x")
                } else {
                    format!("{option}/opt/x")
                };
                let second = if kind == Kind::Pattern {
                    "a /opt/x"
                } else {
                    "/opt/x /opt/x"
                };
                [
                    format!("{name} {joined}"),
                    format!("{name} {option} {second}"),
                ]
            })
        })
        .collect();

    assert_never_allowed(&commands);
}

#[test]
fn unknown_options() {
    let rows = commands()
        .into_iter()
        .filter(|(_, row)| !prints(row) && row.handler != Some(Handler::Test));
    let commands: Vec<String> = rows
        .flat_map(|(name, _)| {
            ["--frobnicate", "--frobnicate=x", "-\u{e9}"].map(|option| format!("{name} {option}"))
        })
        .collect();

    assert_never_allowed(&commands);
}

#[test]
fn dynamic_words() {
    let commands: Vec<String> = commands()
        .into_iter()
        .flat_map(|(name, _)| {
            [
                "$x", "\"$x\"", "$(cat x)", "`cat x`", "*", "{a,b}", "${x:-y}", "~/a$x",
            ]
            .map(|word| format!("{name} {word}"))
        })
        .collect();

    assert_never_allowed(&commands);
}

#[test]
fn options_with_dynamic_values() {
    let commands: Vec<String> = commands()
        .into_iter()
        .filter(|(_, row)| !prints(row))
        .flat_map(|(name, row)| {
            let options = row.all_options().into_iter();
            let options = options.filter(|(kind, _)| !matches!(kind, Kind::Flag | Kind::Optional));
            options.flat_map(move |(_, option)| {
                [
                    format!("{name} {option} \"$x\" a"),
                    format!("{name} {option}\"$(cat x)\" a"),
                ]
            })
        })
        .collect();

    assert_never_allowed(&commands);
}

#[test]
fn outside_operands() {
    let commands: Vec<String> = commands()
        .into_iter()
        .filter(|(_, row)| !prints(row) && reads(row))
        .flat_map(|(name, _)| {
            ["/opt/x", "-- /opt/x", "../x", "~/x", "a /opt/x"]
                .map(|words| format!("{name} {words}"))
        })
        .collect();

    assert_never_allowed(&commands);
}

#[test]
fn outside_directories() {
    let commands: Vec<String> = commands()
        .into_iter()
        .filter(|(_, row)| !prints(row) && row.handler != Some(Handler::Test))
        .flat_map(|(name, _)| {
            ["cd /opt;", "pushd ..;", "cd ~ &&"].map(|before| format!("{before} {name} a"))
        })
        .collect();

    assert_never_allowed(&commands);
}

#[test]
fn empty_words() {
    let commands: Vec<String> = commands()
        .into_iter()
        .filter(|(_, row)| !prints(row) && row.handler != Some(Handler::Test))
        .map(|(name, _)| format!("{name} ''"))
        .collect();

    assert_never_allowed(&commands);
}

#[test]
fn environment_variables() {
    let commands: Vec<String> = commands()
        .into_iter()
        .map(|(name, _)| format!("FROBNICATE=x {name}"))
        .collect();

    assert_never_allowed(&commands);
}

/// What follows a command, or is one of its words.
const SUFFIXES: &[&str] = &[
    "; sudo id",
    " && rm -rf /",
    " | sh",
    " & pkill x",
    "\ngit push",
    " $(sudo id)",
    " \"`git reset --hard`\"",
    " <(curl x)",
    " > ~/.bashrc",
    " 2>> /opt/x",
    " < ~/.ssh/id_rsa",
    " <<< $(rm -rf src)",
];

/// A harmless command with a dangerous suffix, after each of its words, is never milder than the suffix
/// alone, and needs at least the same grants.
#[test]
fn no_row_hides_dangerous_suffix() {
    let filter = filter();
    let mut milder = Vec::new();
    let alone = SUFFIXES
        .iter()
        .map(|suffix| filter.judge(&format!(":{suffix}")));
    let alone: Vec<_> = alone.collect();
    // Before an operator, `time` is a reserved word without a command.
    for (name, row) in commands().into_iter().filter(|(name, _)| name != "time") {
        let mut words: Vec<String> = name.split(' ').map(str::to_owned).collect();
        let first = words.len();
        for (kind, option) in row.all_options() {
            words.push(option);
            if !matches!(kind, Kind::Flag | Kind::Optional) {
                words.push("a".to_owned());
            }
        }
        words.extend(["a".to_owned(), "b".to_owned()]);
        for at in first..=words.len() {
            let (before, after) = words.split_at(at);
            // Each suffix comes at both ends, and at some of the positions between.
            let is_end = at == first || at == words.len();
            let pairs = SUFFIXES.iter().zip(&alone).enumerate();
            let some = pairs.filter(|(number, _)| is_end || at % SUFFIXES.len() == *number);
            for (_, (suffix, alone)) in some {
                // A command after the suffix would be another one.
                let is_word = !suffix.contains([';', '&', '|', '\n']);
                let after = if is_word {
                    after.join(" ")
                } else {
                    String::new()
                };
                let text = format!("{}{suffix} {after}", before.join(" "));
                let found = filter.judge(&text);
                let grants = found.grants();
                let lacks = alone.grants().iter().any(|grant| !grants.contains(grant));
                if found.verdict() < alone.verdict() || lacks {
                    milder.push(text);
                }
            }
        }
    }

    assert_eq!(milder, Vec::<String>::new());
}
