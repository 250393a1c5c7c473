//! Repositories that a command creates. Git runs hooks and settings of a repository as the
//! user, outside the sandbox, so we keep only those that cannot run a program.

use std::ffi::{CStr, CString};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::PathBuf;

use rustix::fs::{AtFlags, FileType, Mode, fstat, statat};

use super::content::{Content, SAMPLE};
use super::entries::{create_file, kind, names, open_directory, open_file, remove};
use super::script::Script;
use crate::workspace::{LAYOUT, Root};

const HOOKS: &CStr = c"hooks";
const CONFIGS: [&CStr; 2] = [c"config", c"config.worktree"];

/// Maximum bytes of a sample hook and of the configuration.
const MAX_BYTES: u64 = 64 * 1024;

/// Maximum number of sample hooks.
const MAX_SAMPLES: usize = 64;

/// Removes everything from a repository that could run programs. Returns the removed names, which begin
/// with `path`. `is_within` says whether the tree of a submodule may have a path.
pub(super) fn clean(
    repository: BorrowedFd<'_>,
    path: &str,
    is_within: &dyn Fn(&str) -> bool,
) -> io::Result<Vec<String>> {
    let hooks = format!("{path}/hooks");
    let mut removed = match kind(repository, HOOKS)? {
        None => Vec::new(),
        Some(FileType::Directory) => {
            clean_hooks(open_directory(repository, HOOKS)?.as_fd(), &hooks)?
        }
        Some(_) => {
            remove(repository, HOOKS)?;
            vec![hooks]
        }
    };
    for name in CONFIGS {
        if clean_config(repository, name, is_within)? {
            removed.push(format!("{path}/{}", name.to_string_lossy()));
        }
    }
    Ok(removed)
}

/// Removes everything except sample hooks. Returns the removed names in the directory `path`.
fn clean_hooks(hooks: BorrowedFd<'_>, path: &str) -> io::Result<Vec<String>> {
    let (mut kept, mut removed) = (0, Vec::new());
    for name in names(hooks)? {
        if kept < MAX_SAMPLES && is_sample(hooks, &name)? {
            kept += 1;
            continue;
        }
        remove(hooks, &name)?;
        if removed.len() < MAX_SAMPLES {
            removed.push(format!("{path}/{}", name.to_string_lossy()));
        }
    }
    removed.sort();
    Ok(removed)
}

fn is_sample(hooks: BorrowedFd<'_>, name: &CString) -> io::Result<bool> {
    let stat = statat(hooks, name, AtFlags::SYMLINK_NOFOLLOW)?;
    let is_small = u64::try_from(stat.st_size).is_ok_and(|size| size <= MAX_BYTES);
    let is_file = FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
    Ok(is_small && is_file && name.to_bytes().ends_with(SAMPLE))
}

/// Removes all settings except harmless ones. Returns whether something was removed.
fn clean_config(
    repository: BorrowedFd<'_>,
    name: &CStr,
    is_within: &dyn Fn(&str) -> bool,
) -> io::Result<bool> {
    let Some(kind) = kind(repository, name)? else {
        return Ok(false);
    };
    let found = (kind == FileType::RegularFile)
        .then(|| read(repository, name))
        .transpose()?
        .flatten();
    let (text, is_shared) = found.unwrap_or_default();
    let harmless = harmless(&text, is_within);
    let is_changed = kind != FileType::RegularFile || text.is_empty() || harmless != text;
    if is_changed || is_shared {
        // Replace the file: its inode may have other names.
        remove(repository, name)?;
        let mode = Mode::RUSR | Mode::WUSR | Mode::RGRP | Mode::ROTH;
        create_file(repository, name, mode)?.write_all(harmless.as_bytes())?;
    }
    Ok(is_changed)
}

/// Returns the configuration and whether its file has other names; `None` if it is too large or not
/// text.
fn read(repository: BorrowedFd<'_>, name: &CStr) -> io::Result<Option<(String, bool)>> {
    let file = open_file(repository, name)?;
    let is_shared = fstat(&file)?.st_nlink != 1;
    let mut content = Vec::new();
    // The size in `stat` may be outdated: a process of an overlapping call can still append to the file.
    file.take(MAX_BYTES + 1).read_to_end(&mut content)?;
    if content.len() as u64 > MAX_BYTES {
        return Ok(None);
    }
    Ok(String::from_utf8(content)
        .ok()
        .map(|text| (text, is_shared)))
}

/// Harmless settings by section. A section with a subsection ends with a space.
const HARMLESS: [(&str, &[&str]); 8] = [
    (
        "core",
        &[
            "bare",
            "filemode",
            "ignorecase",
            "logallrefupdates",
            "precomposeunicode",
            "repositoryformatversion",
            "symlinks",
            "worktree",
        ],
    ),
    ("branch ", &["merge", "remote"]),
    ("commit", &["gpgsign"]),
    // Without `worktreeConfig`, which makes Git read a second file that isn't checked.
    ("extensions", &["objectformat", "refstorage"]),
    ("init", &["defaultbranch"]),
    ("remote ", &["fetch", "url"]),
    // Without `update`, which can be a command.
    ("submodule ", &["active", "url"]),
    ("user", &["email", "name"]),
];

