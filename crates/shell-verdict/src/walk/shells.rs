//! Shells, interpreters and their input.

use std::rc::Rc;

use super::builtins::OPAQUE;
use super::{Origin, Rule, Stream, Value, Walk};

/// Options with which an interpreter runs the next argument.
const CODE: &str = "-c -e -E -r -p -pe -ne -i --eval --print --execute --command -es -ex -Command";

impl Walk<'_> {
    /// Walks text that a shell reads as its script.
    pub(super) fn run_stream(&mut self, stream: &Stream) -> Stream {
        match stream {
            Stream::Text(text) => {
                self.state.stdin = Rc::new(Stream::Unknown(Origin::Unknown));
                self.evaluate(text)
            }
            Stream::Unknown(origin) => {
                self.unknown_code(Some(*origin));
                Stream::Unknown(*origin)
            }
        }
    }

    pub(super) fn shell(&mut self, arguments: &[Value]) -> Stream {
        let mut rest = arguments.iter().enumerate();
        let mut runs_text = false;
        let mut reads_input = false;
        let mut script: Option<usize> = None;
        while let Some((at, word)) = rest.next() {
            match word.literal() {
                Some("-" | "--") => {
                    script = Some(at + 1);
                    break;
                }
                Some("-o" | "+o" | "-O" | "+O" | "--rcfile" | "--init-file") => {
                    if let Some((_, value)) = rest.next() {
                        self.set_shell_option(value);
                    }
                }
                Some("--version" | "--help") => return self.unknown_output(),
                Some(text) if text.starts_with("--") => {
                    if !matches!(text, "--posix" | "--login" | "--norc" | "--noprofile") {
                        self.report(Rule::UnknownOption);
                    }
                }
                Some(text) if text.starts_with(['-', '+']) => {
                    runs_text |= text.starts_with('-') && text.contains('c');
                    reads_input |= text.contains('s');
                    if text.contains(['k', 'a']) {
                        self.explain(Rule::Opaque, OPAQUE);
                    }
                    if text.ends_with(['o', 'O'])
                        && let Some((_, value)) = rest.next()
                    {
                        self.set_shell_option(value);
                    }
                }
                _ => {
                    script = Some(at);
                    break;
                }
            }
        }
        let operands = script
            .and_then(|at| arguments.get(at..))
            .unwrap_or_default();
        self.subshell(|walk| walk.run_shell(operands, runs_text, reads_input))
    }

    fn set_shell_option(&mut self, option: &Value) {
        if !matches!(
            option.literal(),
            Some("pipefail" | "errexit" | "nounset" | "noglob" | "nullglob" | "globstar")
        ) {
            self.explain(Rule::Opaque, OPAQUE);
        }
    }

    fn run_shell(&mut self, operands: &[Value], runs_text: bool, reads_input: bool) -> Stream {
        if runs_text {
            let Some((text, parameters)) = operands.split_first() else {
                return Stream::empty();
            };
            self.state.positional = Some(Rc::new(parameters.iter().skip(1).cloned().collect()));
            if let Some(text) = text.literal() {
                return self.evaluate(text);
            }
            self.unknown_code(text.origin());
            return self.unknown_output();
        }
        let file = if reads_input { None } else { operands.first() };
        self.state.positional = Some(Rc::new(
            operands
                .iter()
                .skip(usize::from(file.is_some()))
                .cloned()
                .collect(),
        ));
        let stdin = Rc::clone(&self.state.stdin);
        match file {
            None => self.run_stream(&stdin),
            Some(file) => match (&file.stream, file.literal()) {
                (Some(stream), _) => self.run_stream(&Rc::clone(stream)),
                (None, Some("/dev/stdin" | "/dev/fd/0" | "-")) => self.run_stream(&stdin),
                (None, Some(name)) if name.starts_with("/dev/") || name.starts_with("/proc/") => {
                    self.run_stream(&Stream::Unknown(Origin::Unknown))
                }
                (None, Some(_)) => {
                    self.script_file(file);
                    self.check_directory();
                    self.unknown_output()
                }
                (None, None) => {
                    self.unknown_code(file.origin());
                    self.unknown_output()
                }
            },
        }
    }

    pub(super) fn interpreter(&mut self, name: &str, arguments: &[Value]) -> Stream {
        let mut rest = arguments.iter();
        let mut has_code = false;
        while let Some(word) = rest.next() {
            match word.literal() {
                Some("-m") if name.starts_with("py") => return self.module(rest.as_slice()),
                Some(text)
                    if CODE.split(' ').any(|known| known == text)
                        || name.starts_with("vi") && matches!(text, "--cmd" | "-S") =>
                {
                    has_code = true;
                    rest.next()
                        .into_iter()
                        .for_each(|code| self.search_interpreted(code));
                }
                Some(text) if text.starts_with(['-', '+']) && text.len() > 1 => {
                    self.search_interpreted(&word.after(2));
                }
                Some("-") => {}
                _ if has_code => {
                    self.read(word);
                    self.search_interpreted(word);
                }
                _ => {
                    has_code = true;
                    match word.stream.as_deref() {
                        Some(Stream::Text(text)) => self.search_interpreted(&Value::known(text)),
                        Some(Stream::Unknown(Origin::Decoded)) => self.report(Rule::Encoded),
                        _ => {}
                    }
                    self.script_file(word);
                    break;
                }
            }
        }
        self.interpreter_input(name, has_code, arguments);
        self.unknown_output()
    }

    fn interpreter_input(&mut self, name: &str, has_code: bool, arguments: &[Value]) {
        let stdin = Rc::clone(&self.state.stdin);
        let is_input = |word: &Value| matches!(word.literal(), Some("-" | "/dev/stdin"));
        let reads =
            !has_code || arguments.iter().any(is_input) || matches!(name, "psql" | "vim" | "gdb");
        match stdin.as_ref() {
            Stream::Unknown(Origin::Download | Origin::Decoded) if reads => {
                self.unknown_code(Some(stdin.origin()));
            }
            Stream::Text(text) => self.search_interpreted(&Value::known(text)),
            Stream::Unknown(_) => {}
        }
    }

    fn module(&mut self, rest: &[Value]) -> Stream {
        let name = rest.first().and_then(Value::literal);
        match name {
            Some("pip" | "pip3" | "ensurepip" | "venv" | "virtualenv")
                if rest.iter().any(|word| {
                    matches!(
                        word.literal(),
                        Some("install" | "download" | "uninstall" | "wheel")
                    )
                }) =>
            {
                self.report(Rule::Install);
            }
            Some("http.server" | "ftplib" | "smtpd" | "webbrowser") => self.report(Rule::Network),
            _ => {}
        }
        self.search_arguments(rest);
        self.unknown_output()
    }
}
