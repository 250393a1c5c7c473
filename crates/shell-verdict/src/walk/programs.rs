//! Programs with their own syntax.

use super::files::Reach;
use super::options::Arguments;
use super::run::{Call, base_name};
use super::text;
use super::{Input, Origin, Rule, Value, Walk};
use crate::paths::is_build_output;
use crate::table::{Handler, Kind};

/// Tests and actions of `find`, and those with an argument.
const FIND_FLAGS: &str = "! ( ) -a -and -daystart -depth -empty -executable -false -follow -ignore_readdir_race -ls -mount -noleaf -not -nogroup -nouser -o -or -print -print0 -prune -quit -readable -true -writable -xdev ,";
const FIND_VALUES: &str = "-amin -anewer -atime -cmin -cnewer -ctime -fstype -gid -group -ilname -iname -inum -ipath -iregex -iwholename -links -lname -maxdepth -mindepth -mmin -mtime -name -newer -newermt -path -perm -printf -regex -regextype -samefile -size -type -uid -used -user -wholename -xtype";

impl Walk<'_> {
    pub(super) fn handler(&mut self, handler: Handler, call: &Call<'_>) -> Origin {
        match handler {
            Handler::Awk | Handler::Jq => self.filter_program(handler, call),
            Handler::Sed => self.sed(call),
            Handler::Dd => self.dd(call.arguments),
            Handler::Fd => return self.fd(call),
            Handler::Find => self.find(call.arguments),
            Handler::Kill => self.kill(call.arguments),
            Handler::Link => self.link(call),
            Handler::Permissions => self.permissions(call.name, call.arguments),
            Handler::Tar => self.tar(call),
            Handler::Xargs => return self.xargs(call),
            other => return self.shell_handler(other, call),
        }
        Origin::Unknown
    }

    /// Checks the program of `awk` or `jq`, which only whole known forms do not make an unknown one.
    fn filter_program(&mut self, handler: Handler, call: &Call<'_>) {
        let sorted = call.sorted;
        let first = sorted.operands.first().filter(|_| !sorted.has_pattern);
        let is_known = |program: &Value| {
            program.literal().is_some_and(|text| match handler {
                Handler::Awk => text::prints_fields(text),
                _ => text::is_path_filter(text),
            })
        };
        let programs: Vec<&Value> = sorted.of(Kind::Pattern).chain(first).collect();
        let has_files =
            sorted.of(Kind::Read).next().is_some() || sorted.has_any(&["v", "--assign"]);
        self.effects(call);
        if has_files && handler == Handler::Awk || !programs.iter().all(|program| is_known(program))
        {
            self.report(Rule::Interpreter);
        }
        if sorted.has_any(&["f", "i", "L", "--from-file", "--file", "--include"]) {
            self.report(Rule::Interpreter);
        }
        for program in programs {
            self.search(program);
        }
    }

    fn sed(&mut self, call: &Call<'_>) {
        let sorted = call.sorted;
        let in_place = sorted.has_any(&["i", "--in-place"]);
        let skipped = usize::from(!sorted.has_pattern);
        let (first, files) = sorted.operands.split_at(skipped.min(sorted.operands.len()));
        let programs: Vec<&Value> = sorted.of(Kind::Pattern).chain(first).collect();
        let is_known = |program: &&Value| program.literal().is_some_and(text::is_plain_sed);
        if sorted.of(Kind::Read).next().is_some() || !programs.iter().all(is_known) {
            self.report(Rule::Interpreter);
        }
        for program in programs {
            self.search(program);
        }
        for file in sorted.of(Kind::Read).cloned().collect::<Vec<_>>() {
            self.read(&file);
        }
        self.check_words(call);
        if !in_place {
            return self.read_all(files);
        }
        self.report(Rule::Write);
        self.check_directory();
        for file in files {
            self.write(file, false);
        }
        // The backup may be anywhere.
        for ending in sorted
            .of(Kind::Optional)
            .filter(|value| value.shown().contains(['/', '?']))
        {
            self.write(ending, true);
        }
    }

    fn dd(&mut self, arguments: &[Value]) {
        for argument in arguments {
            let name = argument.prefix().split('=').next().unwrap_or_default();
            match name {
                "if" => self.read(&argument.after(3)),
                "of" => self.write_to(&argument.after(3), false, Reach::File),
                _ if argument.prefix().contains('=') => {}
                _ => self.report(Rule::UnknownOption),
            }
        }
    }

    /// Runs the command of `fd`.
    fn fd(&mut self, call: &Call<'_>) -> Origin {
        let runs = |word: &Value| {
            matches!(
                word.literal(),
                Some("-x" | "-X" | "--exec" | "--exec-batch")
            )
        };
        let Some(at) = call.arguments.iter().position(runs) else {
            return self.effects(call);
        };
        self.report(Rule::Construct);
        let rest = call.arguments.iter().skip(at + 1).cloned();
        let words: Vec<Value> = rest.chain([Value::unknown(Origin::Unknown)]).collect();
        self.run(&words)
    }

    fn find(&mut self, arguments: &[Value]) {
        let is_option = |word: &Value| matches!(word.literal(), Some("-H" | "-L" | "-P"));
        let is_start =
            |word: &&Value| is_option(word) || !word.prefix().starts_with(['-', '(', '!']);
        let words = arguments.iter().take_while(is_start);
        let expression = arguments.get(words.clone().count()..).unwrap_or_default();
        let mut starts: Vec<Value> = words.filter(|word| !is_option(word)).cloned().collect();
        if starts.is_empty() {
            starts.push(Value::known("."));
        }
        self.read_all(&starts);
        let only_outputs = deletes_only_outputs(expression);
        let lists = |list: &str, text: &str| list.split(' ').any(|known| known == text);
        let mut rest = expression.iter();
        while let Some(word) = rest.next() {
            if self.is_over {
                return;
            }
            match word.literal() {
                Some("-delete") => self.delete_found(&starts, only_outputs),
                Some("-exec" | "-execdir" | "-ok" | "-okdir") => {
                    let command = rest
                        .by_ref()
                        .take_while(|word| !matches!(word.literal(), Some(";" | "+")));
                    let command: Vec<Value> = command.cloned().collect();
                    if only_outputs {
                        self.list(command.iter().map(|word| word.shown().to_owned()).collect());
                        self.delete_found(&starts, true);
                    } else {
                        self.run_found(&starts, &command);
                    }
                }
                Some("-fprint" | "-fprint0" | "-fls") => {
                    rest.next()
                        .into_iter()
                        .for_each(|file| self.write_to(file, false, Reach::File));
                }
                Some("-fprintf") => {
                    rest.next()
                        .into_iter()
                        .for_each(|file| self.write_to(file, false, Reach::File));
                    rest.next();
                }
                Some(text) if lists(FIND_FLAGS, text) => {}
                Some(text) if lists(FIND_VALUES, text) => drop(rest.next()),
                _ => self.report(Rule::UnknownOption),
            }
        }
    }

    fn delete_found(&mut self, starts: &[Value], only_outputs: bool) {
        for start in starts {
            for path in self.paths(start) {
                match self.settings.paths.delete_rule(start, &path, true) {
                    Some(Rule::Delete | Rule::Write) if only_outputs => self.report(Rule::Write),
                    other => self.report_path(other, start, &path, Reach::Parent),
                }
            }
        }
    }

    /// Runs a command with what `find` finds, which is below the directory in which it starts.
    fn run_found(&mut self, starts: &[Value], words: &[Value]) {
        let first = words.first().and_then(Value::literal).map(base_name);
        if matches!(first, Some("rm" | "rmdir" | "unlink" | "shred")) {
            self.delete_found(starts, false);
        }
        for start in starts {
            if self.is_over {
                return;
            }
            let below = Value::known(&format!("{}/?", start.prefix().trim_end_matches('/')));
            let found = below.replaced("?", &Value::unknown(Origin::Unknown));
            let words: Vec<Value> = words
                .iter()
                .map(|word| word.replaced("{}", &found))
                .collect();
            self.run(&words);
        }
    }

    fn xargs(&mut self, call: &Call<'_>) -> Origin {
        let sorted = call.sorted;
        let origin = self.input.origin();
        for (kind, value) in &sorted.values {
            self.option(call.row, *kind, value);
        }
        if !sorted.is_complete {
            self.explain(Rule::Opaque, "runs another command in an unknown way");
        }
        let item = Value::unknown(origin);
        let inner = match sorted.operands.as_slice() {
            [] => vec![Value::known("echo")],
            words => words.to_vec(),
        };
        let words = match replaced_pattern(sorted) {
            Some(pattern) => inner
                .iter()
                .map(|word| word.replaced(&pattern, &item))
                .collect(),
            None => [inner, vec![item]].concat(),
        };
        self.subshell(|walk| {
            walk.input = Input::Other(Origin::Unknown);
            walk.run(&words)
        });
        origin
    }

    fn kill(&mut self, arguments: &[Value]) {
        let lists =
            |argument: &Value| matches!(argument.literal(), Some("-0" | "-l" | "-L" | "--list"));
        if arguments.iter().any(lists) {
            return;
        }
        let is_signal =
            |(at, argument): &(usize, &Value)| *at == 0 && argument.prefix().starts_with('-');
        let mut operands = arguments
            .iter()
            .enumerate()
            .skip_while(is_signal)
            .map(|(_, argument)| argument);
        let is_all = |argument: &Value| matches!(argument.literal(), Some("1" | "-1"));
        if arguments.iter().skip(1).any(is_all) || operands.clone().any(is_all) {
            self.report(Rule::SystemControl);
        }
        let is_own = |argument: &Value| {
            argument.origin() == Some(Origin::Job) && argument.shown() == "?"
                || argument.prefix().starts_with('%')
        };
        if !operands.all(is_own) {
            self.report(Rule::Processes);
        }
    }

    fn link(&mut self, call: &Call<'_>) {
        let operands = call.sorted.operands.as_slice();
        let has_target = call.sorted.of(Kind::Directory).next().is_some();
        let (sources, target) = match operands.split_last() {
            Some((target, sources)) if !sources.is_empty() && !has_target => {
                (sources, Some(target))
            }
            _ => (operands, None),
        };
        for source in sources {
            self.read(source);
            // Writes through the link would reach what it names.
            for path in self.paths(source) {
                let rule = self.settings.paths.write_rule(&path, true);
                match rule {
                    Some(Rule::Protected) => self.report_path(rule, source, &path, Reach::Parent),
                    Some(Rule::WriteOutside | Rule::Persistence) => self.report(Rule::ReadOutside),
                    _ => {}
                }
            }
        }
        if let Some(target) = target {
            let reach = Reach::of_target(target, sources.len(), Reach::Parent);
            self.write_to(target, false, reach);
        }
        self.effects(call);
    }

    fn permissions(&mut self, name: &str, arguments: &[Value]) {
        let has_reference = arguments
            .iter()
            .any(|argument| argument.prefix().starts_with("--reference"));
        let is_mode = |text: &str| {
            name == "chmod"
                && !text.starts_with("--")
                && text.contains(['r', 'w', 'x', 's', 't', 'X'])
        };
        let is_operand = |argument: &&Value| {
            let text = argument.literal();
            text.is_none_or(|text| !text.starts_with('-') || is_mode(text))
        };
        for (at, operand) in arguments.iter().filter(is_operand).enumerate() {
            if at > 0 || has_reference {
                self.permit(operand);
            } else if operand
                .literal()
                .is_some_and(|mode| name == "chmod" && sets_id(mode))
            {
                self.report(Rule::Permission);
            }
        }
    }

    fn tar(&mut self, call: &Call<'_>) {
        let mut arguments = call.arguments.to_vec();
        // The first word may hold options without a dash.
        if let Some(first) = arguments.first_mut()
            && let Some(text) = first.literal().map(str::to_owned)
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
        {
            *first = Value::known(&format!("-{text}"));
        }
        let mut sorted = Arguments::sort(call.row, &arguments);
        let extracts = sorted.has_any(&["x", "--extract", "--get"]);
        if extracts && sorted.has_any(&["P", "--absolute-names", "--absolute-paths"])
            || sorted.has("--remove-files")
        {
            self.report(Rule::Opaque);
        }
        if extracts || sorted.has_any(&["t", "--list"]) {
            if extracts && sorted.of(Kind::Directory).next().is_none() {
                self.write(&Value::known("."), true);
            }
            for (kind, _) in &mut sorted.values {
                // The archive is read.
                *kind = if *kind == Kind::Write {
                    Kind::Read
                } else {
                    *kind
                };
            }
        } else {
            self.read_all(&sorted.operands);
        }
        self.effects(&Call {
            arguments: &arguments,
            sorted: &sorted,
            ..*call
        });
    }

    /// Checks options before a git subcommand. Returns their number.
    pub(super) fn git_options(&mut self, arguments: &[Value]) -> usize {
        let mut at = 0;
        while let Some(word) = arguments.get(at) {
            let next = arguments.get(at + 1).cloned().unwrap_or(Value::known(""));
            let text = word.prefix();
            let name = text.split('=').next().unwrap_or(text);
            let has_value = text.contains('=');
            match name {
                "-C" | "--git-dir" | "--work-tree" | "--exec-path" if has_value => {
                    self.other_repository(&word.after(name.len() + 1));
                    at += 1;
                }
                "-C" | "--git-dir" | "--work-tree" => {
                    self.other_repository(&next);
                    at += 2;
                }
                "-c" | "--config-env" => {
                    self.explain(Rule::Environment, "changes settings of git for one command");
                    self.search(&next);
                    at += 2;
                }
                _ => break,
            }
        }
        at
    }

    fn other_repository(&mut self, directory: &Value) {
        for path in self.paths(directory) {
            if self.settings.paths.is_outside(&path) {
                let grant = path.literal().map(|path| Reach::Below.grant(&path));
                let part = self.part.clone();
                self.add(
                    Rule::WriteOutside,
                    part,
                    Some("works in another repository"),
                    grant,
                    false,
                );
            } else if directory.literal() != Some(".git") {
                self.report(Rule::Dynamic);
            }
        }
    }
}

