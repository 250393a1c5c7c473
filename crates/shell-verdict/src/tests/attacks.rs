//! Attacks generated from the table: no row that only reads may allow them.

use super::super::CommandVerdict;
use super::super::table::{self, Kind, Row, Special};
use super::wrong;

/// Returns the rows that only read, with the words of the command.
fn readers() -> Vec<(String, &'static Row)> {
    let rows = table::rows().filter(|(_, row)| row.rule.is_none());
    let named = rows.flat_map(|(family, row)| {
        row.names
            .split(' ')
            .map(move |name| (format!("{family} {name}").trim().to_owned(), row))
    });
    named.collect()
}

/// Rows whose operands have no meaning as files.
fn prints(row: &Row) -> bool {
    matches!(row.special, Some(Special::Echo | Special::ChangeDirectory))
        || row.names.starts_with(':')
}

fn assert_never_allowed(commands: &[String]) {
    assert!(commands.len() >= 60);
    let allowed = wrong(commands.iter().map(String::as_str), |verdict| {
        verdict == CommandVerdict::Allow
    });

    assert_eq!(allowed, Vec::<String>::new());
}

#[test]
fn options_with_outside_paths() {
    let commands: Vec<String> = readers()
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
    let readers = readers()
        .into_iter()
        .filter(|(_, row)| !prints(row) && row.special != Some(Special::Test));
    let commands: Vec<String> = readers
        .flat_map(|(name, _)| {
            ["--frobnicate", "--frobnicate=x", "-\u{e9}"].map(|option| format!("{name} {option}"))
        })
        .collect();

    assert_never_allowed(&commands);
}

#[test]
fn dynamic_words() {
    let commands: Vec<String> = readers()
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
fn empty_words() {
    let commands: Vec<String> = readers()
        .into_iter()
        .filter(|(_, row)| !prints(row) && row.special != Some(Special::Test))
        .map(|(name, _)| format!("{name} ''"))
        .collect();

    assert_never_allowed(&commands);
}

#[test]
fn environment_variables() {
    let commands: Vec<String> = readers()
        .into_iter()
        .map(|(name, _)| format!("FROBNICATE=x {name}"))
        .collect();

    assert_never_allowed(&commands);
}
