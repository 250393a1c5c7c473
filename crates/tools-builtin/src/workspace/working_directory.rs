//! Working directories of programs.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use cap_std::fs::Dir;
use tool_core::ToolError;

use super::Workspace;

/// Directory in a workspace in which to run a program.
///
/// If the operating system supports it, [`path`](Self::path) goes through the open handle, so that
/// no other directory can take over the path. Keep the value until the program has started.
///
/// # Examples
/// ```
/// use tool_test::Scratch;
/// use tools_builtin::workspace::Workspace;
///
/// let scratch = Scratch::new().folder("src");
/// let workspace = Workspace::open(scratch.path())?;
/// let folder = workspace.working_directory("working_directory", "src")?;
/// let output = std::process::Command::new("pwd").current_dir(folder.path()).output()?;
/// assert!(String::from_utf8_lossy(&output.stdout).trim_end().ends_with("/src"));
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct WorkingDirectory {
    path: PathBuf,
    #[cfg_attr(
        not(feature = "shell"),
        allow(dead_code, reason = "used only to run programs")
    )]
    real: Option<PathBuf>,
    /// Kept open so that its path in `/proc` stays valid.
    _handle: Arc<Dir>,
}

impl Workspace {
    /// Opens a directory in which to run a program; `.` is the root.
    ///
    /// # Errors
    /// Returns the errors of [`existing_dir`](Self::existing_dir).
    pub fn working_directory(
        &self,
        parameter: &str,
        path: &str,
    ) -> Result<WorkingDirectory, ToolError> {
        let (handle, plain) = if path == "." {
            // The root is already open and always refers to the same directory.
            let root = &self.shared.first;
            (Arc::clone(&root.dir), root.names.real.clone())
        } else {
            let directory = self.existing_dir(parameter, path)?;
            let (root, relative) = self.beneath(directory.path());
            let plain = root.names.real.join(relative);
            (directory.handle, plain)
        };
        // Without `/proc`, only the plain path is available.
        let (path, real) = through_handle(&handle).unwrap_or_else(|| {
            let real = resolved(&plain);
            (plain, real)
        });
        Ok(WorkingDirectory {
            path,
            real,
            _handle: handle,
        })
    }
}

impl WorkingDirectory {
    /// Returns the path for `Command::current_dir`. It contains host paths and is not for models.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the location with symlinks resolved; `None` if the system does not report it.
    #[cfg(feature = "shell")]
    pub(crate) fn real_path(&self) -> Option<&Path> {
        self.real.as_deref()
    }
}

#[expect(clippy::disallowed_methods, reason = "the path of an open directory")]
fn resolved(plain: &Path) -> Option<PathBuf> {
    std::fs::canonicalize(plain).ok()
}

/// Returns the path of a handle in `/proc`, and the location of the directory if it still exists.
#[cfg(target_os = "linux")]
#[expect(clippy::disallowed_methods, reason = "paths of /proc, made here")]
fn through_handle(handle: &Dir) -> Option<(PathBuf, Option<PathBuf>)> {
    use std::os::fd::AsRawFd;

    let path = PathBuf::from(format!("/proc/self/fd/{}", handle.as_raw_fd()));
    let real = std::fs::read_link(&path).ok()?;
    let real = is_place_of(handle, &real).then_some(real);
    Some((path, real))
}

/// Returns whether a directory is at the location in `/proc`, which marks deleted directories with
/// a suffix that other names may have.
#[cfg(target_os = "linux")]
#[expect(clippy::disallowed_methods, reason = "a path of /proc, only inspected")]
fn is_place_of(handle: &Dir, real: &Path) -> bool {
    use cap_std::fs::MetadataExt as _;
    use std::os::unix::fs::MetadataExt as _;

    if !real.as_os_str().as_encoded_bytes().ends_with(b" (deleted)") {
        return true;
    }
    let there = std::fs::metadata(real).map(|there| (there.dev(), there.ino()));
    let here = handle.dir_metadata().map(|here| (here.dev(), here.ino()));
    matches!((there, here), (Ok(there), Ok(here)) if there == here)
}

#[cfg(not(target_os = "linux"))]
fn through_handle(_handle: &Dir) -> Option<(PathBuf, Option<PathBuf>)> {
    None
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use tool_test::Scratch;

    use crate::workspace::Workspace;

    #[cfg(target_os = "linux")]
    #[test]
    fn does_not_enter_replacing_directory() {
        let scratch = Scratch::new().file("in/mark", "").link("evil", "/");
        let workspace = Workspace::open(scratch.path()).unwrap();
        let directory = workspace.working_directory("path", "in").unwrap();
        std::fs::rename(scratch.path().join("in"), scratch.path().join("kept")).unwrap();
        std::fs::rename(scratch.path().join("evil"), scratch.path().join("in")).unwrap();

        let output = Command::new("ls").current_dir(directory.path()).output();

        assert_eq!(String::from_utf8(output.unwrap().stdout).unwrap(), "mark\n");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn root_survives_rename() {
        let scratch = Scratch::new().file("root/mark", "");
        let workspace = Workspace::open(scratch.path().join("root")).unwrap();
        std::fs::rename(scratch.path().join("root"), scratch.path().join("moved")).unwrap();

        let directory = workspace.working_directory("path", ".").unwrap();

        let output = Command::new("ls").current_dir(directory.path()).output();
        assert_eq!(String::from_utf8(output.unwrap().stdout).unwrap(), "mark\n");
        let moved = std::fs::canonicalize(scratch.path().join("moved")).unwrap();
        assert_eq!(directory.real_path(), Some(moved.as_path()));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn real_path_requires_existing_directory() {
        let scratch = Scratch::new().folder("gone").folder("there (deleted)");
        let workspace = Workspace::open(scratch.path().join("gone")).unwrap();
        let root = std::fs::canonicalize(scratch.path()).unwrap();
        std::fs::remove_dir(root.join("gone")).unwrap();
        std::fs::create_dir(root.join("gone (deleted)")).unwrap();
        let deleted = workspace.working_directory("path", ".").unwrap();
        let workspace = Workspace::open(scratch.path()).unwrap();
        let called_so = workspace.working_directory("path", "there (deleted)");
        let called_so = called_so.unwrap();

        let places = [deleted.real_path(), called_so.real_path()];

        assert_eq!(places, [None, Some(&*root.join("there (deleted)"))]);
    }
}
