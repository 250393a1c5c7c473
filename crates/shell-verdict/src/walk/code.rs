//! Commands within other text: code of interpreters, settings and arguments.

use super::super::parse::{self, ParseError};
use super::super::paths::Path;
use super::files::Reach;
use super::simple::base_name;
use super::{Origin, Rule, Stream, Value, Walk};

/// Programs that are searched for among the arguments of unknown programs.
const DANGEROUS_PROGRAMS: &str =
    "rm sh bash zsh eval dd shred curl find sudo doas pkexec mkfs shutdown reboot";

/// Words before a command in the code of interpreters.
const COMMAND_PREFIXES: &str = "spawn --args .shell .system exec platform system shell";

/// Words that show a reverse shell together with a shell.
const SOCKETS: &str = "socket fsockopen TCPSocket pty.spawn Socket /dev/tcp/";

/// Words that run downloaded code together with an evaluation.
const DOWNLOADS: &str =
    "urlopen requests.get LWP::Simple URI.open http.get https.get http:// https://";
const DELETIONS: &str = "rmtree remove_tree removedirs remove_entry RemoveAll unlink remove( .rm( rmSync rm_rf rm_r( File.delete delete-directory removeSync \
    Remove-Item rmdir";
const EVALUATIONS: [&str; 4] = ["exec(", "eval(", "eval ", "system("];
/// Words that decode text, and that run it in addition to evaluations.
const DECODERS: &str = "base64 Base64 b64decode atob( fromhex( codecs";
const RUNNERS: &str = "execSync spawnSync subprocess popen";

