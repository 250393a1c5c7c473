//! Commands within other text: code of interpreters, settings and arguments.

use super::super::parse;
use super::super::paths::Path;
use super::super::table;
use super::super::value::{Origin, Value};
use super::super::verdict::CommandRule;
use super::Walk;
use super::simple::base_name;

/// Maximum number of quoted strings of code to check.
const MOST_STRINGS: usize = 64;
/// Maximum number of arguments that may begin a command.
const MOST_COMMANDS: usize = 4;

/// Programs that are searched for among the arguments of unknown programs.
const TELLING: [&str; 9] = ["rm", "sh", "bash", "zsh", "eval", "dd", "shred", "curl", "find"];

/// Words that show a reverse shell together with a shell.
const SOCKETS: [&str; 6] = ["socket", "fsockopen", "TCPSocket", "pty.spawn", "Socket", "/dev/tcp/"];

/// Words that run downloaded code together with an evaluation.
const DOWNLOADS: [&str; 8] = ["urlopen", "requests.get", "LWP::Simple", "URI.open", "http.get", "https.get", "http://", "https://"];
const EVALUATIONS: [&str; 4] = ["exec(", "eval(", "eval ", "system("];

impl Walk<'_> {
    /// Reports damage that `text` would do as a shell script.
    pub(super) fn search_code(&mut self, text: &str) {
        if text.len() < 2 || self.is_over || parse::script(text, self.depth).is_err() {
            return;
        }
        let mut inner = Walk::new(self.settings, None);
        inner.state = self.state.clone();
        inner.depth = self.depth + 1;
        inner.steps = self.steps;
        inner.work = self.work;
        inner.evaluated = 1;
        inner.span = self.span.clone();
        inner.evaluate(text);
        self.steps = inner.steps;
        self.work = inner.work;
        self.is_over |= inner.is_over;
        for finding in inner.judgement.findings() {
            if finding.rule().is_damage() || finding.rule() == CommandRule::Limit {
                self.judgement.add(finding.clone());
            }
        }
    }

    /// Checks code of an interpreter for telling words and for commands in its strings.
    pub(super) fn search_interpreted(&mut self, code: &Value) {
        if code.origin() == Some(Origin::Download) {
            self.report(CommandRule::DownloadRun);
        }
        let text = code.literal().map_or_else(|| code.shown(), str::to_owned);
        let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
        if has(&SOCKETS) && has(&["/bin/sh", "/bin/bash", "sh -i", "pty.spawn", "\"sh\"", "'sh'"]) {
            self.report(CommandRule::ReverseShell);
        }
        if has(&DOWNLOADS) && has(&EVALUATIONS) {
            self.report(CommandRule::DownloadRun);
        }
        if has(&["rmtree", "unlink(", "remove(", "rmSync", "rm_rf", "rm_r(", "unlinkSync", "File.delete"]) {
            self.add(CommandRule::Delete, self.part.clone(), None, None);
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
        let places = &self.settings.places;
        if places.is_secret(path) {
            self.add(CommandRule::Secret, shown.to_owned(), None, None);
        } else if places.runs_later(path) {
            self.add(CommandRule::WriteOutside, shown.to_owned(), None, None);
        }
    }

    /// Checks the arguments of an unknown program, which may be a command.
    pub(super) fn search_arguments(&mut self, arguments: &[Value]) {
        let mut commands = 0;
        for (at, argument) in arguments.iter().enumerate() {
            let Some(text) = argument.literal() else { continue };
            let first = base_name(text.split(' ').next().unwrap_or(text));
            if !(TELLING.contains(&first) || table::is_forbidden(first)) || commands >= MOST_COMMANDS {
                continue;
            }
            commands += 1;
            if text.contains(' ') {
                self.search_code(text);
                continue;
            }
            let words: Vec<Value> = arguments.get(at..).unwrap_or_default().to_vec();
            let mut inner = Walk::new(self.settings, None);
            inner.state = self.state.clone();
            inner.depth = self.depth + 1;
            inner.steps = self.steps;
            inner.evaluated = 1;
            inner.span = self.span.clone();
            inner.run(&words);
            self.steps = inner.steps;
            for finding in inner.judgement.findings() {
                if finding.rule().is_damage() {
                    self.judgement.add(finding.clone());
                }
            }
        }
    }
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
            string.push(if letter == '\\' { letters.next().unwrap_or('\\') } else { letter });
        }
        if !string.is_empty() {
            strings.push(string);
        }
        if strings.len() >= MOST_STRINGS {
            break;
        }
    }
    strings
}
