//! Commands that change the state of the shell itself.

use std::rc::Rc;

use super::super::state::State;
use super::super::value::{self, FIELDS, NETWORK, Stream, UNKNOWN};
use super::super::verdict::Rule;
use super::super::walk::Walk;
use super::arguments::Arguments;

impl Walk<'_> {
    pub(super) fn cd(&mut self, state: &mut State, name: &str, operands: &[String]) {
        let home = self.places.home.clone();
        match (
            name,
            operands.iter().rfind(|operand| !operand.starts_with('-')),
        ) {
            ("popd" | "dirs", _) => {
                state.directories.insert(None);
            }
            (_, Some(target)) => self.change_directory(state, target),
            (_, None) if operands.iter().any(|operand| operand == "-") => {
                state.directories.insert(None);
            }
            (_, None) => self.change_directory(state, &home),
        }
    }

    /// `read` and its relatives: the named variables hold something else from here on.
    pub(super) fn assigning(&mut self, state: &mut State, name: &str, operands: &[String]) {
        if name == "shift" {
            state.forget_positional();
            return;
        }
        if name == "let" || operands.iter().any(|operand| operand.contains('[')) {
            self.note_arithmetic();
        }
        for operand in operands.iter().filter(|operand| operand.contains('[')) {
            self.evaluated(state, operand);
        }
        if matches!(name, "mapfile" | "readarray") {
            self.callback(state, operands);
        }
        if self.reads_known(state, name, operands) {
            return;
        }
        let value = match &self.input {
            Stream::Network => NETWORK.to_string(),
            Stream::Paths(paths) if paths.len() == 1 => paths.concat(),
            _ => UNKNOWN.to_string(),
        };
        for operand in operands {
            if value::is_open(operand) {
                state.forget_all();
            }
            let variable = operand.split(['=', '[']).next().unwrap_or_default();
            self.check_environment(state, variable, "?");
            if is_name(variable) {
                state.assign(variable, value.clone());
            }
        }
    }

    /// Assigns what `read` and `mapfile` read, if that is a text of their own and the options change nothing of it.
    fn reads_known(&mut self, state: &mut State, name: &str, operands: &[String]) -> bool {
        let text = match &self.input {
            Stream::Text(text) if self.has_own_input && value::is_known(text) => text.clone(),
            _ => return false,
        };
        let (options, names): (Vec<&String>, Vec<&String>) = operands
            .iter()
            .partition(|operand| operand.starts_with('-'));
        let plain = options
            .iter()
            .all(|option| matches!(option.as_str(), "-r" | "-a" | "-ra" | "-t"));
        if !plain
            || state.splits_unknown
            || text.contains('\\')
            || !names.iter().all(|name| is_name(name))
        {
            return false;
        }
        let Some((last, others)) = names.split_last() else {
            return false;
        };
        for name in &names {
            self.check_environment(state, name, "?");
        }
        if name != "read" {
            state.assign_list(last, text.lines().map(str::to_owned).collect());
            return true;
        }
        let line = text.lines().next().unwrap_or_default().trim();
        if options.iter().any(|option| option.contains('a')) {
            state.assign_list(last, line.split_whitespace().map(str::to_owned).collect());
            return true;
        }
        let mut rest = line;
        for name in others {
            let (word, behind) = rest.split_once([' ', '\t']).unwrap_or((rest, ""));
            state.assign(name, word.to_owned());
            rest = behind.trim_start();
        }
        state.assign(last, rest.to_owned());
        true
    }

    /// The command that `mapfile` runs for its lines, each with a number and the line behind it.
    fn callback(&mut self, state: &State, operands: &[String]) {
        let mut queue = operands.iter();
        while let Some(operand) = queue.next() {
            if value::may_be_option(operand) {
                self.report(Rule::Opaque, operand);
            }
            let letters = operand.strip_prefix('-').unwrap_or_default();
            let Some((option, glued)) = letters
                .char_indices()
                .find(|(_, letter)| "dnOsuCc".contains(*letter))
                .and_then(|(at, letter)| Some((letter, letters.get(at + 1..)?)))
            else {
                continue;
            };
            let value = if glued.is_empty() {
                queue.next().map_or("", String::as_str)
            } else {
                glued
            };
            if option == 'C' {
                self.again(&mut state.clone(), &format!("{value} 0 '{UNKNOWN}'"));
            }
        }
    }

    /// A name that is given another program.
    pub(super) fn hash(&mut self, operands: &[String]) {
        let gives = |operand: &String| {
            value::may_be_option(operand) || operand.starts_with('-') && operand.contains('p')
        };
        if operands.iter().any(gives) {
            for operand in operands {
                self.report(Rule::UnknownProgram, operand);
                self.forbidden_names(operand.trim_start_matches("-p"));
            }
        }
    }

    pub(super) fn export(&mut self, state: &mut State, arguments: &Arguments) {
        if arguments.has(&["i", "n"]) {
            self.note_arithmetic();
        }
        let functions = arguments.has(&["f", "n"]);
        for operand in &arguments.operands {
            if value::is_open(operand) {
                self.report(Rule::Opaque, operand);
                state.forget_all();
            }
            if operand.contains('[') {
                self.evaluated(state, operand);
            }
            if functions {
                continue;
            }
            // What came as an assignment has been judged with its value.
            match operand.split_once('=') {
                Some((_, "")) => {}
                Some((variable, value)) => {
                    self.check_environment(state, variable, value);
                    state.assign(variable, value.to_owned());
                }
                None => self.check_environment(state, operand, "?"),
            }
        }
    }

    pub(super) fn set(state: &mut State, operands: &[String]) {
        let Some(first) = operands.first() else {
            return;
        };
        let is_option = first.starts_with(['-', '+']) && first != "--" && first != "-";
        if is_option {
            let end = operands.iter().position(|operand| operand == "--");
            if end.is_none() && operands.len() <= 2 {
                return;
            }
        }
        let start = operands
            .iter()
            .position(|operand| operand == "--")
            .map_or(0, |at| at + 1);
        let words = operands.get(start..).unwrap_or_default();
        let known = !is_option && !words.iter().any(|word| word.contains(FIELDS));
        state.positional = known.then(|| Rc::from(words));
    }

    /// `echo` and `printf`: what they print is known if their arguments are.
    pub(super) fn echo(
        &mut self,
        state: &mut State,
        name: &str,
        operands: &[String],
    ) -> Option<Stream> {
        if operands.iter().any(|operand| value::from_network(operand)) {
            return Some(Stream::Network);
        }
        let text = match (name, operands) {
            ("printf", [option, variable, format, arguments @ ..]) if option == "-v" => {
                self.check_environment(state, variable, "?");
                self.evaluated(state, variable);
                let text = printed(format, arguments);
                state.assign(variable, text.unwrap_or_else(|| UNKNOWN.to_string()));
                return Some(Stream::Empty);
            }
            ("printf", [format, arguments @ ..]) => printed(format, arguments)?,
            _ => echoed(operands),
        };
        Some(Stream::Text(text))
    }

    pub(super) fn trap(&mut self, state: &mut State, operands: &[String]) {
        if let [action, _, ..] = operands
            && action != "-"
        {
            self.again(&mut state.clone(), action);
        }
    }

    pub(super) fn eval(&mut self, state: &mut State, operands: &[String]) -> Stream {
        self.again(state, &operands.join(" "))
    }

    pub(super) fn source(&mut self, state: &mut State, operands: &[String]) {
        let Some(path) = operands.first() else {
            return;
        };
        let text = match (self.content_of(path), self.pipe_text()) {
            (Stream::Text(text), _) => Some(text),
            (_, text) if path == "/dev/fd/63" => text,
            _ => None,
        };
        match text {
            Some(text) => {
                self.again(state, &text);
            }
            None => self.script_file(path),
        }
    }

    /// A file whose text is run.
    pub(super) fn script_file(&mut self, path: &str) {
        let rule = match self.content_of(path) {
            Stream::Network => Rule::DownloadRun,
            _ if self.has_unpacked => Rule::DownloadRun,
            _ => Rule::Interpreter,
        };
        self.report(rule, path);
    }

    pub(super) fn kill(&mut self, operands: &[String]) {
        let lists = operands
            .iter()
            .any(|operand| matches!(operand.as_str(), "-l" | "-L" | "-0"));
        if lists {
            return;
        }
        let targets = operands
            .iter()
            .enumerate()
            .filter(|(at, operand)| !(*at == 0 && operand.starts_with('-')));
        for (_, target) in targets {
            let own = target.starts_with('%') || target == value::JOB;
            match target.as_str() {
                "1" | "-1" | "0" => self.report(Rule::SystemControl, target),
                _ if own => {}
                _ => self.report(Rule::Processes, target),
            }
        }
    }
}

