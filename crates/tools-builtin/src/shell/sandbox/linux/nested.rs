//! Repositories below a root: those that a command finds keep their settings and hooks, and those that it
//! creates keep only harmless ones. Git runs both as the user, outside the sandbox.

use std::collections::BTreeMap;
use std::ffi::{CStr, CString};
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};

use rustix::io::Errno;

use super::content::{Budget, Content};
use super::entries::{kind, open_file, remove, writable_roots};
use super::new_repository;
use super::repositories::{Found, Identity, Repository, Searches, open_beneath};
use super::restoration::Restoration;
use super::script::Script;
use super::todo::{self, Programs};
use crate::workspace::{Root, Workspace, plain};

/// Entries of a repository that name programs, or other places of such entries.
const FILES: [&CStr; 3] = [c"commondir", c"config", c"config.worktree"];
const HOOKS: &CStr = c"hooks";

/// Name of the entry that makes a directory a working tree.
const POINTER: &CStr = c".git";

/// Maximum bytes of a file with the path of a repository.
const MAX_POINTER_BYTES: u64 = 4096;

/// Repositories below one root.
#[derive(Debug)]
pub(super) struct NestedRepositories {
    root: OwnedFd,
    real: PathBuf,
    searches: Searches,
    /// Repositories before the command. They keep their identity when they are moved.
    known: BTreeMap<Identity, Known>,
    pointers: BTreeMap<PathBuf, Content>,
    /// Reason why some repositories may be missing.
    unsearched: Option<&'static str>,
}

/// Repository before the command.
#[derive(Debug)]
struct Known {
    path: PathBuf,
    /// Files and hooks; empty for the repository of the root, which has its own rules.
    content: Vec<(&'static CStr, Content)>,
    /// Programs of an unfinished rebase; `None` if the repository cannot be entered.
    programs: Option<Programs>,
}

impl NestedRepositories {
    /// Reads the repositories below each writable root, without the one of the root itself.
    pub(super) fn read(
        workspace: &Workspace,
        searches: &Searches,
        budget: &mut Budget,
    ) -> io::Result<Vec<Self>> {
        let roots = writable_roots(workspace);
        let roots = roots.filter(|_| workspace.protected().covers_repositories());
        roots
            .map(|root| Self::read_root(root, searches, budget))
            .collect()
    }

    fn read_root(root: &Root, searches: &Searches, budget: &mut Budget) -> io::Result<Self> {
        let handle = root.handle().as_fd();
        let (found, outcome) = searches.find(root.real_path(), handle);
        outcome?;
        let mut nested = Self {
            root: handle.try_clone_to_owned()?,
            real: root.real_path().to_owned(),
            searches: searches.clone(),
            known: BTreeMap::new(),
            pointers: BTreeMap::new(),
            unsearched: found.unsearched,
        };
        for Repository { path, identity, .. } in found.repositories {
            let mut known = Known {
                path,
                content: Vec::new(),
                programs: None,
            };
            match known.read(handle, budget) {
                // The user's Git cannot read it either. It isn't a new one, which would be cleaned.
                Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                    nested.unsearched = Some("a repository cannot be read");
                }
                read => read?,
            }
            nested.known.insert(identity, known);
        }
        for path in found.pointers {
            let directory = open_beneath(handle, parent(&path))?;
            let content = Content::read(directory.as_fd(), POINTER, budget)?;
            nested.pointers.insert(path, content);
        }
        Ok(nested)
    }

    /// Restores the repositories, and removes from new ones what could run programs.
    /// `git_settings` is whether harmless changes of settings stay.
    pub(super) fn restore(&self, git_settings: bool, restored: &mut Restoration) {
        let (found, outcome) = self.searches.find(&self.real, self.root.as_fd());
        if let Err(error) = outcome {
            lose(Path::new(".git"), &error, restored);
        }
        restored.unsearched = restored.unsearched.or(self.unsearched).or(found.unsearched);
        for repository in &found.repositories {
            let outcome = match self.known(repository) {
                Some(known) => self.restore_known(repository, known, git_settings, restored),
                None => self.clean_or_remove(repository, restored),
            };
            if let Err(error) = outcome {
                lose(&repository.path, &error, restored);
            }
        }
        for path in found.pointers.iter().filter(|path| !is_of_root(path)) {
            if let Err(error) = self.restore_pointer(path, &found, restored) {
                lose(path, &error, restored);
            }
        }
    }

