//! Builtins of the shell.

use std::rc::Rc;

use super::super::parse::{Escapes, UNKNOWN, decode_escapes};
use super::super::paths::Places;
use super::super::table::Special;
use super::super::value::{Origin, Stream, Value, is_name};
use super::super::verdict::CommandRule as Rule;
use super::Walk;
use super::options::Arguments;
use super::run::Call;

/// Variables without an effect on other programs, beyond language and logs.
const HARMLESS: &str = "LANG LANGUAGE TZ TERM COLUMNS LINES NO_COLOR FORCE_COLOR CLICOLOR CI RUST_BACKTRACE \
    RUST_LOG CARGO_TERM_COLOR DEBUG VERBOSE PYTHONDONTWRITEBYTECODE";

/// Endings of variables whose value is a command.
const COMMANDS: &str = "PAGER EDITOR VISUAL COMMAND BROWSER SHELL RUSTC RUSTDOC RUSTFMT WRAPPER RUNNER LINKER \
    LESSOPEN _SSH ASKPASS _VALUE_0 PS0 PS1 PS4 ENV DIFF CC CXX";

pub(super) const OPAQUE: &str = "changes how the shell reads later commands";

/// Shell options that change how later commands run.
const OPTIONS: &str = "keyword dotglob lastpipe expand_aliases extdebug cdable_vars assoc_expand_once posix \
    xpg_echo";

