//! One command: its program, the form of its arguments, and their effects.

use super::options::Arguments;
use super::{Input, Origin, Rule, Value, Walk};
use crate::paths::PathClassifier;
use crate::table::{self, Forms, Handler, Operands, Row};
use crate::verdict::CommandVerdict;

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

impl Walk<'_> {
    /// Runs a command. Returns the most harmful origin of its output.
    pub(super) fn run(&mut self, words: &[Value]) -> Origin {
        if words.is_empty() || !self.step(words) {
            return Origin::Unknown;
        }
        let origin = self.deeper(|walk| {
            walk.part = Self::show(words);
            walk.list(words.iter().map(|word| word.shown().to_owned()).collect());
            walk.command_of(words)
        });
        let input = self.input.origin();
        let origin = if input >= Origin::Decoded {
            origin.max(input)
        } else {
            origin
        };
        self.seen = self.seen.max(origin);
        origin
    }

    fn command_of(&mut self, words: &[Value]) -> Origin {
        let Some((first, arguments)) = words.split_first() else {
            return Origin::Unknown;
        };
        let Some(name) = first.literal() else {
            self.unknown_code(first.origin());
            self.sweep(arguments, true);
            return Origin::Unknown;
        };
        self.report_dynamic(words);
        let is_function = self.call(name);
        let base = base_name(name);
        if self.settings.is_unwanted(base) {
            self.report(Rule::Unwanted);
        }
        if self.settings.is_allowed(base) {
            self.sweep(arguments, false);
            return Origin::Unknown;
        }
        let forms = self.forms(name, first);
        match forms.first() {
            None if is_function => Origin::Unknown,
            None => self.unknown_program(name, first, arguments),
            Some(row) if only_displays(row, arguments) => Origin::Unknown,
            Some(row) => {
                let family = row.names.split(' ').next().unwrap_or(base);
                self.apply(forms, family, base, arguments)
            }
        }
    }

    /// Returns the forms of a program. Reports the execution of a file that only shares the name of a
    /// known one.
    fn forms(&mut self, name: &str, word: &Value) -> Forms {
        let base = base_name(name);
        let lower = base.to_lowercase();
        let directory = name
            .strip_suffix(base)
            .unwrap_or_default()
            .trim_end_matches('/');
        let absolute = PathClassifier::resolve(directory, None).unwrap_or_default();
        let mut known = PROGRAM_DIRECTORIES.split(' ');
        let is_installed =
            !name.contains('/') || known.any(|known| known == directory || known == absolute);
        if directory.ends_with("node_modules/.bin") {
            self.report(Rule::Project);
        }
        let forms = known_forms(base);
        if base.starts_with("ld-linux") || base.starts_with("ld-musl") {
            table::find("", "ld.so")
        } else if table::is_forbidden(&lower) {
            known_forms(&lower)
        } else if is_installed {
            forms
        } else if forms
            .last()
            .is_some_and(|row| matches!(row.rule, Some(Rule::Interpreter | Rule::Project)))
        {
            self.script_file(word);
            forms
        } else {
            table::find("", name)
        }
    }

    fn unknown_program(&mut self, name: &str, word: &Value, arguments: &[Value]) -> Origin {
        if name.contains('/') {
            self.script_file(word);
        } else {
            self.report(Rule::UnknownProgram);
        }
        // The arguments may be a command.
        self.search_losses(&shown(arguments).join(" "));
        self.sweep(arguments, true);
        self.check_directory();
        Origin::Unknown
    }

    /// Reports the execution of a file.
    pub(super) fn script_file(&mut self, file: &Value) {
        if self.is_download(file) {
            self.report(Rule::DownloadRun);
        }
        self.read(file);
        self.explain(
            Rule::Project,
            "runs a script whose effects are not known in advance",
        );
    }

    /// Applies the first form that matches, or reports the finding for other forms.
    fn apply(&mut self, forms: Forms, family: &str, name: &str, arguments: &[Value]) -> Origin {
        let options = if family == "git" {
            self.git_options(arguments)
        } else {
            0
        };
        let arguments = arguments.get(options..).unwrap_or_default();
        if family == "git" && arguments.is_empty() {
            return Origin::Unknown;
        }
        if let ("cmake", [first, tool, rest @ ..]) = (family, arguments)
            && first.literal() == Some("-E")
            && let Some(name) = tool.literal()
            && !table::find("cmake -E", name).is_empty()
        {
            return self.apply(table::find("cmake -E", name), "cmake -E", name, rest);
        }
        let mut forms = forms;
        if let [row, others @ ..] = forms
            && row.operands == Operands::Subcommand
        {
            if let Some(origin) = self.subcommand(row, family, arguments) {
                return origin;
            }
            if !others.is_empty() {
                forms = others;
            }
        }
        let Some((row, sorted)) = first_matching(forms, arguments) else {
            return Origin::Unknown;
        };
        let call = Call {
            row,
            name,
            arguments,
            sorted: &sorted,
        };
        self.report_row(&call);
        self.sweep_call(&call, family);
        let origin = match row.handler {
            Some(handler) => self.handler(handler, &call),
            None => self.effects(&call),
        };
        match (row.downloads, row.decodes) {
            (true, _) => Origin::Download,
            (_, true) => origin.max(Origin::Decoded),
            _ => origin,
        }
    }

    /// Searches the arguments of a program that acts, or whose options are not known.
    fn sweep_call(&mut self, call: &Call<'_>, family: &str) {
        let Call { row, arguments, .. } = *call;
        let acts = row.rule.is_some() || !call.sorted.is_complete;
        let walks = matches!(row.operands, Operands::Command(_) | Operands::Script)
            || matches!(
                row.handler,
                Some(Handler::Shell | Handler::Eval | Handler::Trap)
            );
        if walks || is_of_shell(row) || !acts && !family.starts_with("git") {
            return;
        }
        let is_option = |word: &&Value| {
            row.operands != Operands::PatternThenReads || word.prefix().starts_with('-')
        };
        let swept: Vec<Value> = arguments.iter().filter(is_option).cloned().collect();
        self.sweep(&swept, acts);
        match row.rule {
            _ if row.handler == Some(Handler::Find) => {}
            Some(Rule::Project | Rule::Inspect) => self.search_losses(&shown(arguments).join(" ")),
            _ if !call.sorted.is_complete => {
                let options = arguments
                    .iter()
                    .filter(|word| word.prefix().starts_with('-'));
                options.for_each(|word| self.search_losses(word.shown()));
            }
            _ => {}
        }
        if let (Some(Rule::Project), Input::Text(text)) = (row.rule, self.input.clone()) {
            self.search(&Value::known(&text));
        }
    }

    /// Walks a subcommand with its own rows. Returns `None` if the other rows of the program apply.
    fn subcommand(
        &mut self,
        row: &'static Row,
        family: &str,
        arguments: &[Value],
    ) -> Option<Origin> {
        let sorted = Arguments::sort(row, arguments);
        let (first, rest) = match sorted.operands.split_first() {
            None if row.rule.is_none() => {
                if !sorted.is_complete {
                    self.report(Rule::UnknownOption);
                }
                return Some(Origin::Unknown);
            }
            found => found?,
        };
        let name = first.literal().unwrap_or_default();
        let inner = table::find(family, name);
        if inner.is_empty() {
            if row.rule.is_some() {
                return None;
            }
            self.report(Rule::UnknownOption);
            self.sweep(arguments, true);
            return Some(Origin::Unknown);
        }
        if !sorted.is_complete {
            self.report(Rule::UnknownOption);
        }
        for (kind, value) in &sorted.values {
            self.option(row, *kind, value);
        }
        if let [only] = rest
            && only.literal() == Some("--help")
        {
            self.report(Rule::Inspect);
            return Some(Origin::Unknown);
        }
        Some(self.apply(inner, &format!("{family} {name}"), name, rest))
    }

    /// Reports the rule of a row and its alarms.
    fn report_row(&mut self, call: &Call<'_>) {
        let row = call.row;
        if !call.sorted.is_complete {
            // A dynamic word has its own finding, and that may be the only reason.
            let is_dynamic = call.arguments.iter().any(|word| word.literal().is_none());
            let unknown = (Rule::UnknownOption, Rule::UnknownOption.reason());
            let other = row.otherwise.or((!is_dynamic).then_some(unknown));
            if let Some((rule, explanation)) = other {
                let part = self.part.clone();
                self.add(rule, part, Some(explanation), None, row.covered);
            }
        }
        for (words, rule, explanation) in row.alarms {
            let mut choices = words.split(' ');
            if choices.any(|all| all.split('&').all(|word| has(call.arguments, word))) {
                self.add(
                    *rule,
                    self.part.clone(),
                    Some(explanation),
                    None,
                    row.covered,
                );
            }
        }
        match row.rule {
            None if is_of_shell(row) => {}
            None => self.check_reading_directory(),
            // The finding for other forms says more.
            Some(_) if !call.sorted.is_complete && row.otherwise.is_some() => {}
            Some(rule) => {
                let explanation = row.explanation.unwrap_or_else(|| rule.reason());
                self.add(
                    rule,
                    self.part.clone(),
                    Some(explanation),
                    None,
                    row.covered,
                );
            }
        }
        let acts = matches!(
            row.rule,
            Some(Rule::Write | Rule::Project | Rule::Interpreter | Rule::Discard | Rule::Protected)
        );
        if acts {
            self.check_directory();
        }
    }
}