    /// Adds what restores the repositories without this process.
    pub(super) fn add_to(&self, script: &mut Script) {
        for known in self.known.values() {
            let directory = self.real.join(&known.path);
            for (name, content) in &known.content {
                script.restore(&directory, name, content);
            }
            script.add_repository(directory, known.programs.as_ref());
        }
        for (path, content) in &self.pointers {
            // That of the root has its own rules.
            if !is_of_root(path) {
                script.restore(&plain(&self.real.join(parent(path))), POINTER, content);
            }
            script.add_pointer(self.real.join(path));
        }
        script.search(self.real.clone());
    }

    /// Returns what was known of a repository before the command. That of the root is the same even if it was replaced,
    /// because its files are restored by path.
    fn known(&self, repository: &Repository) -> Option<&Known> {
        let by_path = || {
            let mut known = self.known.values();
            known.find(|known| is_of_root(&known.path) && known.path == repository.path)
        };
        self.known.get(&repository.identity).or_else(by_path)
    }

    fn restore_known(
        &self,
        repository: &Repository,
        known: &Known,
        git_settings: bool,
        restored: &mut Restoration,
    ) -> io::Result<()> {
        let Some(programs) = &known.programs else {
            return Ok(());
        };
        let Some(directory) = self.open(repository)? else {
            return Ok(());
        };
        let path = repository.path.to_string_lossy();
        if todo::clean(directory.as_fd(), programs)? {
            restored.changed.push(todo_of(&path));
        }
        for (name, content) in &known.content {
            let is_kept = git_settings
                && *name == c"config"
                && new_repository::has_harmless_change(directory.as_fd(), content);
            if !is_kept && content.restore(directory.as_fd(), name)? {
                let name = name.to_string_lossy();
                restored.changed.push(format!("{path}/{name}"));
            }
        }
        Ok(())
    }

    /// Removes from a new repository what could run programs, or all of it if that fails: the user's next `git status`
    /// may run it.
    fn clean_or_remove(
        &self,
        repository: &Repository,
        restored: &mut Restoration,
    ) -> io::Result<()> {
        let path = &repository.path;
        self.clean(repository, restored).or_else(|error| {
            tracing::warn!(%error, "a new repository could not be checked");
            let directory = open_beneath(self.root.as_fd(), parent(path))?;
            let name = path.file_name().unwrap_or_default().as_bytes();
            remove(directory.as_fd(), &CString::new(name)?)?;
            restored.removed.push(path.to_string_lossy().into_owned());
            Ok(())
        })
    }

    fn clean(&self, repository: &Repository, restored: &mut Restoration) -> io::Result<()> {
        let Some(directory) = self.open(repository)? else {
            return Ok(());
        };
        let directory = directory.as_fd();
        let path = repository.path.to_string_lossy();
        if todo::clean(directory, &Programs::new())? {
            restored.changed.push(todo_of(&path));
        }
        // Only a working tree has its settings elsewhere: in the repository that it belongs to.
        let is_usual = repository.is_worktree
            && read_small(directory, c"commondir").is_some_and(|text| text.trim_end() == "../..");
        if !is_usual && kind(directory, c"commondir")?.is_some() {
            remove(directory, c"commondir")?;
            restored.removed.push(format!("{path}/commondir"));
        }
        let is_within = |value: &str| {
            is_direct(Path::new(value)) && self.is_within(&repository.path.join(value))
        };
        let removed = new_repository::clean(directory, &path, &is_within)?;
        restored.removed.extend(removed);
        Ok(())
    }

