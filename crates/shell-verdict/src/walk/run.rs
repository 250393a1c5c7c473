//! One command: its program, the form of its arguments, and their effects.

use super::arguments::Arguments;
use super::{Input, Rule, Value, Walk};
use crate::paths::matches;
use crate::table::{self, Forms, Handler, Operands, Row};
use crate::verdict::CommandVerdict;

/// Directories of installed programs.
const PROGRAM_DIRECTORIES: &str =
    "/bin/ /usr/bin/ /usr/local/bin/ /sbin/ /usr/sbin/ /usr/local/sbin/ /opt/homebrew/bin/";

/// Program with its row and arguments.
#[derive(Clone, Copy)]
pub(super) struct Call<'c> {
    pub(super) row: &'c Row,
    pub(super) name: &'c str,
    pub(super) arguments: &'c [Value],
    pub(super) sorted: &'c Arguments,
}

impl Walk<'_> {
    /// Runs a command.
    pub(super) fn run(&mut self, words: &[Value]) {
        let Some((first, arguments)) = words.split_first() else {
            return;
        };
        if !self.step(words) {
            return;
        }
        self.deeper(|walk| {
            walk.context.part = Self::show(words);
            walk.list(words.iter().map(|word| word.shown().to_owned()).collect());
            for word in words {
                walk.report_dynamic(word);
            }
            if let Some(name) = first.literal() {
                walk.run_program(name, first, arguments);
            } else {
                walk.unknown_code();
                walk.sweep_all(arguments, true);
            }
        });
    }

    fn run_program(&mut self, name: &str, word: &Value, arguments: &[Value]) {
        let is_function = self.call(name);
        let base = name.rsplit('/').next().unwrap_or(name);
        // A forbidden program cannot be an allowed one.
        if self.settings.forbidden.contains(base) {
            self.report(Rule::Unwanted);
        } else if self.settings.allowed.contains(base) {
            return self.sweep_all(arguments, false);
        }
        let directory = name.strip_suffix(base).unwrap_or_default();
        let mut known = PROGRAM_DIRECTORIES.split(' ');
        // Such a file may only share the name of a known program.
        if name.contains('/') && !known.any(|known| known == directory) {
            self.script_file(word);
        }
        let forms = table::find("", base);
        match forms.first() {
            None if is_function => {}
            None => self.unknown_program(name, arguments),
            Some(row) if only_displays(row, arguments) => {}
            Some(row) => {
                let family = row.names.split(' ').next().unwrap_or(base);
                self.apply(forms, family, base, arguments);
            }
        }
    }

    fn unknown_program(&mut self, name: &str, arguments: &[Value]) {
        if !name.contains('/') {
            self.report(Rule::UnknownProgram);
        }
        self.sweep_all(arguments, true);
        self.check_directory();
    }

    /// Reports the execution of a file.
    pub(super) fn script_file(&mut self, file: &Value) {
        self.read(file);
        let explanation = "runs a script whose effects are not known in advance";
        self.explain(Rule::Project, explanation);
    }

    fn sweep_all(&mut self, arguments: &[Value], acts: bool) {
        for word in arguments {
            self.sweep(word, acts);
        }
    }

    /// Applies the first form that matches, or reports the finding for other forms.
    fn apply(&mut self, forms: Forms, family: &str, name: &str, arguments: &[Value]) {
        let mut forms = forms;
        if let [row, others @ ..] = forms
            && row.operands == Operands::Subcommand
        {
            if self.subcommand(row, family, arguments) {
                return;
            }
            if !others.is_empty() {
                forms = others;
            }
        }
        let Some((row, sorted)) = first_matching(forms, arguments) else {
            return;
        };
        let call = Call {
            row,
            name,
            arguments,
            sorted: &sorted,
        };
        self.report_row(&call);
        self.sweep_call(&call);
        match row.handler {
            Some(handler) => self.handler(handler, &call),
            None => self.effects(&call),
        }
        self.downloads |= row.downloads;
    }

    /// Searches the arguments of a program for paths, whatever their role is.
    fn sweep_call(&mut self, call: &Call<'_>) {
        let Call { row, sorted, .. } = *call;
        let acts = row.rule.is_some() || !sorted.is_complete;
        let walks = matches!(
            row.operands,
            Operands::Command(_) | Operands::Items | Operands::Script
        ) || row.handler == Some(Handler::Eval);
        // Code or arguments of another program.
        let uses_input = matches!(row.rule, Some(Rule::Project | Rule::Interpreter))
            || row.operands == Operands::Items;
        if let (true, Input::Text(text)) = (uses_input, self.context.input.clone()) {
            self.search(&Value::known(&text));
        }
        // A complete row that takes anything only prints it.
        if walks || !acts && row.is_open() {
            return;
        }
        let has_pattern = row.operands.begin_with_pattern();
        for word in call.arguments {
            if row.rule == Some(Rule::Interpreter) {
                self.search(word);
            } else if !has_pattern || word.prefix().starts_with('-') {
                self.sweep(word, acts);
            }
        }
    }

    /// Walks a subcommand with its own rows. Returns `false` if the other rows of the program apply.
    fn subcommand(&mut self, row: &'static Row, family: &str, arguments: &[Value]) -> bool {
        let sorted = Arguments::sort(row, arguments);
        let (name, rest) = match sorted.operands.split_first() {
            Some((first, rest)) => (first.literal().unwrap_or_default(), rest),
            None => ("", [].as_slice()),
        };
        let inner = table::find(family, name);
        if inner.is_empty() && row.rule.is_some() {
            return false;
        }
        if !sorted.is_complete || inner.is_empty() && !sorted.operands.is_empty() {
            self.report(Rule::UnknownOption);
            self.sweep_all(arguments, true);
        }
        for (kind, value) in &sorted.values {
            self.option(row, *kind, value);
        }
        let mut literals = rest.iter().map(Value::literal);
        if rest.len() == 1 && literals.any(|word| word == Some("--help")) {
            self.report(Rule::Inspect);
        } else if !inner.is_empty() {
            self.apply(inner, &format!("{family} {name}"), name, rest);
        }
        true
    }

    /// Reports the rule of a row and its alarms.
    fn report_row(&mut self, call: &Call<'_>) {
        let Call { row, sorted, .. } = *call;
        let mut reasons = Vec::new();
        if !sorted.is_complete {
            // A dynamic word has its own finding, and that may be the only reason.
            let is_dynamic = call.arguments.iter().any(|word| word.literal().is_none());
            let unknown = (Rule::UnknownOption, Rule::UnknownOption.reason());
            reasons.extend(row.otherwise.or((!is_dynamic).then_some(unknown)));
        }
        for (words, rule, explanation) in row.alarms {
            let mut choices = words.split(' ');
            if choices.any(|all| all.split('&').all(|word| has(call.arguments, word))) {
                reasons.push((*rule, *explanation));
            }
        }
        // The finding for other forms says more.
        let rule = row
            .rule
            .filter(|_| sorted.is_complete || row.otherwise.is_none());
        reasons.extend(rule.map(|rule| (rule, row.explanation.unwrap_or_else(|| rule.reason()))));
        let part = self.context.part.clone();
        for (rule, explanation) in reasons {
            self.add(rule, &part, explanation, None, row.covered);
        }
        let writes = [
            Rule::Write,
            Rule::Project,
            Rule::Interpreter,
            Rule::Discard,
            Rule::Protected,
        ];
        if row.rule.is_some_and(|rule| writes.contains(&rule)) {
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

/// Returns `true` if the only argument is `--version` or `--help`.
fn only_displays(row: &Row, arguments: &[Value]) -> bool {
    let is_display = |word: &Value| matches!(word.literal(), Some("--version" | "--help"));
    let verdict = row.rule.map(Rule::verdict);
    matches!(arguments, [only] if is_display(only))
        && !row.operands.end_options()
        && verdict.is_some_and(|verdict| verdict <= CommandVerdict::Ask)
}

/// Returns `true` if an argument matches the word of an alarm.
fn has(arguments: &[Value], word: &str) -> bool {
    arguments.iter().any(|argument| {
        let text = argument.prefix();
        if word.len() == 2 && word.starts_with('-') && word != "-1" {
            let letter = word.trim_start_matches('-');
            return text.starts_with('-') && !text.starts_with("--") && text.contains(letter);
        }
        matches(word, text)
    })
}
