//! Directories that look like a bare Git repository, whose configuration Git reads in any directory.

use std::ffi::OsStr;
use std::path::Path;

use super::Workspace;
use super::protected_names::{REPOSITORY, normalized_name};
use super::root::Root;

/// Entries by which Git detects a repository.
pub(crate) const LAYOUT: [&str; 3] = ["HEAD", "refs", "objects"];

impl Workspace {
    /// Returns whether writing `real` beneath `root` would complete the layout of a bare repository,
    /// or change the configuration of a directory with that layout. The last `new` parents of `real`
    /// are missing.
    pub(super) fn changes_bare_repository(&self, root: &Root, real: &Path, new: usize) -> bool {
        // Git treats a directory with these three entries as a repository, and runs programs that its config names.
        self.protected().covers_repositories()
            && real.ancestors().enumerate().any(|(depth, entry)| {
                let Some(parent) = entry.parent().filter(|parent| !is_repository(parent)) else {
                    return false;
                };
                let others = |name: &str| has_others(root, parent, name);
                // Only entries that this write creates count: an existing parent was there before.
                let is_part = depth <= new && layout_name(entry).is_some_and(others);
                let below = real.strip_prefix(parent).unwrap_or(real);
                let is_configuration = self.protected().covers(Some(OsStr::new(REPOSITORY)), below);
                is_part || is_configuration && has_others(root, parent, "")
            })
    }
}

fn is_repository(directory: &Path) -> bool {
    let name = directory.file_name().unwrap_or_default();
    normalized_name(&name.to_string_lossy()) == REPOSITORY
}

/// Returns the name in the layout that `entry` has in any letter case.
fn layout_name(entry: &Path) -> Option<&'static str> {
    let name = normalized_name(&entry.file_name()?.to_string_lossy());
    LAYOUT
        .into_iter()
        .find(|part| part.eq_ignore_ascii_case(&name))
}

/// Returns whether `directory` has all entries of the layout except `name`.
fn has_others(root: &Root, directory: &Path, name: &str) -> bool {
    let mut others = LAYOUT.into_iter().filter(|other| *other != name);
    others.all(|other| root.dir.symlink_metadata(directory.join(other)).is_ok())
}

#[cfg(test)]
mod tests {
    use tool_core::{CancellationToken, ErrorCode};
    use tool_test::Scratch;

    use super::*;
    use crate::workspace::{WorkspaceBuilder, WriteMode};

    fn write(builder: WorkspaceBuilder, path: &str) -> Result<(), ErrorCode> {
        let workspace = builder.build().unwrap();
        let none = CancellationToken::new();
        workspace
            .write("path", path, b"x", WriteMode::Overwrite, true, &none)
            .map(drop)
            .map_err(|error| error.code().clone())
    }

    fn layout() -> Scratch {
        Scratch::new()
            .file("HEAD", "ref: refs/heads/main\n")
            .folder("objects")
            .folder("sub/objects")
            .folder("sub/refs")
            .file("bare/HEAD", "ref: refs/heads/main\n")
            .folder("bare/objects")
            .folder("bare/refs")
            .file(".git/HEAD", "ref: refs/heads/main\n")
            .folder(".git/objects")
            .folder(".git/refs")
    }

    #[test]
    fn rejects_writes_that_complete_or_configure_bare_repository() {
        for (path, is_rejected) in [
            ("refs/heads/main", true),
            ("refs", true),
            ("Refs/x", true),
            ("sub/HEAD", true),
            ("sub/head", true),
            ("sub/HEAD.", true),
            ("bare/config", true),
            ("bare/hooks/post-checkout", true),
            ("bare/Config", true),
            ("bare/HEAD", true),
            ("objects/x", false),
            ("new/HEAD", false),
            ("new/refs/HEAD", false),
            ("sub/config", false),
            ("bare/notes.txt", false),
            ("bare/deep/config", false),
            (".git/HEAD", false),
            ("config", false),
        ] {
            let scratch = layout();

            let outcome = write(Workspace::builder().root(scratch.path()), path);

            let expected = if is_rejected {
                Err(ErrorCode::Protected)
            } else {
                Ok(())
            };
            assert_eq!(outcome, expected, "{path}");
        }
    }

    #[test]
    fn rejects_directories_that_complete_bare_repository() {
        let scratch = layout();
        let workspace = Workspace::open(scratch.path()).unwrap();

        for (path, is_rejected) in [("refs", true), ("refs/heads", true), ("sub/x", false)] {
            let outcome = workspace.create_directory("path", path);

            assert_eq!(outcome.is_err(), is_rejected, "{path}");
        }
        assert!(!scratch.has("refs"));
    }

    #[test]
    fn host_may_disable_protection_of_repositories() {
        let scratch = layout();
        let builder = Workspace::builder()
            .root(scratch.path())
            .without_standard_protection();

        assert_eq!(write(builder, "refs/heads/main"), Ok(()));
    }
}
