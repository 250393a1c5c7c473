//! Effects of programs, derived from their table rows.

mod archives;
mod arguments;
mod awk;
mod builtins;
mod calls;
mod code;
mod containers;
mod effects;
mod files;
mod find;
mod forms;
mod further;
mod git;
mod locations;
mod network;
mod output;
mod printing;
mod reading;
mod runners;
mod scripts;
mod sed;
mod started;
mod steering;
mod wrappers;

use arguments::Arguments;
use forms::{is_harmless_form, is_loader, last_name, tells_about_itself};

use super::state::State;
use super::table::{self, Operands, Row, Special};
use super::value::{self, FIELDS, GLOB, Stream};
use super::verdict::{CommandRule, CommandVerdict};
use super::walk::{Walk, file_name, known_to_be_there_or_not};

/// Directories in which a known name is the known program.
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

/// Builtins that skip the rest of a loop or function.
const LEAVING: [&str; 3] = ["return", "break", "continue"];

/// Builtins that skip the rest of the shell.
const ENDING: [&str; 2] = ["exit", "exec"];

/// Programs that write the files they open.
const EDITORS: [&str; 7] = ["ed", "ex", "vi", "vim", "nvim", "nano", "emacs"];

/// Returns the rule of a program that is always forbidden.
pub(super) fn forbidden_by_name(name: &str) -> Option<CommandRule> {
    let row = table::find("", &name.to_ascii_lowercase())?;
    row.rule
        .filter(|rule| rule.verdict() == CommandVerdict::Forbid)
}

/// Excludes shell builtins, whose directory differs between machines.
fn is_known_to_be_in(folder: &str, file: &str) -> bool {
    let is_of_shell = matches!(file, "echo" | "printf");
    folder.is_empty() || matches!(folder, "/bin" | "/usr/bin") && !is_of_shell
}

