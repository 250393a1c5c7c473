//! Searching parent directories for a file.

use std::path::{Path, PathBuf};
#[cfg(feature = "document-sets")]
use std::sync::Arc;

use tool_core::{ErrorCode, ToolError};

#[cfg(feature = "document-sets")]
use super::Shared;
#[cfg(all(feature = "document-sets", target_os = "linux"))]
use super::checkpoint::{Checkpoints, StatePlace};
use super::error::LIST_PARENT;
#[cfg(feature = "document-sets")]
use super::history::History;
use super::path::{check_is_given, check_text};
use super::root::LocatedPath;
use super::{File, Root, Workspace};

/// Entry of the root of a repository.
const REPOSITORY: &str = ".git";

/// Maximum number of directories to search.
const MAX_DIRECTORIES: usize = 64;

/// Directory in a root, and its path relative to the root.
type DirectoryInRoot<'w> = (&'w Root, PathBuf);

impl Workspace {
    /// Opens a regular file, searching parent directories for a relative path.
    ///
    /// A relative path is tried in the first root and then in its parents, up to the one that
    /// contains `.git` or the last one in a granted root. The first file found is opened; its
    /// [`path`](File::path) is the location where it was found. Directories outside the granted
    /// roots are not searched: to search above the first root, add the repository around it as a
    /// read-only root. If the search ended there, the error for a missing file states it.
    ///
    /// Use this method only for reading. Tools that write use paths unchanged, so that they never
    /// change a file that was found by chance.
    ///
    /// # Errors
    /// Returns the errors of [`existing_file`](Self::existing_file) for the path in the first root.
    ///
    /// # Examples
    /// ```
    /// use tool_test::Scratch;
    /// use tools_builtin::workspace::Workspace;
    ///
    /// let scratch = Scratch::new().folder("repository/.git").file("repository/notes.md", "hello").folder("repository/app");
    /// let repository = scratch.path().join("repository");
    /// let workspace = Workspace::builder().root(repository.join("app")).read_only_root(&repository).build()?;
    ///
    /// let file = workspace.look_up_file("path", "notes.md")?;
    /// assert_eq!(file.path(), repository.join("notes.md").display().to_string());
    /// assert!(workspace.existing_file("path", "notes.md").is_err());
    /// # Ok::<_, Box<dyn std::error::Error>>(())
    /// ```
    pub fn look_up_file(&self, parameter: &str, path: &str) -> Result<File, ToolError> {
        check_is_given(parameter, path)?;
        check_text(parameter, path)?;
        if Path::new(path).has_root() {
            return self.existing_file(parameter, path);
        }
        let (directories, is_complete) = self.directories_above();
        for (root, directory) in directories {
            let Some(candidate) = directory.join(path).to_str().map(str::to_owned) else {
                continue;
            };
            match self.open_file(parameter, &LocatedPath::new(root, candidate)) {
                Err(error) if is_elsewhere(error.code()) => {}
                outcome => return outcome,
            }
        }
        self.existing_file(parameter, path).map_err(|error| {
            if is_complete || *error.code() != ErrorCode::FileNotFound {
                return error;
            }
            let sentence = "does not exist; the directories above the workspace were not searched, because access to them is not granted";
            ToolError::file_not_found(parameter, sentence)
                .suggest(error.suggestion().unwrap_or(LIST_PARENT))
                .caused_by(error)
        })
    }

    /// Returns the first root and its parents to search, each with its innermost root, and whether the last one is the root
    /// of a repository.
    fn directories_above(&self) -> (Vec<DirectoryInRoot<'_>>, bool) {
        let mut directories = Vec::new();
        let start = &self.shared.first.names.real;
        for directory in start.ancestors().take(MAX_DIRECTORIES) {
            // Stop at the last granted directory: this search must not widen what the host has granted.
            let Some(root) = self.innermost(directory) else {
                break;
            };
            let Ok(below) = directory.strip_prefix(&root.names.real) else {
                break;
            };
            directories.push((root, below.to_owned()));
            if root.dir.symlink_metadata(below.join(REPOSITORY)).is_ok() {
                return (directories, true);
            }
        }
        (directories, false)
    }

    /// Returns a workspace for reading that also grants the repository around the first root,
    /// unless it is granted already or is `home` or the root of the file system.
    #[cfg(feature = "document-sets")]
    pub(crate) fn with_repository_root(&self, home: Option<&Path>) -> Self {
        let first = &self.shared.first.names.real;
        let Some(repository) = repository_around(first) else {
            return self.clone();
        };
        let is_too_wide = repository.parent().is_none() || Some(repository) == home;
        if is_too_wide || self.innermost(repository).is_some() {
            return self.clone();
        }
        let Ok(root) = Root::open(repository, true, self.roots().count()) else {
            return self.clone();
        };
        let others = self.shared.others.iter().map(Root::share);
        Self::of(Shared {
            first: self.shared.first.share(),
            others: others.chain([root]).collect(),
            locks: Arc::clone(&self.shared.locks),
            // This workspace is for reading, so it has nothing to undo.
            history: History::default(),
            protected: Arc::clone(&self.shared.protected),
            refuses_hard_links: self.shared.refuses_hard_links,
            #[cfg(target_os = "linux")]
            checkpoints: Checkpoints::at(StatePlace::Nowhere),
        })
    }
}