    /// Opens a repository; `None` if it is gone.
    fn open(&self, repository: &Repository) -> io::Result<Option<OwnedFd>> {
        match open_beneath(self.root.as_fd(), &repository.path) {
            Err(Errno::NOENT) => Ok(None),
            directory => Ok(Some(directory?)),
        }
    }

    /// Restores a file or link that names a repository. A new one may name only a repository in the root.
    fn restore_pointer(
        &self,
        path: &Path,
        found: &Found,
        restored: &mut Restoration,
    ) -> io::Result<()> {
        let directory = open_beneath(self.root.as_fd(), parent(path))?;
        let directory = directory.as_fd();
        let target = read_small(directory, POINTER);
        let target = target.and_then(|text| self.target(parent(path), &text));
        let is_found = |target: &PathBuf| {
            let mut repositories = found.repositories.iter();
            repositories.any(|repository| repository.path == *target)
        };
        if target.as_ref().is_some_and(is_found) {
            return Ok(());
        }
        let name = path.to_string_lossy().into_owned();
        match self.pointers.get(path) {
            Some(content) if content.restore(directory, POINTER)? => restored.changed.push(name),
            Some(_) => {}
            None => {
                remove(directory, POINTER)?;
                restored.removed.push(name);
            }
        }
        Ok(())
    }

    /// Returns the path in the root that the content of a `.git` file names.
    fn target(&self, directory: &Path, text: &str) -> Option<PathBuf> {
        let named = text.strip_prefix("gitdir: ")?;
        let named = Path::new(named.trim_end_matches(['\n', '\r']));
        let absolute = plain(&self.real.join(directory).join(named));
        let absolute = Some(absolute).filter(|_| is_direct(named))?;
        absolute.strip_prefix(&self.real).ok().map(Path::to_owned)
    }

    /// Returns whether a path in the root stays in it.
    fn is_within(&self, path: &Path) -> bool {
        plain(&self.real.join(path)).starts_with(&self.real)
    }
}

fn lose(path: &Path, error: &io::Error, restored: &mut Restoration) {
    tracing::warn!(%error, "a repository below a root could not be restored");
    restored.failed.push(path.to_string_lossy().into_owned());
}

fn todo_of(repository: &str) -> String {
    format!("{repository}/rebase-merge/git-rebase-todo")
}

/// Returns whether a path is that of the root's repository, which has its own rules.
fn is_of_root(path: &Path) -> bool {
    path == Path::new(".git")
}

fn parent(path: &Path) -> &Path {
    let parent = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    parent.unwrap_or(Path::new("."))
}

impl Known {
    fn read(&mut self, root: BorrowedFd<'_>, budget: &mut Budget) -> io::Result<()> {
        let directory = open_beneath(root, &self.path)?;
        let directory = directory.as_fd();
        self.programs = Some(todo::programs(directory)?);
        if is_of_root(&self.path) {
            return Ok(());
        }
        let mut content = Vec::with_capacity(FILES.len() + 1);
        for name in FILES {
            content.push((name, Content::read(directory, name, budget)?));
        }
        // Samples are never run, and reading them would be most of the work.
        content.push((HOOKS, Content::read_hooks(directory, HOOKS, budget)?));
        self.content = content;
        Ok(())
    }
}

/// Returns the text of a small file, or `None` for anything else.
fn read_small(directory: BorrowedFd<'_>, name: &CStr) -> Option<String> {
    let mut text = String::new();
    let file = open_file(directory, name).ok()?;
    let is_file = file.metadata().ok()?.is_file();
    let read = file.take(MAX_POINTER_BYTES).read_to_string(&mut text);
    (is_file && read.is_ok()).then_some(text)
}

/// Returns whether `..` is only at the beginning of a path. Behind a link, it would lead elsewhere.
fn is_direct(path: &Path) -> bool {
    let mut rest = path
        .components()
        .skip_while(|component| *component == Component::ParentDir);
    rest.all(|component| component != Component::ParentDir)
}