/// Returns `true` for an expression of `find` that deletes only build outputs: nothing but tests for
/// one name and a type, and then one deletion.
fn deletes_only_outputs(expression: &[Value]) -> bool {
    let texts: Option<Vec<&str>> = expression.iter().map(Value::literal).collect();
    let texts = texts.unwrap_or_default();
    let mut rest = texts.as_slice();
    let mut has_name = false;
    loop {
        rest = match rest {
            ["-type", "d" | "f", rest @ ..] | ["-prune", rest @ ..] => rest,
            ["-name", name, rest @ ..] if is_build_output(name) => {
                has_name = true;
                rest
            }
            ["-delete"]
            | ["-exec", "rm", "-rf" | "-r" | "-f" | "-fr", "{}", "+" | ";"]
            | ["-exec", "rm", "{}", "+" | ";"] => return has_name,
            _ => return false,
        };
    }
}

/// Returns the text that `xargs` replaces by an item.
fn replaced_pattern(sorted: &Arguments) -> Option<String> {
    if !sorted.has_any(&["I", "--replace"]) {
        return None;
    }
    let mut plain = sorted.of(Kind::Plain).filter_map(Value::literal);
    let pattern = plain.find(|text| text.parse::<u32>().is_err());
    Some(pattern.unwrap_or("{}").to_owned())
}

/// Returns `true` for a mode with set-ID bits.
fn sets_id(mode: &str) -> bool {
    let digits = mode.trim_start_matches(['+', '-', '=']);
    if digits.bytes().all(|byte| byte.is_ascii_digit()) {
        let number = digits.trim_start_matches('0');
        return number.len() == 4 && !number.starts_with('1');
    }
    mode.split(',').any(|part| {
        let change = part.split_once(['+', '=']);
        change.is_some_and(|(who, what)| what.contains('s') && who != "o")
    })
}
