//! Edits of this repository's history, damaged in the ways in which files drift apart from what a model quotes.
//!
//! The short form runs with all other tests. The long one reads more commits and prints a table:
//! `DAMAGE_COMMITS=400 cargo test -p tools-builtin --lib damaged_history -- --ignored --nocapture`

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use similar::{DiffTag, TextDiff};

use super::super::{Edit, RefusalKind, Region, apply};

/// Lines that an edit quotes around its change.
const CONTEXT: usize = 2;
/// Commit at which the short form begins, so that it always has the same cases.
const SHORT_FROM: &str = "7a26cbb30d62278a3646223ff18073e889704a85";
/// Edits of one file.
const MAX_EDITS: usize = 5;
const LIMIT: usize = 10 * 1024 * 1024;

/// A change of the history: some lines of a file that became others.
struct Change {
    before: Vec<String>,
    old: Vec<String>,
    new: Vec<String>,
    after: Vec<String>,
}

/// A file and an edit that no longer quite fits it.
struct Case {
    text: String,
    old: String,
    new: String,
    /// Text after the edit; `None` if it must be rejected.
    expected: Option<String>,
    /// Lines that the rejection must name.
    lines: Vec<usize>,
}

type Damage = (&'static str, fn(&Change) -> Option<Case>);

const DAMAGES: [Damage; 10] = [
    ("line endings", |change| {
        drifted(
            change,
            |line| line.replace('\n', "\r\n"),
            |line| line.replace('\n', "\r\n"),
        )
    }),
    ("trailing blanks", |change| {
        drifted(change, |line| line.replace('\n', "  \n"), str::to_owned)
    }),
    ("tabs", |change| {
        let is_even = |line: &String| {
            !line.contains('\t')
                && (line.len() - line.trim_start_matches(' ').len()).is_multiple_of(4)
        };
        let all = change.old.iter().chain(&change.new);
        all.clone()
            .all(is_even)
            .then(|| drifted(change, tabbed, tabbed))?
    }),
    ("quotes", |change| {
        drifted(
            change,
            |line| line.replace('"', "“").replace('\'', "’"),
            str::to_owned,
        )
    }),
    ("no-break spaces", |change| {
        let damaged = |line: &str| {
            let body = line.trim_start();
            format!(
                "{}{}",
                &line[..line.len() - body.len()],
                body.replace(' ', "\u{a0}")
            )
        };
        drifted(change, damaged, str::to_owned)
    }),
    ("stale neighbors", |change| foreign(change, 0)),
    ("duplicates", |change| {
        let text = change.text(&change.old);
        let first = change.before.len() + 1;
        let second = text.lines().count() + 1;
        Some(Case {
            text: format!("{text}{}", change.old.concat()),
            expected: None,
            lines: vec![first, second],
            ..change.case()
        })
    }),
    ("moved blocks", |change| {
        let rest = [change.before.concat(), change.after.concat()].concat();
        Some(Case {
            text: format!("{}{rest}", change.old.concat()),
            expected: Some(format!("{}{rest}", change.new.concat())),
            ..change.case()
        })
    }),
    ("partial foreign edits", |change| {
        foreign(change, change.old.len() / 2)
    }),
    ("pasted line numbers", |change| {
        let numbered = |lines: &[String]| -> String {
            let first = change.before.len() + 1;
            let lines = lines.iter().enumerate();
            let lines = lines.map(|(index, line)| format!("{}: {line}", first + index));
            lines.collect::<Vec<String>>().concat()
        };
        Some(Case {
            old: numbered(&change.old),
            new: numbered(&change.new),
            ..change.case()
        })
    }),
];

fn tabbed(line: &str) -> String {
    let body = line.trim_start_matches(' ');
    format!("{}{body}", "\t".repeat((line.len() - body.len()) / 4))
}

/// Damages the file, so that the quoted text differs. New lines are as `written`.
fn drifted(
    change: &Change,
    damaged: impl Fn(&str) -> String,
    written: impl Fn(&str) -> String,
) -> Option<Case> {
    let file =
        |lines: &[String]| -> Vec<String> { lines.iter().map(|line| damaged(line)).collect() };
    let old = file(&change.old);
    if old == change.old {
        return None;
    }
    let mut new = String::new();
    let diff = TextDiff::from_slices(&as_str(&change.old), &as_str(&change.new))
        .ops()
        .to_vec();
    for operation in diff {
        if operation.tag() == DiffTag::Equal {
            new.push_str(&old[operation.old_range()].concat());
        } else {
            change.new[operation.new_range()]
                .iter()
                .for_each(|line| new.push_str(&written(line)));
        }
    }
    let (before, after) = (file(&change.before).concat(), file(&change.after).concat());
    Some(Case {
        text: format!("{before}{}{after}", old.concat()),
        expected: Some(format!("{before}{new}{after}")),
        ..change.case()
    })
}

fn as_str(lines: &[String]) -> Vec<&str> {
    lines.iter().map(String::as_str).collect()
}

/// Changes one of the quoted lines of the file, as others did meanwhile.
fn foreign(change: &Change, line: usize) -> Option<Case> {
    let mut old = change.old.clone();
    let line = old.get_mut(line).filter(|line| !line.trim().is_empty())?;
    *line = format!("{} // theirs\n", line.trim_end());
    Some(Case {
        text: change.text(&old),
        expected: None,
        ..change.case()
    })
}

impl Change {
    fn text(&self, place: &[String]) -> String {
        [self.before.concat(), place.concat(), self.after.concat()].concat()
    }

    /// The edit of an undamaged file.
    fn case(&self) -> Case {
        Case {
            text: self.text(&self.old),
            old: self.old.concat(),
            new: self.new.concat(),
            expected: Some(self.text(&self.new)),
            lines: Vec::new(),
        }
    }
}

/// Results of one way of damage.
#[derive(Debug, Default)]
struct Tally {
    cases: usize,
    right: usize,
    wrong: usize,
    unnamed: usize,
}

impl Tally {
    fn add(&mut self, case: &Case, region: Option<Region>) {
        let is_hunk = region.is_some();
        let edit = Edit {
            old: &case.old,
            new: &case.new,
            all: false,
            near_line: None,
            region,
        };
        self.cases += 1;
        match (apply(&case.text, &[edit], LIMIT), &case.expected) {
            (Ok(edited), Some(expected)) if edited.text == *expected => self.right += 1,
            (Ok(edited), _) => {
                eprintln!(
                    "--- {is_hunk} {:?}\n+++ {:?}\n{:?}",
                    case.old, case.new, edited.places
                );
                self.wrong += 1;
            }
            (Err(refusals), None) => {
                let text = &refusals[0].text;
                let is_named = |line: &usize| text.contains(&format!("\n{line}: "));
                let is_right = case.lines.is_empty() || refusals[0].kind == RefusalKind::Ambiguous;
                self.right += usize::from(is_right);
                self.unnamed += usize::from(!case.lines.iter().all(is_named));
            }
            (Err(_), Some(_)) => {}
        }
    }
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git")
        .args(arguments)
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")))
        .output()
        .ok()?;
    output
        .status
        .success()
        .then(|| String::from_utf8(output.stdout).ok())?
}

/// Returns the changes of the commits until this one.
fn changes(from: &str, commits: usize) -> Vec<Change> {
    let count = commits.to_string();
    let log = [
        "log",
        "--no-merges",
        "--diff-filter=M",
        "--name-only",
        "--relative",
        "--format=commit %H",
        "-n",
        &count,
        from,
        "--",
        "src",
    ];
    let log = git(&log).unwrap_or_default();
    let (mut commit, mut found) = ("", Vec::new());
    for line in log.lines().filter(|line| !line.is_empty()) {
        if let Some(id) = line.strip_prefix("commit ") {
            commit = id;
            continue;
        }
        let content = |revision: &str| git(&["show", &format!("{revision}:./{line}")]);
        if let (Some(old), Some(new)) = (content(&format!("{commit}^")), content(commit)) {
            found.extend(changes_of(&old, &new));
        }
    }
    found
}

/// Returns the first changes of a file, each with its place once in the old text.
fn changes_of(old: &str, new: &str) -> Vec<Change> {
    let lines =
        |text: &str| -> Vec<String> { text.split_inclusive('\n').map(str::to_owned).collect() };
    let (old_lines, new_lines) = (lines(old), lines(new));
    let diff = TextDiff::from_slices(&as_str(&old_lines), &as_str(&new_lines))
        .ops()
        .to_vec();
    let changed = diff
        .iter()
        .filter(|operation| operation.tag() != DiffTag::Equal);
    let change = |operation: &similar::DiffOp| {
        let range = operation.old_range();
        let (from, to) = (
            range.start.saturating_sub(CONTEXT),
            (range.end + CONTEXT).min(old_lines.len()),
        );
        let [lead, trail] =
            [from..range.start, range.end..to].map(|lines| old_lines[lines].to_vec());
        let new = [lead, new_lines[operation.new_range()].to_vec(), trail].concat();
        Change {
            before: old_lines[..from].to_vec(),
            old: old_lines[from..to].to_vec(),
            new,
            after: old_lines[to..].to_vec(),
        }
    };
    let is_clear = |change: &Change| {
        let quoted = change.old.concat();
        old.ends_with('\n')
            && old.matches(&quoted).count() == 1
            && !quoted.trim().is_empty()
            && quoted.ends_with('\n')
            && !change.text(&change.new).contains('\r')
            && change.new.iter().all(|line| line.ends_with('\n'))
    };
    changed
        .map(change)
        .filter(is_clear)
        .take(MAX_EDITS)
        .collect()
}

fn tally(from: &str, commits: usize) -> BTreeMap<&'static str, Tally> {
    let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
    for change in changes(from, commits) {
        for (name, damage) in DAMAGES {
            let Some(case) = damage(&change) else {
                continue;
            };
            let tally = tallies.entry(name).or_default();
            tally.add(&case, None);
            tally.add(&case, Some(Region::default()));
        }
    }
    tallies
}

fn check(from: &str, commits: usize) {
    let tallies = tally(from, commits);
    for (name, tally) in &tallies {
        eprintln!("{name}: {tally:?}");
    }
    // A packaged crate and a shallow clone have no history.
    if tallies.is_empty() {
        return;
    }
    for (name, tally) in &tallies {
        assert_eq!((tally.wrong, tally.unnamed), (0, 0), "{name}: {tally:?}");
        assert!(tally.right * 100 >= tally.cases * 99, "{name}: {tally:?}");
    }
}

#[test]
fn damaged_edits_fit_their_place_or_none() {
    check(SHORT_FROM, 6);
}

/// `DAMAGE_COMMITS=400 cargo test -p tools-builtin --lib damaged_history -- --ignored`, 4 to 11 minutes
#[test]
#[ignore = "many commits"]
fn damaged_history_fits_its_place_or_none() {
    let commits = std::env::var("DAMAGE_COMMITS").ok();
    let commits = commits.map_or(200, |commits| commits.parse().unwrap());
    check("HEAD", commits);
}
