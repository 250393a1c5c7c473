//! sed and awk: small scanners that look for what runs or writes something.

use super::super::state::State;
use super::super::value;
use super::super::verdict::Rule;
use super::super::walk::Walk;
use super::arguments::Arguments;

/// Texts of one awk program that are judged as commands.
const MOST_AWK_TEXTS: usize = 16;

impl Walk<'_> {
    pub(super) fn sed(&mut self, state: &mut State, arguments: &Arguments) {
        let mut operands = arguments.operands.as_slice();
        let mut scripts: Vec<&String> = arguments.values('P').collect();
        if scripts.is_empty() {
            let Some((script, files)) = operands.split_first() else {
                return;
            };
            scripts.push(script);
            operands = files;
        }
        for script in scripts {
            if !is_plain_sed(script) || value::is_open(script) {
                self.report(Rule::Opaque, script);
                self.forbidden_names(script);
                for path in written_by_sed(script) {
                    self.writes(state, path);
                }
            }
        }
        let in_place = arguments.has(&["i", "in-place"]);
        for path in operands {
            self.reads(state, path, false);
            if in_place {
                self.writes(state, path);
            }
        }
    }

    pub(super) fn awk(&mut self, state: &mut State, arguments: &Arguments) {
        let Some((program, files)) = arguments.operands.split_first() else {
            return;
        };
        if !is_plain_awk(program) || value::is_open(program) {
            self.report(Rule::Opaque, program);
            self.run_by_awk(state, program);
        }
        for path in files.iter().filter(|path| !path.contains('=')) {
            self.reads(state, path, false);
        }
    }
}

impl Walk<'_> {
    /// Texts in an awk program that it may run or write to.
    fn run_by_awk(&mut self, state: &State, program: &str) {
        let mut pieces = program.split('"');
        let mut before = pieces.next().unwrap_or_default();
        let mut counted = 0;
        while let (Some(text), Some(after)) = (pieces.next(), pieces.next()) {
            let is_target = before.trim_end().ends_with('>');
            let is_run =
                before.trim_end().ends_with(['|', '(']) || after.trim_start().starts_with('|');
            if is_target {
                self.writes(state, text);
            } else if is_run && counted < MOST_AWK_TEXTS {
                counted += 1;
                self.again(&mut state.clone(), text);
            }
            before = after;
        }
    }
}

/// Files behind the `w` of a sed script.
fn written_by_sed(script: &str) -> impl Iterator<Item = &str> {
    script.lines().filter_map(|line| {
        let (before, path) = line.rsplit_once("w ")?;
        let is_command = before
            .trim_end()
            .chars()
            .last()
            .is_none_or(|letter| "/|,#;$gpIM".contains(letter) || letter.is_ascii_digit());
        is_command.then_some(path.trim())
    })
}

/// Whether a sed script has nothing but commands that print, delete and replace.
fn is_plain_sed(script: &str) -> bool {
    let mut rest = script.trim_start_matches([' ', '\t', '\n', ';', '}']);
    while !rest.is_empty() {
        match sed_command(rest) {
            Some(next) => rest = next.trim_start_matches([' ', '\t', '\n', ';', '}']),
            None => return false,
        }
    }
    true
}

/// Skips one command with its addresses.
fn sed_command(text: &str) -> Option<&str> {
    let mut rest = sed_address(text)?;
    if let Some(second) = rest.strip_prefix(',') {
        rest = sed_address(second.trim_start().trim_start_matches(['+', '~']))?;
    }
    let rest = rest.trim_start_matches([' ', '\t', '!']);
    let mut letters = rest.chars();
    match letters.next()? {
        'p' | 'd' | 'q' | '=' | 'n' | 'N' | 'g' | 'G' | 'h' | 'H' | 'x' | 'D' | 'P' | 'l' | 'Q'
        | '{' | 'z' => Some(letters.as_str()),
        's' => {
            let delimiter = letters
                .next()
                .filter(|letter| !letter.is_alphanumeric() && *letter != '\\')?;
            let flags = sed_part(sed_part(letters.as_str(), delimiter)?, delimiter)?;
            let end = flags.find([';', '\n', '}', ' ']).unwrap_or(flags.len());
            let (flags, rest) = flags.split_at_checked(end)?;
            flags
                .chars()
                .all(|flag| matches!(flag, 'g' | 'p' | 'i' | 'I' | 'm' | 'M' | '0'..='9'))
                .then_some(rest)
        }
        'y' => {
            let delimiter = letters.next()?;
            sed_part(sed_part(letters.as_str(), delimiter)?, delimiter)
        }
        // Their text ends with the line.
        'a' | 'i' | 'c' | '#' => letters
            .as_str()
            .split_once('\n')
            .map_or(Some(""), |(line, rest)| {
                (!line.ends_with('\\')).then_some(rest)
            }),
        't' | 'b' | 'T' | ':' => {
            let rest = letters.as_str();
            Some(rest.get(rest.find([';', '\n', '}']).unwrap_or(rest.len())..)?)
        }
        _ => None,
    }
}

fn sed_address(text: &str) -> Option<&str> {
    match text.chars().next()? {
        '/' => {
            let rest = sed_part(text.get(1..)?, '/')?;
            Some(rest.trim_start_matches(['I', 'M']))
        }
        '\\' => {
            let delimiter = text.get(1..)?.chars().next()?;
            sed_part(text.get(1 + delimiter.len_utf8()..)?, delimiter)
        }
        '$' => text.get(1..),
        _ => Some(text.trim_start_matches(|letter: char| {
            letter.is_ascii_digit() || letter == '~' || letter == value::NUMBER
        })),
    }
}

/// What is behind the next `delimiter` that has no backslash in front.
fn sed_part(text: &str, delimiter: char) -> Option<&str> {
    let mut escaped = false;
    for (at, letter) in text.char_indices() {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '\n' => return None,
            _ if letter == delimiter => return text.get(at + letter.len_utf8()..),
            _ => {}
        }
    }
    None
}

/// Whether an awk program neither runs, nor writes, nor reads other files.
fn is_plain_awk(program: &str) -> bool {
    let mut bare = String::new();
    let mut letters = program.chars().peekable();
    while let Some(letter) = letters.next() {
        let before = bare.trim_end().chars().last().unwrap_or('{');
        let opens_pattern = letter == '/' && "(,~!{};&|".contains(before);
        if letter != '"' && !opens_pattern {
            bare.push(letter);
            continue;
        }
        bare.push('0');
        while let Some(inner) = letters.next() {
            match inner {
                '\\' => {
                    letters.next();
                }
                '\n' => return false,
                _ if inner == letter => break,
                _ => {}
            }
        }
    }
    let bare = bare.replace("||", " ");
    let printing_into = bare
        .split([';', '{', '}', '\n'])
        .any(|statement| statement.contains("print") && statement.contains('>'));
    !printing_into
        && !bare.contains(['|', '@', '`'])
        && !["system", "getline", "fflush", "close", "ENVIRON"]
            .iter()
            .any(|word| bare.contains(word))
}