impl Walk<'_> {
    pub(super) fn special(&mut self, special: Special, call: &Call<'_>) -> Stream {
        let arguments = call.arguments;
        match special {
            Special::ChangeDirectory => self.change_directory(&call.sorted.operands),
            Special::Echo => return self.echo(call.name, arguments),
            Special::Assign => self.assign_unknown(call.name, arguments, call.sorted),
            Special::Set => self.set_options(call.name, arguments),
            Special::Trap => self.trap(arguments),
            other => return self.special_with_output(other, call),
        }
        Stream::empty()
    }

    fn special_with_output(&mut self, special: Special, call: &Call<'_>) -> Stream {
        let arguments = call.arguments;
        match special {
            Special::Exports => self.exports(arguments),
            Special::Alias => self.alias(arguments),
            Special::Test => arguments
                .iter()
                .for_each(|argument| self.check_evaluated(argument)),
            Special::Kill => self.kill(arguments),
            Special::Source => self.source(arguments),
            Special::Parallel => self.launcher(call.row, call.name, arguments),
            // The shell may read its next commands from the new input.
            Special::Exec if call.sorted.operands.is_empty() && self.evaluated > 0 => {
                self.report(Rule::Opaque);
            }
            Special::Exec if call.sorted.operands.is_empty() => {}
            Special::Eval => return self.eval(arguments),
            Special::Shell => return self.shell(arguments),
            Special::Interpreter => return self.interpreter(call.name, arguments),
            Special::Env => return self.env(call.sorted),
            Special::Xargs => return self.xargs(call.sorted),
            Special::Find => return self.find(arguments),
            Special::Exec => return self.effects(call),
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
        echo(name, arguments)
    }

    /// Checks a variable for other programs. Returns `false` if it is harmless.
    pub(super) fn environment(&mut self, name: &str, value: &Value) -> bool {
        let is_harmless = HARMLESS.split(' ').any(|known| known == name) || name.starts_with("LC_");
        if is_harmless && value.fixed().is_some() {
            return false;
        }
        let part = format!("{name}={}", value.shown());
        self.add(Rule::Environment, part, None, None);
        if COMMANDS.split(' ').any(|ending| name.ends_with(ending)) {
            self.search_code(
                value
                    .literal()
                    .unwrap_or_default()
                    .trim_start_matches(['!', '|']),
            );
            if value.origin() == Some(Origin::Download) {
                self.report(Rule::DownloadRun);
            }
        }
        true
    }

    fn change_directory(&mut self, operands: &[Value]) {
        let home = Value::known(&self.settings.places.home);
        let targets = if operands.is_empty() {
            std::slice::from_ref(&home)
        } else {
            operands
        };
        let before = std::mem::take(&mut self.state.directories);
        let mut after: Vec<Option<Rc<str>>> = Vec::new();
        for directory in &before {
            // Some shells ignore all operands but the first.
            let target = targets.first().unwrap_or(&home);
            let known = target
                .literal()
                .filter(|text| *text != "-" && !target.may_be_missing);
            let resolved = known.and_then(|text| Places::resolve(text, directory.as_deref()));
            after.push(resolved.as_deref().map(Rc::from));
        }
        if targets.len() > 1 {
            self.report(Rule::Construct);
        }
        after.dedup();
        self.state.directories = Vec::new();
        self.state.add_directories(&after);
    }

    /// Forgets the variables that a builtin sets.
    fn assign_unknown(&mut self, name: &str, arguments: &[Value], sorted: &Arguments) {
        let is_callback =
            |word: &Value| word.prefix().starts_with('-') && word.prefix().contains('C');
        if matches!(name, "mapfile" | "readarray") && arguments.iter().any(is_callback) {
            self.report(Rule::Opaque);
            for text in arguments.iter().filter_map(Value::literal) {
                self.search_code(text.split_once('C').map_or(text, |(_, code)| code));
            }
        }
        if matches!(name, "shift" | "getopts") {
            self.state.positional = None;
        }
        for argument in arguments {
            self.check_evaluated(argument);
            let Some(text) = argument.literal() else {
                continue;
            };
            let end = text
                .find(|letter: char| letter != '_' && !letter.is_ascii_alphanumeric())
                .unwrap_or(text.len());
            let variable = text.get(..end).unwrap_or_default().to_owned();
            self.state.forget(&variable);
            self.state.splits_oddly |= variable == "IFS";
        }
        if sorted
            .operands
            .iter()
            .any(|operand| operand.literal().is_none())
            || name == "let"
        {
            self.state.forget_all();
        }
    }

    /// Declares variables. The values were assigned before.
    fn exports(&mut self, arguments: &[Value]) {
        for argument in arguments {
            self.check_evaluated(argument);
            match argument.literal() {
                Some(text) if text.starts_with('-') => {
                    // References, and attributes that change values.
                    if text.contains(['n', 'u', 'l', 'i', 'A']) {
                        self.state.forget_all();
                        self.report(Rule::Construct);
                    }
                }
                Some(text) if is_name(text.trim_end_matches('=')) => {}
                _ => self.state.forget_all(),
            }
        }
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

/// Returns the printed text.
fn echo(name: &str, arguments: &[Value]) -> Stream {
    let texts: Option<Vec<&str>> = arguments.iter().map(Value::literal).collect();
    let origin = arguments
        .iter()
        .filter_map(Value::origin)
        .max()
        .unwrap_or(Origin::Unknown);
    let unknown = Stream::Unknown(origin);
    let Some(texts) = texts else { return unknown };
    let text = if name == "printf" {
        printf(&texts)
    } else {
        echoed(&texts)
    };
    text.filter(|text| !text.contains(UNKNOWN))
        .map_or(unknown, Stream::Text)
}

fn echoed(texts: &[&str]) -> Option<String> {
    let is_option = |text: &&&str| {
        text.strip_prefix('-').is_some_and(|rest| {
            !rest.is_empty() && rest.chars().all(|letter| "neE".contains(letter))
        })
    };
    let options = texts.iter().take_while(is_option).count();
    let (options, words) = texts.split_at(options);
    if options.iter().any(|option| option.contains('E'))
        && options.iter().any(|option| option.contains('e'))
    {
        return None;
    }
    let text = words.join(" ")
        + if options.iter().any(|option| option.contains('n')) {
            ""
        } else {
            "\n"
        };
    if options.iter().any(|option| option.contains('e')) {
        return Some(decode_escapes(&text, Escapes::Echo));
    }
    // Shells differ in escapes.
    (!text.contains('\\')).then_some(text)
}

fn printf(texts: &[&str]) -> Option<String> {
    let texts = texts.strip_prefix(&["--"]).unwrap_or(texts);
    let (format, arguments) = texts.split_first()?;
    if format.starts_with('-') {
        return None;
    }
    let format = decode_escapes(format, Escapes::Quoted);
    let mut arguments = arguments.iter();
    let mut text = String::new();
    loop {
        let before = arguments.len();
        let mut letters = format.chars();
        while let Some(letter) = letters.next() {
            if letter != '%' {
                text.push(letter);
                continue;
            }
            match letters.next()? {
                '%' => text.push('%'),
                's' => text.push_str(arguments.next().unwrap_or(&"")),
                'b' => text.push_str(&decode_escapes(
                    arguments.next().unwrap_or(&""),
                    Escapes::Argument,
                )),
                'd' => text.push_str(
                    arguments
                        .next()
                        .filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()))?,
                ),
                _ => return None,
            }
        }
        if arguments.len() == 0 || arguments.len() == before {
            return Some(text);
        }
    }
}