/// Characters of values and subsections, in addition to letters and digits. Quotes, escapes and
/// comments are not among them, so each line is read as Git reads it.
const PLAIN: &str = " -_./:@+*~%=?&,";

/// Returns whether the settings in `repository` differ from `before` only in harmless ones, such as the
/// branch that another one tracks.
pub(super) fn has_harmless_change(repository: BorrowedFd<'_>, before: &Content) -> bool {
    let now = read(repository, c"config").ok().flatten();
    let texts = before.text().zip(now);
    texts.is_some_and(|(before, (now, is_shared))| !is_shared && is_harmless_change(before, &now))
}

fn is_harmless_change(before: &str, now: &str) -> bool {
    // A line that continues another one has no meaning of its own.
    let continues = |text: &str| text.lines().any(|line| line.ends_with('\\'));
    !continues(before) && !continues(now) && other_settings(before) == other_settings(now)
}

/// Returns the lines of a configuration that are not harmless, each with that of its section.
fn other_settings(text: &str) -> Vec<(&str, &str)> {
    let (mut found, mut header) = (Vec::new(), "");
    let mut allowed: &[&str] = &[];
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let is_other = if line.trim_start().starts_with('[') {
            header = line;
            allowed = section(line).unwrap_or_default();
            allowed.is_empty()
        } else {
            !is_harmless(line, allowed, &|_| false)
        };
        if is_other {
            found.push((header, line));
        }
    }
    found
}

/// Returns the lines of a configuration that are plain and harmless, with their sections.
fn harmless(text: &str, is_within: &dyn Fn(&str) -> bool) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut allowed: &[&str] = &[];
    for line in text.split_inclusive('\n') {
        let content = line.trim_end_matches('\n');
        if content.trim_start().starts_with('[') {
            allowed = section(content).unwrap_or_default();
            if !allowed.is_empty() {
                kept.push_str(line);
            }
        } else if is_harmless(content, allowed, is_within) {
            kept.push_str(line);
        }
    }
    kept
}

/// Returns the harmless settings of the section that a line starts.
fn section(line: &str) -> Option<&'static [&'static str]> {
    let inner = line.strip_prefix('[')?.strip_suffix(']')?;
    let name = match inner.split_once(" \"") {
        Some((name, below)) => {
            let below = below.strip_suffix('"')?;
            is_plain(below).then(|| format!("{name} "))?
        }
        None => inner.to_owned(),
    };
    let name = name.to_ascii_lowercase();
    let found = HARMLESS.iter().find(|(section, _)| *section == name);
    found.map(|(_, settings)| *settings)
}

fn is_harmless(line: &str, allowed: &[&str], is_within: &dyn Fn(&str) -> bool) -> bool {
    let Some((name, value)) = line.split_once('=') else {
        return false;
    };
    let name = name.trim_matches([' ', '\t']).to_ascii_lowercase();
    let value = value.strip_prefix(' ').unwrap_or(value);
    // A remote such as `ext::sh -c …` runs a program, and one with `-` is read as an option.
    let is_remote_helper = value.contains("::") || value.starts_with('-');
    // The tree of a submodule; Git would write elsewhere with another value.
    let is_outside = name == "worktree" && !is_within(value);
    allowed.contains(&name.as_str()) && is_plain(value) && !is_remote_helper && !is_outside
}

fn is_plain(value: &str) -> bool {
    let mut characters = value.chars();
    characters.all(|character| character.is_alphanumeric() || PLAIN.contains(character))
}

/// Root that is not a bare repository. Git would run programs that the configuration of one names.
#[derive(Debug)]
pub(super) struct Layout {
    root: OwnedFd,
    /// Path of the root, without links.
    path: PathBuf,
    /// First entry of the layout that was missing.
    missing: &'static str,
}

impl Layout {
    /// Reads `root`. Returns `None` if it already has the layout of a bare repository.
    pub(super) fn read(root: &Root) -> io::Result<Option<Self>> {
        let handle = root.handle().as_fd();
        let Some(missing) = LAYOUT.into_iter().find(|name| !exists(handle, name)) else {
            return Ok(None);
        };
        Ok(Some(Self {
            root: handle.try_clone_to_owned()?,
            path: root.real_path().to_owned(),
            missing,
        }))
    }

    pub(super) fn add_to(&self, script: &mut Script) {
        script.add_layout(&self.path, self.missing);
    }

    /// Removes a new entry if the root has become a bare repository. Returns its name.
    pub(super) fn restore(&self) -> io::Result<Option<String>> {
        let root = self.root.as_fd();
        if !LAYOUT.into_iter().all(|name| exists(root, name)) {
            return Ok(None);
        }
        // Entries that existed before may belong to the user. One missing entry is enough to make it no repository.
        remove(root, &CString::new(self.missing)?)?;
        Ok(Some(self.missing.to_owned()))
    }
}

