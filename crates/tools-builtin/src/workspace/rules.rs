//! Rules of `.gitignore`, `.ignore` and `.rgignore` files.

use std::path::Path;
use std::sync::Arc;

use cap_std::fs::Dir;
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::listing::Name;
use super::path::join;
use super::{EntryKind, File, Root, platform};

const MAX_BYTES: u64 = 1024 * 1024;
const MAX_LINES: usize = 10_000;
const MAX_LINE_BYTES: usize = 1024;
const MAX_BRACES: usize = 20;

/// Index in [`Rules::files`] of the first file of git, whose rules end at a repository.
const FIRST_OF_GIT: usize = 2;

/// Rules of a directory and its parents.
#[derive(Debug)]
pub(super) struct Rules {
    above: Option<Arc<Rules>>,
    /// Directory to which the rules apply.
    directory: String,
    /// `.rgignore`, `.ignore`, `.gitignore` and `.git/info/exclude`, in order of precedence.
    files: [Gitignore; 4],
    /// Whether `.gitignore` files above are ignored, because a repository starts here.
    is_repository: bool,
}

impl Rules {
    /// Returns the rules of a directory with known names, or `above` if it has no rule files.
    pub(super) fn of_directory(
        above: Option<Arc<Self>>,
        handle: &Dir,
        directory: &str,
        names: &[Name],
    ) -> Option<Arc<Self>> {
        let wanted = [".rgignore", ".ignore", ".gitignore", ".git", ".jj"];
        if names.iter().any(|name| wanted.contains(&&*name.text)) {
            Some(Arc::new(Self::read(above, handle, directory)))
        } else {
            above
        }
    }

    /// Returns the rules of the directories above `directory`, starting at the root.
    pub(super) fn above(root: &Root, directory: &str) -> Option<Arc<Self>> {
        let mut parts: Vec<&str> = directory.split('/').collect();
        // `..` cannot be resolved lexically, so only the root's own rules are certain.
        if parts.contains(&"..") {
            parts.truncate(1);
        }
        let mut rules = Some(Arc::new(Self::read(None, &root.dir, &root.prefix)));
        for end in 1..parts.len() {
            let destination = parts.get(..end).unwrap_or_default().join("/");
            let Ok(handle) = root.dir.open_dir(&destination) else {
                break;
            };
            let shown = root.shown(&destination);
            rules = Some(Arc::new(Self::read(rules, &handle, &shown)));
        }
        rules
    }

    fn read(above: Option<Arc<Self>>, handle: &Dir, directory: &str) -> Self {
        let exclude = platform::open_subdirectory(handle, Path::new(".git"))
            .and_then(|git| platform::open_subdirectory(&git, Path::new("info")))
            .map_or_else(|_| Gitignore::empty(), |info| rules_of(&info, "exclude"));
        let [rgignore, ignore, gitignore] =
            [".rgignore", ".ignore", ".gitignore"].map(|name| rules_of(handle, name));
        let files = [rgignore, ignore, gitignore, exclude];
        Self {
            above,
            directory: directory.to_owned(),
            files,
            is_repository: [".git", ".jj"]
                .iter()
                .any(|name| handle.symlink_metadata(name).is_ok()),
        }
    }

    /// Returns whether an entry is ignored; `None` if no rule matches it.
    ///
    /// Any `.rgignore` takes precedence over every `.ignore`, and this over every `.gitignore`.
    /// Among files of one kind the nearest one decides.
    pub(super) fn ignores(&self, path: &str, kind: EntryKind) -> Option<bool> {
        let is_directory = kind == EntryKind::Directory;
        (0..self.files.len()).find_map(|index| self.verdict(path, is_directory, index))
    }

    /// Returns the verdict of the nearest file with this index in `files`.
    fn verdict(&self, path: &str, is_directory: bool, index: usize) -> Option<bool> {
        let mut next = Some(self);
        while let Some(rules) = next {
            let own = rules.files.get(index)?;
            let matched = if own.is_empty() {
                Match::None
            } else {
                own.matched(rules.below(path), is_directory)
            };
            match matched {
                Match::Ignore(_) => return Some(true),
                Match::Whitelist(_) => return Some(false),
                Match::None => {}
            }
            // Git reads no rules from outside the repository. `.ignore` and `.rgignore` apply across it, as in ripgrep.
            let ends = index >= FIRST_OF_GIT && rules.is_repository;
            next = if ends { None } else { rules.above.as_deref() };
        }
        None
    }

    fn below<'p>(&self, path: &'p str) -> &'p str {
        if self.directory == "." {
            return path;
        }
        path.strip_prefix(&self.directory)
            .and_then(|rest| rest.strip_prefix('/'))
            .unwrap_or(path)
    }
}

/// Returns the rules of a file. A missing or unreadable one has none.
fn rules_of(handle: &Dir, name: &str) -> Gitignore {
    text_of(handle, name).map_or_else(Gitignore::empty, |text| parsed(&text))
}

fn parsed(text: &str) -> Gitignore {
    let mut builder = GitignoreBuilder::new("");
    let readable =
        |line: &&str| line.len() <= MAX_LINE_BYTES && line.matches('{').count() <= MAX_BRACES;
    for line in text.lines().take(MAX_LINES).filter(readable) {
        // Like git, ignore invalid patterns.
        let _ = builder.add_line(None, line);
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

fn text_of(handle: &Dir, name: &str) -> Option<String> {
    let file = platform::open_entry(handle, Path::new(name)).ok()?;
    let bytes = File::of(name, file, join(".", name))
        .ok()?
        .read(MAX_BYTES)
        .ok()?;
    let text = String::from_utf8_lossy(&bytes);
    Some(text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned())
}
