//! Temporary directories of one call and of all calls.

use std::fs::Permissions;
use std::os::fd::AsFd;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
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
pub(super) struct SharedDirectory {
    /// Temporary directory of an earlier call that left it empty. Dropped before its parent.
    ///
    /// File systems with a journal remove a directory slowly.
    unused: Mutex<Option<PrivateDirectory>>,
    directory: PrivateDirectory,
}

impl SharedDirectory {
    /// Creates a directory in the host's temporary directory.
    pub(super) fn make() -> Result<Self, SandboxUnavailable> {
        Ok(Self {
            unused: Mutex::default(),
            directory: PrivateDirectory::make()?,
        })
    }

    pub(super) fn path(&self) -> &Path {
        self.directory.path()
    }

    pub(super) fn exists(&self) -> bool {
        access(self.path(), Access::EXISTS).is_ok()
    }

    /// Returns an empty temporary directory for a call.
    pub(super) fn temporary(&self) -> Result<PrivateDirectory, SandboxUnavailable> {
        let unused = self.unused.lock();
        let unused = unused.unwrap_or_else(PoisonError::into_inner).take();
        // Another call may have changed the directory.
        match unused.filter(PrivateDirectory::is_unused) {
            Some(unused) => Ok(unused),
            None => PrivateDirectory::make_in(self.path()),
        }
    }

    /// Takes the temporary directory of a call that has ended. Removes it unless it is still unused
    /// and no other one is kept.
    pub(super) fn take_back(&self, temporary: PrivateDirectory) {
        if temporary.is_unused() {
            let unused = self.unused.lock();
            unused
                .unwrap_or_else(PoisonError::into_inner)
                .get_or_insert(temporary);
        }
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
    fn only_unused_directories_are_used_again() {
        let shared = SharedDirectory::make().unwrap();
        let first = shared.temporary().unwrap();
        let path = first.path().to_owned();

        shared.take_back(first);
        let again = shared.temporary().unwrap();
        assert_eq!(again.path(), path);

        fs::write(path.join("left"), "").unwrap();
        shared.take_back(again);
        assert!(!path.exists());

        let open = shared.temporary().unwrap();
        fs::set_permissions(open.path(), Permissions::from_mode(0o755)).unwrap();
        let path = open.path().to_owned();
        shared.take_back(open);
        assert!(!path.exists());

        // Another call writes to the directory in the meantime.
        let unused = shared.temporary().unwrap();
        let path = unused.path().to_owned();
        shared.take_back(unused);
        fs::write(path.join("left"), "").unwrap();
        assert_ne!(shared.temporary().unwrap().path(), path);
        assert!(!path.exists());
    }
}
