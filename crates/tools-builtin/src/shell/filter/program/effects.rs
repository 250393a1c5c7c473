//! What options and operands do to files.

use std::rc::Rc;

use super::super::paths::Places;
use super::super::state::{Directories, State};
use super::super::table::Operands;
use super::super::value::{self, DEEP, Stream, TOP_OF_REPOSITORY};
use super::super::verdict::Rule;
use super::super::walk::Walk;
use super::arguments::Arguments;

/// What judging one path costs.
const WORK_OF_A_PATH: usize = 32;

impl Walk<'_> {
    pub(super) fn apply_values(&mut self, state: &mut State, arguments: &Arguments) {
        for (effect, value) in arguments.effects() {
            match effect {
                'R' | '3' => self.reads(state, value, false),
                'W' => self.writes(state, value),
                'M' => self.mode(value),
                'U' => {
                    if let Some((_, path)) = value.split_once(['@', '<']) {
                        let home = path
                            .strip_prefix('~')
                            .map(|rest| self.places.home.clone() + rest);
                        self.reads(state, home.as_deref().unwrap_or(path), false);
                    }
                }
                'C' => {
                    self.in_shell("sh", |walk| walk.again(&mut state.clone(), value));
                }
                'L' => self.reads_listed(state, value),
                'A' | 'E' | 'G' => {
                    self.reads_quietly(state, value);
                    self.suspect_setting(state, value);
                }
                'K' => self.configuration(state, value),
                'S' => self.property(state, value, arguments),
                'X' => {
                    self.report(Rule::Interpreter, value);
                    self.code(state, "ruby", value);
                }
                _ => {}
            }
        }
    }

    /// Judges the reading of the files that are named in a file.
    fn reads_listed(&mut self, state: &State, path: &str) {
        self.reads(state, path, false);
        let text = match (path, self.pipe_text(path), &self.input) {
            (_, Some(text), _) => text,
            ("-", _, Stream::Text(text)) => text.clone(),
            ("-", _, Stream::Paths(paths)) => paths.join("\n"),
            _ => return self.report(Rule::Opaque, path),
        };
        for name in text.split(['\n', '\0']).filter(|name| !name.is_empty()) {
            self.reads(state, name, true);
        }
    }

    /// Judges the reading of what may be paths among options and their values.
    pub(super) fn reads_some(&mut self, state: &State, words: &[String]) {
        for word in words.iter().filter(|word| word.contains('/')) {
            let path = match word.split_once('=') {
                Some((_, value)) => value,
                None if word.starts_with('-') => word.get(2..).unwrap_or_default(),
                None => word,
            };
            self.reads_quietly(state, path.trim_start_matches('@'));
        }
    }

    pub(super) fn operand_effects(
        &mut self,
        state: &mut State,
        effect: Operands,
        name: &str,
        arguments: &Arguments,
    ) {
        let operands = arguments.operands.as_slice();
        let recursive = arguments.has(&[
            "r",
            "R",
            "recursive",
            "dereference-recursive",
            "a",
            "archive",
        ]);
        match effect {
            Operands::Reads => self.each(operands, |walk, path| {
                // An editor's or pager's way to give commands.
                if path.starts_with('+') {
                    walk.report(Rule::UnknownOption, path);
                }
                if path.contains("://") {
                    walk.report(Rule::Network, path);
                }
                walk.reads(state, path, false);
            }),
            Operands::ReadsAll => self.each(operands, |walk, path| walk.reads(state, path, true)),
            Operands::Writes => self.each(operands, |walk, path| walk.writes(state, path)),
            Operands::Deletes => self.each(operands, |walk, path| walk.deletes(state, path)),
            Operands::PatternThenReads => {
                self.searches(state, name, arguments, recursive);
                if name == "yq" {
                    self.loads(state, operands);
                }
            }
            Operands::ArchiveThenReads => self.packs(state, arguments),
            Operands::Copies | Operands::Moves => self.copies(state, effect, arguments),
            Operands::None => self.each(operands, |walk, operand| {
                walk.report(Rule::UnknownOption, operand);
            }),
            Operands::Any | Operands::Command(_) | Operands::Subcommand => {}
        }
    }

    /// The first operand is what is looked for, unless an option says it.
    fn searches(&mut self, state: &State, name: &str, arguments: &Arguments, recursive: bool) {
        let has_pattern =
            arguments.values('P').next().is_some() || arguments.has(&["f", "file", "files"]);
        let files = arguments.operands.get(usize::from(!has_pattern)..);
        let all = recursive || matches!(name, "rg" | "ag" | "ack");
        self.each(files.unwrap_or_default(), |walk, path| {
            walk.reads(state, path, all);
        });
    }

    pub(super) fn each(&mut self, operands: &[String], mut effect: impl FnMut(&mut Self, &str)) {
        for operand in operands {
            effect(self, operand);
        }
    }

    fn packs(&mut self, state: &State, arguments: &Arguments) {
        let Some((archive, sources)) = arguments.operands.split_first() else {
            return;
        };
        self.writes(state, archive);
        for source in sources {
            self.reads(state, source, true);
            if arguments.has(&["m"]) {
                self.deletes(state, source);
            }
        }
    }

    fn copies(&mut self, state: &State, effect: Operands, arguments: &Arguments) {
        let has_target = arguments.has(&["t", "target-directory"]);
        if arguments.has(&["T", "no-target-directory"]) {
            self.note_unpacked();
        }
        let operands = arguments.operands.as_slice();
        let (sources, target) = match operands.split_last() {
            Some((target, sources)) if !has_target && !sources.is_empty() => {
                (sources, Some(target))
            }
            _ => (operands, None),
        };
        for source in sources {
            self.reads(state, source, true);
            self.note_arriving(source);
            if arguments.has(&["s", "l", "symbolic-link", "link"]) {
                self.links_to(source);
            }
            if effect == Operands::Moves {
                self.deletes(state, source);
            }
        }
        if let Some(target) = target {
            self.writes(state, target);
            if sources.iter().any(|source| self.is_download(source)) {
                self.downloads
                    .insert(target.rsplit('/').next().unwrap_or_default().to_owned());
            }
        }
    }

    pub(super) fn judge_path(
        &mut self,
        state: &State,
        path: &str,
        judge: impl Fn(&Places, Option<String>) -> Option<Rule>,
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

    /// Judges the reading of `path`; with everything below it if `recursive`.
    pub(in super::super) fn reads(&mut self, state: &State, path: &str, recursive: bool) {
        if path.starts_with("/dev/tcp/") || path.starts_with("/dev/udp/") {
            self.report(Rule::ReverseShell, path);
        }
        if value::is_open(path) && !value::from_network(path) {
            self.report(Rule::Opaque, path);
        }
        self.judge_path(state, path, |places, path| {
            places.reading(&path?, recursive)
        });
    }

    /// Judges the reading of what may be a path or not.
    pub(super) fn reads_quietly(&mut self, state: &State, path: &str) {
        self.judge_path(state, path, |places, path| places.reading(&path?, false));
    }

    pub(in super::super) fn writes(&mut self, state: &State, path: &str) {
        if path == "-" {
            return;
        }
        if self.is_elsewhere && is_a_disk(path) {
            self.report_everywhere(Rule::Disk, path);
        }
        self.judge_path(state, path, |places, path| match path {
            Some(path) => places.writing(&path),
            None => Some(Rule::Opaque),
        });
        self.note_written(path);
        if matches!(self.input, Stream::Network | Stream::Decoded) {
            self.note_downloads(&self.input.clone(), &[path.to_owned()]);
        }
    }

    /// Asks about a program that is told to work outside of the roots.
    pub(super) fn works_in(&mut self, state: &State, directory: &str) {
        self.judge_path(state, directory, |places, path| {
            let rule = places.writing(&path?)?;
            (rule == Rule::WriteOutside).then_some(Rule::UnknownOption)
        });
    }

    pub(super) fn is_at_work(&self, path: &str) -> bool {
        Places::resolve(path, None).is_some_and(|path| self.places.is_at_work(&path))
    }

    /// Judges the deletion of what is below `path`, which is no harm at work.
    pub(super) fn deletes_outside(&mut self, state: &State, path: &str) {
        if self.is_elsewhere {
            return self.deletes(state, path);
        }
        self.judge_path(state, path, |places, path| {
            let at_work = path.is_some_and(|path| places.is_at_work(&path));
            (!at_work).then_some(Rule::Delete)
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
            None if is_doubtful => Some(Rule::Opaque),
            None => Some(Rule::Delete),
        });
    }

    /// Judges what `mktemp` makes. Files with names of its own making are no harm in a temporary folder.
    pub(super) fn temporary_file(&mut self, state: &State, arguments: &Arguments) {
        let in_temporary = arguments.has(&["t", "u", "dry-run"]);
        let folder = arguments.values('W').last();
        for template in arguments.operands.iter().filter(|_| !in_temporary) {
            let path = folder.map_or(template.clone(), |folder| format!("{folder}/{template}"));
            self.judge_path(state, &path, |places, path| match path {
                Some(path) => places
                    .writing(&path)
                    .filter(|rule| *rule != Rule::Temporary),
                None => Some(Rule::Opaque),
            });
        }
    }

    pub(super) fn permits(&mut self, state: &State, path: &str) {
        self.judge_path(state, path, |places, path| match path {
            Some(path) => places.permitting(&path),
            None => Some(Rule::Opaque),
        });
    }

    /// Changes to where `directory` leads from everywhere that is possible.
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
            self.report(Rule::Opaque, directory);
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

    /// The way back from a folder leads out of the roots only if the way there had failed: nobody knows then.
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

/// What stands behind the top folder of the repository in a path, if that can be followed.
fn below_top(path: &str) -> Option<&str> {
    let rest = path.strip_prefix(TOP_OF_REPOSITORY)?;
    let below = match rest {
        "" => ".",
        rest => rest.strip_prefix('/')?,
    };
    (value::is_known(below) && !below.split('/').any(|part| part == "..")).then_some(below)
}

/// Whether this is a disk or a part of one, by the names that they have everywhere.
fn is_a_disk(path: &str) -> bool {
    const DISKS: [&str; 8] = ["sd", "hd", "vd", "xvd", "nvme", "mmcblk", "disk", "mapper/"];
    let device = path.strip_prefix("/dev/").unwrap_or_default();
    DISKS.iter().any(|start| device.starts_with(start))
}

/// Whether a path says what is deleted, wherever that is.
fn names_something(path: &str) -> bool {
    let parts = path
        .split('/')
        .find(|part| !matches!(*part, "" | "."))
        .filter(|part| !path.starts_with('/') && !part.chars().all(value::is_mark));
    parts.is_some() && !value::is_open(path) && !path.split('/').any(|part| part == "..")
}
