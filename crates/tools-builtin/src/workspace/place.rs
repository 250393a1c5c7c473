//! Destinations of writes.

use std::io;
use std::path::{Path, PathBuf};

use cap_std::fs::{Dir, Metadata};
use tool_core::{ErrorCode, ToolError};

use super::error::disk_error;
use super::locks::Key;
use super::path::{check_is_given, join, shown};
use super::root::Located;
use super::{Root, Workspace, beneath, platform};

/// Maximum number of symlinks to follow, as in the operating system.
const MAX_LINKS: usize = 40;

/// Maximum number of directories created by one call.
const MAX_NEW_FOLDERS: usize = 100;

/// Placeholder for the name in a directory that is itself to be created.
const NO_NAME: &str = "_";

/// Name in an open directory, of an existing or new entry.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) folder: Dir,
    pub(super) name: PathBuf,
    /// The number of the root.
    pub(super) root: usize,
    /// Path beneath the root, with symlinks resolved.
    pub(super) real: PathBuf,
    /// Directories that were created for it, outermost first.
    pub(super) made: Vec<PathBuf>,
}

impl Place {
    /// Returns the metadata of the existing entry. Symlinks are not followed.
    pub(super) fn metadata(&self) -> io::Result<Metadata> {
        self.folder.symlink_metadata(&self.name)
    }

    /// Returns the displayed path: the real path if `located` contains `..`.
    pub(super) fn shown(&self, located: &Located<'_, '_>) -> String {
        match self.real.to_str() {
            Some(real) if located.has_parent_component() => located.root.shown(real),
            _ => located.shown(),
        }
    }

    /// Removes the directories that were created for it, if they are empty.
    pub(super) fn remove_made_folders(&self, workspace: &Workspace) {
        let Some(root) = workspace.roots().find(|root| root.number == self.root) else {
            return;
        };
        for folder in self.made.iter().rev() {
            if root.dir.remove_dir(folder).is_err() {
                return;
            }
        }
    }

    /// Returns the key to lock before writing.
    pub(super) fn key(&self) -> io::Result<Key> {
        let identity = platform::identity(&self.folder.dir_metadata()?);
        Ok(match identity {
            Some(identity) => (Some(identity), self.name.clone()),
            None => (None, Path::new(&self.root.to_string()).join(&self.real)),
        })
    }
}

impl Workspace {
    /// Returns the place at the end of `path`, which may be missing or a dangling symlink.
    pub(super) fn place(
        &self,
        parameter: &str,
        path: &str,
        create_directories: bool,
    ) -> Result<Place, ToolError> {
        check_is_given(parameter, path)?;
        let located = self.locate(parameter, path)?;
        self.place_of(parameter, &located, create_directories)
    }

    /// Returns the place of the file itself. A symlink at the end of `path` is followed, each step
    /// beneath the root's handle.
    pub(super) fn place_behind_links(
        &self,
        parameter: &str,
        path: &str,
        create_directories: bool,
    ) -> Result<Place, ToolError> {
        check_is_given(parameter, path)?;
        let mut located = self.locate(parameter, path)?;
        for _ in 0..MAX_LINKS {
            let place = self.place_of(parameter, &located, create_directories)?;
            match place.metadata() {
                Ok(metadata) if metadata.is_symlink() => {
                    located.relative = self.link_target(parameter, &place, &located)?.into();
                }
                Ok(metadata) => return check_file(parameter, &metadata).map(|()| place),
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(place),
                Err(error) => return Err(disk_error(parameter, error)),
            }
        }
        let sentence = "is a symlink loop";
        Err(ToolError::file_not_found(parameter, sentence)
            .suggest("Use the intended target of the symlink."))
    }

    /// Returns the target path of the symlink at `place`.
    fn link_target(
        &self,
        parameter: &str,
        place: &Place,
        located: &Located<'_, '_>,
    ) -> Result<String, ToolError> {
        let target = place
            .folder
            .read_link_contents(&place.name)
            .map_err(|error| disk_error(parameter, error))?;
        if target.has_root() {
            let escape = io::Error::from(io::ErrorKind::PermissionDenied);
            return Err(self.path_error(parameter, located, escape));
        }
        let Some(target) = target.to_str() else {
            let sentence = "is a symlink whose target is not UTF-8";
            return Err(ToolError::file_not_found(parameter, sentence)
                .suggest("Use the target path directly."));
        };
        let folder = located.relative.rsplit_once('/');
        let folder = folder.map_or(".", |(folder, _)| folder);
        Ok(format!("{folder}/{target}"))
    }

    /// Returns the place at `real` beneath a root. No parent may be a symlink.
    pub(super) fn real_place(&self, root: usize, real: &Path) -> io::Result<Place> {
        let found = self.roots().find(|other| other.number == root);
        let dir = &found.ok_or(io::ErrorKind::NotFound)?.dir;
        let name = real.file_name().ok_or(io::ErrorKind::NotFound)?;
        Ok(Place {
            folder: beneath::open_real_folder(dir, real.parent().unwrap_or(Path::new("")))?,
            name: name.into(),
            root,
            real: real.to_owned(),
            made: Vec::new(),
        })
    }

    /// Creates the directory at a path that does not exist.
    pub(super) fn new_folder(
        &self,
        parameter: &str,
        located: &Located<'_, '_>,
    ) -> Result<Place, ToolError> {
        let inner = Located::new(located.root, format!("{}/{NO_NAME}", located.relative));
        let mut place = self.place_of(parameter, &inner, true)?;
        place.real.pop();
        Ok(place)
    }

