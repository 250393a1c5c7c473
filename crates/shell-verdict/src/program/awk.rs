//! Scanner for effects of awk programs.

use super::super::state::State;
use super::super::value::{self, Stream};
use super::super::verdict::CommandRule;
use super::super::walk::Walk;
use super::arguments::Arguments;
use super::code::{Literal, literals};

/// Maximum number of strings in an awk program that are checked as commands.
const MOST_AWK_TEXTS: usize = 16;

impl Walk<'_> {
    pub(super) fn awk(&mut self, state: &mut State, arguments: &Arguments) {
        let mut files = arguments.operands.as_slice();
        for program in arguments.values('P') {
            self.awk_program(state, program, arguments);
        }
        if !arguments.has(&["f", "file", "e", "source"]) {
            let Some((program, rest)) = files.split_first() else {
                return;
            };
            self.awk_program(state, program, arguments);
            files = rest;
        }
        let included: Vec<&String> = arguments.values('I').collect();
        let in_place = included.iter().any(|name| *name == "inplace");
        if let Some(name) = included.iter().find(|name| **name != "inplace") {
            self.report(CommandRule::Interpreter, name);
        }
        for path in files.iter().filter(|path| !path.contains('=')) {
            self.reads(state, path, false);
            if in_place {
                self.writes(state, path);
            }
        }
    }

    fn awk_program(&mut self, state: &State, program: &str, arguments: &Arguments) {
        if is_plain_awk(program) && !value::is_open(program) {
            return;
        }
        self.report(CommandRule::Opaque, program);
        let runs = program.contains("system") || program.contains('|');
        let is_downloaded = value::from_network(program);
        if is_downloaded
            || self.input == Stream::Network && runs && !only_printed_to_a_text(program)
        {
            self.report(CommandRule::DownloadRun, program);
        }
        if program.contains("/inet/tcp") && program.contains('|') {
            self.report(CommandRule::ReverseShell, program);
        }
        for setting in arguments.values('V').filter(|_| runs) {
            let text = setting.split_once('=').map_or("", |(_, text)| text);
            self.suspect_text(state, text);
        }
        for literal in literals(program, &['"']).iter().take(MOST_AWK_TEXTS) {
            self.awk_literal(state, literal, runs);
        }
    }

    fn awk_literal(&mut self, state: &State, literal: &Literal<'_>, runs: bool) {
        let before = literal.before.trim_end();
        let text = literal.text.as_str();
        if before.ends_with('>') {
            self.writes(state, text);
        } else if before.ends_with('<') {
            self.reads_quietly(state, text);
        } else if before.ends_with(['|', '&', '(']) || literal.after.trim_start().starts_with('|') {
            self.suspect(state, text);
        } else if runs {
            self.suspect_text(state, text);
        }
    }
}

fn only_printed_to_a_text(program: &str) -> bool {
    !program.contains("system")
        && program.split('|').skip(1).all(|behind| {
            let behind = behind.trim_start();
            behind.starts_with('"')
                && !["\"sh", "\"bash", "\"/bin/"]
                    .iter()
                    .any(|shell| behind.starts_with(shell))
        })
}

fn is_plain_awk(program: &str) -> bool {
    let mut bare = String::new();
    let mut letters = program.chars().peekable();
    while let Some(letter) = letters.next() {
        let before = bare.trim_end().chars().last().unwrap_or('{');
        let opens_pattern = letter == '/' && "(,~!{};&|".contains(before);
        if letter != '"' && !opens_pattern {
            bare.push(letter);
            continue;
        }
        bare.push('0');
        while let Some(inner) = letters.next() {
            match inner {
                '\\' => {
                    letters.next();
                }
                '\n' => return false,
                _ if inner == letter => break,
                _ => {}
            }
        }
    }
    let bare = bare.replace("||", " ");
    let printing_into = bare
        .split([';', '{', '}', '\n'])
        .any(|statement| statement.contains("print") && statement.contains('>'));
    !printing_into
        && !bare.contains(['|', '@', '`'])
        && !["system", "getline", "fflush", "close", "ENVIRON"]
            .iter()
            .any(|word| bare.contains(word))
}
