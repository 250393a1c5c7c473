//! Temporary directories of one call and of all calls.

use std::fs::Permissions;
use std::os::fd::AsFd;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::{env, io};

use rustix::fs::{Access, CWD, Mode, access, fstat, rmdir};
use rustix::io::Errno;
use tempfile::{Builder, TempDir};

use super::entries::{self, names, open_directory};
use crate::shell::environment::Environment;
use crate::shell::sandbox::SandboxUnavailable;

/// Variables that specify the temporary directory.
const VARIABLES: [&str; 3] = ["TMPDIR", "TMP", "TEMP"];

/// Variables of caches without which programs fail or warn, and which are otherwise in the home
/// directory.
const CACHES: [&str; 6] = [
    "CCACHE_DIR",
    "GOCACHE",
    "GOLANGCI_LINT_CACHE",
    "PIP_CACHE_DIR",
    "UV_CACHE_DIR",
    "npm_config_logs_dir",
];

/// Temporary directory that only the user can access.
#[derive(Debug)]
pub(super) struct PrivateDirectory(TempDir);

impl PrivateDirectory {
    /// Creates a directory in the host's temporary directory.
    pub(super) fn make() -> Result<Self, SandboxUnavailable> {
        Self::make_in(&env::temp_dir())
    }

    /// Creates a directory in `parent`.
    pub(super) fn make_in(parent: &Path) -> Result<Self, SandboxUnavailable> {
        Builder::new()
            .prefix("toolwright-")
            .permissions(Permissions::from_mode(0o700))
            .tempdir_in(parent)
            .map(Self)
            .map_err(SandboxUnavailable::Temporary)
    }

    pub(super) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Returns whether this is still an empty directory with its original mode.
    pub(super) fn is_unused(&self) -> bool {
        let is_unused = || {
            let directory = open_directory(CWD, self.path())?;
            let mode = Mode::from_raw_mode(fstat(&directory)?.st_mode);
            Ok::<_, io::Error>(mode == Mode::RWXU && names(directory.as_fd())?.is_empty())
        };
        is_unused().unwrap_or(false)
    }

    /// Sets the temporary directory in `environment`.
    pub(super) fn set_in(&self, environment: Environment) -> Environment {
        VARIABLES
            .into_iter()
            .fold(environment, |environment, name| {
                environment.with(name, self.path())
            })
    }
}

/// Removes the directory and its content, also directories without permissions.
impl Drop for PrivateDirectory {
    fn drop(&mut self) {
        // Most programs leave the directory empty.
        if matches!(rmdir(self.path()), Ok(()) | Err(Errno::NOENT)) {
            return;
        }
        if let Err(error) = entries::empty(self.path()) {
            tracing::warn!(%error, "a temporary directory of commands could not be emptied");
        }
    }
}

/// Directory that the calls of a sandbox share: for caches, so that builds are incremental, and for
/// the temporary directories of calls without grants. Nothing outside the sandbox reads it.
#[derive(Debug)]
pub(super) struct SharedDirectory(PrivateDirectory);

impl SharedDirectory {
    /// Creates a directory in the host's temporary directory.
    pub(super) fn make() -> Result<Self, SandboxUnavailable> {
        PrivateDirectory::make().map(Self)
    }

    pub(super) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(super) fn exists(&self) -> bool {
        access(self.path(), Access::EXISTS).is_ok()
    }

    /// Creates a temporary directory for a call.
    pub(super) fn temporary(&self) -> Result<PrivateDirectory, SandboxUnavailable> {
        PrivateDirectory::make_in(self.path())
    }

    /// Sets the caches in `environment` that the host has not set to directories in this one.
    pub(super) fn set_caches_in(&self, environment: Environment) -> Environment {
        CACHES.into_iter().fold(environment, |environment, name| {
            if environment.value(name).is_some() {
                return environment;
            }
            environment.with(name, self.path().join(name.to_ascii_lowercase()))
        })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn changed_directories_are_not_unused() {
        let shared = SharedDirectory::make().unwrap();
        let [written, open] = [(); 2].map(|()| shared.temporary().unwrap());
        assert!(written.is_unused() && open.is_unused());

        fs::write(written.path().join("left"), "").unwrap();
        fs::set_permissions(open.path(), Permissions::from_mode(0o755)).unwrap();

        assert!(!written.is_unused() && !open.is_unused());
        let path = written.path().to_owned();
        drop(written);
        assert!(!path.exists());
    }
}
