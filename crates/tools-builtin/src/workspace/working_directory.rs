//! A folder to run a program in.

use std::path::{Path, PathBuf};

use cap_std::fs::Dir;

/// A folder inside a workspace to run a program in.
///
/// Where the operating system can, [`path`](Self::path) goes through the open handle, so that nobody can put another
/// folder in its place: keep the value until the program has started.
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
    shown: String,
    _handle: Dir,
}

impl WorkingDirectory {
    pub(super) fn new(handle: Dir, shown: String, plain: PathBuf) -> Self {
        Self {
            path: through_handle(&handle).unwrap_or(plain),
            shown,
            _handle: handle,
        }
    }

    /// What `Command::current_dir` takes. It names the host's folders and is not for a model.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where the folder really is, links resolved; `None` where the system does not say.
    #[cfg(feature = "shell")]
    #[expect(
        clippy::disallowed_methods,
        reason = "a path of a folder that is open already"
    )]
    pub(crate) fn real_path(&self) -> Option<PathBuf> {
        std::fs::canonicalize(&self.path).ok()
    }

    /// The path relative to the workspace root, for a model.
    #[must_use]
    pub fn shown(&self) -> &str {
        &self.shown
    }
}

#[cfg(target_os = "linux")]
#[expect(clippy::disallowed_methods, reason = "a path of /proc, made here")]
fn through_handle(handle: &Dir) -> Option<PathBuf> {
    use std::os::fd::AsRawFd;

    let path = PathBuf::from(format!("/proc/self/fd/{}", handle.as_raw_fd()));
    // Without /proc only the plain path is left.
    std::fs::metadata(&path).is_ok().then_some(path)
}

#[cfg(not(target_os = "linux"))]
fn through_handle(_handle: &Dir) -> Option<PathBuf> {
    None
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use tool_test::Scratch;

    use crate::workspace::Workspace;

    #[cfg(target_os = "linux")]
    #[test]
    fn another_folder_put_in_its_place_is_not_entered() {
        let scratch = Scratch::new().file("in/mark", "").link("evil", "/");
        let workspace = Workspace::open(scratch.path()).unwrap();
        let folder = workspace.working_directory("path", "in").unwrap();
        std::fs::rename(scratch.path().join("in"), scratch.path().join("kept")).unwrap();
        std::fs::rename(scratch.path().join("evil"), scratch.path().join("in")).unwrap();

        let output = Command::new("ls")
            .current_dir(folder.path())
            .output()
            .unwrap();

        assert_eq!(String::from_utf8(output.stdout).unwrap(), "mark\n");
        assert_eq!(folder.shown(), "in");
    }
}
