//! Checks of paths that are read, written, deleted or entered.

use std::rc::Rc;

use super::super::paths::Places;
use super::super::state::{Directories, State};
use super::super::value::{self, DEEP, Stream, TOP_OF_REPOSITORY};
use super::super::verdict::CommandRule;
use super::super::walk::Walk;
use super::arguments::Arguments;

/// Cost of checking one path.
const WORK_OF_A_PATH: usize = 32;

impl Walk<'_> {
    pub(super) fn judge_path(
        &mut self,
        state: &State,
        path: &str,
        judge: impl Fn(&Places, Option<String>) -> Option<CommandRule>,
    ) {
        let directories: &Directories = &state.directories;
        for directory in directories {
            if !self.spend_bytes(WORK_OF_A_PATH) {
                return;
            }
            let rule = judge(self.places, Places::resolve(path, directory.as_deref()));
            if let Some(rule) = rule {
                self.report(rule, path);
            }
        }
    }

    pub(in super::super) fn reads(&mut self, state: &State, path: &str, recursive: bool) {
        if path.starts_with("/dev/tcp/") || path.starts_with("/dev/udp/") {
            self.report(CommandRule::ReverseShell, path);
        }
        if value::is_open(path) && !value::from_network(path) {
            self.report(CommandRule::Opaque, path);
        }
        self.judge_path(state, path, |places, path| {
            places.reading(&path?, recursive)
        });
    }

    /// Checks a read of a word that may be a path.
    pub(super) fn reads_quietly(&mut self, state: &State, path: &str) {
        self.judge_path(state, path, |places, path| places.reading(&path?, false));
    }

    pub(in super::super) fn writes(&mut self, state: &State, path: &str) {
        if path == "-" {
            return;
        }
        if self.is_elsewhere && is_a_disk(path) {
            self.report_everywhere(CommandRule::Disk, path);
        }
        self.judge_path(state, path, |places, path| match path {
            Some(path) => places.writing(&path),
            None => Some(CommandRule::Opaque),
        });
        self.note_written(path);
        if matches!(self.input, Stream::Network | Stream::Decoded) {
            self.note_downloads(&self.input.clone(), &[path.to_owned()]);
        }
    }

    /// Reports programs that work outside the roots.
    pub(super) fn works_in(&mut self, state: &State, directory: &str) {
        self.judge_path(state, directory, |places, path| {
            let rule = places.writing(&path?)?;
            (rule == CommandRule::WriteOutside).then_some(CommandRule::UnknownOption)
        });
    }

    pub(super) fn is_at_work(&self, path: &str) -> bool {
        Places::resolve(path, None).is_some_and(|path| self.places.is_at_work(&path))
    }

    /// Deletions within the roots are allowed.
    pub(super) fn deletes_outside(&mut self, state: &State, path: &str) {
        if self.is_elsewhere {
            return self.deletes(state, path);
        }
        self.judge_path(state, path, |places, path| {
            let at_work = path.is_some_and(|path| places.is_at_work(&path));
            (!at_work).then_some(CommandRule::Delete)
        });
    }

    pub(super) fn deletes(&mut self, state: &State, path: &str) {
        if self.is_elsewhere {
            self.judge_path(state, path, |places, path| {
                places.deleting_elsewhere(&path?)
            });
            return;
        }
        let is_doubtful = !state.is_anywhere && names_something(path);
        self.judge_path(state, path, |places, path| match path {
            Some(path) => places.deleting(&path),
            None if is_doubtful => Some(CommandRule::Opaque),
            None => Some(CommandRule::Delete),
        });
    }

    /// `mktemp` chooses its own file names, so a shared temporary directory is allowed.
    pub(super) fn temporary_file(&mut self, state: &State, arguments: &Arguments) {
        let in_temporary = arguments.has(&["t", "u", "dry-run"]);
        let folder = arguments.values('W').last();
        for template in arguments.operands.iter().filter(|_| !in_temporary) {
            let path = folder.map_or(template.clone(), |folder| format!("{folder}/{template}"));
            self.judge_path(state, &path, |places, path| match path {
                Some(path) => places
                    .writing(&path)
                    .filter(|rule| *rule != CommandRule::Temporary),
                None => Some(CommandRule::Opaque),
            });
        }
    }

    pub(super) fn permits(&mut self, state: &State, path: &str) {
        self.judge_path(state, path, |places, path| match path {
            Some(path) => places.permitting(&path),
            None => Some(CommandRule::Opaque),
        });
    }

    pub(super) fn change_directory(&mut self, state: &mut State, directory: &str) {
        let before = state.directories.clone();
        if let Some(below) = below_top(directory) {
            let places = self.places;
            state.directories = before
                .iter()
                .map(|from| Places::resolve(below, places.root_of(from.as_deref()?)))
                .map(|path| path.map(Rc::from))
                .chain([None])
                .collect();
            state.failed = Some(before);
            return;
        }
        let open = value::is_open(directory);
        if open {
            self.report(CommandRule::Opaque, directory);
            state.is_anywhere = true;
        }
        let followed = !open && !directory.contains(DEEP);
        state.directories = before
            .iter()
            .map(|from| {
                let path = Places::resolve(directory, from.as_deref()).filter(|_| followed);
                path.map(Rc::from)
            })
            .collect();
        if directory.starts_with("..") {
            self.doubt_what_is_outside(&mut state.directories, &before);
        }
        state.failed = Some(before);
    }

    /// `cd -` can leave the roots only if the first change failed, which is unknown.
    fn doubt_what_is_outside(&self, directories: &mut Directories, before: &Directories) {
        let is_inside = |place: &Option<Rc<str>>| {
            let place = place.as_deref();
            place.is_some_and(|place| self.is_at_work(place))
        };
        if before.len() > 1 && directories.iter().any(is_inside) {
            directories.retain(is_inside);
            directories.insert(None);
        }
    }
}

/// Returns the part of a path after the top-level directory of the repository.
fn below_top(path: &str) -> Option<&str> {
    let rest = path.strip_prefix(TOP_OF_REPOSITORY)?;
    let below = match rest {
        "" => ".",
        rest => rest.strip_prefix('/')?,
    };
    (value::is_known(below) && !below.split('/').any(|part| part == "..")).then_some(below)
}

/// Matches the usual names of disks and partitions.
fn is_a_disk(path: &str) -> bool {
    const DISKS: [&str; 8] = ["sd", "hd", "vd", "xvd", "nvme", "mmcblk", "disk", "mapper/"];
    let device = path.strip_prefix("/dev/").unwrap_or_default();
    DISKS.iter().any(|start| device.starts_with(start))
}

fn names_something(path: &str) -> bool {
    let parts = path
        .split('/')
        .find(|part| !matches!(*part, "" | "."))
        .filter(|part| !path.starts_with('/') && !part.chars().all(value::is_mark));
    parts.is_some() && !value::is_open(path) && !path.split('/').any(|part| part == "..")
}
