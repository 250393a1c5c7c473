//! Builtins of the shell.

use std::rc::Rc;

use super::super::paths::PathClassifier;
use super::super::table::Handler;
use super::printed::printed;
use super::run::Call;
use super::{Origin, Rule, Stream, Value, Walk};

pub(super) const OPAQUE: &str = "changes how the shell reads later commands";

/// Shell options that change how later commands run.
const OPTIONS: &str = "keyword dotglob lastpipe expand_aliases extdebug cdable_vars assoc_expand_once posix \
    xpg_echo";

impl Walk<'_> {
    pub(super) fn handler(&mut self, handler: Handler, call: &Call<'_>) -> Stream {
        let arguments = call.arguments;
        match handler {
            Handler::ChangeDirectory => self.change_directory(&call.sorted.operands),
            Handler::Echo => return self.echo(call.name, arguments),
            Handler::Assign => self.assign_unknown(call.name, arguments, call.sorted),
            Handler::Set => self.set_options(call.name, arguments),
            Handler::Trap => self.trap(arguments),
            other => return self.special_with_output(other, call),
        }
        Stream::empty()
    }

    fn special_with_output(&mut self, handler: Handler, call: &Call<'_>) -> Stream {
        let arguments = call.arguments;
        match handler {
            Handler::Exports => self.exports(arguments),
            Handler::Alias => self.alias(arguments),
            Handler::Test => arguments
                .iter()
                .for_each(|argument| self.check_evaluated(argument)),
            Handler::Kill => self.kill(arguments),
            Handler::Source => self.source(arguments),
            Handler::Parallel => self.launcher(call.row, call.name, arguments),
            // The shell may read its next commands from the new input.
            Handler::Exec if call.sorted.operands.is_empty() && self.evaluated > 0 => {
                self.report(Rule::Opaque);
            }
            Handler::Exec if call.sorted.operands.is_empty() => {}
            Handler::Eval => return self.eval(arguments),
            Handler::Shell => return self.shell(arguments),
            Handler::Interpreter => return self.interpreter(call.name, arguments),
            Handler::Env => return self.env(call.sorted),
            Handler::Xargs => return self.xargs(call.sorted),
            Handler::Find => return self.find(arguments),
            Handler::Exec => return self.effects(call),
            other => return self.program_special(other, call),
        }
        self.unknown_output()
    }

    fn echo(&mut self, name: &str, arguments: &[Value]) -> Stream {
        let sets = |first: &Value| {
            first.prefix().starts_with("-v") || !first.is_written && !first.prefix().contains('%')
        };
        if name == "printf" && arguments.first().is_some_and(sets) {
            self.report(Rule::Construct);
            for argument in arguments {
                self.check_evaluated(argument);
            }
            self.state.forget_all_variables();
        }
        let output = printed(name, arguments);
        if let Stream::Text(text) = &output {
            self.charge(text.len());
        }
        output
    }

    fn change_directory(&mut self, operands: &[Value]) {
        let home = Value::known(&self.settings.paths.home);
        let targets = if operands.is_empty() {
            std::slice::from_ref(&home)
        } else {
            operands
        };
        // Some shells ignore all operands but the first.
        let target = targets.first().unwrap_or(&home);
        let mut after: Vec<Option<Rc<str>>> = Vec::new();
        for directory in self.directories_for(target) {
            let known = target
                .literal()
                .filter(|text| *text != "-" && !target.may_be_missing);
            let resolved =
                known.and_then(|text| PathClassifier::resolve(text, directory.as_deref()));
            if resolved
                .as_deref()
                .is_some_and(|path| !self.settings.may_start_in(path))
            {
                self.add(Rule::ReadOutside, target.shown(), None, None);
            }
            after.push(resolved.as_deref().map(Rc::from));
        }
        if targets.len() > 1 {
            self.report(Rule::Construct);
        }
        after.dedup();
        self.state.directories = Vec::new();
        self.state.add_directories(&after);
    }

    fn alias(&mut self, arguments: &[Value]) {
        let defines = |text: &str| text.contains('=') || text.starts_with('-') && text != "-r";
        if arguments
            .iter()
            .any(|argument| argument.literal().is_none_or(defines))
        {
            self.explain(Rule::Opaque, OPAQUE);
            for text in arguments.iter().filter_map(Value::literal) {
                self.search_code(text.split_once('=').map_or("", |(_, value)| value));
            }
        }
    }

    fn set_options(&mut self, name: &str, arguments: &[Value]) {
        let texts: Vec<&str> = arguments
            .iter()
            .map(|argument| argument.literal().unwrap_or("?"))
            .collect();
        let has_letter = |text: &str| {
            name == "set" && text.starts_with('-') && !text.starts_with("--") && text.contains('k')
        };
        if texts.iter().any(|text| {
            OPTIONS.split(' ').any(|known| known == *text) || has_letter(text) || *text == "?"
        }) {
            self.explain(Rule::Opaque, OPAQUE);
        }
        if name == "set"
            && arguments.iter().any(|argument| {
                argument
                    .literal()
                    .is_none_or(|text| !text.starts_with(['-', '+']) || text == "--")
            })
        {
            let at = texts
                .iter()
                .position(|text| *text == "--")
                .map_or(0, |at| at + 1);
            let words = arguments.get(at..).unwrap_or_default().to_vec();
            let is_known = words.iter().all(|word| word.literal().is_some());
            self.state.positional = is_known.then(|| Rc::new(words));
        }
    }

    fn eval(&mut self, arguments: &[Value]) -> Stream {
        let skipped = usize::from(arguments.first().and_then(Value::literal) == Some("--"));
        let arguments = arguments.get(skipped..).unwrap_or_default();
        let texts: Option<Vec<&str>> = arguments.iter().map(Value::literal).collect();
        if let Some(texts) = texts {
            return self.evaluate(&texts.join(" "));
        }
        self.unknown_code(arguments.iter().filter_map(Value::origin).max());
        self.state.forget_all();
        self.unknown_output()
    }

    /// Reports code that is not known.
    pub(super) fn unknown_code(&mut self, origin: Option<Origin>) {
        self.report(match origin {
            Some(Origin::Download) => Rule::DownloadRun,
            Some(Origin::Decoded) => Rule::Encoded,
            _ => Rule::Opaque,
        });
    }

    fn trap(&mut self, arguments: &[Value]) {
        let mut operands = arguments
            .iter()
            .filter(|argument| argument.literal() != Some("--"));
        let Some(action) = operands.next() else {
            return;
        };
        match action.literal().map(str::to_owned) {
            Some(text) if text.starts_with('-') || operands.next().is_none() => {}
            Some(text) => {
                let before = self.state.clone();
                self.evaluate(&text);
                let signals = arguments.iter().skip(1).filter_map(Value::literal);
                if signals
                    .into_iter()
                    .all(|signal| matches!(signal, "EXIT" | "0"))
                {
                    self.state = before;
                } else {
                    // The action may run before any later command.
                    self.state.join(&before);
                }
            }
            None => self.unknown_code(action.origin()),
        }
        let signals = arguments.iter().filter_map(Value::literal);
        if signals
            .into_iter()
            .any(|signal| matches!(signal, "DEBUG" | "RETURN"))
        {
            self.explain(Rule::Opaque, "runs code before or after each later command");
        }
    }

    fn kill(&mut self, arguments: &[Value]) {
        let lists =
            |argument: &Value| matches!(argument.literal(), Some("-0" | "-l" | "-L" | "--list"));
        if arguments.iter().any(lists) {
            return;
        }
        let mut operands = arguments
            .iter()
            .enumerate()
            .skip_while(|(at, argument)| *at == 0 && argument.prefix().starts_with('-'));
        if arguments
            .iter()
            .skip(1)
            .any(|argument| argument.literal() == Some("-1"))
            || operands
                .clone()
                .any(|(_, argument)| matches!(argument.literal(), Some("1" | "-1")))
        {
            self.report(Rule::SystemControl);
        }
        let is_own = |(_, argument): (usize, &Value)| {
            argument.origin() == Some(Origin::Job) || argument.prefix().starts_with('%')
        };
        if !operands.all(is_own) {
            self.report(Rule::Processes);
        }
    }

    fn source(&mut self, arguments: &[Value]) {
        let Some((file, rest)) = arguments.split_first() else {
            return;
        };
        let stream = match (&file.stream, file.literal()) {
            (Some(stream), _) => Some(Rc::clone(stream)),
            (None, Some("/dev/stdin" | "/dev/fd/0")) => Some(Rc::clone(&self.state.stdin)),
            _ => None,
        };
        if let Some(stream) = stream {
            if !rest.is_empty() {
                self.state.positional = None;
            }
            self.run_stream(&stream);
        } else if file
            .literal()
            .is_none_or(|name| name.starts_with("/dev/") || name.starts_with("/proc/"))
        {
            self.unknown_code(file.origin());
            self.state.forget_all();
        } else {
            self.script_file(file);
            self.state.forget_all();
        }
    }
}