fn exists(directory: BorrowedFd<'_>, name: &str) -> bool {
    statat(directory, name, AtFlags::SYMLINK_NOFOLLOW).is_ok()
}

#[cfg(test)]
mod tests {
    use super::is_harmless_change;

    fn harmless(text: &str) -> String {
        super::harmless(text, &|value| value == "../../../within")
    }

    #[test]
    fn tracking_is_a_harmless_change_and_a_program_is_not() {
        const MAIN: &str = "[branch \"main\"]\n\tremote = origin\n\tmerge = refs/heads/main\n";
        let before = format!("{CLONE}[alias]\n\tx = !mine\n[core]\n\tpager = less\n");
        let tracked = "[branch \"f\"]\n\tremote = origin\n\tmerge = refs/heads/f\n";
        for (now, is_harmless) in [
            (before.clone(), true),
            (format!("{before}{tracked}"), true),
            (
                before.replace("[remote \"origin\"]", "[remote \"other\"]"),
                true,
            ),
            (before.replace(MAIN, ""), true),
            (
                format!("{before}[submodule \"s\"]\n\tactive = true\n\turl = ../s\n"),
                true,
            ),
            (
                format!("{before}[submodule \"s\"]\n\tupdate = !evil\n"),
                false,
            ),
            (format!("{before}\tfsmonitor = evil\n"), false),
            (format!("{before}[alias]\n"), false),
            (before.replace("less", "evil"), false),
            (
                before.replace("[core]\n\tpager", "[branch \"x\"]\n\tpager"),
                false,
            ),
            (format!("{before}[core] pager = evil\n"), false),
            (
                format!("{before}[branch \"f\"]\n\tremote = ext::sh\n"),
                false,
            ),
            (
                format!("{before}[branch \"f\"]\n\tremote = a \\\n\tmerge = b\n"),
                false,
            ),
        ] {
            assert_eq!(is_harmless_change(&before, &now), is_harmless, "{now}");
        }
    }

    #[test]
    fn tree_of_submodule_stays_within_root() {
        let inside = "[core]\n\tworktree = ../../../within\n";
        assert_eq!(harmless(inside), inside);
        for outside in ["../../../outside", "/", "../../../within/..", "~"] {
            let text = format!("[core]\n\tworktree = {outside}\n");
            assert_eq!(harmless(&text), "[core]\n", "{outside}");
        }
    }

    const CLONE: &str = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\
        \tlogallrefupdates = true\n[remote \"origin\"]\n\turl = /srv/a b/x.git\n\
        \tfetch = +refs/heads/*:refs/remotes/origin/*\n[branch \"main\"]\n\tremote = origin\n\
        \tmerge = refs/heads/main\n[user]\n\tname = Ada Lovelace\n\temail = ada@example.org\n";

    #[test]
    fn configuration_of_clone_is_harmless() {
        assert_eq!(harmless(CLONE), CLONE);
        assert_eq!(harmless(""), "");
    }

    #[test]
    fn removes_settings_that_run_programs() {
        for line in [
            "\tpager = evil\n",
            "\tfsmonitor = ./evil\n",
            "\thooksPath = ../evil\n",
            "\tsshCommand = evil\n",
            "\teditor = evil\n",
            "\tworktree = /\n",
            "\tbare = false ; \\\n\tpager = evil\n",
            "\tbare = false \\\n",
            "\tbare\n",
            "\tbare = \"false\"\n",
            "bare = false\r\n",
            "\t[core] pager = evil\n",
            "# comment\n",
        ] {
            assert_eq!(
                harmless(&format!("[core]\n\tbare = false\n{line}")),
                "[core]\n\tbare = false\n",
                "{line:?}"
            );
        }
        for text in [
            "[include]\n\tpath = ../evil\n",
            "[includeIf \"gitdir:/\"]\n\tpath = ../evil\n",
            "[alias]\n\tstatus = !evil\n",
            "[filter \"x\"]\n\tclean = evil\n",
            "[diff \"x\"]\n\ttextconv = evil\n",
            "[credential]\n\thelper = evil\n",
            "[gpg]\n\tprogram = evil\n",
            "[core] pager = evil\n",
            "[core.x]\n\tbare = false\n",
            "[core \"x\"]\n\tbare = false\n",
            "[remote \"a\"b\"]\n\turl = x\n",
            "[remote]\n\turl = x\n",
            "\tbare = false\n",
        ] {
            assert_eq!(harmless(text), "", "{text:?}");
        }
    }

    #[test]
    fn removes_remotes_that_run_programs() {
        for url in [
            "ext::sh -c evil",
            "-u evil",
            "a::b",
            "fd::3",
            "x`evil`",
            "$(evil)",
        ] {
            let text = format!("[remote \"origin\"]\n\turl = {url}\n\tuploadpack = evil\n");

            assert_eq!(harmless(&text), "[remote \"origin\"]\n", "{url}");
        }
    }
}
