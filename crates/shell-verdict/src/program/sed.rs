//! Scanner for effects of sed scripts.

use super::super::state::State;
use super::super::value::{self, Stream};
use super::super::verdict::CommandRule;
use super::super::walk::Walk;
use super::arguments::Arguments;

#[derive(Debug, PartialEq)]
enum Effect<'text> {
    Reads(&'text str),
    Writes(&'text str),
    /// Command, or the result of a substitution with `e`.
    Runs(&'text str),
}

impl Walk<'_> {
    pub(super) fn sed(&mut self, state: &mut State, arguments: &Arguments) {
        let mut operands = arguments.operands.as_slice();
        let mut scripts: Vec<&String> = arguments.values('P').collect();
        if scripts.is_empty() && !arguments.has(&["f", "file"]) {
            let Some((script, files)) = operands.split_first() else {
                return;
            };
            scripts.push(script);
            operands = files;
        }
        for script in scripts {
            self.sed_script(state, script);
        }
        let in_place = arguments.has(&["i", "in-place"]);
        for path in operands {
            self.reads(state, path, false);
            if in_place {
                self.writes(state, path);
            }
        }
    }

    fn sed_script(&mut self, state: &State, script: &str) {
        let mut effects = Vec::new();
        let is_read = scan(script, &mut effects).is_some();
        if is_read && effects.is_empty() && !value::is_open(script) {
            return;
        }
        self.report(CommandRule::Opaque, script);
        if value::from_network(script) {
            self.report(CommandRule::DownloadRun, script);
        }
        if !is_read {
            self.forbidden_names(script);
        }
        for effect in effects {
            match effect {
                Effect::Reads(path) => self.reads_quietly(state, path),
                Effect::Writes(path) => self.writes(state, path),
                Effect::Runs(text) => {
                    if self.input == Stream::Network {
                        self.report(CommandRule::DownloadRun, script);
                    }
                    self.suspect(state, &text.replace("\\/", "/"));
                }
            }
        }
    }
}

/// Returns `None` if the script is not understood.
fn scan<'text>(script: &'text str, effects: &mut Vec<Effect<'text>>) -> Option<()> {
    let between = [' ', '\t', '\n', ';', '}'];
    let mut rest = script.trim_start_matches(between);
    while !rest.is_empty() {
        rest = command(rest, effects)?.trim_start_matches(between);
    }
    Some(())
}

fn command<'text>(text: &'text str, effects: &mut Vec<Effect<'text>>) -> Option<&'text str> {
    let mut rest = address(text)?;
    if let Some(second) = rest.strip_prefix(',') {
        rest = address(second.trim_start().trim_start_matches(['+', '~']))?;
    }
    let rest = rest.trim_start_matches([' ', '\t', '!']);
    let mut letters = rest.chars();
    let letter = letters.next()?;
    let behind = letters.as_str();
    match letter {
        'p' | 'd' | '=' | 'n' | 'N' | 'g' | 'G' | 'h' | 'H' | 'x' | 'D' | 'P' | '{' | 'z' | 'F' => {
            Some(behind)
        }
        'q' | 'Q' | 'l' | 'L' => {
            Some(behind.trim_start_matches(|letter: char| letter == ' ' || letter.is_ascii_digit()))
        }
        's' => substitution(behind, effects),
        'y' => {
            let (delimiter, rest) = delimited(behind)?;
            part(part(rest, delimiter)?.1, delimiter).map(|(_, rest)| rest)
        }
        'e' | 'r' | 'R' | 'w' | 'W' => {
            let (line, rest) = behind.split_once('\n').unwrap_or((behind, ""));
            effects.push(effect_of(letter, line.trim()));
            Some(rest)
        }
        // The text ends at the end of the line.
        'a' | 'i' | 'c' | '#' => behind.split_once('\n').map_or(Some(""), |(line, rest)| {
            (!line.ends_with('\\')).then_some(rest)
        }),
        't' | 'b' | 'T' | ':' => {
            behind.get(behind.find([';', '\n', '}']).unwrap_or(behind.len())..)
        }
        _ => None,
    }
}

fn effect_of(letter: char, operand: &str) -> Effect<'_> {
    match letter {
        'e' => Effect::Runs(operand),
        'r' | 'R' => Effect::Reads(operand),
        _ => Effect::Writes(operand),
    }
}

fn substitution<'text>(text: &'text str, effects: &mut Vec<Effect<'text>>) -> Option<&'text str> {
    let (delimiter, rest) = delimited(text)?;
    let (replacement, mut rest) = part(part(rest, delimiter)?.1, delimiter)?;
    loop {
        match rest.chars().next() {
            Some('g' | 'p' | 'i' | 'I' | 'm' | 'M' | '0'..='9') => {}
            Some('e') => effects.push(Effect::Runs(replacement)),
            Some('w') => {
                let (line, behind) = rest.split_once('\n').unwrap_or((rest, ""));
                effects.push(Effect::Writes(line.get(1..)?.trim()));
                return Some(behind);
            }
            None | Some(';' | '\n' | '}' | ' ' | '#') => return Some(rest),
            Some(_) => return None,
        }
        rest = rest.get(1..)?;
    }
}

fn delimited(text: &str) -> Option<(char, &str)> {
    let delimiter = text.chars().next()?;
    let is_one = !delimiter.is_alphanumeric() && delimiter != '\\' && delimiter != '\n';
    is_one.then_some((delimiter, text.get(delimiter.len_utf8()..)?))
}

fn address(text: &str) -> Option<&str> {
    match text.chars().next()? {
        '/' => {
            let (_, rest) = part(text.get(1..)?, '/')?;
            Some(rest.trim_start_matches(['I', 'M']))
        }
        '\\' => {
            let (delimiter, rest) = delimited(text.get(1..)?)?;
            part(rest, delimiter).map(|(_, rest)| rest)
        }
        '$' => text.get(1..),
        _ => Some(text.trim_start_matches(|letter: char| {
            letter.is_ascii_digit() || letter == '~' || letter == value::NUMBER
        })),
    }
}

/// Splits at the next `delimiter` that is neither escaped nor in a bracket expression.
fn part(text: &str, delimiter: char) -> Option<(&str, &str)> {
    let mut escaped = false;
    for (at, letter) in text.char_indices() {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '\n' => return None,
            _ if letter == delimiter => {
                return Some((text.get(..at)?, text.get(at + letter.len_utf8()..)?));
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{Effect, scan};

    #[test]
    fn finds_commands_reads_and_writes() {
        for (script, expected) in [
            ("s/a/b/g;5,10p", vec![]),
            ("/x/{s/a/b/;p}", vec![]),
            ("1e ls", vec![Effect::Runs("ls")]),
            ("s/x/ls -l/ge", vec![Effect::Runs("ls -l")]),
            ("s/a/b/w out", vec![Effect::Writes("out")]),
            ("r in\np", vec![Effect::Reads("in")]),
            (
                "w out\nR in",
                vec![Effect::Writes("out"), Effect::Reads("in")],
            ),
        ] {
            let mut effects = Vec::new();

            let whole = scan(script, &mut effects);

            assert_eq!((whole, effects), (Some(()), expected), "{script:?}");
        }
    }

    #[test]
    fn rejects_unknown_scripts() {
        for script in ["s/a/b", "v", "s/a/b/k", "/a", "y/a"] {
            assert_eq!(scan(script, &mut Vec::new()), None, "{script}");
        }
    }
}
