//! Programs that pack and unpack.

use super::super::state::State;
use super::super::value::Stream;
use super::super::verdict::CommandRule;
use super::super::walk::Walk;
use super::arguments::Arguments;

impl Walk<'_> {
    pub(super) fn cpio(&mut self, state: &State, arguments: &Arguments) {
        for directory in arguments.values('T') {
            self.writes(state, directory);
        }
        self.note_unpacked();
        if arguments.has(&["p", "pass-through"]) {
            self.each(&arguments.operands, |walk, path| walk.writes(state, path));
        } else if arguments.has(&["i", "extract"]) {
            if arguments.values('T').next().is_none() {
                self.writes(state, "./x");
            }
            // An archive may contain absolute names.
            if !arguments.has(&["no-absolute-filenames", "list", "t"]) {
                self.report(CommandRule::UnknownOption, "cpio");
            }
            self.has_unpacked |= self.input == Stream::Network;
            return;
        }
        match self.input.clone() {
            Stream::Paths(paths) => {
                self.each(&paths, |walk, path| walk.reads(state, path, true));
            }
            Stream::Text(text) => {
                for path in text.lines() {
                    self.reads(state, path, true);
                }
            }
            _ => self.report(CommandRule::Opaque, "cpio"),
        }
    }

    /// Archivers with a command letter, an archive and files.
    pub(super) fn packed(&mut self, state: &State, operands: &[String]) {
        let mut words = operands.iter();
        let task = words.next().map_or("", String::as_str);
        let lists = matches!(task, "l" | "t" | "-t" | "tv" | "p");
        for option in words.clone().filter(|word| word.starts_with('-')) {
            if !["-o", "-y", "-r", "-bd", "-bb"]
                .iter()
                .any(|known| option.starts_with(known))
            {
                self.report(CommandRule::UnknownOption, option);
            }
        }
        if task.trim_start_matches('-').starts_with(['x', 'e']) {
            self.writes(state, "./x");
            self.note_unpacked();
        }
        let mut words = words.filter(|word| !word.starts_with('-'));
        if let Some(archive) = words.next() {
            self.reads(state, archive, false);
            if !lists {
                self.writes(state, archive);
            }
        }
        for path in words {
            self.reads(state, path.trim_start_matches('@'), true);
        }
        for option in operands.iter().filter(|word| word.starts_with("-o")) {
            self.writes(state, option.get(2..).unwrap_or_default());
        }
    }

    pub(super) fn tar(&mut self, state: &mut State, arguments: &Arguments) {
        let mut operands = arguments.operands.as_slice();
        let mut modes: String = arguments.options.concat();
        let mut archive = arguments.values('F').next().cloned();
        // The traditional form has option letters without a dash, followed by their values.
        if let (true, Some((letters, rest))) = (
            arguments.options.is_empty() || !modes.contains(['c', 'x', 't', 'r', 'u', 'A']),
            operands.split_first(),
        ) {
            let known = letters
                .chars()
                .all(|letter| "cxtruAzjJvfkpamhO".contains(letter));
            if !known {
                self.report(CommandRule::UnknownOption, letters);
            }
            modes.push_str(letters);
            operands = rest;
            if letters.contains('f') {
                archive = rest.first().cloned();
                operands = rest.get(1..).unwrap_or_default();
            }
        }
        self.archive(state, &modes, archive.as_deref(), operands, arguments);
    }

    fn archive(
        &mut self,
        state: &mut State,
        modes: &str,
        archive: Option<&str>,
        operands: &[String],
        arguments: &Arguments,
    ) {
        let long = |name: &str| arguments.options.iter().any(|option| option == name);
        let lists = modes.contains('t') && !modes.contains(['x', 'c']) || long("list");
        let extracts = modes.contains('x') && !long("create") || long("extract");
        if lists {
            self.reads(state, archive.unwrap_or("-"), false);
            return;
        }
        for directory in arguments.values('T').filter(|_| extracts) {
            self.writes(state, directory);
        }
        if extracts {
            self.writes(state, "./x");
            self.note_unpacked();
            if modes.contains('P') || long("absolute-names") {
                self.report(CommandRule::WriteOutside, "-P");
            }
            let fetched = archive.is_none_or(|path| path == "-") && self.input == Stream::Network;
            self.has_unpacked |= fetched || archive.is_some_and(|path| self.is_download(path));
            return;
        }
        if let Some(archive) = archive {
            self.writes(state, archive);
        }
        for directory in arguments.values('T') {
            self.reads(state, directory, true);
        }
        for operand in operands {
            self.reads(state, operand, true);
        }
    }
}
