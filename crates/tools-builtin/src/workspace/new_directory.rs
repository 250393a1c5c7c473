//! Making folders.

use std::io;

use tool_core::{ErrorCode, ToolError};

use super::digests::Digests;
use super::history::Before;
use super::roots::Located;
use super::{Workspace, beneath};

/// A folder that is there now.
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
    /// Whether there was no such folder before.
    pub created: bool,
    /// The folders above it that were made too, the outermost first.
    pub created_parents: Vec<String>,
}

impl Workspace {
    /// Makes the folder at `path` and those above it that are missing, at most 100. One that is there already is left as it is.
    ///
    /// # Errors
    /// A path that leads out, [`ErrorCode::AlreadyExists`] when something else has the name,
    /// [`ErrorCode::NotADirectory`] when something above it is no folder, and [`ErrorCode::Protected`] where nothing may
    /// be changed.
    pub fn create_directory(&self, parameter: &str, path: &str) -> Result<NewDirectory, ToolError> {
        let located = self.locate(parameter, path)?;
        let shown;
        let (mut created, mut created_parents) = (false, Vec::new());
        match beneath::open_folder(&located.root.dir, located.path()) {
            Ok(_) => shown = self.existing_dir(parameter, path)?.path,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let place = self
                    .new_folder(parameter, &located)
                    .map_err(|error| in_the_way(parameter, &located, error))?;
                shown = located.shown_at(&place);
                // Of several calls at once each makes some of the folders.
                created = place.made.last() == Some(&place.real);
                let parents = place.made.iter().filter(|made| **made != place.real);
                created_parents = parents
                    .map(|made| located.root.shown(&made.to_string_lossy()))
                    .collect();
                self.record(&shown, &place, Before::NoFolder, Digests::default());
            }
            Err(error) => {
                let error = self.path_error(parameter, &located, error);
                return Err(in_the_way(parameter, &located, error));
            }
        }
        Ok(NewDirectory {
            path: shown,
            created,
            created_parents,
        })
    }
}

/// Tells a name that is taken from a folder above it that is none.
fn in_the_way(parameter: &str, located: &Located<'_, '_>, error: ToolError) -> ToolError {
    let path = located.relative.trim_end_matches(['/', '.']);
    let there = located.root.dir.symlink_metadata(path);
    let taken = |sentence| ToolError::about(ErrorCode::AlreadyExists, parameter, sentence);
    match there {
        Ok(found) if found.is_symlink() && *error.code() != ErrorCode::PathOutsideWorkspace => {
            taken("is a link that leads nowhere").caused_by(error)
        }
        Ok(_) if *error.code() == ErrorCode::NotADirectory => {
            taken("exists as a file, so no folder can have that name")
                .suggest("Choose another name for the folder.")
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
        let made = workspace.create_directory("path", path)?;
        Ok((made.path, made.created, made.created_parents))
    }

    #[test]
    fn what_is_missing_is_made_and_told() {
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
    fn what_is_in_the_way_is_refused() {
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
    fn links_are_followed_inside_and_never_out() {
        let scratch = Scratch::new()
            .folder("sub")
            .link("in", "sub")
            .link("out", "/etc")
            .link("gone", "missing");

        assert_eq!(make(&scratch, "in/new").unwrap().0, "in/new");
        assert!(scratch.path().join("sub/new").is_dir());
        assert_eq!(
            make(&scratch, "out/new").unwrap_err().code(),
            &ErrorCode::PathOutsideWorkspace
        );
        assert_eq!(
            make(&scratch, "gone").unwrap_err().code(),
            &ErrorCode::AlreadyExists
        );
    }
}
