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
        not(all(feature = "shell", target_os = "linux")),
        allow(dead_code, reason = "used only to run programs on Linux")
    )]
    through_handle: Option<HandlePaths>,
    shown: String,
    /// Kept open so that its paths in `/proc` stay valid.
    _handle: Arc<Dir>,
}

/// Paths of a handle in `/proc`.
#[derive(Debug)]
#[cfg_attr(
    not(all(feature = "shell", target_os = "linux")),
    allow(dead_code, reason = "used only to run programs on Linux")
)]
struct HandlePaths {
    /// Path for every process that may inspect this one.
    proc_path: PathBuf,
    /// Location of the directory, if it still exists.
    real: Option<PathBuf>,
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
        let (handle, shown, plain) = if path == "." {
            // The root is already open and always refers to the same directory.
            let root = &self.shared.first;
            (
                Arc::clone(&root.dir),
                path.to_owned(),
                root.names.real.clone(),
            )
        } else {
            let directory = self.existing_dir(parameter, path)?;
            let (root, relative) = self.beneath(directory.path());
            let plain = root.names.real.join(relative);
            (directory.handle, directory.path, plain)
        };
        let (path, through_handle) = match through_handle(&handle) {
            Some((path, through_handle)) => (path, Some(through_handle)),
            // Without `/proc`, only the plain path is available.
            None => (plain, None),
        };
        Ok(WorkingDirectory {
            path,
            through_handle,
            shown,
            _handle: handle,
        })
    }
}

impl WorkingDirectory {
    /// Returns the path for `Command::current_dir`. It contains host paths and is not for models.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the path through the ID of this process. A new process has no entries in `/proc`
    /// yet, and creating them takes longer than the rest of the lookup. Processes that may not
    /// inspect this one cannot use the path.
    #[cfg(feature = "shell")]
    pub(crate) fn proc_path(&self) -> Option<&Path> {
        let known = self.through_handle.as_ref();
        known.map(|known| known.proc_path.as_path())
    }

    /// Returns the location with symlinks resolved; `None` if the system does not report it.
    #[cfg(feature = "shell")]
    #[expect(clippy::disallowed_methods, reason = "the path of an open directory")]
    pub(crate) fn real_path(&self) -> Option<PathBuf> {
        match &self.through_handle {
            Some(known) => known.real.clone(),
            None => std::fs::canonicalize(&self.path).ok(),
        }
    }

    /// Returns the path relative to the workspace root, for models.
    pub fn shown(&self) -> &str {
        &self.shown
    }
}

#[cfg(target_os = "linux")]
#[expect(clippy::disallowed_methods, reason = "paths of /proc, made here")]
fn through_handle(handle: &Dir) -> Option<(PathBuf, HandlePaths)> {
    use std::os::fd::AsRawFd;

    let within = format!("fd/{}", handle.as_raw_fd());
    // Use the ID that `/proc` has for this process, which may differ from its own.
    let process = Path::new("/proc").join(std::fs::read_link("/proc/self").ok()?);
    let proc_path = process.join(&within);
    let real = std::fs::read_link(&proc_path).ok()?;
    let path = Path::new("/proc/self").join(within);
    let known = HandlePaths {
        real: is_place_of(handle, &real).then_some(real),
        proc_path,
    };
    Some((path, known))
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
fn through_handle(_handle: &Dir) -> Option<(PathBuf, HandlePaths)> {
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

        let ways = [directory.path(), directory.proc_path().unwrap()];
        for way in ways {
            let output = Command::new("ls").current_dir(way).output().unwrap();

            assert_eq!(String::from_utf8(output.stdout).unwrap(), "mark\n");
        }
        assert_eq!(directory.shown(), "in");
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
        assert_eq!(directory.real_path(), Some(moved));
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

        let places = [deleted.real_path(), called_so.unwrap().real_path()];

        assert_eq!(places, [None, Some(root.join("there (deleted)"))]);
    }
}
