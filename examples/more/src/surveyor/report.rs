//! Survey report. Its content consists only of tool results.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::findings::{Excerpt, Hits, Listing};
use super::markdown::{code, code_block, lines, one_line};
use super::{REPORT, SEARCHES, Search};

/// Maximum number of table rows or list entries.
const MAX_SHOWN: usize = 20;

pub(super) struct Report<'r> {
    pub(super) folder: &'r str,
    pub(super) listing: &'r Listing,
    pub(super) searches: &'r [Hits],
    pub(super) excerpts: &'r [Excerpt],
}

impl Report<'_> {
    /// Summarizes the report in two sentences.
    pub(super) fn in_short(&self) -> String {
        let files = counted(self.listing.files.len(), "file");
        let mut found = vec![format!("{}{files}", at_least(self.listing.truncated))];
        for (search, hits) in SEARCHES.iter().zip(self.searches) {
            let lines = counted(hits.total_matches, "line");
            found.push(format!(
                "{}{lines} with {}",
                at_least(hits.truncated),
                search.name
            ));
        }
        format!("Found: {}. The survey is in {REPORT}.", found.join(", "))
    }
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "# Survey of {}\n", code(self.folder))?;
        writeln!(
            f,
            "Hidden files and files ignored by `.gitignore` or `.ignore` are not listed or searched.\n"
        )?;
        files(f, self.listing)?;
        for (search, hits) in SEARCHES.iter().zip(self.searches) {
            found(f, search, hits)?;
        }
        if !self.excerpts.is_empty() {
            writeln!(f, "## Around the best hits\n")?;
        }
        self.excerpts
            .iter()
            .try_for_each(|excerpt| read(f, excerpt))
    }
}

fn files(f: &mut fmt::Formatter<'_>, listing: &Listing) -> fmt::Result {
    writeln!(f, "## Files\n")?;
    let files = &listing.files;
    if files.is_empty() {
        writeln!(f, "There are no files.\n")?;
        return warnings(f, &listing.warnings);
    }
    let bytes: u64 = files.iter().map(|file| file.size).sum();
    let least = at_least(listing.truncated);
    writeln!(
        f,
        "Listed: {least}{}, {least}{}.\n",
        counted(files.len(), "file"),
        counted(bytes, "byte")
    )?;
    warnings(f, &listing.warnings)?;
    if listing.truncated {
        writeln!(
            f,
            "The list is truncated; the following covers only the listed files.\n"
        )?;
    }
    by_extension(f, listing)?;
    largest(f, listing)
}

fn by_extension(f: &mut fmt::Formatter<'_>, listing: &Listing) -> fmt::Result {
    let mut kinds: BTreeMap<&str, (usize, u64)> = BTreeMap::new();
    for file in &listing.files {
        let kind = kinds.entry(extension(&file.path)).or_default();
        *kind = (kind.0 + 1, kind.1 + file.size);
    }
    let mut kinds: Vec<_> = kinds.into_iter().collect();
    kinds.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
    writeln!(f, "| Name ends in | Files | Bytes |\n|---|---:|---:|")?;
    for (kind, (count, bytes)) in kinds.iter().take(MAX_SHOWN) {
        let kind = if kind.is_empty() {
            "no extension".to_owned()
        } else {
            code(&format!(".{}", kind.replace('|', "\u{fffd}")))
        };
        writeln!(f, "| {kind} | {count} | {bytes} |")?;
    }
    not_shown(f, kinds.len(), "row")
}

fn largest(f: &mut fmt::Formatter<'_>, listing: &Listing) -> fmt::Result {
    let mut files: Vec<_> = listing.files.iter().collect();
    files.sort_by_key(|file| (std::cmp::Reverse(file.size), &file.path));
    writeln!(f, "\nLargest files:\n")?;
    for file in files.iter().take(5) {
        writeln!(f, "- {}: {}", code(&file.path), counted(file.size, "byte"))?;
    }
    writeln!(f)
}

fn found(f: &mut fmt::Formatter<'_>, search: &Search, hits: &Hits) -> fmt::Result {
    writeln!(f, "## {}\n", search.name)?;
    let least = at_least(hits.truncated);
    writeln!(
        f,
        "In {} searched, {least}{} for `{}` (case-sensitive).\n",
        counted(hits.files_searched, "file"),
        counted(hits.total_matches, "matching line"),
        search.query,
    )?;
    warnings(f, &hits.warnings)?;
    if hits.matches.is_empty() {
        return Ok(());
    }
    quoted(f, hits)
}

fn quoted(f: &mut fmt::Formatter<'_>, hits: &Hits) -> fmt::Result {
    let files: BTreeSet<&str> = hits.matches.iter().map(|hit| hit.path.as_str()).collect();
    writeln!(
        f,
        "{} returned, in {}:\n",
        counted(hits.matches.len(), "hit"),
        counted(files.len(), "file")
    )?;
    let shown: Vec<String> = hits
        .matches
        .iter()
        .take(MAX_SHOWN)
        .map(|hit| {
            format!(
                "{}:{}: {}",
                one_line(&hit.path),
                hit.line,
                one_line(hit.text.trim())
            )
        })
        .collect();
    write!(f, "{}", code_block(&shown.join("\n")))?;
    not_shown(f, hits.matches.len(), "hit")?;
    writeln!(f)
}

fn read(f: &mut fmt::Formatter<'_>, excerpt: &Excerpt) -> fmt::Result {
    let (path, first) = (code(&excerpt.path), excerpt.first_line);
    match &excerpt.text {
        Ok((text, cut)) => {
            let last = first + text.lines().count().saturating_sub(1);
            let cut = if *cut { ", truncated" } else { "" };
            writeln!(f, "{path}, lines {first} to {last}{cut}:\n")?;
            writeln!(f, "{}", code_block(&lines(text)))
        }
        Err(error) => writeln!(f, "{path} could not be read: {}\n", one_line(error)),
    }
}

fn warnings(f: &mut fmt::Formatter<'_>, warnings: &[String]) -> fmt::Result {
    warnings
        .iter()
        .try_for_each(|warning| writeln!(f, "{}\n", one_line(warning)))
}

fn not_shown(f: &mut fmt::Formatter<'_>, all: usize, noun: &str) -> fmt::Result {
    match all.checked_sub(MAX_SHOWN) {
        None | Some(0) => Ok(()),
        Some(more) => writeln!(f, "\n{} more not shown here.", counted(more, noun)),
    }
}

fn at_least(truncated: bool) -> &'static str {
    if truncated { "at least " } else { "" }
}

fn counted(count: impl TryInto<u64>, noun: &str) -> String {
    let count = count.try_into().unwrap_or(u64::MAX);
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{ending}")
}

/// Returns the part of the name after the last dot; empty for `Makefile` and `.profile`.
fn extension(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() => extension,
        _ => "",
    }
}
