//! Consistency of the table.

use std::collections::HashSet;

use super::{Kind, Row, TABLES, find};

/// Returns every row with its family.
pub(crate) fn rows() -> impl Iterator<Item = (&'static str, &'static Row)> {
    TABLES
        .iter()
        .flat_map(|(family, rows)| rows.iter().map(move |row| (*family, row)))
}

impl Row {
    /// Returns every option with its kind.
    pub(crate) fn all_options(&self) -> Vec<(Kind, String)> {
        let all = self.options.split(' ').flat_map(|option| {
            let (name, kind) = Kind::of(option);
            let names: Vec<String> = match name.strip_prefix('-') {
                _ if name.is_empty() || name == "*" => Vec::new(),
                Some(letters) if !letters.starts_with('-') => letters
                    .chars()
                    .map(|letter| format!("-{}", if letter == '#' { '8' } else { letter }))
                    .collect(),
                _ => vec![name.replace('+', "-")],
            };
            names.into_iter().map(move |name| (kind, name))
        });
        all.collect()
    }
}

#[test]
fn last_form_of_each_name_is_unlike_the_others() {
    // A form after one that matches everything would never apply.
    let hidden: Vec<_> = rows()
        .flat_map(|(family, row)| row.names.split(' ').map(move |name| (family, name)))
        .filter(|(family, name)| {
            let forms = find(family, name);
            let open = |row: &&&Row| row.is_open() && row.needs.is_empty();
            forms.iter().rev().skip(1).any(|row| open(&row))
        })
        .collect();

    assert_eq!(hidden, []);
}

#[test]
fn rows_that_only_read_are_complete() {
    const PRINTING: [&str; 4] = [": true false", "echo", "printf", "test [ [["];
    let prints = |row: &Row| PRINTING.contains(&row.names);
    let open: Vec<_> = rows()
        .filter(|(_, row)| row.rule.is_none() && row.is_open() && !prints(row))
        .map(|(_, row)| row.names)
        .collect();

    assert_eq!(open, Vec::<&str>::new());
}

#[test]
fn rows_are_sorted_by_first_name() {
    let first = |names: &'static str| names.split(' ').next().unwrap_or_default();
    let unsorted: Vec<_> = TABLES
        .iter()
        .flat_map(|(_, rows)| rows.windows(2))
        .map(|pair| (first(pair[0].names), first(pair[1].names)))
        .filter(|(one, next)| one > next)
        .collect();

    assert_eq!(unsorted, []);
}

#[test]
fn rows_have_unique_options() {
    let twice: Vec<_> = rows()
        .flat_map(|(_, row)| {
            let mut seen = HashSet::new();
            let options = row.all_options().into_iter();
            options
                .filter(move |(_, option)| !seen.insert(option.clone()))
                .map(|(_, option)| (row.names, option))
        })
        .collect();

    assert_eq!(twice, []);
}

#[test]
fn long_options_start_with_dash() {
    let wrong: Vec<_> = rows()
        .flat_map(|(_, row)| {
            row.all_options()
                .into_iter()
                .map(|(_, option)| (row.names, option))
        })
        .filter(|(_, option)| !option.starts_with('-'))
        .collect();

    assert_eq!(wrong, []);
}
