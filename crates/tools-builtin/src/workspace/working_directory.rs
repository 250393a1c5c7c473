//! A folder to run a program in.

use std::path::{Path, PathBuf};
use std::sync::Arc;

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
    #[cfg_attr(
        not(all(feature = "shell", target_os = "linux")),
        allow(dead_code, reason = "only programs need it, and only Linux tells")
    )]
    through_handle: Option<ThroughHandle>,
    shown: String,
    /// Held so that its paths in `/proc` stay.
    _handle: Arc<Dir>,
}

/// What `/proc` says of a handle.
#[derive(Debug)]
#[cfg_attr(
    not(all(feature = "shell", target_os = "linux")),
    allow(dead_code, reason = "only programs need it, and only Linux tells")
)]
struct ThroughHandle {
    /// The same for everybody who may look into this process.
    short_cut: PathBuf,
    /// Where the folder is, if it is anywhere.
    real: Option<PathBuf>,
}

impl WorkingDirectory {
    pub(super) fn new(handle: Arc<Dir>, shown: String, plain: PathBuf) -> Self {
        let (path, through_handle) = match through_handle(&handle) {
            Some((path, through_handle)) => (path, Some(through_handle)),
            // Without /proc only the plain path is left.
            None => (plain, None),
        };
        Self {
            path,
            through_handle,
            shown,
            _handle: handle,
        }
    }

    /// What `Command::current_dir` takes. It names the host's folders and is not for a model.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The same by the number of this process. A new process has no names in /proc yet; making them takes longer than all
    /// else on the way to its folder. Whoever may not look into this process cannot go there.
    #[cfg(feature = "shell")]
    pub(crate) fn short_cut(&self) -> Option<&Path> {
        let known = self.through_handle.as_ref();
        known.map(|known| known.short_cut.as_path())
    }

    /// Where the folder really is, links resolved; `None` where the system does not say.
    #[cfg(feature = "shell")]
    #[expect(
        clippy::disallowed_methods,
        reason = "a path of a folder that is open already"
    )]
    pub(crate) fn real_path(&self) -> Option<PathBuf> {
        match &self.through_handle {
            Some(known) => known.real.clone(),
            None => std::fs::canonicalize(&self.path).ok(),
        }
    }

    /// The path relative to the workspace root, for a model.
    #[must_use]
    pub fn shown(&self) -> &str {
        &self.shown
    }
}

#[cfg(target_os = "linux")]
#[expect(clippy::disallowed_methods, reason = "paths of /proc, made here")]
fn through_handle(handle: &Dir) -> Option<(PathBuf, ThroughHandle)> {
    use std::os::fd::AsRawFd;

    let within = format!("fd/{}", handle.as_raw_fd());
    // By the number that this /proc knows this process by: it may count otherwise than the process itself.
    let process = Path::new("/proc").join(std::fs::read_link("/proc/self").ok()?);
    let short_cut = process.join(&within);
    let real = std::fs::read_link(&short_cut).ok()?;
    let path = Path::new("/proc/self").join(within);
    let known = ThroughHandle {
        real: is_place_of(handle, &real).then_some(real),
        short_cut,
    };
    Some((path, known))
}

/// Whether a folder is where `/proc` says: behind one that was deleted stands a mark, which another may be called by.
#[cfg(target_os = "linux")]
#[expect(clippy::disallowed_methods, reason = "a path of /proc, only looked at")]
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
fn through_handle(_handle: &Dir) -> Option<(PathBuf, ThroughHandle)> {
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

        let ways = [folder.path(), folder.short_cut().unwrap()];
        for way in ways {
            let output = Command::new("ls").current_dir(way).output().unwrap();

            assert_eq!(String::from_utf8(output.stdout).unwrap(), "mark\n");
        }
        assert_eq!(folder.shown(), "in");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_root_is_where_it_was_opened_also_after_it_was_moved() {
        let scratch = Scratch::new().file("root/mark", "");
        let workspace = Workspace::open(scratch.path().join("root")).unwrap();
        std::fs::rename(scratch.path().join("root"), scratch.path().join("moved")).unwrap();

        let folder = workspace.working_directory("path", ".").unwrap();

        let output = Command::new("ls").current_dir(folder.path()).output();
        assert_eq!(String::from_utf8(output.unwrap().stdout).unwrap(), "mark\n");
        let moved = std::fs::canonicalize(scratch.path().join("moved")).unwrap();
        assert_eq!(folder.real_path(), Some(moved));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_folder_is_only_said_to_be_somewhere_while_it_is() {
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