    fn place_of(
        &self,
        parameter: &str,
        located: &Located<'_, '_>,
        create_directories: bool,
    ) -> Result<Place, ToolError> {
        let (folder, name) = split(parameter, &located.relative)?;
        let root = located.root;
        let above = Located::new(root, folder);
        let (real, missing) = self.reach(parameter, &above)?;
        if !missing.is_empty() && !create_directories {
            return Err(in_no_folder(parameter).suggest(
                "Create the directory first. Set `create_directories` to create it with this call.",
            ));
        }
        let real_folder: PathBuf = std::iter::once(real.as_path())
            .chain(missing.iter().map(Path::new))
            .collect();
        let place = real_folder.join(name);
        self.check_change(parameter, root, &place, missing.len())?;
        let fail = |error| self.path_error(parameter, &above, error);
        let opened = beneath::open_real_folder(&root.dir, &real).map_err(fail)?;
        let (folder, made) = beneath::create_folders(opened, &real, &missing).map_err(fail)?;
        Ok(Place {
            folder,
            name: name.into(),
            root: root.number,
            real: place,
            made,
        })
    }

    /// Returns the existing part of a directory's path, with symlinks resolved, and the missing
    /// names.
    pub(super) fn reach<'p>(
        &self,
        parameter: &str,
        folder: &'p Located<'_, '_>,
    ) -> Result<(PathBuf, Vec<&'p str>), ToolError> {
        let parts: Vec<&str> = folder
            .relative
            .split('/')
            .filter(|part| !matches!(*part, "" | "."))
            .collect();
        for end in (0..=parts.len()).rev() {
            let (there, missing) = parts.split_at(end);
            if missing.len() > MAX_NEW_FOLDERS {
                break;
            }
            match beneath::real_path(&folder.root.dir, &there.join("/")) {
                // `..` after a missing directory cannot be resolved: do not create anything.
                Ok(_) if missing.contains(&"..") => {
                    let missing = io::Error::from(io::ErrorKind::NotFound);
                    let error = self.path_error(parameter, folder, missing);
                    let is_outside = *error.code() == ErrorCode::PathOutsideWorkspace;
                    let not_found = in_no_folder(parameter)
                        .suggest("Create the directory first, or use a path without `..`.");
                    return Err(if is_outside { error } else { not_found });
                }
                Ok(real) => return Ok((real, missing.to_vec())),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(self.path_error(parameter, folder, error)),
            }
        }
        let sentence = format!("has more than {MAX_NEW_FOLDERS} directories that do not exist");
        Err(ToolError::invalid_arguments(parameter, sentence).suggest("Choose a shorter path."))
    }

    /// Rejects a change at `real` beneath `root` that is read-only or protected. `new_folders` is
    /// the number of directories to create.
    fn check_change(
        &self,
        parameter: &str,
        root: &Root,
        real: &Path,
        new_folders: usize,
    ) -> Result<(), ToolError> {
        let ruling = self.innermost(&root.names.real.join(real));
        if ruling.unwrap_or(root).is_read_only() {
            return Err(self.read_only(parameter));
        }
        let root_name = root.names.real.file_name();
        let mut changed = real.ancestors().take(new_folders + 1);
        if changed.any(|changed| self.protected().covers(root_name, changed)) {
            let sentence = "is protected, so nothing was changed";
            return Err(ToolError::about(ErrorCode::Protected, parameter, sentence)
                .suggest("Do not change it; tell the user which change is needed."));
        }
        if self.changes_bare_repository(root, real, new_folders) {
            let sentence =
                "is part of a directory that Git treats as a repository, so nothing was changed";
            return Err(ToolError::about(ErrorCode::Protected, parameter, sentence)
                .suggest("Use another directory or name."));
        }
        Ok(())
    }

    fn read_only(&self, parameter: &str) -> ToolError {
        let sentence = "is in a read-only directory, so nothing was changed";
        let error = ToolError::about(ErrorCode::Protected, parameter, sentence);
        match self.roots().find(|root| !root.is_read_only()) {
            Some(root) if root.number == 0 => {
                error.suggest("Use a path relative to the workspace root.")
            }
            Some(root) => error.suggest(format!("Use a path inside `{}`.", root.prefix)),
            None => error.suggest("The workspace is read-only; tell the user what to change."),
        }
    }
}

fn in_no_folder(parameter: &str) -> ToolError {
    let sentence = "is in a directory that does not exist";
    ToolError::about(ErrorCode::FileNotFound, parameter, sentence)
}

fn split<'p>(parameter: &str, path: &'p str) -> Result<(&'p str, &'p str), ToolError> {
    let (folder, name) = path.rsplit_once('/').unwrap_or((".", path));
    if matches!(name, "" | "." | "..") {
        let path = shown(path);
        let suggestion = if path.split('/').any(|part| part == "..") {
            "Use the path of a file inside the workspace.".to_owned()
        } else {
            let example = join(&path, "name.txt");
            format!("Use the path of a file, such as `{example}`.")
        };
        let error = ToolError::about(ErrorCode::NotAFile, parameter, "is a directory");
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
        refused("is a directory").suggest("Use the path of a file inside it.")
    } else {
        refused("is not a regular file").suggest("Use another path.")
    })
}
