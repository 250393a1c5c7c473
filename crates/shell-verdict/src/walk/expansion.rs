//! Variables and substitutions.

use std::rc::Rc;

use super::super::parse;
use super::super::state::State;
use super::super::syntax::{Operation, Part, Script, Variable, Word};
use super::super::value::{self, FIELDS, NETWORK, NUMBER, Stream, UNKNOWN};
use super::super::verdict::CommandRule;
use super::assembly::{self, Piece, Surroundings};
use super::lists::is_list;
use super::{Walk, braces, parameters};

/// Cost of braces per character of their word.
const WORK_OF_BRACES: usize = 4;

impl Walk<'_> {
    pub(super) fn words(&mut self, state: &mut State, words: &[Word]) -> Vec<String> {
        let mut expanded = Vec::new();
        for word in words {
            if self.is_exhausted() {
                break;
            }
            expanded.extend(self.word(state, word));
        }
        expanded
    }

    /// Runs `expand` for values that are stored or printed.
    pub(super) fn remembered<T>(&mut self, expand: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.is_remembered, true);
        let expanded = expand(self);
        self.is_remembered = outer;
        expanded
    }

    pub(super) fn word(&mut self, state: &mut State, word: &Word) -> Vec<String> {
        let pieces = self.pieces(state, word);
        let mut braces = pieces.iter().filter(|piece| piece.is('{')).count();
        if braces > 0 && self.shells.are_plain() {
            braces = 0;
        }
        // Each pair of braces copies its content.
        self.spend_bytes(WORK_OF_BRACES * braces * pieces.len());
        let surroundings = self.surroundings(state);
        let words = if braces == 0 {
            vec![pieces]
        } else {
            braces::expand(pieces)
        };
        let words: Vec<String> = words
            .iter()
            .flat_map(|pieces| assembly::words(pieces, surroundings))
            .map(value::bounded)
            .collect();
        for word in &words {
            self.note_text(word);
        }
        // Many words from one cost as much as many commands.
        self.spend(words.get(1..).unwrap_or_default());
        words
    }

    /// Expands without splitting and globs.
    pub(super) fn value_of(&mut self, state: &mut State, word: &Word) -> String {
        let pieces = self.pieces(state, word);
        assembly::text(&pieces, self.surroundings(state))
    }

    fn surroundings(&self, state: &State) -> Surroundings<'_> {
        Surroundings {
            home: &self.places.home,
            splits_unknown: state.splits_unknown,
        }
    }

    fn pieces(&mut self, state: &mut State, word: &Word) -> Vec<Piece> {
        let mut pieces = Vec::new();
        for part in &word.parts {
            match part {
                Part::Literal(text) => pieces.push(Piece::Quoted(text.clone())),
                Part::Plain(text) => pieces.extend(text.chars().map(Piece::Active)),
                Part::Variable(variable) => pieces.push(self.variable(state, variable)),
                Part::Substitution { script, quoted } => {
                    let output = self.substitution(state, script).substituted();
                    let output = self.folder_or_nothing(script, output);
                    pieces.push(expanded(output, *quoted));
                }
                Part::Process { script, writes } => {
                    pieces.push(Piece::Quoted(self.process(state, script, *writes)));
                }
                Part::Arithmetic(inner) => {
                    let text = self.value_of(state, inner);
                    self.evaluated(state, &text);
                    self.computes(state, &text);
                    pieces.push(Piece::Quoted(NUMBER.to_string()));
                }
            }
        }
        pieces
    }

    fn substitution(&mut self, state: &State, script: &Script) -> Stream {
        let mut inner = state.clone();
        // Bash disables `-e` in command substitutions.
        inner.stops_early &= self.shells.are_plain();
        let input = self.input.clone();
        let errors = std::mem::replace(&mut self.errors_come_back, false);
        let output = self.contained(|walk| {
            let output = walk.deeper(|walk| walk.script(&mut inner, script));
            output.unwrap_or(Stream::Unknown)
        });
        self.errors_come_back = errors;
        self.input = input;
        output
    }

    /// The output of `cd` and `pwd` is a directory, or empty if it is missing. The empty case is
    /// checked for damage.
    fn folder_or_nothing(&mut self, script: &Script, output: String) -> String {
        let folder = output.strip_prefix([UNKNOWN, '\n']).map(str::trim_start);
        // Unknown output requires approval anyway.
        let is_tried = !self.is_remembered && script.tells_a_folder();
        let is_known = |folder: &&str| is_tried && !folder.is_empty();
        let Some(folder) = folder.filter(is_known) else {
            return output;
        };
        if self.assumes_no_folder() {
            return String::new();
        }
        folder.to_owned()
    }

    /// Returns the name of a pipe, which identifies the output of its script.
    fn process(&mut self, state: &State, script: &Script, writes: bool) -> String {
        self.is_of_bash_alone();
        if writes {
            self.reads_from_program(state, script);
            return self.open_pipe(Stream::Unknown);
        }
        match self.substitution(state, script) {
            Stream::Network => NETWORK.to_string(),
            output => self.open_pipe(output),
        }
    }

    fn reads_from_program(&mut self, state: &State, script: &Script) {
        let fed = match &self.input {
            Stream::Network => Stream::Network,
            Stream::Text(_) if self.counts_harm_only => self.input.clone(),
            _ => Stream::Unknown,
        };
        let outer = std::mem::replace(&mut self.input, fed);
        self.parallel += 1;
        self.substitution(state, script);
        if !self.counts_harm_only && matches!(outer, Stream::Text(_)) {
            self.input = outer.clone();
            self.for_harm(|walk| walk.substitution(state, script));
        }
        self.parallel -= 1;
        self.input = outer;
    }

    fn variable(&mut self, state: &mut State, variable: &Variable) -> Piece {
        if let Some(subscript) = &variable.subscript {
            if !matches!(subscript.plain(), Some("@" | "*")) {
                self.note_arithmetic();
            }
            let subscript = self.value_of(state, subscript);
            self.assigned_by_arithmetic(state, &subscript);
            if !matches!(subscript.as_str(), "@" | "*") {
                self.computes_place(state, &subscript);
            }
        }
        let operand = self.value_of(state, &variable.operand);
        if let Some(items) = self.items(state, variable, &operand) {
            return items;
        }
        let value = self.value_or_guess(state, &variable.name);
        self.fails_to_expand(state, variable, &operand, value.as_deref());
        if is_list(variable) && variable.operation == Operation::Value && !self.assumes {
            return Self::list_value(state, variable);
        }
        let from_network = value.as_deref().is_some_and(value::from_network);
        let result = self.operated(state, variable, &operand, value);
        self.spend_bytes(result.len());
        let lost = from_network || value::from_network(&operand);
        let result = if lost { NETWORK.to_string() } else { result };
        expanded(result, variable.quoted)
    }

    /// Returns the value, or its possible value under assumptions.
    fn value_or_guess(&mut self, state: &State, name: &str) -> Option<String> {
        let value = self.current_value(state, name);
        if value.is_some() && state.may_be_nothing(name) {
            if self.is_remembered {
                return Some(UNKNOWN.to_string());
            }
            if self.assumes_no_folder() {
                return Some(String::new());
            }
        }
        if value.as_deref().is_none_or(value::is_open)
            && let Some(guess) = state.guess(name)
            && let Some(guess) = self.assumed(Some(&guess))
        {
            return Some(guess);
        }
        value
    }

    fn operated(
        &mut self,
        state: &mut State,
        variable: &Variable,
        operand: &str,
        value: Option<String>,
    ) -> String {
        let result = match variable.operation {
            Operation::Value | Operation::Demanded => value,
            Operation::Length => Some(NUMBER.to_string()),
            Operation::Default { assigns } => {
                if assigns {
                    self.check_environment(state, &variable.name, operand);
                    state.forget(&variable.name);
                    state.assume(&variable.name, operand);
                }
                self.or_default(value, operand)
            }
            Operation::Alternate => match value {
                Some(value) if !value.is_empty() && !value::is_open(&value) => {
                    Some(operand.to_owned())
                }
                _ => self.assumed(Some(operand)),
            },
            Operation::Slice => {
                self.note_arithmetic();
                self.assigned_by_arithmetic(state, operand);
                value.and_then(|value| parameters::slice(&value, operand))
            }
            Operation::Indirect => {
                self.expands_again(state, variable, operand, value.as_deref());
                let name = value.filter(|name| value::is_known(name) && operand.is_empty());
                name.and_then(|name| self.value_or_guess(state, &name))
            }
            Operation::Other => {
                self.expands_again(state, variable, operand, value.as_deref());
                value.and_then(|value| parameters::transformed(&value, operand))
            }
        };
        result.unwrap_or_else(|| UNKNOWN.to_string())
    }

    fn or_default(&mut self, value: Option<String>, operand: &str) -> Option<String> {
        match value {
            Some(value) if value.is_empty() => Some(operand.to_owned()),
            Some(value) if value::is_known(&value) => Some(value),
            _ => self.assumed(Some(operand)),
        }
    }

    /// Checks a value that names another variable, or that is expanded as a prompt.
    fn expands_again(
        &mut self,
        state: &State,
        variable: &Variable,
        operand: &str,
        value: Option<&str>,
    ) {
        // Array keys and name prefixes are only listed.
        let only_names = is_list(variable) || matches!(operand, "*" | "@");
        if variable.operation == Operation::Indirect && !only_names {
            self.evaluated(state, value.unwrap_or_default());
        }
        if operand == "@P" {
            self.prompt(state, value);
        }
    }

    fn prompt(&mut self, state: &State, value: Option<&str>) {
        match value {
            Some(value) if !value::is_open(value) => {
                self.substituted_again(
                    state,
                    &parse::decode_escapes(value, parse::Escapes::Quoted),
                );
            }
            _ => self.report(CommandRule::Opaque, "@P"),
        }
    }

    fn current_value(&mut self, state: &State, name: &str) -> Option<String> {
        if let Some(value) = state.value(name) {
            return Some(value.as_ref().to_owned());
        }
        match name {
            "HOME" => Some(self.places.home.clone()),
            "PWD" => only_directory(state),
            // Distinguish the process ID of a job from other numbers.
            "!" => Some(value::JOB.to_owned()),
            "RANDOM" | "SECONDS" | "UID" | "EUID" | "BASHPID" if self.shells.are_plain() => {
                Some(String::new())
            }
            "?" | "$" | "#" | "RANDOM" | "LINENO" | "SECONDS" | "UID" | "EUID" | "PPID"
            | "BASHPID" => Some(NUMBER.to_string()),
            "TMPDIR" => Some("/tmp".to_owned()),
            _ => {
                let index: usize = name.parse().ok()?;
                let words = match &state.positional {
                    Some(words) => Rc::clone(words),
                    None => self.list_or_guess(state, "@")?,
                };
                let known = !words.iter().take(index).any(|word| word.contains(FIELDS));
                known.then(|| {
                    words
                        .get(index.checked_sub(1)?)
                        .cloned()
                        .or(Some(String::new()))
                })?
            }
        }
    }
}

pub(in super::super) fn only_directory(state: &State) -> Option<String> {
    let mut directories = state.directories.iter();
    match (directories.next(), directories.next()) {
        (Some(Some(only)), None) => Some(only.as_ref().to_owned()),
        _ => None,
    }
}

pub(super) fn expanded(text: String, quoted: bool) -> Piece {
    if quoted {
        Piece::Quoted(text)
    } else {
        Piece::Unquoted(text)
    }
}
