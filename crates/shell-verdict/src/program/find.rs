//! Search roots, filters and actions of `find` and `fd`.

use super::super::state::State;
use super::super::value::{DEEP, GLOB, NUMBER, Stream, is_open};
use super::super::verdict::CommandRule;
use super::super::walk::Walk;

/// Tests with a value that exclude some files.
const NARROWING: [&str; 22] = [
    "-path",
    "-ipath",
    "-wholename",
    "-regex",
    "-iregex",
    "-mtime",
    "-mmin",
    "-atime",
    "-amin",
    "-ctime",
    "-cmin",
    "-size",
    "-newer",
    "-perm",
    "-user",
    "-group",
    "-inum",
    "-links",
    "-samefile",
    "-newermt",
    "-lname",
    "-uid",
];
const VALUED: [&str; 7] = [
    "-maxdepth",
    "-mindepth",
    "-type",
    "-xtype",
    "-fstype",
    "-regextype",
    "-printf",
];
const PLAIN: [&str; 29] = [
    "-print",
    "-print0",
    "-ls",
    "-prune",
    "-depth",
    "-d",
    "-mount",
    "-xdev",
    "-follow",
    "-noleaf",
    "-a",
    "-and",
    "(",
    ")",
    "-true",
    "-quit",
    "-L",
    "-H",
    "-P",
    "-readable",
    "-writable",
    "-executable",
    "-daystart",
    "-nouser",
    "-nogroup",
    "-o",
    "-or",
    ",",
    "-ignore_readdir_race",
];

#[derive(Debug, Default)]
struct Found {
    starts: Vec<String>,
    pattern: Option<String>,
    narrowed: bool,
    widened: bool,
}

impl Found {
    fn paths(&self) -> Vec<String> {
        let last = match (&self.pattern, self.narrowed) {
            _ if self.widened => String::new(),
            (Some(pattern), _) => format!("/{pattern}"),
            (None, true) => format!("/{NUMBER}"),
            (None, false) => String::new(),
        };
        self.starts
            .iter()
            .map(|start| format!("{start}/{DEEP}{last}"))
            .collect()
    }
}

impl Walk<'_> {
    pub(super) fn find(&mut self, state: &mut State, operands: &[String]) -> Stream {
        let is_start = |operand: &&String| {
            !operand.starts_with(['-', '(', '!']) || matches!(operand.as_str(), "-L" | "-H" | "-P")
        };
        let starts: Vec<String> = operands
            .iter()
            .take_while(is_start)
            .filter(|start| !start.starts_with('-'))
            .cloned()
            .collect();
        let mut rest = operands.iter().skip_while(is_start);
        let mut found = Found {
            starts: if starts.is_empty() {
                vec![".".to_owned()]
            } else {
                starts
            },
            ..Found::default()
        };
        for start in found.starts.clone() {
            if is_open(&start) {
                self.report(CommandRule::Opaque, &start);
            }
        }
        while let Some(test) = rest.next().filter(|_| !self.is_exhausted()) {
            self.find_test(state, test, &mut rest, &mut found);
        }
        Stream::Paths(found.paths().into())
    }

    fn find_test<'operand>(
        &mut self,
        state: &mut State,
        test: &str,
        rest: &mut impl Iterator<Item = &'operand String>,
        found: &mut Found,
    ) {
        match test {
            "-name" | "-iname" => {
                let pattern = rest
                    .next()
                    .map(|pattern| pattern.replace(['*', '?', '[', ']'], &GLOB.to_string()));
                found.pattern = pattern;
            }
            "-empty" => found.narrowed = true,
            "!" | "-not" => found.widened = true,
            "-delete" => self.deletes_found(state, found),
            "-exec" | "-execdir" | "-ok" | "-okdir" => self.find_command(state, rest, found),
            "-fprint" | "-fprint0" | "-fls" | "-fprintf" => {
                let path = rest.next().cloned().unwrap_or_default();
                self.writes(state, &path);
            }
            _ if NARROWING.contains(&test) => {
                let value = rest.next().map_or("", String::as_str);
                found.narrowed |= value.chars().any(|letter| !"*./".contains(letter));
            }
            _ if VALUED.contains(&test) => {
                rest.next();
            }
            "-o" | "-or" | "," => {
                // Every alternative must exclude something.
                found.widened |= found.pattern.is_none() && !found.narrowed;
                found.pattern = None;
                found.narrowed = false;
            }
            _ if PLAIN.contains(&test) => {}
            _ => self.report(CommandRule::UnknownOption, test),
        }
    }

    fn deletes_found(&mut self, state: &State, found: &Found) {
        let paths = found.paths();
        self.spend(&paths);
        for path in paths {
            self.deletes(state, &path);
        }
    }

    /// Handles `fd` with a command, which runs for all matches.
    pub(super) fn runs_for_each_file(
        &mut self,
        state: &mut State,
        name: &str,
        rest: &[String],
    ) -> Option<Stream> {
        const RUNNING: [&str; 4] = ["-x", "-X", "--exec", "--exec-batch"];
        if !matches!(name, "fd" | "fdfind") {
            return None;
        }
        let at = rest
            .iter()
            .position(|word| RUNNING.contains(&word.as_str()))?;
        let (before, command) = rest.split_at(at);
        let found = found_by_fd(before);
        let mut command = command.get(1..).unwrap_or_default().to_vec();
        if !command.iter().any(|word| word.contains('{')) {
            command.push("{}".to_owned());
        }
        self.find_command(state, &mut command.iter(), &found);
        Some(Stream::Unknown)
    }

    fn find_command<'operand>(
        &mut self,
        state: &mut State,
        rest: &mut impl Iterator<Item = &'operand String>,
        found: &Found,
    ) {
        let mut command = Vec::new();
        for word in rest.by_ref() {
            if word == ";" || (word == "+" && command.last().is_some_and(|last| last == "{}")) {
                break;
            }
            command.push(word.clone());
        }
        for path in found.paths() {
            if !self.spend(&command) {
                return;
            }
            let command: Vec<_> = command
                .iter()
                .map(|word| word.replace("{}", &path))
                .collect();
            self.deeper(|walk| walk.run_program(&mut state.clone(), &command));
        }
    }
}

fn found_by_fd(words: &[String]) -> Found {
    const WITH_VALUE: [&str; 10] = [
        "-e",
        "-t",
        "-d",
        "-E",
        "-S",
        "-o",
        "-c",
        "-j",
        "--type",
        "--max-depth",
    ];
    let mut operands = Vec::new();
    let mut found = Found::default();
    let mut queue = words.iter();
    while let Some(word) = queue.next() {
        if WITH_VALUE.contains(&word.as_str()) {
            found.narrowed |= word == "-e";
            queue.next();
        } else if !word.starts_with('-') {
            operands.push(word.clone());
        }
    }
    found.narrowed |= operands
        .first()
        .is_some_and(|pattern| pattern.chars().any(|letter| !"*./^$".contains(letter)));
    found.starts = operands.into_iter().skip(1).collect();
    if found.starts.is_empty() {
        found.starts.push(".".to_owned());
    }
    found
}