impl Walk<'_> {
    pub(super) fn run(&mut self, state: &mut State, arguments: &[String]) -> Stream {
        self.run_named(state, arguments, true)
    }

    /// Checks a command that another program runs. Functions do not apply, and the command may not
    /// finish.
    pub(super) fn run_program(&mut self, state: &mut State, arguments: &[String]) -> Stream {
        if arguments.is_empty() {
            return Stream::Unknown;
        }
        let output = self.run_named(state, arguments, false);
        known_to_be_there_or_not(output)
    }

    fn run_named(&mut self, state: &mut State, arguments: &[String], of_shell: bool) -> Stream {
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
        let certain = of_shell && state.is_defined(&name);
        let called = if of_shell {
            self.call(state, &name, rest)
        } else {
            Stream::Empty
        };
        if certain {
            return called;
        }
        let trusted = self.settings.trusts(file_name(&name));
        let outer = std::mem::replace(&mut self.trusts_program, trusted);
        let output = called.then(self.program(state, &name, rest));
        self.trusts_program = outer;
        output
    }

    fn is_readable(&mut self, state: &mut State, name: &str, arguments: &[String]) -> bool {
        if value::from_network(name) || self.is_download(name) {
            self.report(CommandRule::DownloadRun, name);
        }
        if value::is_decoded(name) || self.is_decoding(name) {
            self.report(CommandRule::Encoded, name);
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
        self.report(CommandRule::Opaque, name);
        // An unquoted value may expand to nothing, so the next word would be the program.
        if name.chars().all(|letter| letter == FIELDS) {
            let rest = arguments.get(1..).unwrap_or_default();
            self.deeper(|walk| walk.run(state, rest));
        }
        self.for_harm(|walk| walk.unknown_program(state, arguments));
        self.without_holes(state, name, arguments);
        false
    }

    /// Unknown parts of the name may be empty.
    fn without_holes(&mut self, state: &State, name: &str, arguments: &[String]) {
        let closed: String = name
            .chars()
            .filter(|letter| !value::is_mark(*letter))
            .collect();
        let mut command = arguments.to_vec();
        if let (Some(first), false) = (command.first_mut(), closed.is_empty()) {
            *first = closed;
            self.suspect_arguments(state, &command);
            let by_name = forbidden_by_name(file_name(command.first().map_or("", String::as_str)));
            by_name.inspect(|rule| self.report(*rule, name));
        }
    }

    fn program(&mut self, state: &mut State, name: &str, rest: &[String]) -> Stream {
        let (folder, file) = name.rsplit_once('/').unwrap_or(("", name));
        if file == "exec" && rest.iter().all(|word| word.starts_with('-')) {
            self.stays_redirected = true;
        }
        if LEAVING.contains(&file) {
            self.may_leave();
        }
        if ENDING.contains(&file) {
            self.may_end();
        }
        if !SYSTEM_FOLDERS.contains(&folder) && !self.is_tool_of_project(state, folder, file) {
            self.report(CommandRule::UnknownProgram, name);
        }
        if self.settings.is_unwanted(file) {
            self.report(CommandRule::Unwanted, name);
        }
        if let Some(rule) = forbidden_by_name(file).filter(|_| !self.trusts_program) {
            self.report(rule, name);
            if file.starts_with("mkfs") || matches!(file, "wipefs" | "blkdiscard") {
                self.report_everywhere(rule, name);
            }
        }
        if name.contains('/') && self.has_unpacked {
            self.report(CommandRule::DownloadRun, name);
        }
        if let Some(rule) = table::harmful_form(file, rest) {
            self.report(rule, name);
        }
        let output = self.program_of_row(state, name, rest);
        if is_known_to_be_in(folder, file) {
            output
        } else {
            known_to_be_there_or_not(output)
        }
    }

    fn program_of_row(&mut self, state: &mut State, name: &str, rest: &[String]) -> Stream {
        let (folder, file) = name.rsplit_once('/').unwrap_or(("", name));
        let file = match (folder, file) {
            (_, file) if is_loader(file) => "ld.so",
            // Wrapper scripts of the project.
            (".", "gradlew") => "gradle",
            (".", "mvnw") => "mvn",
            _ => file,
        };
        if let Some(row) = table::find("", file) {
            self.judge_row(state, row, file, rest)
        } else {
            self.report(CommandRule::UnknownProgram, name);
            self.unknown_program(state, rest)
        }
    }

    /// The arguments of an unknown program may still be forbidden.
    fn unknown_program(&mut self, state: &State, rest: &[String]) -> Stream {
        self.reads_some(state, rest);
        self.suspect_arguments(state, rest);
        let addresses = rest.iter().filter(|argument| argument.contains("://"));
        let fetched: Vec<String> = addresses.map(|address| last_name(address)).collect();
        if fetched.is_empty() && self.input != Stream::Network {
            return Stream::Unknown;
        }
        self.downloads.extend(fetched);
        self.downloads.remove("");
        Stream::Network
    }

    fn judge_row(
        &mut self,
        state: &mut State,
        row: &'static Row,
        name: &str,
        rest: &[String],
    ) -> Stream {
        if tells_about_itself(rest) {
            return Stream::Unknown;
        }
        if let Some(output) = self.tool_within(state, name, rest) {
            return output;
        }
        let excused = self.trusts_program || is_harmless_form(name, rest);
        if let Some(rule) = row.rule.filter(|_| !excused) {
            self.report(rule, name);
        }
        if let Some(output) = self.runs_for_each_file(state, name, rest) {
            return output;
        }
        let arguments = self.sort_arguments(row, name, rest);
        if arguments.has_unknown {
            self.reads_some(state, rest);
            if matches!(row.operands, Operands::Command(_)) {
                self.suspect_arguments(state, rest);
            }
            let glued = rest.iter().filter(|word| word.starts_with("--"));
            for (_, value) in glued.filter_map(|word| word.split_once('=')) {
                self.suspect_text(state, value);
            }
        }
        let mut elsewhere = self.elsewhere(state, &arguments);
        let state = elsewhere.as_mut().unwrap_or(state);
        self.apply_values(state, &arguments);
        let output = self
            .apply_operands(state, row, name, &arguments)
            .unwrap_or_else(|| self.output(state, name, &arguments));
        let is_fetched = row.rule == Some(CommandRule::Network) && !name.starts_with("git ");
        if is_fetched { Stream::Network } else { output }
    }

    /// Returns the output if it is known.
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
            // `command -v` only searches for the program.
            Operands::Command(_) if name == "command" && arguments.has(&["v", "V"]) => {}
            Operands::Command(plain) => {
                let inner = operands.get(plain..).unwrap_or_default();
                // The shell handles `command` itself, so it cannot fail.
                if name == "command" {
                    return self.deeper(|walk| walk.run_named(state, inner, false));
                }
                return self.deeper(|walk| walk.run_program(state, inner));
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

    fn edited(&mut self, state: &State, name: &str, operands: &[String]) {
        if EDITORS.contains(&name) {
            self.each(operands, |walk, path| walk.writes(state, path));
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
            if let Some(output) = self.tool_of_project(state, family, operands) {
                return Some(output);
            }
            self.report(CommandRule::UnknownOption, name);
            self.reads_some(state, rest);
            self.suspect_arguments(state, rest);
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
            Special::Archive => self.packed(state, operands),
            Special::Assign => self.assigning(state, name, operands),
            Special::Awk => self.awk(state, arguments),
            Special::Chmod => self.chmod(state, name, operands),
            Special::ChangeDirectory => self.cd(state, name, operands),
            Special::Dd => self.dd(state, operands),
            Special::Echo => return self.echo(state, name, operands),
            Special::Env => return self.env(state, arguments),
            Special::Eval => return Some(self.eval(state, operands)),
            Special::Repeat => return self.repeat(state, name, arguments),
            Special::Parallel => return Some(self.parallel(state, arguments)),
            Special::Runner => return self.runner(state, name, arguments),
            Special::Export => self.export(state, arguments),
            Special::Fetch => return Some(self.fetch(state, name, arguments)),
            Special::Find => return Some(self.find(state, operands)),
            Special::Interpreter => {
                self.edited(state, name, operands);
                self.interpreter(state, name, operands);
            }
            Special::Make => self.make(state, name, arguments),
            Special::Kill => self.kill(operands),
            Special::Link => self.link(state, operands),
            Special::Netcat => return Some(self.netcat(name, operands)),
            Special::Sed => self.sed(state, arguments),
            Special::Set => self.set(state, operands),
            Special::Shell => return self.shell(state, name, arguments),
            Special::Source => self.source(state, operands),
            Special::Tar => self.tar(state, arguments),
            Special::Trap => self.trap(state, operands),
            Special::Xargs => return self.xargs(state, arguments),
        }
        None
    }
}
