//! Consistency of the table.

use std::collections::HashSet;

use super::{TABLES, rows};

#[test]
fn rows_have_unique_names() {
    let mut seen = HashSet::new();
    let names =
        rows().flat_map(|(family, row)| row.names.split(' ').map(move |name| (family, name)));

    let twice: Vec<_> = names.filter(|name| !seen.insert(*name)).collect();

    assert_eq!(twice, []);
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
