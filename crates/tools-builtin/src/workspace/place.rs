//! Where a file is to be written.

use std::borrow::Cow;
use std::io;
use std::path::{Component, Path, PathBuf};

use cap_std::fs::{Dir, Metadata};
use tool_core::{ErrorCode, ToolError};

use super::error::disk_error;
use super::locks::Key;
use super::path::{check_is_given, join, shown};
use super::roots::Located;
use super::{Root, Workspace, beneath, platform};

/// As many links as the operating system follows.
const MAX_LINKS: usize = 40;

/// How many folders one call makes.
const MAX_NEW_FOLDERS: usize = 100;

/// Stands for what is in a folder that is made for itself.
const NO_NAME: &str = "_";

/// How often a folder is looked for again that was replaced while it was opened.
const ATTEMPTS: usize = 8;

/// A name in a folder that is open: where something is, or will be.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) folder: Dir,
    pub(super) name: PathBuf,
    /// The number of the root.
    pub(super) root: usize,
    /// Where it is beneath the root, with links resolved.
    pub(super) real: PathBuf,
    /// The folders that were made for it, outermost first.
    pub(super) made: Vec<PathBuf>,
}

impl Place {
    /// What is there now; a link is not followed.
    pub(super) fn metadata(&self) -> io::Result<Metadata> {
        self.folder.symlink_metadata(&self.name)
    }

    /// Takes back that folders were made for it, as far as they are empty.
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

    /// What to lock before the place is written.
    pub(super) fn key(&self) -> io::Result<Key> {
        let identity = platform::identity(&self.folder.dir_metadata()?);
        Ok(match identity {
            Some(identity) => (Some(identity), self.name.clone()),
            None => (None, Path::new(&self.root.to_string()).join(&self.real)),
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
        check_is_given(parameter, path)?;
        self.place_of(
            parameter,
            &self.locate(parameter, path)?,
            create_directories,
        )
    }

    /// The place of the file itself: a link at the end of `path` is followed, each step beneath the root's handle.
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
                    located.relative = self.behind(parameter, &place, &located)?.into();
                }
                Ok(metadata) => return check_file(parameter, &metadata).map(|()| place),
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(place),
                Err(error) => return Err(disk_error(parameter, error)),
            }
        }
        let sentence = "is a link that leads back to itself";
        Err(ToolError::file_not_found(parameter, sentence)
            .suggest("Give the path that the link was meant to lead to."))
    }

    /// The path that the link at `place` leads to.
    fn behind(
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
        let folder = located.relative.rsplit_once('/');
        let folder = folder.map_or(".", |(folder, _)| folder);
        match target.to_str() {
            Some(target) => Ok(format!("{folder}/{target}")),
            None => Err(ToolError::file_not_found(
                parameter,
                "is a link with a target that is no text",
            )
            .suggest("Give the path that the link leads to.")),
        }
    }

    /// The place at `real` beneath a root, on the way to which there is no link.
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

    /// Makes the folder at a path where there is none.
    pub(super) fn new_folder(
        &self,
        parameter: &str,
        located: &Located<'_, '_>,
    ) -> Result<Place, ToolError> {
        let inner = Located {
            root: located.root,
            relative: Cow::Owned(format!("{}/{NO_NAME}", located.relative)),
        };
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
        let above = Located {
            root,
            relative: Cow::Borrowed(folder),
        };
        let (real, missing) = self.reach(parameter, &above)?;
        if !missing.is_empty() && !create_directories {
            return Err(in_no_folder(parameter)
                .suggest("Make the folder first. With `create_directories` this call makes it."));
        }
        let real_folder: PathBuf = std::iter::once(real.as_path())
            .chain(missing.iter().map(Path::new))
            .collect();
        let place = real_folder.join(name);
        self.check_change(parameter, root, &place, missing.len())?;
        let fail = |error| self.path_error(parameter, &above, error);
        let opened = beneath::open_real_folder(&root.dir, &real).map_err(fail)?;
        let (folder, made) = create_folders(opened, &real, &missing).map_err(fail)?;
        Ok(Place {
            folder,
            name: name.into(),
            root: root.number,
            real: place,
            made,
        })
    }

    /// The part of a folder's path that is there, with links resolved, and the names that are not.
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
            match real_path(&folder.root.dir, &there.join("/")) {
                // `..` behind a folder that is not there leads nowhere: nothing is made on the way.
                Ok(_) if missing.contains(&"..") => {
                    let missing = io::Error::from(io::ErrorKind::NotFound);
                    let error = self.path_error(parameter, folder, missing);
                    let leads_out = *error.code() == ErrorCode::PathOutsideWorkspace;
                    let told = in_no_folder(parameter)
                        .suggest("Make the folder first, or write the path without `..`.");
                    return Err(if leads_out { error } else { told });
                }
                Ok(real) => return Ok((real, missing.to_vec())),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(self.path_error(parameter, folder, error)),
            }
        }
        let sentence = format!("has more than {MAX_NEW_FOLDERS} folders that do not exist");
        Err(ToolError::invalid_arguments(parameter, sentence).suggest("Choose a shorter path."))
    }

    /// Refuses a change of what is at `real` beneath `root`, for which as many folders would be made.
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
            return Err(
                ToolError::about(ErrorCode::Protected, parameter, sentence).suggest(
                    "Leave it as it is, and say in your answer what should be changed there.",
                ),
            );
        }
        Ok(())
    }

    fn read_only(&self, parameter: &str) -> ToolError {
        let sentence = "is in a folder that may only be read, so nothing was changed";
        let error = ToolError::about(ErrorCode::Protected, parameter, sentence);
        match self.roots().find(|root| !root.is_read_only()) {
            Some(root) if root.number == 0 => {
                error.suggest("Give a path relative to the workspace root.")
            }
            Some(root) => error.suggest(format!("Give a path inside `{}`.", root.prefix)),
            None => {
                error.suggest("Nothing here may be changed: say in your answer what to change.")
            }
        }
    }
}

/// Where a folder really is beneath `root`.
fn real_path(root: &Dir, folder: &str) -> io::Result<PathBuf> {
    if folder.is_empty() {
        return Ok(PathBuf::new());
    }
    let mut attempt = 0;
    loop {
        let real = root.canonicalize(folder)?;
        let named = |part: &Component<'_>| matches!(part, Component::Normal(_));
        let real: PathBuf = real.components().filter(named).collect();
        attempt += 1;
        match beneath::open_real_folder(root, &real) {
            // A link came into the way between the two steps.
            Err(error) if platform::is_link_loop(&error) && attempt < ATTEMPTS => {}
            outcome => return outcome.map(|_| real),
        }
    }
}

/// Makes `missing` in `folder`, which is at `real`, one inside the other.
fn create_folders(folder: Dir, real: &Path, missing: &[&str]) -> io::Result<(Dir, Vec<PathBuf>)> {
    let (mut folder, mut reached, mut made) = (folder, real.to_owned(), Vec::new());
    for name in missing {
        reached.push(name);
        if create_folder(&folder, name)? {
            made.push(reached.clone());
        }
        folder = platform::open_subfolder(&folder, Path::new(name))?;
    }
    Ok((folder, made))
}

fn in_no_folder(parameter: &str) -> ToolError {
    let sentence = "is in a folder that does not exist";
    ToolError::about(ErrorCode::FileNotFound, parameter, sentence)
}

/// Makes one folder; `false` when it is there.
fn create_folder(parent: &Dir, name: &str) -> io::Result<bool> {
    match parent.create_dir(Path::new(name)) {
        // Somebody else was quicker.
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
