//! One command: its program, its row and the effects of its arguments.

use super::super::table::{self, Handler, Operands, Row};
use super::super::value::{Origin, Stream, Value};
use super::super::verdict::{CommandRule as Rule, CommandVerdict};
use super::Walk;
use super::lookup::{acts_in_directory, directory_of, has, is_of_shell, known};
use super::options::Arguments;
use super::simple::base_name;

/// Directories of installed programs.
const PROGRAM_DIRECTORIES: &str = "/bin /usr/bin /usr/local/bin /sbin /usr/sbin /usr/local/sbin /opt/homebrew/bin \
    node_modules/.bin ./node_modules/.bin";

/// Program with its row and arguments.
#[derive(Clone, Copy)]
pub(super) struct Call<'c> {
    pub(super) row: &'c Row,
    pub(super) name: &'c str,
    pub(super) arguments: &'c [Value],
    pub(super) sorted: &'c Arguments,
}

impl<'c> Call<'c> {
    /// Returns the same call with other arguments.
    pub(super) fn with(&self, sorted: &'c Arguments, arguments: &'c [Value]) -> Self {
        Self {
            arguments,
            sorted,
            ..*self
        }
    }
}

impl Walk<'_> {
    /// Runs a command. Returns its output.
    pub(super) fn run(&mut self, words: &[Value]) -> Stream {
        if words.is_empty() || !self.step(words) {
            return Stream::empty();
        }
        self.deeper(Stream::Unknown(Origin::Unknown), |walk| {
            walk.part = Self::show(words);
            walk.list(words.iter().map(Value::shown).collect());
            walk.command_of(words)
        })
    }

    fn command_of(&mut self, words: &[Value]) -> Stream {
        let Some((first, arguments)) = words.split_first() else {
            return Stream::empty();
        };
        if first.may_be_missing && !arguments.is_empty() {
            self.run(arguments);
        }
        let Some(name) = first.literal().map(str::to_owned) else {
            self.unknown_code(first.origin());
            self.search_arguments(arguments);
            return self.unknown_output();
        };
        self.report_dynamic(words);
        if let Some(body) = self.state.function(&name) {
            let caller = self
                .state
                .positional
                .replace(std::rc::Rc::new(arguments.to_vec()));
            let output = self.call(&name, &body);
            self.state.positional = caller;
            return output;
        }
        self.program(&name, first, arguments)
    }

    fn program(&mut self, name: &str, word: &Value, arguments: &[Value]) -> Stream {
        let base = base_name(name);
        if self.settings.is_unwanted(base) {
            self.report(Rule::Unwanted);
        }
        if self.settings.is_allowed(base) {
            self.sweep(arguments, false, false);
            return self.unknown_output();
        }
        let directory = directory_of(name, base);
        let row = self.row(name, base, &directory, word);
        let Some(row) = row else {
            return self.unknown_program(name, word, arguments);
        };
        if directory.ends_with("node_modules/.bin") {
            self.report(Rule::Project);
        }
        if self.only_displays(row, arguments) {
            return self.unknown_output();
        }
        let family = row.names.split(' ').next().unwrap_or(base);
        if let ("cmake", [first, tool, rest @ ..]) = (base, arguments)
            && first.fixed() == Some("-E")
            && let Some(inner) = tool.fixed().and_then(|tool| table::find("cmake -E", tool))
        {
            return self.apply(inner, "cmake -E", tool.prefix(), rest);
        }
        self.apply(row, family, base, arguments)
    }

    /// Returns the row of a program in `directory`, which is empty without a path. Reports the
    /// execution of a file that only shares the name of an interpreter.
    fn row(
        &mut self,
        name: &str,
        base: &str,
        directory: &str,
        word: &Value,
    ) -> Option<&'static Row> {
        let lower = base.to_lowercase();
        let is_installed = !name.contains('/')
            || PROGRAM_DIRECTORIES
                .split(' ')
                .any(|known| known == directory);
        match known(base) {
            Some(row) if is_installed || table::is_forbidden(base) => Some(row),
            Some(row) if matches!(row.rule, Some(Rule::Interpreter | Rule::Project)) => {
                self.script_file(word);
                Some(row)
            }
            None if table::is_forbidden(&lower) => known(&lower),
            None if base.starts_with("ld-linux") || base.starts_with("ld-musl") => {
                table::find("", "ld.so")
            }
            _ => table::find("", name),
        }
    }

    /// Returns `true` if the only argument is `--version` or `--help`.
    fn only_displays(&self, row: &Row, arguments: &[Value]) -> bool {
        let [only] = arguments else { return false };
        matches!(only.fixed(), Some("--version" | "--help"))
            && row.rule.is_some_and(|rule| {
                self.settings.verdict(rule) <= CommandVerdict::Ask
                    && rule.verdict() != CommandVerdict::Forbid
            })
            && (!matches!(row.operands, Operands::Command(_)) || row.rule == Some(Rule::Endless))
            && !matches!(row.rule, Some(Rule::Construct))
    }

    fn unknown_program(&mut self, name: &str, word: &Value, arguments: &[Value]) -> Stream {
        if name.contains('/') {
            self.script_file(word);
        } else {
            self.report(Rule::UnknownProgram);
        }
        self.sweep(arguments, true, false);
        self.search_arguments(arguments);
        self.check_directory();
        self.unknown_output()
    }

    /// Reports the execution of a file.
    pub(super) fn script_file(&mut self, file: &Value) {
        let is_network = file
            .stream
            .as_ref()
            .is_some_and(|stream| stream.origin() == Origin::Download);
        if self.is_download(file) || is_network || file.origin() == Some(Origin::Download) {
            self.report(Rule::DownloadRun);
        }
        self.read(file);
        self.explain(
            Rule::Project,
            "runs a script whose effects are not known in advance",
        );
    }

    pub(super) fn unknown_output(&self) -> Stream {
        Stream::Unknown(match self.state.stdin.origin() {
            Origin::Download => Origin::Download,
            _ => Origin::Unknown,
        })
    }

    pub(super) fn apply(
        &mut self,
        row: &'static Row,
        family: &str,
        name: &str,
        arguments: &[Value],
    ) -> Stream {
        if row.operands == Operands::Subcommand
            && let Some(output) = self.subcommand(row, family, arguments)
        {
            return output;
        }
        let shows = row.displays.split(' ').any(|word| match word {
            "()" => arguments.is_empty(),
            "(1)" => arguments.len() == 1,
            word => has(arguments, word),
        });
        let interprets = self.report_row(row, shows, arguments);
        let stops = matches!(row.operands, Operands::Command(_));
        let sorted = Arguments::sort(row, arguments, stops);
        let acts = row.rule.is_some();
        let walks = matches!(
            row.handler,
            Some(Handler::Shell | Handler::Eval | Handler::Trap)
        );
        if !stops && !walks && (acts || sorted.has_unknown || family.starts_with("git")) {
            let writes = sorted.has_unknown && row.writes() && row.rule != Some(Rule::Project);
            self.sweep(arguments, acts, writes);
        }
        let runs_code = |rule| matches!(rule, Rule::Project | Rule::Interpreter | Rule::Inspect);
        let finds = row.handler == Some(Handler::Find);
        if interprets || !finds && row.rule.map_or(sorted.has_unknown, runs_code) {
            self.search_options(arguments, row.rule.is_none());
        }
        if shows && row.operands == Operands::Deletes {
            return self.unknown_output();
        }
        let call = Call {
            row,
            name,
            arguments,
            sorted: &sorted,
        };
        match row.handler {
            Some(handler) => self.handler(handler, &call),
            None => self.effects(&call),
        }
    }

    /// Reports the rule of a row and its alarms. Returns `true` if an argument names code.
    fn report_row(&mut self, row: &Row, shows: bool, arguments: &[Value]) -> bool {
        let mut interprets = false;
        for (words, rule, explanation) in row.triggers {
            if words
                .split(' ')
                .any(|all| all.split('&').all(|word| has(arguments, word)))
            {
                self.explain(*rule, explanation);
                interprets |= *rule == Rule::Interpreter;
            }
        }
        match (row.rule, row.explanation) {
            (None, _) if is_of_shell(row) => {}
            (None, _) => self.check_reading_directory(),
            (Some(_), _) if shows => self.report(Rule::Inspect),
            (Some(rule), Some(explanation)) => self.explain(rule, explanation),
            (Some(rule), None) => self.report(rule),
        }
        if !shows && row.rule.is_some_and(acts_in_directory) {
            self.check_directory();
        }
        interprets
    }
}
