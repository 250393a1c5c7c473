//! Shell script that restores protected files without this process.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::CStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use tool_json::text::hexadecimal;

use super::content::Content;
use super::todo::Programs;

/// Functions of the script.
const FUNCTIONS: &str = include_str!("record/restore.sh");

/// Script with the copies that it needs.
#[derive(Debug, Default)]
pub(super) struct Script {
    lines: Vec<u8>,
    /// Contents by their digest.
    pub(super) copies: BTreeMap<String, Vec<u8>>,
    /// Repositories whose protected files the script restores.
    repositories: BTreeSet<PathBuf>,
    /// Files and links that name a repository, which it restores.
    pointers: BTreeSet<PathBuf>,
    /// Roots in which it looks for others.
    roots: Vec<PathBuf>,
}

impl Script {
    /// Restores `name` in `directory`.
    pub(super) fn restore(&mut self, directory: &Path, name: &CStr, content: &Content) {
        let name = name.to_bytes();
        match content {
            Content::Missing => self.line("gone", directory, &[name]),
            Content::File { mode, content } => {
                let copy = self.copy(content);
                let mode = octal(mode.bits());
                self.line("file", directory, &[name, copy.as_bytes(), mode.as_bytes()]);
            }
            Content::Link { target } => self.line("symlink", directory, &[name, target.to_bytes()]),
            Content::Directory {
                mode,
                entries,
                omits_samples,
            } => {
                let samples: &[u8] = if *omits_samples { b"yes" } else { b"no" };
                let kept = entries.keys().map(|entry| entry.to_bytes());
                let words: Vec<&[u8]> = [name, samples].into_iter().chain(kept).collect();
                self.line("directory", directory, &words);
                for (entry, content) in entries {
                    self.restore(&below(directory, name), entry, content);
                }
                // Last, because the entries may need another one.
                let mode = octal(mode.bits());
                self.line("mode", directory, &[name, mode.as_bytes()]);
            }
            Content::Above {
                name: entry,
                entry: content,
            } => {
                let verb = if content.is_missing() {
                    "above"
                } else {
                    "parent"
                };
                self.line(verb, directory, &[name]);
                self.restore(&below(directory, name), entry, content);
            }
            Content::Endpoint => {}
        }
    }

    /// Keeps the settings of a repository, whose files the script restores, and the programs of its rebase. One without
    /// them cannot be entered.
    pub(super) fn add_repository(&mut self, path: PathBuf, programs: Option<&Programs>) {
        if let Some(programs) = programs {
            let lines: Vec<&[u8]> = programs.iter().map(Vec::as_slice).collect();
            let copy = self.copy(&lines.join(&b'\n'));
            self.line("todo", &path, &[copy.as_bytes()]);
        }
        self.repositories.insert(path);
    }

    /// Keeps a file or link that names a repository, which the script restores.
    pub(super) fn add_pointer(&mut self, path: PathBuf) {
        self.pointers.insert(path);
    }

    /// Removes `missing` if `root` has become a bare repository.
    pub(super) fn add_layout(&mut self, root: &Path, missing: &str) {
        self.line("bare", root, &[missing.as_bytes()]);
    }

    /// Makes all other repositories in `root` harmless.
    pub(super) fn search(&mut self, root: PathBuf) {
        self.roots.push(root);
    }

    /// Returns the text of the script.
    pub(super) fn text(&self) -> Vec<u8> {
        let mut text = FUNCTIONS.as_bytes().to_vec();
        for (name, paths) in [
            ("is_repository", &self.repositories),
            ("is_pointer", &self.pointers),
        ] {
            text.extend(format!("{name}() {{\n  case $1 in\n").into_bytes());
            for path in paths {
                text.extend(quoted(path.as_os_str().as_bytes()));
                text.extend(b") ;;\n");
            }
            text.extend(b"*) return 1 ;;\n  esac\n}\n");
        }
        text.extend(
            b"[ \"${1-}\" != check ] || { shift; check \"$@\"; exit; }\nrm -f \"$copies/failed\"\n",
        );
        text.extend(&self.lines);
        for root in &self.roots {
            text.extend(b"search ");
            text.extend(quoted(root.as_os_str().as_bytes()));
            text.push(b'\n');
        }
        text.extend(b"finish\n");
        text
    }

    fn line(&mut self, verb: &str, directory: &Path, words: &[&[u8]]) {
        self.lines.extend(verb.as_bytes());
        let directory = directory.as_os_str().as_bytes();
        for word in [directory].into_iter().chain(words.iter().copied()) {
            self.lines.push(b' ');
            self.lines.extend(quoted(word));
        }
        self.lines.push(b'\n');
    }

    /// Returns the name of a copy of `content`.
    fn copy(&mut self, content: &[u8]) -> String {
        let name = hexadecimal(&Sha256::digest(content));
        self.copies
            .entry(name.clone())
            .or_insert_with(|| content.to_vec());
        name
    }
}

fn below(directory: &Path, name: &[u8]) -> PathBuf {
    directory.join(std::ffi::OsStr::from_bytes(name))
}

fn octal(mode: u32) -> String {
    format!("{:o}", mode & 0o7777)
}

/// Returns a word that a shell reads as `text`.
fn quoted(text: &[u8]) -> Vec<u8> {
    let parts: Vec<&[u8]> = text.split(|byte| *byte == b'\'').collect();
    [b"'", parts.join(&b"'\\''"[..]).as_slice(), b"'"].concat()
}
