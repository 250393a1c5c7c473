//! Programs that change rights, links, archives and raw bytes.

use super::super::state::State;
use super::super::value::{self, Stream};
use super::super::verdict::Rule;
use super::super::walk::Walk;
use super::arguments::Arguments;

/// Words in the names of goals that install or publish.
const PUBLISHING: [&str; 4] = ["install", "deploy", "publish", "upload"];

impl Walk<'_> {
    pub(super) fn chmod(&mut self, state: &mut State, name: &str, operands: &[String]) {
        const FLAGS: [&str; 12] = [
            "-R",
            "-v",
            "-c",
            "-f",
            "-h",
            "-H",
            "-L",
            "-P",
            "--recursive",
            "--verbose",
            "--changes",
            "--silent",
        ];
        let mut words = operands
            .iter()
            .filter(|word| !FLAGS.contains(&word.as_str()));
        let Some(mode) = words.next() else {
            return;
        };
        if mode.starts_with("--reference") {
            self.report(Rule::UnknownOption, mode);
        }
        if name == "chmod" {
            self.mode(mode);
        } else {
            self.report(Rule::Protected, name);
        }
        for path in words {
            self.permits(state, path);
        }
    }

    pub(super) fn mode(&mut self, mode: &str) {
        let octal = mode.chars().all(|letter| letter.is_digit(8));
        let digits = mode.trim_start_matches('0');
        let sets_id = if octal {
            digits.len() > 3 && !digits.starts_with('1')
        } else {
            mode.split(',')
                .any(|part| part.contains(['+', '=']) && part.contains('s'))
        };
        if sets_id {
            self.report(Rule::Permission, mode);
        } else if !value::is_known(mode) {
            self.report(Rule::Opaque, mode);
        }
    }

    /// Targets that install, and variables that say what is run.
    pub(super) fn make(&mut self, arguments: &Arguments) {
        let is_input =
            |path: &String| path == "-" || path.starts_with("/dev/") || path.starts_with("/proc/");
        if let Some(path) = arguments.values('R').find(|path| is_input(path)) {
            let downloaded = self.input == Stream::Network;
            self.report(
                if downloaded {
                    Rule::DownloadRun
                } else {
                    Rule::Interpreter
                },
                path,
            );
        }
        for operand in &arguments.operands {
            match operand.split_once('=') {
                Some((name, value)) => {
                    self.check_environment(name.trim_end_matches([':', '+', '?']), value);
                }
                None if PUBLISHING.iter().any(|word| operand.contains(word)) => {
                    self.report(Rule::Install, operand);
                }
                None => {}
            }
        }
    }

    pub(super) fn dd(&mut self, state: &mut State, operands: &[String]) {
        for operand in operands {
            match operand.split_once('=') {
                Some(("if", path)) => self.reads(state, path, false),
                Some(("of", path)) => self.writes(state, path),
                Some((
                    "bs" | "count" | "skip" | "seek" | "ibs" | "obs" | "conv" | "status" | "iflag"
                    | "oflag" | "cbs",
                    _,
                )) => {}
                _ => self.report(Rule::UnknownOption, operand),
            }
        }
    }

    pub(super) fn link(&mut self, state: &mut State, operands: &[String]) {
        let (sources, target) = match operands.split_last() {
            Some((target, sources)) if !sources.is_empty() => (sources, Some(target)),
            _ => (operands, None),
        };
        for source in sources {
            self.reads(state, source, false);
            // What is outside would be inside by another name.
            let leads_out =
                source.starts_with('/') || source.contains("..") || value::is_open(source);
            if leads_out {
                self.report(Rule::Protected, source);
            }
        }
        if let Some(target) = target {
            self.writes(state, target);
        }
    }

    pub(super) fn tar(&mut self, state: &mut State, arguments: &Arguments) {
        let mut operands = arguments.operands.as_slice();
        let mut modes: String = arguments.options.concat();
        let mut archive = arguments.values('F').next().cloned();
        // The old form has its letters without a dash, and their values behind them.
        if let (true, Some((letters, rest))) = (
            arguments.options.is_empty() || !modes.contains(['c', 'x', 't', 'r', 'u', 'A']),
            operands.split_first(),
        ) {
            let known = letters
                .chars()
                .all(|letter| "cxtruAzjJvfkpamhO".contains(letter));
            if !known {
                self.report(Rule::UnknownOption, letters);
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