impl Walk<'_> {
    /// Reports damage that `text` would do as a shell script.
    pub(super) fn search_code(&mut self, text: &str) {
        self.charge(text.len());
        if self.is_over {
            return;
        }
        match parse::script(text, self.depth) {
            Ok(script) => self.search(|inner| drop(inner.script(&script))),
            Err(ParseError::TooDeep) => self.report_limit(),
            Err(ParseError::Syntax(_)) => {}
        }
    }

    /// Runs `check` in a copy of this shell, and keeps only the damage that it finds.
    fn search(&mut self, check: impl FnOnce(&mut Self)) {
        self.evaluated += 1;
        self.searched += 1;
        self.subshell(|walk| walk.deeper((), check));
        self.searched -= 1;
        self.evaluated -= 1;
    }

    /// Checks code of an interpreter for telling words and for commands in its strings.
    pub(super) fn search_interpreted(&mut self, code: &Value) {
        if matches!(code.origin(), Some(Origin::Download | Origin::Decoded)) {
            self.unknown_code(code.origin());
        }
        let text = code.literal().map_or_else(|| code.shown(), str::to_owned);
        let any = |words: &str| words.split(' ').any(|word| text.contains(word));
        let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
        if any(SOCKETS) && (has(&["sh -i"]) || any("/bin/sh /bin/bash pty.spawn \"sh\" 'sh'")) {
            self.report(Rule::ReverseShell);
        }
        if any(DOWNLOADS) && has(&EVALUATIONS) {
            self.report(Rule::DownloadRun);
        }
        if any(DECODERS) && (any(RUNNERS) || has(&EVALUATIONS)) {
            self.report(Rule::Encoded);
        }
        if has(&["fork"]) && has(&["while", "for(;;)", "for (;;)"]) {
            self.report(Rule::ForkBomb);
        }
        self.search_text(&text);
        if text.contains('\\') {
            self.search_text(&parse::decode_escapes(&text, parse::EscapeDialect::Quoted));
        }
        if any(DELETIONS) {
            self.add(Rule::Delete, self.part.clone(), None, None);
        }
        let strings = strings(&text);
        let joined = strings.join(" ");
        for string in strings.iter().chain([&joined]) {
            self.search_string(string);
        }
    }

    fn search_string(&mut self, text: &str) {
        let file = Value::known(text.trim_start_matches(['<', '>', ' ']));
        if text.contains('/') && !text.contains(' ') {
            for path in self.paths(&file) {
                self.search_path(&path, text);
            }
        }
        if text.contains(' ') {
            self.search_code(text);
        }
    }

    fn search_path(&mut self, path: &Path, shown: &str) {
        let paths = &self.settings.paths;
        if paths.is_secret(path) {
            self.add(Rule::Secret, shown.to_owned(), None, None);
        } else if paths.is_startup_file(path) {
            self.add(Rule::WriteOutside, shown.to_owned(), None, None);
        }
    }

    /// Searches text for commands at the start of its parts.
    fn search_text(&mut self, text: &str) {
        for part in text.split([
            '\'', '"', '`', '=', '!', ';', ',', '(', ')', '|', '&', '{', '}', ':', '\n', '\t',
        ]) {
            let mut part = part.trim();
            for word in COMMAND_PREFIXES.split(' ') {
                part = part.strip_prefix(word).map_or(part, str::trim_start);
            }
            let first = base_name(part.split(' ').next().unwrap_or_default());
            if is_dangerous_program(first) {
                self.search_code(part);
            }
        }
    }

    /// Searches options for commands, and all arguments unless `only_options`.
    pub(super) fn search_options(&mut self, arguments: &[Value], only_options: bool) {
        if !only_options {
            self.search_arguments(arguments);
            if let Stream::Text(text) = self.state.stdin.as_ref() {
                let text = text.clone();
                self.search_text(&text);
            }
        }
        for argument in arguments {
            if let Some(Stream::Text(text)) = argument.stream.as_deref() {
                self.search_text(text);
            }
            if !argument.prefix().starts_with(['-', '+']) {
                continue;
            }
            let text = argument.shown();
            let letters = if text.starts_with("--") { 0 } else { 2 };
            self.search_text(text.get(letters..).unwrap_or_default());
            self.search_text(&text);
        }
    }

    /// Checks the arguments of an unknown program, which may be a command.
    pub(super) fn search_arguments(&mut self, arguments: &[Value]) {
        for (at, argument) in arguments.iter().enumerate() {
            if self.is_over {
                return;
            }
            let Some(text) = argument.literal() else {
                continue;
            };
            if text.contains('(') {
                self.search_interpreted(argument);
            }
            if text.contains([' ', '=', ':']) {
                self.search_text(text);
            }
            // A prefix such as `test:` names an environment.
            let name = text.rsplit(':').next().unwrap_or(text);
            let rest = arguments.get(at + 1..).unwrap_or_default();
            if !is_dangerous_program(base_name(name)) || rest.is_empty() {
                continue;
            }
            let words = [&[Value::known(name)], rest].concat();
            self.search(|inner| drop(inner.run(&words)));
        }
    }

    /// Searches the arguments of any program for credentials, and for files that run later.
    pub(super) fn sweep(&mut self, arguments: &[Value], acts: bool, writes: bool) {
        for argument in arguments {
            for at in fragments(argument.prefix()) {
                self.charge(argument.prefix().len() - at);
                if self.is_over {
                    return;
                }
                let mut fragment = argument.after(at);
                if fragment.prefix().starts_with("~/") {
                    let rest = fragment.after(1);
                    fragment = Value::known(&self.settings.paths.home);
                    rest.segments
                        .into_iter()
                        .for_each(|segment| fragment.push(segment));
                }
                for path in self.paths(&fragment) {
                    self.sweep_path(&path, argument, acts, writes);
                }
            }
        }
    }

    fn sweep_path(&mut self, path: &Path, argument: &Value, acts: bool, writes: bool) {
        let paths = &self.settings.paths;
        // What the program does with the path is unknown: it may replace it.
        let grant = || path.literal().map(|path| Reach::Parent.grant(&path));
        if paths.is_secret(path) {
            self.add(Rule::Secret, argument.shown(), None, None);
        } else if acts && paths.is_startup_file(path) || writes && paths.is_outside(path) {
            let grant = grant();
            self.add(Rule::WriteOutside, argument.shown(), None, grant);
        } else if paths.read_rule(path) == Some(Rule::ReadOutside) && paths.is_outside(path) {
            let is_shared = path
                .literal()
                .is_some_and(|path| self.settings.is_read_only(&path));
            if !is_shared {
                self.add(Rule::ReadOutside, argument.shown(), None, None);
            }
        }
    }
}

/// Starts of the parts of an argument that may be paths outside the working directory.
fn fragments(prefix: &str) -> impl Iterator<Item = usize> {
    let starts = prefix.match_indices(['/', '~']).map(|(at, _)| at);
    let starts = starts.filter(|at| {
        let (before, path) = prefix.split_at(*at);
        let is_url = matches!(before, "http:" | "https:") && path.starts_with("//");
        let last = before.chars().last();
        last.is_none_or(|last| "=:@<,'\"(".contains(last)) && !is_url
            || before.starts_with('-') && before.len() == 2
            || before.ends_with("file://")
            || before.ends_with("..")
    });
    starts.map(|at| {
        let before = prefix.get(..at).unwrap_or_default();
        at - if before.ends_with("..") { 2 } else { 0 }
    })
}

fn is_dangerous_program(name: &str) -> bool {
    DANGEROUS_PROGRAMS.split(' ').any(|known| known == name)
}

/// Returns the quoted strings of code, without escapes.
fn strings(code: &str) -> Vec<String> {
    let mut strings = Vec::new();
    let mut letters = code.chars();
    while let Some(letter) = letters.next() {
        let quote = match letter {
            '\'' | '"' | '`' => letter,
            _ => continue,
        };
        let mut string = String::new();
        while let Some(letter) = letters.next() {
            if letter == quote {
                break;
            }
            string.push(if letter == '\\' {
                letters.next().unwrap_or('\\')
            } else {
                letter
            });
        }
        if !string.is_empty() {
            strings.push(string);
        }
    }
    strings
}
