//! Suggests the parameter that a model meant.

use serde_json::Value;

use crate::text;

/// Maximum number of names to list. More would cost the model more than a look at the definition.
const MAX_LISTED: usize = 10;
/// Maximum number of known names to compare, because foreign schemas have no limit.
const MAX_COMPARED: usize = 1000;

/// Names that mean the same in the tools of other agents, one group a line. Narrow groups come first, because a name may
/// be in several.
const SYNONYMS: &str = "\
cwd workdir workingdirectory workingdir
cwd workdir workingdirectory directory dir
directory dir folder path root basepath location
path file filename filepath targetfile document
pattern glob include filter mask filepattern globpattern
query pattern regex search searchterm keyword keywords needle term q text
command cmd commandline script shell code
arguments args argv parameters params
limit max count maxresults maxcount maxitems headlimit pagesize perpage topk top size take num n
pagetoken cursor nextpagetoken page
startline offset linestart firstline line start from begin viewrange
offset start skip startindex cursor begin from
endline end lineend lastline to until stop
start begin from since after timemin startingat starttime startdate
end to until before timemax endingat endtime enddate
oldstring oldstr oldtext old search find original
newstring newstr newtext new replace replacement replacewith
content contents text body data filetext newcontent code value
message text body content prompt
url uri link href address
timeout timeoutseconds timeoutsecs timeoutms timelimit deadline maxtime
title subject summary headline name
description reason explanation details justification note
to recipient recipients email address
attendees participants guests invitees
id identifier uuid handle key
items todos tasks steps plan list
depth maxdepth levels level
recursive recurse deep subdirectories
contextlines context c
ignorecase caseinsensitive i
casesensitive matchcase
regex isregex useregex regexp
replaceall all global g
hidden includehidden showhidden dotfiles all
createdirectories createparents createdirs parents mkdirs
background runinbackground detach
language lang locale
format outputformat type kind mode outputmode";

/// Words whose exchange turns the meaning around, though the names look alike.
const OPPOSITES: &[(&str, &str)] = &[
    ("min", "max"),
    ("minimum", "maximum"),
    ("include", "exclude"),
    ("enable", "disable"),
    ("old", "new"),
    ("start", "end"),
    ("start", "stop"),
    ("first", "last"),
    ("from", "to"),
    ("asc", "desc"),
    ("lower", "upper"),
    ("input", "output"),
    ("source", "target"),
    ("src", "dst"),
    ("before", "after"),
    ("width", "height"),
    ("request", "response"),
    ("read", "write"),
];

/// Returns the known parameter that was most likely meant: one that differs by a typing error, one that contains or is
/// contained in the name, or one that other agents call so.
pub(crate) fn nearest<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let words = words(name);
    let compared: Vec<&'k str> = known
        .into_iter()
        .take(MAX_COMPARED)
        .filter(|candidate| !are_opposite(&words, &self::words(candidate)))
        .collect();
    text::nearest(name, compared.iter().copied())
        .or_else(|| {
            only(&compared, |candidate| {
                is_extended(&words, &self::words(candidate))
            })
        })
        .or_else(|| synonym(&words.concat(), &compared))
}

/// Returns the names to list after an unknown one, if there are few.
pub(crate) fn listed<'k>(known: impl IntoIterator<Item = &'k str>) -> Vec<Value> {
    let mut names = Vec::new();
    for name in known {
        if names.len() == MAX_LISTED {
            return Vec::new();
        }
        names.push(Value::from(text::short(name, 64)));
    }
    names
}

/// Appends the known names of the object at `path`, which is empty for the arguments, without a final period.
pub(crate) fn write_listed<'n>(
    names: impl IntoIterator<Item = &'n str>,
    path: &str,
    sentence: &mut String,
) {
    sentence.push_str("Known");
    if !path.is_empty() {
        sentence.extend([" in `", path, "`"]);
    }
    for (index, name) in names.into_iter().enumerate() {
        let before = if index == 0 { ": `" } else { ", `" };
        sentence.extend([before, name, "`"]);
    }
}

fn words(name: &str) -> Vec<String> {
    let start: String = name.chars().take(64).collect();
    text::split(&start).collect()
}

