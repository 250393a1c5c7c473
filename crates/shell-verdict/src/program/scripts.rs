//! Shells and interpreters.

use std::rc::Rc;

use super::super::state::State;
use super::super::table;
use super::super::value::{self, FIELDS, Stream};
use super::super::verdict::CommandRule;
use super::super::walk::{Walk, known_to_be_there_or_not};
use super::arguments::Arguments;
use super::builtins::ends_the_shell;
use super::forms::is_harmless_form;

/// Python modules that are tools.
const MODULES: [&str; 15] = [
    "pytest",
    "unittest",
    "json.tool",
    "py_compile",
    "compileall",
    "mypy",
    "black",
    "ruff",
    "flake8",
    "doctest",
    "isort",
    "pyflakes",
    "coverage",
    "tabnanny",
    "this",
];

impl Walk<'_> {
    pub(super) fn shell(
        &mut self,
        state: &mut State,
        name: &str,
        arguments: &Arguments,
    ) -> Option<Stream> {
        let output = self.in_shell(name, |walk| walk.shell_itself(state, name, arguments))?;
        // Other shells are not installed everywhere.
        Some(match name {
            "sh" | "bash" => output,
            _ => known_to_be_there_or_not(output),
        })
    }

    fn shell_itself(
        &mut self,
        state: &mut State,
        name: &str,
        arguments: &Arguments,
    ) -> Option<Stream> {
        let operands = arguments.operands.as_slice();
        if arguments.has(&["version", "help"]) {
            return None;
        }
        if arguments.has(&["i"]) && matches!(self.input, Stream::Network) {
            self.report(CommandRule::ReverseShell, name);
        }
        let options: Vec<String> = arguments.values('V').cloned().collect();
        self.options_of_shell(&options);
        // The text and its name, the script file, or nothing precede the arguments.
        let in_front = match (arguments.has(&["c"]), arguments.has(&["s"])) {
            (true, _) => 2,
            (false, true) => 0,
            (false, false) => 1,
        };
        let mut inner = new_shell(state, operands, in_front);
        if arguments.has(&["c"]) {
            if let Some(name) = operands.get(1) {
                inner.assign("0", name.clone());
            }
            let text = operands.first()?;
            return Some(self.run_text(&mut inner, arguments, text));
        }
        match operands.first().filter(|_| !arguments.has(&["s"])) {
            Some(path) if arguments.has(&["n"]) => {
                self.reads(state, path, false);
                None
            }
            Some(path) if !is_standard_input(path) => {
                let Some(text) = self.pipe_text(path) else {
                    self.script_file(state, path);
                    return None;
                };
                Some(self.run_text(&mut inner, arguments, &text))
            }
            _ => self.shell_input(&mut inner, name, arguments),
        }
    }

    /// Runs text in a new shell, which may exit at the first failure or run nothing.
    fn run_text(&mut self, state: &mut State, arguments: &Arguments, text: &str) -> Stream {
        self.traces |= arguments.has(&["x", "v"]);
        self.contained(|walk| {
            let mut options = arguments.values('V');
            if arguments.has(&["e", "u", "n"]) || options.any(|option| ends_the_shell(option)) {
                state.stops_early = true;
                walk.may_end();
            }
            walk.again(state, text)
        })
    }

    fn shell_input(
        &mut self,
        state: &mut State,
        name: &str,
        arguments: &Arguments,
    ) -> Option<Stream> {
        match self.input.clone() {
            Stream::Empty => None,
            Stream::Text(text) => {
                // Its commands read the same input and consume the rest.
                let outer = std::mem::replace(&mut self.input, Stream::Script);
                let output = self.run_text(state, arguments, &text);
                self.input = outer;
                Some(known_to_be_there_or_not(output))
            }
            Stream::Network => {
                self.report(CommandRule::DownloadRun, name);
                None
            }
            Stream::Decoded => {
                self.report(CommandRule::Encoded, name);
                None
            }
            Stream::Paths(_) | Stream::Script | Stream::Unknown => {
                self.report(CommandRule::Opaque, name);
                None
            }
        }
    }

    pub(super) fn interpreter(&mut self, state: &State, name: &str, operands: &[String]) {
        if let ["-m", module, rest @ ..] = operands
            .iter()
            .map(String::as_str)
            .collect::<Vec<_>>()
            .as_slice()
            && name.starts_with("py")
        {
            let words = operands.get(2..).unwrap_or_default();
            if table::find("", module).is_some() && MODULES.contains(module) {
                let command = operands.get(1..).unwrap_or_default();
                self.deeper(|walk| walk.run_program(&mut state.clone(), command));
                return;
            }
            match *module {
                "json.tool" => self.json_tool(state, rest),
                "unittest" | "doctest" => self.steered_by_words(state, words),
                "compileall" | "py_compile" => self.each(words, |walk, path| {
                    if !path.starts_with('-') {
                        walk.writes(state, path);
                    }
                }),
                _ => {}
            }
        }
        if is_harmless_form(name, operands) || is_known_module(name, operands) {
            return;
        }
        let is_file = |word: &String| !word.starts_with('-') && word != "/dev/stdin";
        let reads_input = !operands.iter().any(is_file)
            || operands
                .iter()
                .any(|word| matches!(word.as_str(), "-" | "/dev/stdin"));
        let is_fed = self.input == Stream::Network && reads_input;
        let is_fetched = |word: &String| value::from_network(word) || self.is_download(word);
        if is_fed || operands.iter().any(is_fetched) {
            self.report(CommandRule::DownloadRun, name);
        }
        if self.input == Stream::Decoded && reads_input || self.is_code_decoded(operands) {
            self.report(CommandRule::Encoded, name);
        }
        self.code_and_files(state, name, operands);
        if self.has_unpacked && operands.iter().any(is_file) {
            self.report(CommandRule::DownloadRun, name);
        }
        self.report(CommandRule::Interpreter, name);
    }

    /// `json.tool` reads its first path and writes the second.
    fn json_tool(&mut self, state: &State, words: &[&str]) {
        let mut words = words.iter();
        let mut paths = Vec::new();
        while let Some(word) = words.next() {
            match word.strip_prefix("--") {
                Some("") => paths.extend(words.by_ref()),
                // `--indent` may be abbreviated.
                Some(option) if option.starts_with("in") && !option.contains('=') => {
                    words.next();
                }
                Some(_) => {}
                None => paths.push(word),
            }
        }
        if let [read, written @ ..] = paths.as_slice() {
            self.reads(state, read, false);
            for path in written {
                self.writes(state, path);
            }
        }
    }

    /// Returns `true` if the code or script file was decoded.
    fn is_code_decoded(&self, operands: &[String]) -> bool {
        let at = operands.iter().position(|word| !word.starts_with('-'));
        let Some((at, word)) = at.and_then(|at| Some((at, operands.get(at)?))) else {
            return false;
        };
        let option = at.checked_sub(1).and_then(|before| operands.get(before));
        match option.map(String::as_str) {
            Some("-c" | "-e" | "-r" | "-E" | "-p" | "-pe" | "-ne" | "--eval" | "--print") => {
                value::is_decoded(word)
            }
            _ => self.content_of(word) == Stream::Decoded,
        }
    }

    fn code_and_files(&mut self, state: &State, name: &str, operands: &[String]) {
        let input = match &self.input {
            Stream::Text(text) => text.clone(),
            _ => String::new(),
        };
        self.code(state, name, &operands.join("\n"));
        self.code(state, name, &input);
        self.escapes(state, &operands.join("\n"));
        self.escapes(state, &input);
        for text in operands
            .iter()
            .filter_map(|path| self.pipe_text(path))
            .collect::<Vec<_>>()
        {
            self.code(state, name, &text);
        }
        self.reads_some(state, operands);
        if matches!(name, "perl" | "ruby") && operands.iter().any(|word| edits_in_place(word)) {
            let files: Vec<String> = operands
                .iter()
                .filter(|word| !word.starts_with('-'))
                .cloned()
                .collect();
            self.each(&files, |walk, path| {
                if !path.contains(' ') {
                    walk.for_harm(|walk| walk.writes(state, path));
                }
            });
        }
        match name {
            "bun" => self.bun(state, operands),
            "pwsh" => self.power_shell(state, operands),
            "java" => self.java(state, operands),
            _ => {}
        }
        if matches!(name, "gdb" | "lldb" | "expect") {
            self.suspect_arguments(state, operands);
        }
    }
}