/// Returns the nearest directory that contains `.git`, starting at `directory`.
#[cfg(feature = "document-sets")]
#[expect(
    clippy::disallowed_methods,
    reason = "paths above a root of the host, not of a model"
)]
fn repository_around(directory: &Path) -> Option<&Path> {
    let mut directories = directory.ancestors().take(MAX_DIRECTORIES);
    directories.find(|directory| directory.join(REPOSITORY).symlink_metadata().is_ok())
}

/// Returns whether the file may be in another directory.
fn is_elsewhere(code: &ErrorCode) -> bool {
    matches!(
        code,
        ErrorCode::FileNotFound | ErrorCode::PathOutsideWorkspace | ErrorCode::NotADirectory
    )
}

#[cfg(test)]
mod tests {
    use tool_test::Scratch;

    use super::*;

    fn layout() -> Scratch {
        Scratch::new()
            .file("above.txt", "outside")
            .file("repository/.git/HEAD", "")
            .file("repository/top.txt", "top")
            .file("repository/both.txt", "far")
            .file("repository/app/both.txt", "near")
            .file("repository/app/own.txt", "own")
            .file("repository/app/deep/er/deep.txt", "deep")
            .folder("repository/app/top.txt.d")
    }

    fn found(workspace: &Workspace, path: &str) -> Result<String, ErrorCode> {
        let file = workspace.look_up_file("path", path);
        let text = file.and_then(|mut file| file.read(100));
        text.map(|bytes| String::from_utf8(bytes).unwrap())
            .map_err(|error| error.code().clone())
    }

    #[test]
    fn finds_nearest_file_up_to_repository() {
        let scratch = layout();
        let repository = scratch.path().join("repository");
        let workspace = Workspace::builder()
            .root(repository.join("app"))
            .read_only_root(&repository)
            .read_only_root(scratch.path())
            .build()
            .unwrap();

        for (path, expected) in [
            ("own.txt", Ok("own")),
            ("deep.txt", Err(ErrorCode::FileNotFound)),
            ("both.txt", Ok("near")),
            ("top.txt", Ok("top")),
            ("./top.txt", Ok("top")),
            ("app/own.txt", Ok("own")),
            ("top.txt.d", Err(ErrorCode::NotAFile)),
            ("above.txt", Err(ErrorCode::FileNotFound)),
            ("", Err(ErrorCode::InvalidArguments)),
        ] {
            let expected = expected.map(str::to_owned);

            assert_eq!(found(&workspace, path), expected, "{path}");
        }
    }

    #[test]
    fn never_searches_outside_roots() {
        let scratch = layout();
        let workspace = Workspace::open(scratch.path().join("repository/app")).unwrap();

        for (path, expected) in [
            ("own.txt", Ok("own")),
            ("top.txt", Err(ErrorCode::FileNotFound)),
            ("../top.txt", Err(ErrorCode::PathOutsideWorkspace)),
            ("/etc/passwd", Err(ErrorCode::PathOutsideWorkspace)),
        ] {
            let expected = expected.map(str::to_owned);

            assert_eq!(found(&workspace, path), expected, "{path}");
        }
    }

    #[test]
    fn error_states_that_parents_are_not_granted() {
        let scratch = layout();
        let repository = scratch.path().join("repository");
        let reason = "were not searched, because access to them is not granted";
        for (root, states_reason) in [(repository.join("app"), true), (repository, false)] {
            let workspace = Workspace::open(root).unwrap();

            let error = workspace.look_up_file("path", "nowhere.txt").unwrap_err();

            assert_eq!(error.code(), &ErrorCode::FileNotFound);
            assert_eq!(error.message().contains(reason), states_reason, "{error}");
            assert!(error.suggestion().is_some());
        }
    }

    #[cfg(feature = "document-sets")]
    #[test]
    fn grants_repository_around_first_root() {
        let scratch = layout();
        let repository = scratch.path().join("repository");
        let workspace = Workspace::open(repository.join("app")).unwrap();
        let real = std::fs::canonicalize(&repository).unwrap();

        let granted = workspace.with_repository_root(None);
        let of_home = workspace.with_repository_root(Some(&real));

        assert_eq!(found(&granted, "top.txt"), Ok("top".to_owned()));
        assert_eq!(found(&granted, "above.txt"), Err(ErrorCode::FileNotFound));
        let none = tool_core::CancellationToken::new();
        let path = repository.join("top.txt").display().to_string();
        let error = granted.edit("path", &path, 100, &none).unwrap_err();
        assert_eq!(error.code(), &ErrorCode::Protected);
        assert_eq!(of_home.roots().count(), 1);
        let whole = Workspace::open(&repository).unwrap();
        assert_eq!(whole.with_repository_root(None).roots().count(), 1);
    }

    #[test]
    fn writing_ignores_parent_directories() {
        let scratch = layout();
        let repository = scratch.path().join("repository");
        let workspace = Workspace::builder()
            .root(repository.join("app"))
            .root(&repository)
            .build()
            .unwrap();
        let none = tool_core::CancellationToken::new();

        let error = workspace.edit("path", "top.txt", 100, &none).unwrap_err();

        assert_eq!(error.code(), &ErrorCode::FileNotFound);
    }
}
