//! Shells and interpreters.

use std::rc::Rc;

use super::super::state::State;
use super::super::value::{self, FIELDS, Stream};
use super::super::verdict::Rule;
use super::super::walk::Walk;
use super::arguments::Arguments;

/// Modules of Python that are tools of their own.
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
        let operands = arguments.operands.as_slice();
        if arguments.has(&["version", "help"]) {
            return None;
        }
        if arguments.has(&["i"]) && matches!(self.input, Stream::Network) {
            self.report(Rule::ReverseShell, name);
        }
        let mut inner = State::default();
        inner.directories.clone_from(&state.directories);
        inner.positional = operands
            .get(1..)
            .filter(|words| !words.iter().any(|word| word.contains(FIELDS)))
            .map(|words| Rc::from(words.get(1..).unwrap_or_default()));
        if arguments.has(&["c"]) {
            if let Some(name) = operands.get(1) {
                inner.assign("0", name.clone());
            }
            return operands.first().map(|text| self.again(&mut inner, text));
        }
        match operands.first().filter(|_| !arguments.has(&["s"])) {
            Some(path) if arguments.has(&["n"]) => {
                self.reads(state, path, false);
                None
            }
            Some(path) if path == "/dev/fd/63" && self.pipe_text().is_some() => {
                let text = self.pipe_text()?;
                Some(self.again(&mut inner, &text))
            }
            Some(path) if path != "-" && path != "/dev/stdin" => {
                self.script_file(path);
                None
            }
            _ => self.shell_input(&mut inner, name),
        }
    }

    fn shell_input(&mut self, state: &mut State, name: &str) -> Option<Stream> {
        match self.input.clone() {
            Stream::Empty => None,
            Stream::Text(text) => Some(self.again(state, &text)),
            Stream::Network => {
                self.report(Rule::DownloadRun, name);
                None
            }
            Stream::Paths(_) | Stream::Unknown => {
                self.report(Rule::Opaque, name);
                None
            }
        }
    }

    pub(super) fn interpreter(&mut self, name: &str, operands: &[String]) {
        let words: Vec<&str> = operands.iter().map(String::as_str).collect();
        if matches!(
            words.as_slice(),
            ["--version" | "-V" | "-v" | "--help" | "-h"]
        ) {
            return;
        }
        let module = matches!(words.as_slice(), ["-m", module, ..] if MODULES.contains(module));
        if module && name.starts_with("py") {
            return;
        }
        if matches!(words.as_slice(), ["--check" | "-c", ..])
            && matches!(name, "node" | "ruby" | "php")
            && words.len() == 2
            && name != "php"
        {
            return;
        }
        let fed = self.input == Stream::Network
            && (words.is_empty()
                || words == ["-"]
                || !module && words.iter().all(|word| word.starts_with('-')));
        if fed
            || operands
                .iter()
                .any(|word| value::from_network(word) || self.is_download(word))
        {
            self.report(Rule::DownloadRun, name);
        }
        let input = match &self.input {
            Stream::Text(text) => text.clone(),
            _ => String::new(),
        };
        if opens_a_shell(&(operands.join(" ") + &input)) {
            self.report(Rule::ReverseShell, name);
        }
        self.report(Rule::Interpreter, name);
    }
}

/// Whether code connects somewhere and starts a shell.
fn opens_a_shell(code: &str) -> bool {
    let connects = ["socket", "Socket", "fsockopen", "/inet/tcp", "net.connect"];
    let starts = [
        "/bin/sh",
        "/bin/bash",
        "dup2",
        "pty.spawn",
        "sh -i",
        "exec(",
        "spawn(",
    ];
    connects.iter().any(|word| code.contains(word)) && starts.iter().any(|word| code.contains(word))
}