/// Returns the one candidate that fits. Of several, none is likelier than the others.
fn only<'k>(candidates: &[&'k str], fits: impl Fn(&str) -> bool) -> Option<&'k str> {
    let mut found = candidates.iter().filter(|candidate| fits(candidate));
    match (found.next(), found.next()) {
        (Some(one), None) => Some(one),
        _ => None,
    }
}

/// Whether one name begins or ends with the words, or begins with the letters, of the other.
fn is_extended(left: &[String], right: &[String]) -> bool {
    let (short, long) = if left.concat().len() <= right.concat().len() {
        (left, right)
    } else {
        (right, left)
    };
    if short.is_empty() {
        return false;
    }
    let letters = short.concat();
    long.starts_with(short)
        || long.ends_with(short)
        || letters.len() >= 3 && long.concat().starts_with(&letters)
}

fn synonym<'k>(name: &str, known: &[&'k str]) -> Option<&'k str> {
    let has = |group: &str, name: &str| group.split(' ').any(|word| word == name);
    let mut groups = SYNONYMS.lines().filter(|group| has(group, name));
    groups.find_map(|group| only(known, |candidate| has(group, &words(candidate).concat())))
}

fn are_opposite(left: &[String], right: &[String]) -> bool {
    let mut differing = left.iter().zip(right).filter(|(left, right)| left != right);
    let (Some((one, other)), None) = (differing.next(), differing.next()) else {
        return false;
    };
    let are = |one: &str, other: &str| {
        OPPOSITES.contains(&(one, other))
            || ["in", "un", "non", "no", "not", "dis"]
                .iter()
                .any(|prefix| one.strip_prefix(prefix) == Some(other))
    };
    left.len() == right.len() && (are(one, other) || are(other, one))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_parameter_shares_words_or_meaning() {
        for (name, known, expected) in [
            (
                "timeout",
                &["command", "timeout_seconds"][..],
                Some("timeout_seconds"),
            ),
            (
                "timeoutMs",
                &["command", "timeout_seconds"],
                Some("timeout_seconds"),
            ),
            ("cmd", &["command", "timeout_seconds"], Some("command")),
            (
                "cwd",
                &["command", "working_directory"],
                Some("working_directory"),
            ),
            ("glob", &["query", "path", "pattern"], Some("pattern")),
            (
                "offset",
                &["path", "start_line", "end_line"],
                Some("start_line"),
            ),
            ("file", &["file_path"], Some("file_path")),
            ("filename", &["path", "content"], Some("path")),
            ("dir", &["directory", "recursive"], Some("directory")),
            ("user_name", &["name", "age"], Some("name")),
            ("desc", &["title", "description"], Some("description")),
            ("max_results", &["query", "limit"], Some("limit")),
            ("old_str", &["old_string", "new_string"], Some("old_string")),
            ("-i", &["pattern", "ignore_case"], Some("ignore_case")),
            ("todos", &["items"], Some("items")),
            ("colour", &["path"], None),
            ("x", &["path", "max"], None),
            ("_", &["path"], None),
        ] {
            assert_eq!(nearest(name, known.iter().copied()), expected, "{name}");
        }
    }

    #[test]
    fn ambiguous_parameter_has_no_nearest() {
        for (name, known) in [
            ("path", ["old_path", "new_path"]),
            ("max", ["max_chars", "max_lines"]),
        ] {
            assert_eq!(nearest(name, known), None, "{name}");
        }
    }

    #[test]
    fn opposite_parameter_is_never_suggested() {
        for (name, known) in [
            ("min_length", "max_length"),
            ("new_string", "old_string"),
            ("case_insensitive", "case_sensitive"),
            ("exclude", "include"),
            ("first_line", "last_line"),
            ("inputFile", "output_file"),
        ] {
            assert_eq!(nearest(name, [known]), None, "{name}");
            assert_eq!(nearest(known, [name]), None, "{known}");
        }
    }

    #[test]
    fn lists_at_most_ten_names() {
        let names: Vec<String> = (0..11).map(|number| format!("p{number}")).collect();
        let listed = |count: usize| listed(names.iter().take(count).map(String::as_str)).len();

        assert_eq!((listed(0), listed(10), listed(11)), (0, 10, 0));
    }
}
