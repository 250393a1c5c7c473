//! Attacks generated from each row of the table: none is allowed.

use super::super::CommandVerdict;
use super::super::table::{self, Handler, Kind, Operands, Row};
use super::wrong;

/// Returns all rows with the words of the command, and with a word that only displays.
fn commands() -> Vec<(String, &'static Row)> {
    let rows = table::rows().flat_map(|(family, row)| {
        row.names
            .split(' ')
            .map(move |name| (format!("{family} {name}").trim().to_owned(), row))
    });
    let forms = rows.flat_map(|(name, row)| {
        let words = row.displays.split(' ');
        let words = words.filter(|word| !word.is_empty() && !word.contains(['(', '*']));
        let displays: Vec<_> = words.map(|word| format!("{name} {word}")).collect();
        let names = std::iter::once(name).chain(displays);
        names.map(move |name| (name, row))
    });
    forms.collect()
}

/// Rows whose operands have no meaning as files.
fn prints(row: &Row) -> bool {
    matches!(row.handler, Some(Handler::Echo | Handler::ChangeDirectory))
        || row.names.starts_with(':')
}

/// Rows whose operands are not only patterns, numbers or names.
fn reads(row: &Row) -> bool {
    row.rule.is_some()
        || matches!(
            row.operands,
            Operands::None | Operands::Reads | Operands::Copies
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
                .filter(|(kind, _)| !matches!(kind, Kind::Pair | Kind::Pattern));
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
