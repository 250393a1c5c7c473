//! Opening of existing files and directories.

use std::io;
use std::sync::Arc;

use cap_std::fs::Metadata;
use tool_core::{ErrorCode, ToolError};

use super::error::refuse_several_names;
use super::path::check_is_given;
use super::root::LocatedPath;
use super::secret_names::{is_secret, refused};
use super::{Directory, File, Workspace, beneath, platform};

impl Workspace {
    /// Opens an existing regular file.
    ///
    /// # Errors
    /// Returns an error if the path is outside the workspace, does not exist (with similar names)
    /// or is not a regular file.
    pub fn existing_file(&self, parameter: &str, path: &str) -> Result<File, ToolError> {
        check_is_given(parameter, path)?;
        self.open_file(parameter, &self.locate(parameter, path)?)
    }

    pub(super) fn open_file(
        &self,
        parameter: &str,
        located: &LocatedPath<'_, '_>,
    ) -> Result<File, ToolError> {
        let handle = beneath::open_file(&located.root.dir, located.path())
            .map_err(|error| self.path_error(parameter, located, error))?;
        // Check the type of the opened handle: between a `stat` and an `open`, the path could become a device.
        let mut file = File::of(parameter, handle, located.shown())?;
        self.check_names(parameter, file.metadata())?;
        if is_secret(located.path()) || resolves_to_secret(located, file.metadata()) {
            return Err(refused(parameter));
        }
        if let Some(path) = located.resolved(|| Ok(file.metadata().clone())) {
            file.path = path;
        }
        Ok(file)
    }

    /// Opens an existing directory; `.` is the first root.
    ///
    /// # Errors
    /// Returns an error if the path is outside the workspace, does not exist (with similar names)
    /// or is not a directory.
    pub fn existing_dir(&self, parameter: &str, path: &str) -> Result<Directory, ToolError> {
        let located = self.locate(parameter, path)?;
        let handle = beneath::open_directory(&located.root.dir, located.path()).map_err(
            |error| match error.kind() {
                io::ErrorKind::NotADirectory => not_a_directory(parameter, error),
                _ => self.path_error(parameter, &located, error),
            },
        )?;
        if is_secret(located.path()) || is_secret_directory(&located) {
            return Err(refused(parameter));
        }
        let resolved = located.resolved(|| handle.dir_metadata());
        Ok(Directory {
            handle: Arc::new(handle),
            path: resolved.unwrap_or_else(|| located.shown()),
            refuses_hard_links: self.shared.refuses_hard_links,
        })
    }

    /// Rejects a file with several hard links, if the host requires it.
    pub(super) fn check_names(
        &self,
        parameter: &str,
        metadata: &Metadata,
    ) -> Result<(), ToolError> {
        if self.shared.refuses_hard_links {
            refuse_several_names(parameter, metadata)?;
        }
        Ok(())
    }
}

/// Returns whether a private file is reached through a link to a directory of tokens. Token files are
/// always private, so other files need no further system call.
fn resolves_to_secret(located: &LocatedPath<'_, '_>, metadata: &Metadata) -> bool {
    platform::is_private(metadata) && is_secret_directory(located)
}

fn is_secret_directory(located: &LocatedPath<'_, '_>) -> bool {
    let real = located.root.dir.canonicalize(located.path());
    real.is_ok_and(|real| is_secret(&real))
}

fn not_a_directory(parameter: &str, error: io::Error) -> ToolError {
    ToolError::about(ErrorCode::NotADirectory, parameter, "is not a directory")
        .suggest("Use the path of a directory, such as its parent.")
        .caused_by(error)
}
