//! What a program does with its arguments, told by its row.

mod arguments;
mod builtins;
mod effects;
mod files;
mod find;
mod network;
mod output;
mod scripts;
mod text_languages;
mod wrappers;

use arguments::Arguments;

use super::state::State;
use super::table::{self, Operands, Row, Special};
use super::value::{self, FIELDS, GLOB, Stream};
use super::verdict::{Rule, Verdict};
use super::walk::{Walk, file_name};

/// Folders in which a program of a known name is the known program.
const SYSTEM_FOLDERS: [&str; 8] = [
    "/bin",
    "/usr/bin",
    "/usr/local/bin",
    "/sbin",
    "/usr/sbin",
    "/usr/local/sbin",
    "/opt/homebrew/bin",
    "",
];

/// Programs that write back what they are given.
const EDITORS: [&str; 7] = ["ed", "ex", "vi", "vim", "nvim", "nano", "emacs"];

/// The rule of a program that is forbidden whatever it is told.
pub(super) fn forbidden_by_name(name: &str) -> Option<Rule> {
    let row = table::find("", &name.to_ascii_lowercase())?;
    row.rule.filter(|rule| rule.verdict() == Verdict::Forbid)
}

impl Walk<'_> {
    /// Judges one command, its name in front.
    pub(super) fn run(&mut self, state: &mut State, arguments: &[String]) -> Stream {
        let Some(name) = arguments.first().cloned() else {
            return Stream::Empty;
        };
        if !self.step() || !self.spend(arguments) {
            return Stream::Unknown;
        }
        self.list(arguments);
        if !self.is_readable(state, &name, arguments) {
            return Stream::Unknown;
        }
        let rest = arguments.get(1..).unwrap_or_default();
        let certain = state.is_defined(&name);
        let called = self.call(state, &name, rest);
        if certain {
            return called;
        }
        let trusted = self.settings.trusts(file_name(&name));
        let outer = std::mem::replace(&mut self.trusts_program, trusted);
        let output = called.then(self.program(state, &name, rest));
        self.trusts_program = outer;
        output
    }

    /// Whether the name of the program is known.
    fn is_readable(&mut self, state: &mut State, name: &str, arguments: &[String]) -> bool {
        if value::from_network(name) || self.is_download(name) {
            self.report(Rule::DownloadRun, name);
        }
        if name.contains(GLOB) {
            let file = name.rsplit('/').next().unwrap_or_default();
            let hidden =
                table::forbidden().find(|(forbidden, _)| value::may_match(file, forbidden));
            if let (Some((_, rule)), false) = (hidden, file.chars().all(|letter| letter == GLOB)) {
                self.report(rule, name);
            }
        }
        if value::is_known(name) {
            return true;
        }
        self.report(Rule::Opaque, name);
        // An unquoted value may be nothing at all, and the next word is the program then.
        if name.chars().all(|letter| letter == FIELDS) {
            let rest = arguments.get(1..).unwrap_or_default();
            self.deeper(|walk| walk.run(state, rest));
        }
        false
    }

    fn program(&mut self, state: &mut State, name: &str, rest: &[String]) -> Stream {
        let (folder, file) = name.rsplit_once('/').unwrap_or(("", name));
        if !SYSTEM_FOLDERS.contains(&folder) {
            self.report(Rule::UnknownProgram, name);
        }
        if self.settings.is_unwanted(file) {
            self.report(Rule::Unwanted, name);
        }
        if let Some(rule) = forbidden_by_name(file).filter(|_| !self.trusts_program) {
            self.report(rule, name);
        }
        if let Some(row) = table::find("", file) {
            self.judge_row(state, row, file, rest)
        } else {
            self.report(Rule::UnknownProgram, name);
            self.unknown_program(state, rest)
        }
    }

    /// Nothing is known of the program, but what it gets may be worse than unknown.
    fn unknown_program(&mut self, state: &State, rest: &[String]) -> Stream {
        for argument in rest.iter().filter(|argument| argument.contains('/')) {
            self.reads_quietly(state, argument);
        }
        match self.input {
            Stream::Network => Stream::Network,
            _ => Stream::Unknown,
        }
    }

    fn judge_row(
        &mut self,
        state: &mut State,
        row: &'static Row,
        name: &str,
        rest: &[String],
    ) -> Stream {
        let excused = self.trusts_program || is_harmless_form(name, rest);
        if let Some(rule) = row.rule.filter(|_| !excused) {
            self.report(rule, name);
        }
        let arguments = self.sort_arguments(row, name, rest);
        let mut elsewhere;
        let directory = arguments.values('D').last().cloned();
        let state = match directory {
            Some(directory) => {
                elsewhere = state.clone();
                self.change_directory(&mut elsewhere, &directory);
                elsewhere.failed = None;
                self.works_in(state, &directory);
                &mut elsewhere
            }
            None => state,
        };
        self.apply_values(state, &arguments);
        self.apply_operands(state, row, name, &arguments)
            .unwrap_or_else(|| self.output(state, name, &arguments))
    }

    /// What the operands do. Returns what is printed, if that is known here.
    fn apply_operands(
        &mut self,
        state: &mut State,
        row: &'static Row,
        name: &str,
        arguments: &Arguments,
    ) -> Option<Stream> {
        let operands = arguments.operands.as_slice();
        if let Some(special) = row.special {
            return self.special(state, special, name, arguments);
        }
        self.further_effects(state, name, arguments);
        if name.starts_with("git ") {
            self.each(operands, |walk, path| walk.reads_quietly(state, path));
        }
        match row.operands {
            // Only looked up, not run.
            Operands::Command(_) if name == "command" && arguments.has(&["v", "V"]) => {}
            Operands::Command(plain) => {
                let inner = operands.get(plain..).unwrap_or_default();
                return self.deeper(|walk| walk.run(state, inner));
            }
            Operands::Subcommand => {
                // Programs that share a row share their subcommands.
                let first = row.names.split(' ').next().unwrap_or(name);
                let family = if name.contains(' ') { name } else { first };
                return self.subcommand(state, family, operands);
            }
            other => self.operand_effects(state, other, name, arguments),
        }
        None
    }

    /// What a row cannot say of a program.
    fn further_effects(&mut self, state: &State, name: &str, arguments: &Arguments) {
        let operands = arguments.operands.as_slice();
        match name {
            "test" | "[" => {
                let pairs = operands.iter().zip(operands.iter().skip(1));
                for (_, variable) in
                    pairs.filter(|(option, _)| matches!(option.as_str(), "-v" | "-R"))
                {
                    self.evaluated(state, variable);
                }
            }
            "wait" => {
                for variable in arguments.values('V') {
                    self.evaluated(state, variable);
                }
            }
            "hash" => self.hash(operands),
            "mktemp" => self.temporary_file(state, arguments),
            "unzip" | "patch" | "git apply" | "git am" => self.writes(state, "./x"),
            "git clean" => self.deletes(state, "./x"),
            "git clone" => self.each(operands.get(1..).unwrap_or_default(), |walk, path| {
                if !path.starts_with('-') {
                    walk.writes(state, path);
                }
            }),
            "git config" => self.each(operands.get(1..).unwrap_or_default(), |walk, value| {
                walk.report(Rule::UnknownOption, value);
            }),
            "docker run" | "docker create" => self.container(state, operands),
            "scp" | "sftp" | "mail" | "mutt" | "aws" | "gcloud" => {
                self.each(operands, |walk, path| walk.reads_quietly(state, path));
            }
            _ => {}
        }
    }

    fn subcommand(
        &mut self,
        state: &mut State,
        family: &str,
        operands: &[String],
    ) -> Option<Stream> {
        let (name, rest) = operands.split_first()?;
        let Some(row) = table::find(family, name) else {
            self.report(Rule::UnknownOption, name);
            return None;
        };
        let full = format!("{family} {name}");
        self.deeper(|walk| walk.judge_row(state, row, &full, rest))
    }

    fn special(
        &mut self,
        state: &mut State,
        special: Special,
        name: &str,
        arguments: &Arguments,
    ) -> Option<Stream> {
        let operands = arguments.operands.as_slice();
        match special {
            Special::Assign => self.assigning(state, name, operands),
            Special::Awk => self.awk(state, arguments),
            Special::Chmod => self.chmod(state, name, operands),
            Special::ChangeDirectory => self.cd(state, name, operands),
            Special::Dd => self.dd(state, operands),
            Special::Echo => return self.echo(state, name, operands),
            Special::Env => return self.env(state, arguments),
            Special::Eval => return Some(self.eval(state, operands)),
            Special::Export => self.export(state, arguments),
            Special::Fetch => return Some(self.fetch(state, name, arguments)),
            Special::Find => return Some(self.find(state, operands)),
            Special::Interpreter => {
                if EDITORS.contains(&name) {
                    self.each(operands, |walk, path| walk.writes(state, path));
                }
                self.interpreter(name, operands);
            }
            Special::Make => self.make(arguments),
            Special::Kill => self.kill(operands),
            Special::Link => self.link(state, operands),
            Special::Netcat => return Some(self.netcat(name, operands)),
            Special::Sed => self.sed(state, arguments),
            Special::Set => Self::set(state, operands),
            Special::Shell => return self.shell(state, name, arguments),
            Special::Source => self.source(operands),
            Special::Tar => self.tar(state, arguments),
            Special::Trap => self.trap(state, operands),
            Special::Xargs => return self.xargs(state, arguments),
        }
        None
    }
}

/// Whether a program that is asked about only tells something, or does what can be had back.
fn is_harmless_form(name: &str, rest: &[String]) -> bool {
    let first = rest.first().map(String::as_str);
    match name {
        "git restore" => rest.iter().any(|word| word == "--staged" || word == "-S"),
        "git submodule" => matches!(first, None | Some("status" | "summary")),
        "git bisect" => matches!(
            first,
            Some("good" | "bad" | "skip" | "log" | "start" | "reset")
        ),
        "git notes" => matches!(first, Some("list" | "show")),
        "alias" | "history" => rest.is_empty(),
        _ => false,
    }
}