impl Walk<'_> {
    /// PowerShell text with other command names.
    fn power_shell(&mut self, state: &State, operands: &[String]) {
        let is_command =
            |word: &String| matches!(word.to_ascii_lowercase().as_str(), "-c" | "-command");
        let at = operands.iter().position(is_command);
        let words = at.and_then(|at| operands.get(at + 1..)).unwrap_or_default();
        let text = words.join(" ").replace("Remove-Item", "rm");
        self.suspect(state, &text);
    }

    /// Java options with commands that run after a fault.
    fn java(&mut self, state: &State, operands: &[String]) {
        for word in operands {
            let at_fault = ["-XX:OnError=", "-XX:OnOutOfMemoryError="];
            if let Some(text) = at_fault.iter().find_map(|option| word.strip_prefix(option)) {
                self.suspect(state, text);
            }
        }
    }
}

fn new_shell(state: &State, operands: &[String], in_front: usize) -> State {
    let mut inner = State::default();
    inner.directories.clone_from(&state.directories);
    inner.is_anywhere = state.is_anywhere;
    let is_known = !operands.iter().any(|word| word.contains(FIELDS));
    let own = operands.get(in_front..).unwrap_or_default();
    inner.positional = is_known.then(|| Rc::from(own));
    inner
}

fn is_standard_input(path: &str) -> bool {
    matches!(path, "-" | "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0")
}

fn edits_in_place(word: &str) -> bool {
    let letters = word.strip_prefix('-').unwrap_or_default();
    let flags = letters
        .split(['.', 'e', 'M', 'I', 'r'])
        .next()
        .unwrap_or_default();
    flags.contains('i')
}

fn is_known_module(name: &str, operands: &[String]) -> bool {
    let words: Vec<&str> = operands.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["-V" | "-h"] => name.starts_with("py"),
        ["-m", module, ..] => name.starts_with("py") && MODULES.contains(module),
        ["--check" | "-c", _] => matches!(name, "node" | "ruby"),
        _ => false,
    }
}
