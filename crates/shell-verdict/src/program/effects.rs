//! Effects of options and operands on files.

use super::super::state::State;
use super::super::table::Operands;
use super::super::value::Stream;
use super::super::verdict::CommandRule;
use super::super::walk::Walk;
use super::arguments::Arguments;

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
                    self.report(CommandRule::Interpreter, value);
                    self.code(state, "ruby", value);
                }
                _ => {}
            }
        }
    }

    fn reads_listed(&mut self, state: &State, path: &str) {
        self.reads(state, path, false);
        let text = match (path, self.pipe_text(path), &self.input) {
            (_, Some(text), _) => text,
            ("-", _, Stream::Text(text)) => text.clone(),
            ("-", _, Stream::Paths(paths)) => paths.join("\n"),
            _ => return self.report(CommandRule::Opaque, path),
        };
        for name in text.split(['\n', '\0']).filter(|name| !name.is_empty()) {
            self.reads(state, name, true);
        }
    }

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
                // Editors and pagers accept commands after `+`.
                if path.starts_with('+') {
                    walk.report(CommandRule::UnknownOption, path);
                }
                if path.contains("://") {
                    walk.report(CommandRule::Network, path);
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
                walk.report(CommandRule::UnknownOption, operand);
            }),
            Operands::Any | Operands::Command(_) | Operands::Subcommand => {}
        }
    }

    /// The first operand is the pattern unless an option contains it.
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
}
