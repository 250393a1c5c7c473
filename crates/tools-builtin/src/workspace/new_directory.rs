//! Creating directories.

use std::io;

use tool_core::{ErrorCode, ToolError};

use super::file::Digests;
use super::history::PreviousState;
use super::root::LocatedPath;
use super::{Workspace, beneath};

/// Result of creating a directory.
///
/// # Examples
/// ```
/// use tool_test::Scratch;
/// use tools_builtin::workspace::Workspace;
///
/// let scratch = Scratch::new();
/// let workspace = Workspace::open(scratch.path())?;
/// let made = workspace.create_directory("path", "a/b/c")?;
/// assert_eq!((made.path.as_str(), made.created), ("a/b/c", true));
/// assert_eq!(made.created_parents, ["a", "a/b"]);
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NewDirectory {
    /// The path relative to the workspace root.
    pub path: String,
    /// Whether the directory did not exist before.
    pub created: bool,
    /// Parent directories that were created, outermost first.
    pub created_parents: Vec<String>,
}

impl Workspace {
    /// Creates the directory at `path` and its missing parents, at most 100. An existing directory
    /// is left unchanged.
    ///
    /// # Errors
    /// Returns [`ErrorCode::PathOutsideWorkspace`] if the path is outside the workspace,
    /// [`ErrorCode::AlreadyExists`] if another entry has the name, [`ErrorCode::NotADirectory`] if
    /// a parent is not a directory, and [`ErrorCode::Protected`] if the location is protected or
    /// read-only.
    pub fn create_directory(&self, parameter: &str, path: &str) -> Result<NewDirectory, ToolError> {
        let located = self.locate(parameter, path)?;
        let shown;
        let (mut created, mut created_parents) = (false, Vec::new());
        match beneath::open_directory(&located.root.dir, located.path()) {
            Ok(_) => shown = self.existing_dir(parameter, path)?.path,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let destination = self
                    .new_directory(parameter, &located)
                    .map_err(|error| explain_conflict(parameter, &located, error))?;
                shown = destination.shown(&located);
                // Of several concurrent calls, each may create some of the directories.
                created = destination.created.last() == Some(&destination.real);
                let parents = destination.created.iter();
                created_parents = parents
                    .filter(|parent| **parent != destination.real)
                    .map(|parent| located.root.shown(&parent.to_string_lossy()))
                    .collect();
                let (before, digests) = (PreviousState::NoDirectory, Digests::default());
                self.record(&shown, &destination, before, digests, None);
            }
            Err(error) => {
                let error = self.path_error(parameter, &located, error);
                return Err(explain_conflict(parameter, &located, error));
            }
        }
        Ok(NewDirectory {
            path: shown,
            created,
            created_parents,
        })
    }
}

const OTHER_NAME: &str = "Choose another name for the directory.";

/// Distinguishes a name in use from a parent that is not a directory.
fn explain_conflict(parameter: &str, located: &LocatedPath<'_, '_>, error: ToolError) -> ToolError {
    let path = located.relative.trim_end_matches(['/', '.']);
    let there = located.root.dir.symlink_metadata(path);
    let taken = |sentence| ToolError::about(ErrorCode::AlreadyExists, parameter, sentence);
    match there {
        Ok(found) if found.is_symlink() && *error.code() != ErrorCode::PathOutsideWorkspace => {
            let sentence = match located.root.dir.metadata(path) {
                Ok(_) => "is a symlink to a file",
                Err(_) => "is a symlink that leads nowhere",
            };
            taken(sentence).suggest(OTHER_NAME).caused_by(error)
        }
        Ok(_) if *error.code() == ErrorCode::NotADirectory => {
            taken("already exists as a file").suggest(OTHER_NAME)
        }
        _ => error,
    }
}

#[cfg(test)]
mod tests {
    use tool_test::Scratch;

    use super::*;

    fn make(scratch: &Scratch, path: &str) -> Result<(String, bool, Vec<String>), ToolError> {
        let workspace = Workspace::open(scratch.path()).unwrap();
        let created = workspace.create_directory("path", path)?;
        Ok((created.path, created.created, created.created_parents))
    }

    #[test]
    fn creates_and_reports_missing_directories() {
        for (path, shown, created, parents) in [
            ("src/models", "src/models", true, vec![]),
            ("a/b/c", "a/b/c", true, vec!["a", "a/b"]),
            ("./a//b/", "a/b", true, vec!["a"]),
            ("src", "src", false, vec![]),
            ("src/", "src", false, vec![]),
            (".", ".", false, vec![]),
            ("src/../new", "new", true, vec![]),
        ] {
            let scratch = Scratch::new().folder("src");
            let parents = parents.into_iter().map(str::to_owned).collect();

            assert_eq!(
                make(&scratch, path).unwrap(),
                (shown.to_owned(), created, parents),
                "{path}"
            );
            assert!(scratch.path().join(path).is_dir());
        }
    }

    #[test]
    fn rejects_other_existing_entries() {
        let scratch = Scratch::new().file("a.txt", "x");
        for (path, code) in [
            ("a.txt", ErrorCode::AlreadyExists),
            ("a.txt/", ErrorCode::AlreadyExists),
            ("a.txt/sub", ErrorCode::NotADirectory),
            ("../out", ErrorCode::PathOutsideWorkspace),
            ("/out", ErrorCode::PathOutsideWorkspace),
            ("new/../../out", ErrorCode::PathOutsideWorkspace),
            ("", ErrorCode::InvalidArguments),
        ] {
            let error = make(&scratch, path).unwrap_err();

            assert_eq!(
                (error.code(), error.parameter()),
                (&code, Some("path")),
                "{path}"
            );
        }
        assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn follows_symlinks_only_inside_workspace() {
        let scratch = Scratch::new()
            .folder("sub")
            .link("in", "sub")
            .link("out", "/etc")
            .link("gone", "missing")
            .link("self", "self")
            .file("a.txt", "x")
            .link("file", "a.txt");

        assert_eq!(make(&scratch, "in/new").unwrap().0, "in/new");
        assert!(scratch.path().join("sub/new").is_dir());
        assert_eq!(
            make(&scratch, "out/new").unwrap_err().code(),
            &ErrorCode::PathOutsideWorkspace
        );
        for (path, reason) in [
            ("gone", "leads nowhere"),
            ("self", "leads nowhere"),
            ("file", "is a symlink to a file"),
        ] {
            let error = make(&scratch, path).unwrap_err();
            assert_eq!(error.code(), &ErrorCode::AlreadyExists, "{path}");
            let text = error.to_model_text();
            assert!(text.contains(reason) && text.contains(OTHER_NAME), "{text}");
        }
    }
}
