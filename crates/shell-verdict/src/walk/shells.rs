//! Shells, interpreters, and builtins that change the shell.

use std::rc::Rc;

use super::run::Call;
use super::{Directories, Input, Origin, Rule, Value, Walk};
use crate::paths::PathClassifier;
use crate::table::{Handler, Kind};
use crate::value::is_name;

const OPAQUE: &str = "changes how the shell reads later commands";

/// Options of `set`, `shopt` and `sh -o` that do not change the meaning of later commands.
const OPTIONS: &str = "allexport errexit errtrace nounset xtrace verbose noglob noclobber pipefail nullglob globstar extglob failglob \
    inherit_errexit nocaseglob nocasematch";

/// Options with which an interpreter runs the next argument.
const CODE: &str =
    "-c -e -E -r -p -pe -ne -i --eval --print --execute --command -es -ex -Command -m";

impl Walk<'_> {
    pub(super) fn shell_handler(&mut self, handler: Handler, call: &Call<'_>) -> Origin {
        let arguments = call.arguments;
        match handler {
            Handler::ChangeDirectory => self.change_directory(call),
            Handler::Env => return self.env(call),
            Handler::Eval => self.eval(arguments),
            Handler::Exec if call.sorted.operands.is_empty() => {
                if self.evaluated > 0 {
                    // The shell may read its next commands from the new input.
                    self.report(Rule::Opaque);
                }
            }
            Handler::Interpreter => self.interpreter(arguments),
            Handler::Names => self.names(call.name, arguments),
            Handler::Print => self.print(call.name, arguments),
            Handler::Set => self.set_options(arguments),
            Handler::Shell => return self.shell(arguments),
            Handler::Source => self.source(arguments),
            Handler::Test => self.check_evaluated(arguments),
            Handler::Trap => self.trap(arguments),
            _ => return self.effects(call),
        }
        Origin::Unknown
    }

    fn change_directory(&mut self, call: &Call<'_>) {
        let home = Value::known(&self.settings.paths.home);
        let is_known = |name| self.is_set_by_launcher(name);
        // The first operand counts for shells that ignore others.
        let target = match call.sorted.operands.first() {
            Some(target) => Some(target).filter(|_| is_known("CDPATH")),
            None => Some(&home).filter(|_| is_known("HOME") && call.name == "cd"),
        };
        let target = target.cloned().unwrap_or(Value::unknown(Origin::Unknown));
        let mut after: Directories = Vec::new();
        for directory in self.directories_for(&target) {
            let text = target
                .literal()
                .filter(|text| *text != "-" && !text.is_empty());
            let resolved =
                text.and_then(|text| PathClassifier::resolve(text, directory.as_deref()));
            if resolved
                .as_deref()
                .is_some_and(|path| !self.settings.may_start_in(path))
            {
                self.add(
                    Rule::ReadOutside,
                    target.shown().to_owned(),
                    None,
                    None,
                    false,
                );
            }
            after.push(resolved.as_deref().map(Rc::from));
        }
        self.directories = Vec::new();
        self.add_directories(&after);
        if self.functions.contains_key(call.name) {
            self.add_directories(&[None]);
        }
    }

    fn env(&mut self, call: &Call<'_>) -> Origin {
        let sorted = call.sorted;
        for value in sorted.of(Kind::Shell).cloned().collect::<Vec<_>>() {
            // The other arguments follow the words of the text.
            let rest: Vec<&str> = sorted.operands.iter().map(Value::shown).collect();
            match value.literal() {
                Some(text) => drop(self.evaluate(&format!("{text} {}", rest.join(" ")))),
                None => self.unknown_code(value.origin()),
            }
        }
        let mut words = sorted.operands.iter().peekable();
        words.next_if(|word| word.literal() == Some("-"));
        while let Some(word) = words.next_if(|word| word.prefix().contains('=')) {
            let name = word
                .prefix()
                .split('=')
                .next()
                .unwrap_or_default()
                .to_owned();
            self.assign(&name);
            self.environment(&name, &word.after(name.len() + 1));
        }
        let inner: Vec<Value> = words.cloned().collect();
        let inner = super::options::Arguments {
            is_complete: sorted.is_complete,
            operands: inner,
            ..Default::default()
        };
        self.wrapped(
            &Call {
                sorted: &inner,
                ..*call
            },
            0,
        )
    }

    /// Reports code that is not known.
    pub(super) fn unknown_code(&mut self, origin: Option<Origin>) {
        let origin = origin.max(Some(self.input.origin())).max(Some(self.seen));
        self.assign_all();
        self.report(match origin {
            Some(Origin::Download) => Rule::DownloadRun,
            Some(Origin::Decoded) => Rule::Encoded,
            _ => Rule::Opaque,
        });
    }

    fn eval(&mut self, arguments: &[Value]) {
        let texts: Option<Vec<&str>> = arguments.iter().map(Value::literal).collect();
        match texts {
            Some(texts) => drop(self.evaluate(texts.join(" ").trim_start_matches("-- "))),
            None => self.unknown_code(arguments.iter().filter_map(Value::origin).max()),
        }
        self.assign_all();
        self.add_directories(&[None]);
    }

    fn source(&mut self, arguments: &[Value]) {
        if let Some(file) = arguments.first() {
            if self.is_download(file) || file.literal().is_none() {
                self.unknown_code(
                    file.origin()
                        .max(self.is_download(file).then_some(Origin::Download)),
                );
            }
            self.read(file);
        }
        self.assign_all();
        self.add_directories(&[None]);
    }

    fn trap(&mut self, arguments: &[Value]) {
        let mut operands = arguments
            .iter()
            .filter(|argument| argument.literal() != Some("--"));
        let Some(action) = operands.next() else {
            return;
        };
        let signals: Vec<&Value> = operands.collect();
        match action.literal() {
            Some(text) if text.starts_with('-') || signals.is_empty() => {}
            Some(text) => {
                self.evaluate(text);
            }
            None => self.unknown_code(action.origin()),
        }
        // Such an action may change the directory between any two commands.
        let at_exit = |signal: &&Value| matches!(signal.literal(), Some("EXIT" | "0"));
        if !signals.iter().all(at_exit) {
            self.add_directories(&[None]);
        }
        if signals
            .iter()
            .any(|signal| matches!(signal.literal(), Some("DEBUG" | "RETURN" | "ERR")))
        {
            self.explain(Rule::Opaque, "runs code before or after each later command");
        }
    }

    fn set_options(&mut self, arguments: &[Value]) {
        let is_known = |argument: &Value| {
            let letters = |text: &str| {
                !text.is_empty()
                    && text
                        .chars()
                        .all(|letter| "aefuvxCbnEosuqp".contains(letter))
            };
            argument.literal().is_some_and(|text| {
                OPTIONS.split(' ').any(|known| known == text)
                    || text == "-"
                    || text.strip_prefix(['-', '+']).is_some_and(letters)
            })
        };
        // What follows are positional parameters, which are dynamic.
        let mut options = arguments
            .iter()
            .take_while(|argument| argument.literal() != Some("--"));
        if !options.all(is_known) {
            self.explain(Rule::Opaque, OPAQUE);
        }
    }

    /// Checks names of variables, which the shell expands again.
    fn names(&mut self, name: &str, arguments: &[Value]) {
        self.check_evaluated(arguments);
        let runs = |word: &Value| word.prefix().starts_with('-') && word.prefix().contains('C');
        if matches!(name, "mapfile" | "readarray") && arguments.iter().any(runs) {
            self.report(Rule::Opaque);
        }
        for argument in arguments {
            let end = argument
                .prefix()
                .find(|letter: char| letter != '_' && !letter.is_ascii_alphanumeric());
            let variable = argument
                .prefix()
                .get(..end.unwrap_or(argument.prefix().len()))
                .unwrap_or_default();
            if is_name(variable) && (argument.literal().is_some() || end.is_some()) {
                self.assign(variable);
            } else if argument.literal().is_none() || name == "let" {
                self.assign_all();
            }
        }
        let is_reference =
            |word: &Value| word.prefix().starts_with('-') && word.prefix().contains('n');
        if matches!(name, "declare" | "typeset" | "local") && arguments.iter().any(is_reference) {
            self.assign_all();
        }
    }

    fn print(&mut self, name: &str, arguments: &[Value]) {
        let Some(first) = arguments.first().filter(|_| name == "printf") else {
            return;
        };
        if first.prefix().starts_with("-v") || first.may_be_option() {
            self.report(Rule::Construct);
            self.check_evaluated(arguments);
            match arguments.get(1).and_then(Value::literal) {
                Some(variable) if is_name(variable) && first.literal() == Some("-v") => {
                    self.assign(variable);
                }
                _ => self.assign_all(),
            }
        }
    }

    fn shell(&mut self, arguments: &[Value]) -> Origin {
        let mut rest = arguments.iter();
        let mut runs_text = false;
        let mut reads_input = false;
        let mut script = None;
        while let Some(word) = rest.next() {
            match word.literal() {
                Some("-" | "--") => {
                    script = rest.next();
                    break;
                }
                Some("--rcfile" | "--init-file") => {
                    self.explain(Rule::Opaque, OPAQUE);
                    rest.next();
                }
                Some("--posix" | "--login" | "--norc" | "--noprofile") => {}
                Some(text) if text.starts_with("--") => self.report(Rule::UnknownOption),
                Some(text) if text.starts_with(['-', '+']) => {
                    runs_text |= text.starts_with('-') && text.contains('c');
                    reads_input |= text.contains('s');
                    if text.contains('k') {
                        self.explain(Rule::Opaque, OPAQUE);
                    }
                    if text.ends_with(['o', 'O'])
                        && let Some(option) = rest.next()
                    {
                        self.set_options(std::slice::from_ref(option));
                    }
                }
                _ => {
                    script = Some(word);
                    break;
                }
            }
        }
        match script {
            Some(text) if runs_text => {
                if let Some(text) = text.literal() {
                    return self.evaluate(text);
                }
                self.unknown_code(text.origin());
                Origin::Unknown
            }
            Some(file) if !reads_input => self.shell_script(file),
            _ => self.shell_input(),
        }
    }

    fn shell_script(&mut self, file: &Value) -> Origin {
        match file.literal() {
            Some("-" | "/dev/stdin" | "/dev/fd/0") => return self.shell_input(),
            Some(name) if !name.starts_with("/dev/") && !name.starts_with("/proc/") => {
                self.script_file(file);
                self.check_directory();
            }
            _ => self.unknown_code(file.origin()),
        }
        Origin::Unknown
    }

    /// Walks standard input as a script, if it is a literal here-document.
    fn shell_input(&mut self) -> Origin {
        match self.input.clone() {
            Input::Text(text) => self.subshell(|walk| {
                walk.input = Input::Other(Origin::Unknown);
                walk.evaluate(&text)
            }),
            input => {
                self.unknown_code(Some(input.origin()));
                Origin::Unknown
            }
        }
    }

    fn interpreter(&mut self, arguments: &[Value]) {
        let mut rest = arguments.iter();
        let mut has_code = false;
        let mut reads_input = false;
        while let Some(word) = rest.next() {
            self.search(word);
            match word.literal() {
                Some(text) if CODE.split(' ').any(|known| known == text) => {
                    has_code = true;
                    let code = rest.next();
                    if let Some(origin @ (Origin::Download | Origin::Decoded)) =
                        code.and_then(Value::origin)
                    {
                        self.unknown_code(Some(origin));
                    }
                    if let Some(code) = code {
                        self.search(code);
                    }
                }
                Some("-" | "/dev/stdin") => reads_input = true,
                Some(text) if text.starts_with(['-', '+']) => {}
                _ if has_code => self.read(word),
                _ => {
                    has_code = true;
                    if word.origin() >= Some(Origin::Decoded) {
                        self.unknown_code(word.origin());
                    }
                    self.script_file(word);
                }
            }
        }
        if (reads_input || !has_code) && self.input.origin() >= Origin::Decoded {
            self.unknown_code(Some(self.input.origin()));
        }
        if let Input::Text(text) = self.input.clone() {
            self.search(&Value::known(&text));
        }
    }
}
