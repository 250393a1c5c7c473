//! Searching parent directories for a file.

use std::path::{Path, PathBuf};

use tool_core::{ErrorCode, ToolError};

use super::path::{check_is_given, check_text};
use super::root::Located;
use super::{File, Root, Workspace};

/// Maximum number of directories to search.
const MAX_FOLDERS: usize = 64;

impl Workspace {
    /// Opens a regular file, searching parent directories for a relative path.
    ///
    /// A relative path is tried in the directory `start`; then in its parents, up to the one that
    /// contains `.git` or the last one in a granted root; and finally in the first root, like
    /// [`existing_file`](Self::existing_file). The first file found is opened; its
    /// [`path`](File::path) is the location where it was found. Directories outside the granted
    /// roots are not searched: to search above the first root, add the repository around it as a
    /// read-only root.
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
    /// let file = workspace.look_up_file("path", "notes.md", ".")?;
    /// assert_eq!(file.path(), repository.join("notes.md").display().to_string());
    /// assert!(workspace.existing_file("path", "notes.md").is_err());
    /// # Ok::<_, Box<dyn std::error::Error>>(())
    /// ```
    pub fn look_up_file(
        &self,
        parameter: &str,
        path: &str,
        start: &str,
    ) -> Result<File, ToolError> {
        check_is_given(parameter, path)?;
        check_text(parameter, path)?;
        if Path::new(path).has_root() {
            return self.existing_file(parameter, path);
        }
        for (root, folder) in self.folders_above(parameter, start)? {
            let Some(candidate) = folder.join(path).to_str().map(str::to_owned) else {
                continue;
            };
            match self.open_file(parameter, &Located::new(root, candidate)) {
                Err(error) if is_elsewhere(error.code()) => {}
                outcome => return outcome,
            }
        }
        self.existing_file(parameter, path)
    }

    /// Returns the directory `start` and its parents to search, each with its innermost root.
    fn folders_above(
        &self,
        parameter: &str,
        start: &str,
    ) -> Result<Vec<(&Root, PathBuf)>, ToolError> {
        let located = self.locate(parameter, start)?;
        let (real, missing) = self.reach(parameter, &located)?;
        if !missing.is_empty() {
            return Ok(Vec::new());
        }
        let start = located.root.names.real.join(real);
        let mut folders = Vec::new();
        for folder in start.ancestors().take(MAX_FOLDERS) {
            let Some(root) = self.innermost(folder) else {
                break;
            };
            let Ok(below) = folder.strip_prefix(&root.names.real) else {
                break;
            };
            folders.push((root, below.to_owned()));
            if root.dir.symlink_metadata(below.join(".git")).is_ok() {
                break;
            }
        }
        Ok(folders)
    }
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

    fn found(workspace: &Workspace, path: &str, start: &str) -> Result<String, ErrorCode> {
        let file = workspace.look_up_file("path", path, start);
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

        for (path, start, expected) in [
            ("own.txt", ".", Ok("own")),
            ("own.txt", "deep/er", Ok("own")),
            ("deep.txt", "deep/er", Ok("deep")),
            ("deep.txt", ".", Err(ErrorCode::FileNotFound)),
            ("both.txt", ".", Ok("near")),
            ("top.txt", ".", Ok("top")),
            ("./top.txt", "deep/er", Ok("top")),
            ("app/own.txt", ".", Ok("own")),
            ("top.txt", "no/such/folder", Err(ErrorCode::FileNotFound)),
            ("own.txt", "no/such/folder", Ok("own")),
            ("top.txt.d", ".", Err(ErrorCode::NotAFile)),
            ("above.txt", ".", Err(ErrorCode::FileNotFound)),
            ("", ".", Err(ErrorCode::InvalidArguments)),
        ] {
            let expected = expected.map(str::to_owned);

            assert_eq!(found(&workspace, path, start), expected, "{path} {start}");
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

            assert_eq!(found(&workspace, path, "."), expected, "{path}");
        }
        let outside = workspace.look_up_file("path", "own.txt", "..").unwrap_err();
        assert_eq!(outside.code(), &ErrorCode::PathOutsideWorkspace);
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