fn is_name(text: &str) -> bool {
    text.starts_with(|letter: char| letter == '_' || letter.is_ascii_alphabetic())
        && text
            .chars()
            .all(|letter| letter == '_' || letter.is_ascii_alphanumeric())
}

fn echoed(operands: &[String]) -> String {
    let is_option =
        |operand: &&String| matches!(operand.as_str(), "-n" | "-e" | "-E" | "-ne" | "-en");
    let escapes = operands
        .iter()
        .take_while(is_option)
        .any(|operand| operand.contains('e'));
    let words: Vec<_> = operands
        .iter()
        .skip_while(is_option)
        .map(String::as_str)
        .collect();
    let mut text = words.join(" ");
    if escapes {
        text = super::super::parse::decode_escapes(&text);
    }
    text + "\n"
}

/// What `printf` prints if the format has nothing but `%s`, `%b` and `%%`.
fn printed(format: &str, arguments: &[String]) -> Option<String> {
    let format = super::super::parse::decode_escapes(format);
    let mut arguments = arguments.iter();
    let mut text = String::new();
    loop {
        let before = arguments.len();
        let mut letters = format.chars();
        while let Some(letter) = letters.next() {
            match (letter, letter == '%') {
                (_, true) => match letters.next()? {
                    '%' => text.push('%'),
                    's' => text.push_str(arguments.next().map_or("", String::as_str)),
                    'b' => text.push_str(&super::super::parse::decode_escapes(
                        arguments.next().map_or("", String::as_str),
                    )),
                    _ => text.push(UNKNOWN),
                },
                _ => text.push(letter),
            }
            if text.len() > super::super::limits::MOST_VALUE_BYTES {
                return None;
            }
        }
        if arguments.len() == 0 || arguments.len() == before {
            return Some(text);
        }
    }
}
