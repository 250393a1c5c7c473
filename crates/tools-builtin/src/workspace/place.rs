//! Where a file is to be written.

use std::path::{Path, PathBuf};

use cap_std::fs::{Dir, Metadata};
use std::io;
use tool_core::{ErrorCode, ToolError};

use super::error::disk_error;
use super::locks::Key;
use super::path::{folded, join, shown};
use super::{Workspace, platform};

/// As many links as the operating system follows.
const MAX_LINKS: usize = 40;

/// A name in a folder that is open: where a file is, or will be.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) folder: Dir,
    pub(super) name: PathBuf,
    path: String,
}

impl Place {
    /// What is there now; a link is not followed.
    pub(super) fn metadata(&self) -> io::Result<Metadata> {
        self.folder.symlink_metadata(&self.name)
    }

    /// What to lock before the place is written.
    pub(super) fn key(&self) -> io::Result<Key> {
        let identity = platform::identity(&self.folder.dir_metadata()?);
        Ok(match identity {
            Some(identity) => (Some(identity), self.name.clone()),
            None => (None, folded(&self.path).into()),
        })
    }
}

impl Workspace {
    /// The place at the end of `path`, where there may be nothing, or a link that leads nowhere.
    pub(super) fn place(
        &self,
        parameter: &str,
        path: &str,
        create_directories: bool,
    ) -> Result<Place, ToolError> {
        let (folder, name) = split(parameter, path)?;
        Ok(Place {
            folder: self.folder_of(parameter, folder, create_directories)?,
            name: name.into(),
            path: path.to_owned(),
        })
    }

    /// The place of the file itself: a link at the end of `path` is followed, each step beneath the root's handle.
    pub(super) fn place_behind_links(
        &self,
        parameter: &str,
        path: &str,
        create_directories: bool,
    ) -> Result<Place, ToolError> {
        let mut path = path.to_owned();
        for _ in 0..MAX_LINKS {
            let place = self.place(parameter, &path, create_directories)?;
            match place.metadata() {
                Ok(metadata) if metadata.is_symlink() => {
                    path = self.behind(parameter, &place, &path)?;
                }
                Ok(metadata) => return check_file(parameter, &metadata).map(|()| place),
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(place),
                Err(error) => return Err(disk_error(parameter, error)),
            }
        }
        let sentence = "is a link that leads back to itself";
        Err(ToolError::file_not_found(parameter, sentence))
    }

    /// The path that the link at `place` leads to.
    fn behind(&self, parameter: &str, place: &Place, path: &str) -> Result<String, ToolError> {
        let target = place
            .folder
            .read_link_contents(&place.name)
            .map_err(|error| disk_error(parameter, error))?;
        if target.has_root() {
            let escape = io::Error::from(io::ErrorKind::PermissionDenied);
            return Err(self.path_error(parameter, path, escape));
        }
        let folder = path.rsplit_once('/').map_or(".", |(folder, _)| folder);
        match target.to_str() {
            Some(target) => Ok(format!("{folder}/{target}")),
            None => Err(ToolError::file_not_found(
                parameter,
                "is a link with a target that is no text",
            )),
        }
    }

    fn folder_of(
        &self,
        parameter: &str,
        folder: &str,
        create_directories: bool,
    ) -> Result<Dir, ToolError> {
        match self.dir().open_dir(folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && create_directories => {
                self.create_folders(parameter, folder, &mut Vec::new())
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let told = in_no_folder(parameter).caused_by(error);
                Err(told.suggest("Make the folder first, or let this call make it."))
            }
            outcome => outcome.map_err(|error| self.path_error(parameter, folder, error)),
        }
    }

    /// Makes the folders of `path` that are not there, adds them to `made`, and opens the last one.
    pub(super) fn create_folders(
        &self,
        parameter: &str,
        path: &str,
        made: &mut Vec<String>,
    ) -> Result<Dir, ToolError> {
        let fail = |error| self.path_error(parameter, path, error);
        let mut folder = self.dir().try_clone().map_err(fail)?;
        let mut reached = PathBuf::new();
        let mut parts = path.split('/').filter(|part| !part.is_empty());
        while let Some(part) = parts.next() {
            reached.push(part);
            folder = match self.dir().open_dir(&reached) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    // `..` behind a folder that is not there leads nowhere: nothing is made on the way.
                    if part == ".." || parts.clone().any(|part| part == "..") {
                        let error = fail(error);
                        let leads_out = *error.code() == ErrorCode::PathOutsideWorkspace;
                        return Err(if leads_out {
                            error
                        } else {
                            in_no_folder(parameter)
                                .suggest("Make the folder first, or write the path without `..`.")
                        });
                    }
                    if create_folder(&folder, part).map_err(fail)? {
                        made.push(shown(&reached.to_string_lossy()));
                    }
                    self.dir().open_dir(&reached).map_err(fail)?
                }
                outcome => outcome.map_err(fail)?,
            };
        }
        Ok(folder)
    }
}

fn in_no_folder(parameter: &str) -> ToolError {
    let sentence = "is in a folder that does not exist";
    ToolError::about(ErrorCode::FileNotFound, parameter, sentence)
}

/// Makes one folder; `false` when somebody else was quicker.
fn create_folder(parent: &Dir, name: &str) -> io::Result<bool> {
    match parent.create_dir(Path::new(name)) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        outcome => outcome.map(|()| true),
    }
}

fn split<'p>(parameter: &str, path: &'p str) -> Result<(&'p str, &'p str), ToolError> {
    let (folder, name) = path.rsplit_once('/').unwrap_or((".", path));
    if matches!(name, "" | "." | "..") {
        let path = shown(path);
        let suggestion = if path.split('/').any(|part| part == "..") {
            "Give the path of a file inside the workspace.".to_owned()
        } else {
            let example = join(&path, "name.txt");
            format!("Give the path of a file, such as `{example}`.")
        };
        let error = ToolError::about(ErrorCode::NotAFile, parameter, "names a folder");
        return Err(error.suggest(suggestion));
    }
    Ok((if folder.is_empty() { "." } else { folder }, name))
}

fn check_file(parameter: &str, metadata: &Metadata) -> Result<(), ToolError> {
    if metadata.is_file() {
        return Ok(());
    }
    let refused = |sentence| ToolError::about(ErrorCode::NotAFile, parameter, sentence);
    Err(if metadata.is_dir() {
        refused("is a folder").suggest("Give the path of a file inside it.")
    } else {
        refused("is not a regular file").suggest("Give another path.")
    })
}
