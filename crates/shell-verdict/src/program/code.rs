//! Effects of interpreter code, derived from its string literals.

use super::super::state::State;
use super::super::verdict::CommandRule;
use super::super::walk::Walk;
use super::calls::{
    CONNECTING, DECODING, DELETING, EVALUATING, FETCHING, RUNNING, RUNNING_CODE, RUNNING_WITH_MODE,
    STARTING, WRITING,
};

/// Maximum number of string literals to check in one piece of code.
const MOST_TEXTS: usize = 32;

#[derive(Debug, PartialEq)]
pub(super) struct Literal<'code> {
    quote: char,
    pub(super) before: &'code str,
    pub(super) text: String,
    pub(super) after: &'code str,
}

impl Walk<'_> {
    /// Checks code for damage only, because code itself already requires approval.
    pub(super) fn code(&mut self, state: &State, name: &str, code: &str) {
        let has = |words: &[&str]| words.iter().any(|word| code.contains(word));
        if has(CONNECTING) && has(STARTING) {
            self.report(CommandRule::ReverseShell, code);
        }
        if has(FETCHING) && has(EVALUATING) {
            self.report(CommandRule::DownloadRun, code);
        }
        if runs_decoded(code) {
            self.report(CommandRule::Encoded, code);
        }
        if code.contains("fork") && (code.contains("while") || code.contains("loop")) {
            self.report(CommandRule::ForkBomb, code);
        }
        if code.contains("with administrator privileges") {
            self.report(CommandRule::Privilege, code);
        }
        if matches!(name, "perl" | "ruby") {
            for text in in_brackets(code) {
                self.suspect(state, text);
            }
        }
        let found = literals(code, &['"', '\'', '`']);
        for (at, literal) in found.iter().take(MOST_TEXTS).enumerate() {
            let following = found.get(at + 1..).unwrap_or_default();
            // In other languages, backquotes are ordinary strings.
            if literal.quote == '`' && matches!(name, "ruby" | "perl" | "php") {
                self.suspect(state, &literal.text);
            }
            self.literal(state, literal, following);
            if is_run_by(name, literal) {
                self.suspect(state, literal.text.trim_matches(['|', ' ']));
            }
        }
    }

    fn literal(&mut self, state: &State, literal: &Literal<'_>, following: &[Literal<'_>]) {
        let text = literal.text.as_str();
        let before = literal.before.trim_end_matches(['[', 'r', 'f', 'b']);
        let ends = |calls: &[&str]| calls.iter().any(|call| before.ends_with(call));
        if ends(RUNNING) || has_mode(before) {
            self.suspect(state, text);
            self.suspect(state, &command_of(literal, following));
        } else if ends(DELETING) || literal.after.starts_with(").unlink") {
            let path = text.replace(['*', '?'], &super::super::value::GLOB.to_string());
            self.for_harm(|walk| walk.deletes(state, &path));
        } else if ends(WRITING) || opens_to_write(literal) {
            let path = text.trim_start_matches(['>', ' ']);
            self.for_harm(|walk| walk.writes(state, path));
        } else if text.contains('/') {
            self.reads_quietly(state, text.trim_start_matches(['<', ' ']));
        }
    }

    /// Checks shell escapes of editors and interactive programs, such as `!ls`, `\! ls` and `.shell
    /// ls`.
    pub(super) fn escapes(&mut self, state: &State, text: &str) {
        for line in text.lines() {
            let line = line.strip_prefix("platform ").unwrap_or(line);
            let command = line.trim_start_matches(['+', ':', '"', '\'', ' ', '\\', '%']);
            let text = [
                ".shell ",
                ".system ",
                ".once |",
                ".output |",
                "system ",
                "!",
                "r !",
                "silent !",
                "sil !",
                "w !",
                "shell ",
            ]
            .iter()
            .find_map(|start| command.strip_prefix(start));
            if let Some(text) = text {
                self.suspect(state, text);
            }
            let written = [
                "w! ", "w ", "wq ", "saveas ", ".output ", ".once ", ".backup ", ".save ",
            ]
            .iter()
            .find_map(|start| command.strip_prefix(start));
            if let Some(path) = written.filter(|path| !path.starts_with(['!', '|'])) {
                self.for_harm(|walk| walk.writes(state, path.trim()));
            }
            let run = ["exec ", "spawn "]
                .iter()
                .find_map(|start| command.strip_prefix(start));
            if let Some(text) = run {
                self.suspect(state, text);
            }
        }
    }
}