/// Returns the first form that matches, or else the last one, with the sorted arguments.
fn first_matching(forms: Forms, arguments: &[Value]) -> Option<(&'static Row, Arguments)> {
    let mut last = None;
    for row in forms {
        let sorted = Arguments::sort(row, arguments);
        let is_complete = sorted.is_complete;
        last = Some((*row, sorted));
        if is_complete {
            break;
        }
    }
    last
}

fn shown(words: &[Value]) -> Vec<String> {
    words.iter().map(|word| word.shown().to_owned()).collect()
}

pub(super) fn base_name(path: &str) -> &str {
    path.trim_end_matches('/')
        .rsplit('/')
        .next()
        .unwrap_or(path)
}

/// Returns the forms of a program, also for names with a version such as `gcc-12`.
fn known_forms(name: &str) -> Forms {
    let forms = table::find("", name);
    if !forms.is_empty() {
        return forms;
    }
    let base = name
        .trim_end_matches(|letter: char| letter.is_ascii_digit() || matches!(letter, '.' | '-'));
    let forms = table::find("", base);
    if forms.iter().all(|row| row.rule.is_some()) {
        forms
    } else {
        &[]
    }
}

/// Returns `true` for programs that only print their arguments, test or change the directory.
fn is_of_shell(row: &Row) -> bool {
    matches!(
        row.handler,
        Some(Handler::ChangeDirectory | Handler::Print | Handler::Test)
    ) || row.names.starts_with(':')
}

