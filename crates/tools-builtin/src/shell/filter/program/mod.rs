//! What a program does with its arguments, told by its row.

mod archives;
mod arguments;
mod awk;
mod builtins;
mod code;
mod effects;
mod files;
mod find;
mod git;
mod network;
mod output;
mod scripts;
mod sed;
mod wrappers;

use arguments::Arguments;
use network::is_local;

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
        self.run_named(state, arguments, true)
    }

    /// Judges one command that another program runs, for which functions do not count.
    pub(super) fn run_program(&mut self, state: &mut State, arguments: &[String]) -> Stream {
        self.run_named(state, arguments, false)
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
        self.for_harm(|walk| walk.unknown_program(state, arguments));
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
        if name.contains('/') && self.has_unpacked {
            self.report(Rule::DownloadRun, name);
        }
        if let Some(rule) = table::harmful_form(file, rest) {
            self.report(rule, name);
        }
        let file = if is_loader(file) { "ld.so" } else { file };
        if let Some(row) = table::find("", file) {
            self.judge_row(state, row, file, rest)
        } else {
            self.report(Rule::UnknownProgram, name);
            self.unknown_program(state, rest)
        }
    }

    /// Nothing is known of the program, but what it gets may be worse than unknown.
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
        }
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
        let output = self
            .apply_operands(state, row, name, &arguments)
            .unwrap_or_else(|| self.output(state, name, &arguments));
        let is_fetched = row.rule == Some(Rule::Network) && !name.starts_with("git ");
        if is_fetched { Stream::Network } else { output }
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

    /// What a row cannot say of a program.
    fn further_effects(&mut self, state: &State, name: &str, arguments: &Arguments) {
        let operands = arguments.operands.as_slice();
        if name.starts_with("git ") {
            self.git_effects(state, name, arguments);
        }
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
            "unzip" | "patch" => {
                self.writes(state, "./x");
                let archive = operands.first().is_some_and(|path| self.is_download(path));
                self.has_unpacked |= archive || self.input == Stream::Network;
            }
            "csplit" => self.each(operands.get(..1).unwrap_or_default(), |walk, path| {
                walk.reads(state, path, false);
            }),
            "cpio" => self.cpio(state, arguments),
            "rsync" => self.rsync(state, arguments),
            "ssh" | "scp" | "sftp" => self.remote_shell(state, operands),
            "alias" => self.each(operands, |walk, alias| {
                let text = alias.split_once('=').map_or("", |(_, text)| text);
                walk.suspect(state, text);
            }),
            "less" | "more" | "view" => self.each(operands, |walk, operand| {
                if let Some(text) = operand.strip_prefix("+!") {
                    walk.suspect(state, text);
                }
            }),
            "tmux" | "screen" | "perf" | "hyperfine" => {
                self.suspect_arguments(state, operands);
            }
            "docker run"
            | "docker create"
            | "docker exec"
            | "docker compose run"
            | "docker compose exec" => self.container(state, operands),
            "docker cp" | "docker compose cp" | "aria2c" => {
                self.each(operands, |walk, path| walk.reads_quietly(state, path));
                self.downloads
                    .extend(operands.iter().map(|address| last_name(address)));
            }
            "mail" | "mutt" | "aws" | "gcloud" => {
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
                if EDITORS.contains(&name) {
                    self.each(operands, |walk, path| walk.writes(state, path));
                }
                self.interpreter(state, name, operands);
            }
            Special::Make => self.make(state, arguments),
            Special::Kill => self.kill(operands),
            Special::Link => self.link(state, operands),
            Special::Netcat => return Some(self.netcat(name, operands)),
            Special::Sed => self.sed(state, arguments),
            Special::Set => Self::set(state, operands),
            Special::Shell => return self.shell(state, name, arguments),
            Special::Source => self.source(state, operands),
            Special::Tar => self.tar(state, arguments),
            Special::Trap => self.trap(state, operands),
            Special::Xargs => return self.xargs(state, arguments),
        }
        None
    }
}

/// Whether this is the loader, which runs the program that it is told.
fn is_loader(file: &str) -> bool {
    ["ld-linux", "ld-musl", "ld.so", "ld64.so"]
        .iter()
        .any(|start| file.starts_with(start))
}

/// The last component of a path or an address.
fn last_name(path: &str) -> String {
    let path = path.split(['?', '#']).next().unwrap_or_default();
    file_name(path).to_owned()
}

fn tells_about_itself(rest: &[String]) -> bool {
    matches!(rest, [only] if only == "--version" || only == "--help")
}

/// Whether a program that is asked about only tells something, or does what can be had back.
fn is_harmless_form(name: &str, rest: &[String]) -> bool {
    let words: Vec<&str> = rest.iter().map(String::as_str).collect();
    let first = words.first().copied();
    if matches!(words.as_slice(), ["-V" | "-v" | "-version" | "version"]) {
        return true;
    }
    match name {
        "git submodule" => matches!(first, None | Some("status" | "summary")),
        "git bisect" => matches!(
            first,
            Some("good" | "bad" | "skip" | "log" | "start" | "reset")
        ),
        "git notes" => matches!(first, Some("list" | "show")),
        "git sparse-checkout" => first == Some("list"),
        "alias" => !words.iter().any(|word| word.contains('=')),
        "history" => words.iter().all(|word| word.parse::<u32>().is_ok()),
        "tmux" => matches!(words.as_slice(), ["ls" | "list-sessions" | "-V"]),
        "screen" => matches!(words.as_slice(), ["-ls" | "-list" | "-v"]),
        "node" => words.first().is_some_and(|word| *word == "--test"),
        "deno" => matches!(first, Some("fmt" | "lint" | "check" | "test")),
        "php" => matches!(words.as_slice(), ["-l", _]),
        "perl" => matches!(words.as_slice(), ["-c", _]),
        "terraform" => matches!(first, Some("fmt" | "validate")),
        "helm" => matches!(first, Some("lint" | "template")),
        "kubectl" => matches!(words.as_slice(), ["version", "--client"]),
        "git fsck" => true,
        "dig" | "nslookup" | "host" => !words.iter().any(|word| value::is_open(word)),
        "ping" => words.last().is_some_and(|host| is_local(host)),
        _ => false,
    }
}
