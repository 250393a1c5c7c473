//! Builtins that change the shell's own state.

use std::rc::Rc;

use super::super::state::State;
use super::super::value::{self, FIELDS, Stream};
use super::super::verdict::CommandRule;
use super::super::walk::Walk;
use super::arguments::Arguments;

/// Options that change the meaning of commands, such as `lastpipe`, `cdable_vars` and `xpg_echo`.
const CHANGING: [&str; 6] = [
    "lastpipe",
    "cdable_vars",
    "keyword",
    "xpg_echo",
    "failglob",
    "extdebug",
];

/// Option letters of `set` that every shell supports.
const LETTERS: &str = "aCefmnuvxbo";
/// Option names of `set` that every shell supports.
const NAMES: [&str; 14] = [
    "allexport",
    "errexit",
    "ignoreeof",
    "monitor",
    "noclobber",
    "noglob",
    "noexec",
    "notify",
    "nounset",
    "verbose",
    "vi",
    "emacs",
    "xtrace",
    "",
];

/// Returns `true` if a shell with this option may exit at any command, or run none.
pub(super) fn ends_the_shell(option: &str) -> bool {
    matches!(option, "errexit" | "nounset" | "noexec")
}

/// A shell exits at an option that it does not support.
fn is_option_everywhere(word: &str) -> bool {
    match word.strip_prefix(['-', '+']) {
        Some(letters) => letters.chars().all(|letter| LETTERS.contains(letter)),
        None => NAMES.contains(&word),
    }
}

impl Walk<'_> {
    pub(super) fn options_of_shell(&mut self, words: &[String]) {
        let is_flag = |word: &str| {
            let mut letters = word.chars();
            letters.next() == Some('-') && letters.all(|letter| letter.is_ascii_alphabetic())
        };
        let options = words.iter().take_while(|word| *word != "--");
        for word in options {
            let is_keyword = is_flag(word) && word.contains('k');
            if is_keyword || CHANGING.contains(&word.as_str()) {
                self.report(CommandRule::UnknownOption, word);
            }
        }
    }

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

    pub(super) fn hash(&mut self, operands: &[String]) {
        let gives = |operand: &String| {
            value::may_be_option(operand) || operand.starts_with('-') && operand.contains('p')
        };
        if operands.iter().any(gives) {
            for operand in operands {
                self.report(CommandRule::UnknownProgram, operand);
                self.forbidden_names(operand.trim_start_matches("-p"));
            }
        }
    }

    pub(super) fn export(&mut self, state: &mut State, arguments: &Arguments) {
        if arguments.has(&["i", "n"]) {
            self.note_arithmetic();
        }
        let functions = arguments.has(&["f", "n"]);
        let names = arguments.operands.iter();
        let mut names = names.map(|operand| operand.split('=').next().unwrap_or_default());
        // Some shells exit if this fails.
        if functions || !names.all(value::is_name) {
            self.may_end();
        }
        for operand in &arguments.operands {
            if value::is_open(operand) {
                self.report(CommandRule::Opaque, operand);
                state.forget_all();
            }
            if operand.contains('[') {
                self.evaluated(state, operand);
                self.computes_subscript(state, operand.split('=').next().unwrap_or_default());
            }
            if operand.contains("=(") {
                self.may_fail(state);
            }
            if functions {
                continue;
            }
            // Words with `=` are already checked as assignments.
            match operand.split_once('=') {
                Some((_, "")) => {}
                Some((variable, value)) => {
                    self.check_environment(state, variable, value);
                    self.check_given(state, variable, value);
                    self.computes_value(state, value);
                    state.assign(variable, value.to_owned());
                }
                None if arguments.has(&["p"]) => {}
                None => {
                    self.check_environment(state, operand, "?");
                    let value = state.value(operand).unwrap_or_default();
                    self.check_given(state, operand, &value);
                }
            }
        }
    }

    pub(super) fn set(&mut self, state: &mut State, operands: &[String]) {
        self.options_of_shell(operands);
        let Some(first) = operands.first() else {
            return;
        };
        let options = || operands.iter().take_while(|word| *word != "--");
        let flags = || options().filter(|word| word.starts_with('-'));
        // After this, any failure may end the shell, or no command runs.
        let ends = flags().any(|flags| flags.contains(['e', 'u', 'n']));
        if ends || options().any(|word| ends_the_shell(word) || !is_option_everywhere(word)) {
            state.stops_early = true;
            self.may_end();
        }
        self.traces |= flags().any(|flags| flags.contains(['x', 'v']))
            || options().any(|word| matches!(word.as_str(), "xtrace" | "verbose"));
        state.exports_all |=
            flags().any(|flags| flags.contains('a')) || options().any(|word| word == "allexport");
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

    pub(super) fn eval(&mut self, state: &mut State, operands: &[String]) -> Stream {
        self.again(state, &operands.join(" "))
    }

    pub(super) fn source(&mut self, state: &mut State, operands: &[String]) {
        let Some(path) = operands.first() else {
            return;
        };
        match self.content_of(path) {
            Stream::Text(text) => {
                self.again(state, &text);
            }
            _ => self.script_file(state, path),
        }
    }

    pub(super) fn script_file(&mut self, state: &State, path: &str) {
        self.reads_quietly(state, path);
        let rule = match self.content_of(path) {
            Stream::Network => CommandRule::DownloadRun,
            _ if self.has_unpacked => CommandRule::DownloadRun,
            Stream::Decoded => CommandRule::Encoded,
            _ => CommandRule::Interpreter,
        };
        self.report(rule, path);
        if let Some(Stream::Text(text)) = self.descriptor_at(path).cloned() {
            self.suspect(state, &text);
        }
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
                "1" | "-1" | "0" => self.report(CommandRule::SystemControl, target),
                _ if own => {}
                _ => self.report(CommandRule::Processes, target),
            }
        }
    }
}