/// Returns `true` if the only argument is `--version` or `--help`.
fn only_displays(row: &Row, arguments: &[Value]) -> bool {
    let [only] = arguments else { return false };
    let verdict = row.rule.map(super::Rule::verdict);
    matches!(only.literal(), Some("--version" | "--help"))
        && verdict.is_some_and(|verdict| verdict <= CommandVerdict::Ask)
        && (!matches!(row.operands, Operands::Command(_)) || row.rule == Some(Rule::Endless))
        && !matches!(
            row.rule,
            Some(Rule::Construct | Rule::Opaque | Rule::Environment)
        )
}

/// Returns `true` if an argument is the word of an alarm, or begins or ends like it.
fn has(arguments: &[Value], word: &str) -> bool {
    arguments.iter().any(|argument| {
        let text = argument.prefix();
        let mut letters = word.chars();
        if let (Some('-'), Some(letter), None) = (letters.next(), letters.next(), letters.next())
            && letter.is_ascii_alphabetic()
        {
            return text.starts_with('-') && !text.starts_with("--") && text.contains(letter);
        }
        if word.ends_with("???") {
            return text.len() == word.len() && text.starts_with(word.trim_end_matches('?'));
        }
        match (word.strip_prefix('*'), word.strip_suffix('*')) {
            (Some(_), Some(_)) => text.contains(word.trim_matches('*')),
            (Some(end), None) => text.ends_with(end),
            (None, Some(start)) => text.starts_with(start),
            (None, None) => text == word,
        }
    })
}
