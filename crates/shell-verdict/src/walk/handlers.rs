//! Shells, interpreters, and programs with effects that no row tells.

use std::rc::Rc;

use super::files::Reach;
use super::run::Call;
use super::{Input, Rule, Value, Walk};
use crate::paths::PathClassifier;
use crate::table::{Handler, Kind};
use crate::value::{Source, is_name};

impl Walk<'_> {
    pub(super) fn handler(&mut self, handler: Handler, call: &Call<'_>) {
        let arguments = call.arguments;
        match handler {
            Handler::ChangeDirectory => self.change_directory(call),
            Handler::Eval => self.eval(call.name, arguments),
            Handler::Find => self.find(call),
            Handler::Kill => self.kill(arguments),
            Handler::Names => self.names(arguments),
            Handler::Shell => self.shell(call),
            Handler::Test => arguments.iter().for_each(|word| self.check_evaluated(word)),
        }
    }

    fn change_directory(&mut self, call: &Call<'_>) {
        let home = Value::known(&self.settings.paths.home);
        // The first operand counts for shells that ignore others.
        let target = match call.sorted.operands.first() {
            Some(target) => target.clone(),
            None if call.name == "cd" => home,
            None => Value::unknown(),
        };
        self.moves |= !self.defining.is_empty();
        let is_known = self.knows_variables && !self.moves && !self.functions.contains(call.name);
        let text = target.literal().filter(|text| {
            // The next time, the same text may lead elsewhere.
            let is_fixed = text.starts_with('/') || !self.context.repeated;
            is_known && is_fixed && !matches!(*text, "-" | "")
        });
        let directory = self.context.directory.as_deref();
        let directory = text.and_then(|text| PathClassifier::resolve(text, directory));
        let rule = match &directory {
            Some(directory) if self.settings.may_start_in(directory) => None,
            Some(_) => Some(Rule::ReadOutside),
            None => Some(Rule::Dynamic),
        };
        if let Some(rule) = rule {
            self.add(rule, target.shown(), rule.reason(), None, false);
        }
        self.context.directory = directory.map(Rc::from);
    }

    fn find(&mut self, call: &Call<'_>) {
        let is_option = |word: &&Value| matches!(word.literal(), Some("-H" | "-L" | "-P"));
        let is_start = |word: &&Value| !word.prefix().starts_with(['-', '(', '!']);
        let words = call.arguments.iter().skip_while(is_option);
        let mut starts: Vec<Value> = words.take_while(is_start).cloned().collect();
        if starts.is_empty() {
            starts.push(Value::known("."));
        }
        self.read_all(&starts);
        for file in call.sorted.of(Kind::Write) {
            self.write(file, false, Reach::File);
        }
        let words: Vec<&str> = call.arguments.iter().map(Value::shown).collect();
        let has = |wanted: &[&str]| words.iter().any(|word| wanted.contains(word));
        // A test for a name that always counts selects no repository.
        let is_simple = !has(&["-o", "-or", "!", "-not", ","]);
        let names = words
            .windows(2)
            .find(|pair| matches!(pair, ["-name", name] if *name != "*"));
        let name = names.and_then(|pair| pair.get(1)).filter(|_| is_simple);
        let deletes = has(&["-delete"]);
        for start in &starts {
            let path = self.path(start);
            let is_repository = name.is_none() && self.settings.paths.is_root(&path);
            let source = if is_repository {
                Source::Expansion
            } else {
                Source::Pattern
            };
            let mut item = Value::known(start.prefix().trim_end_matches('/'));
            item.push("/");
            item.push_dynamic("?", source, false);
            item.push(&name.map(|name| format!("/{name}")).unwrap_or_default());
            if deletes {
                self.delete(&item, true);
            }
            for command in &call.sorted.commands {
                if self.is_over {
                    return;
                }
                self.run_items(command, "{}", &item);
            }
        }
    }

    fn kill(&mut self, arguments: &[Value]) {
        let has_signal = |word: &Value| word.prefix().starts_with('-');
        let skipped = usize::from(arguments.first().is_some_and(has_signal));
        for (at, word) in arguments.iter().enumerate() {
            match word.shown() {
                "1" | "-1" if at > 0 || skipped == 0 => self.report(Rule::SystemControl),
                // Jobs of this command.
                "$!" => {}
                text if text.starts_with('%') || at < skipped => {}
                _ => self.report(Rule::Processes),
            }
        }
    }

    /// Reports code that is not known.
    pub(super) fn unknown_code(&mut self) {
        self.forget();
        self.report(if self.downloads {
            Rule::DownloadRun
        } else {
            Rule::Opaque
        });
    }

    /// Walks text that another shell runs.
    pub(super) fn code(&mut self, text: &Value) {
        match text.literal() {
            Some(text) => self.evaluate(text),
            None => self.unknown_code(),
        }
    }

    /// Runs the arguments of `eval`, the file of `source`, or the action of `trap`.
    fn eval(&mut self, name: &str, arguments: &[Value]) {
        let words = arguments.iter().filter(|word| word.literal() != Some("--"));
        let count = if name == "eval" { usize::MAX } else { 1 };
        let texts: Option<Vec<&str>> = words.take(count).map(Value::literal).collect();
        match texts {
            Some(_) if matches!(name, "." | "source") => self.read_all(arguments),
            Some(texts) => self.evaluate(&texts.join(" ")),
            None => self.unknown_code(),
        }
        // The action may run between any two commands.
        let signal = arguments.last().and_then(Value::literal);
        if name != "trap" || signal != Some("EXIT") || arguments.len() > 3 {
            self.forget();
        }
    }

    /// Checks names of variables, which the shell expands again.
    fn names(&mut self, arguments: &[Value]) {
        for argument in arguments {
            self.check_evaluated(argument);
            let known = argument.prefix().trim_start_matches("-v");
            let name = known.split(['=', '+', '[']).next().unwrap_or_default();
            if is_name(name) && (argument.literal().is_some() || name.len() < known.len()) {
                self.assign(name);
            } else if argument.literal().is_none() || known.starts_with('-') && known.contains('n')
            {
                // Any name, or a name for another variable.
                self.sets_variables = true;
            }
        }
    }

    fn shell(&mut self, call: &Call<'_>) {
        let sorted = call.sorted;
        let operand = sorted.operands.first();
        let is_option = operand.is_some_and(|word| word.prefix().starts_with('+'));
        if !sorted.is_complete || is_option {
            self.explain(Rule::Opaque, "changes how the shell reads later commands");
        }
        match operand {
            Some(text) if sorted.has("c") => self.code(text),
            Some(file) if !sorted.has("s") => match file.literal() {
                Some("-") => self.shell_input(),
                Some(name) if !name.starts_with("/dev/") && !name.starts_with("/proc/") => {
                    self.script_file(file);
                    self.check_directory();
                }
                _ => self.unknown_code(),
            },
            _ => self.shell_input(),
        }
    }

    /// Walks standard input as a script, if it is a literal here-document.
    fn shell_input(&mut self) {
        match self.context.input.clone() {
            Input::Text(text) => self.scoped(|walk| {
                walk.context.input = Input::Unknown;
                walk.evaluate(&text);
            }),
            _ => self.unknown_code(),
        }
    }
}