/// Returns `true` if one statement decodes code and runs it.
fn runs_decoded(code: &str) -> bool {
    RUNNING_CODE.iter().any(|call| {
        let mut behind = code.split(call).skip(1);
        behind.any(|behind| {
            let statement = behind.split([';', '\n']).next().unwrap_or_default();
            DECODING.iter().any(|decode| statement.contains(decode))
        })
    })
}

/// Returns commands in perl and ruby delimiters, such as `qx(ls)` and `%x{ls}`.
fn in_brackets(code: &str) -> Vec<&str> {
    let starts = code.match_indices("qx").chain(code.match_indices("%x"));
    let text = |(at, mark): (usize, &str)| {
        let rest = code.get(at + mark.len()..)?.trim_start();
        let opening = rest
            .chars()
            .next()
            .filter(|sign| "([{</|!,".contains(*sign))?;
        let closing = match opening {
            '(' => ')',
            '[' => ']',
            '{' => '}',
            '<' => '>',
            same => same,
        };
        let text = rest.get(1..)?;
        text.get(..text.find(closing)?)
    };
    starts.take(MOST_TEXTS).filter_map(text).collect()
}

fn is_run_by(name: &str, literal: &Literal<'_>) -> bool {
    let text = literal.text.trim();
    let before = literal.before.trim_end();
    match name {
        "perl" => {
            let is_pipe = text.starts_with('|') || text.ends_with('|');
            let has_mode = ["-|", "|-"].iter().any(|mode| {
                before
                    .trim_end_matches([',', '"', '\'', ' '])
                    .ends_with(mode)
            });
            (is_pipe || has_mode) && before.ends_with(',') && before.contains("open")
        }
        "ruby" => {
            let call = before.strip_suffix('(').unwrap_or(before);
            let word = call
                .rsplit(|letter: char| !letter.is_ascii_alphanumeric())
                .next();
            word == Some("sh")
        }
        "scala" => literal.after.starts_with(".!"),
        // Template tag of zx and bun.
        "node" | "nodejs" | "bun" | "deno" | "ts-node" => {
            literal.quote == '`' && before.ends_with('$')
        }
        _ => false,
    }
}

fn has_mode(before: &str) -> bool {
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || "_.".contains(letter);
    let Some(mode) = before.trim_end().strip_suffix(',') else {
        return false;
    };
    let call = mode.trim_end_matches(is_name);
    RUNNING_WITH_MODE.iter().any(|name| call.ends_with(name))
}

/// Returns the command for a list of string literals.
fn command_of(first: &Literal<'_>, following: &[Literal<'_>]) -> String {
    let mut words = vec![first.text.as_str()];
    let mut after = first.after;
    for literal in following {
        let between = after
            .get(..after.len() - literal.before_len(after))
            .unwrap_or_default();
        // Lists and null values may be in between.
        let between = between.replace("args:", "").replace("nil", "");
        let plain = ['"', '\'', ' ', ',', '[', '{'];
        if !between.trim_matches(plain).is_empty() {
            break;
        }
        words.push(&literal.text);
        after = literal.after;
    }
    crate::words::join(words)
}

impl Literal<'_> {
    fn before_len(&self, after: &str) -> usize {
        let end = self.before.as_ptr() as usize + self.before.len();
        (after.as_ptr() as usize + after.len()).saturating_sub(end)
    }
}

fn opens_to_write(literal: &Literal<'_>) -> bool {
    if literal.text.starts_with('>') || literal.after.starts_with(").write_") {
        return true;
    }
    let mode: String = literal.after.chars().take(12).collect();
    let writes = [
        ",'w", ",\"w", ", 'w", ", \"w", ",'a", ",\"a", ", 'a", ", \"a",
    ];
    literal.before.ends_with("open(") && writes.iter().any(|start| mode.contains(start))
}

pub(super) fn literals<'code>(code: &'code str, quotes: &[char]) -> Vec<Literal<'code>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = code.get(at..).and_then(|rest| rest.find(quotes)) {
        let start = at + start;
        let Some((text, end)) = literal_at(code, start) else {
            break;
        };
        found.push(Literal {
            quote: code
                .get(start..)
                .and_then(|rest| rest.chars().next())
                .unwrap_or('"'),
            before: code.get(..start).unwrap_or_default(),
            text,
            after: code.get(end..).unwrap_or_default(),
        });
        at = end;
    }
    found
}

fn literal_at(code: &str, start: usize) -> Option<(String, usize)> {
    let mut letters = code.get(start..)?.char_indices();
    let (_, quote) = letters.next()?;
    let mut text = String::new();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => text.extend(letters.next().map(|(_, escaped)| escaped)),
            _ if letter == quote => return Some((text, start + at + 1)),
            _ => text.push(letter),
        }
    }
    None
}
