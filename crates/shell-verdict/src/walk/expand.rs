//! Expansion of words: literal text, variables of the launcher, and numeric braces.

use std::rc::Rc;

use super::{Origin, Rule, Value, Walk};
use crate::limits::{MAX_NUMBERS, WORD_WORK};
use crate::parse::UNKNOWN;
use crate::paths::TEMPORARY;
use crate::syntax::{Kind, Operation, Part, Script, Variable, Word};
use crate::value::{Builder, Source};

impl Walk<'_> {
    /// Expands a word of a command. Only numeric braces give several words.
    pub(super) fn expand(&mut self, word: &Word) -> Vec<Value> {
        if self.is_over {
            return Vec::new();
        }
        let Some((at, before, numbers, after)) = numeric_braces(word) else {
            return vec![self.expand_one(word)];
        };
        if numbers.len() > MAX_NUMBERS {
            self.report_limit();
            return vec![Value::unknown(Origin::Unknown)];
        }
        self.charge(numbers.len() * WORD_WORK);
        let with = |number: String| {
            let mut one = word.clone();
            if let Some(part) = one.parts.get_mut(at) {
                *part = Part::Plain(format!("{before}{number}{after}"));
            }
            one
        };
        numbers
            .into_iter()
            .flat_map(|number| self.expand(&with(number)))
            .collect()
    }

    /// Expands a word into one value.
    pub(super) fn expand_one(&mut self, word: &Word) -> Value {
        match word.plain() {
            Some(text) if text == "[" || !text.contains(['{', '*', '?', '[', '~', UNKNOWN]) => {
                Value::known(text)
            }
            _ => self.built(word, true),
        }
    }

    /// Expands a word that is not split and not a pattern.
    pub(super) fn expand_assigned(&mut self, word: &Word) -> Value {
        self.built(word, false)
    }

    fn built(&mut self, word: &Word, splits: bool) -> Value {
        let mut builder = Builder::default();
        let has_braces = splits && has_braces(word);
        for (at, part) in word.parts.iter().enumerate() {
            if self.is_over {
                break;
            }
            match part {
                Part::Literal(text) => push(&mut builder, text),
                Part::Plain(text) => {
                    let rest = if at == 0 {
                        self.tilde(text, &mut builder)
                    } else {
                        text
                    };
                    push_plain(&mut builder, rest, splits, has_braces);
                }
                Part::Variable(variable) => self.variable(variable, splits, &mut builder),
                Part::Substitution { script, quoted } => {
                    self.substitution(script, splits && !quoted, &mut builder);
                }
                Part::Process { script, writes } => {
                    let origin = self.subshell(|walk| {
                        if *writes {
                            walk.input = super::Input::Other(Origin::Unknown);
                        }
                        walk.deeper(|walk| walk.script(script))
                    });
                    // The name of a pipe has no spaces, and nothing writes to it but this command.
                    builder.dynamic("/dev/fd/?", Source::Temporary, origin, false);
                }
                Part::Arithmetic(inner) => {
                    self.arithmetic(inner);
                    builder.dynamic("?", Source::Expansion, Origin::Unknown, false);
                }
            }
        }
        builder.build()
    }

    /// Expands a leading `~`. Returns the rest of the text.
    fn tilde<'text>(&self, text: &'text str, builder: &mut Builder) -> &'text str {
        let Some(rest) = text.strip_prefix('~') else {
            return text;
        };
        let (name, rest) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        match name {
            "" if self.is_set_by_launcher("HOME") => builder.text(&self.settings.paths.home),
            "root" => builder.text("/root"),
            _ if name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
                && !matches!(name, "" | "-") =>
            {
                builder.text(&format!("/home/{name}"));
            }
            "" | "-" | "+" => builder.dynamic("?", Source::Expansion, Origin::Unknown, false),
            _ => return text,
        }
        rest
    }

    fn variable(&mut self, variable: &Variable, splits: bool, builder: &mut Builder) {
        if let Some(subscript) = &variable.subscript
            && !matches!(subscript.plain(), Some("@" | "*"))
        {
            self.arithmetic(subscript);
        }
        let operand = self.expand_assigned(&variable.operand);
        let name = variable.name.as_str();
        let splits = splits && !variable.quoted;
        let is_value = matches!(
            variable.operation,
            Operation::Value | Operation::Default { .. }
        );
        if is_value && variable.subscript.is_none() && self.push_known(name, splits, builder) {
            return;
        }
        match variable.operation {
            Operation::Default { assigns: true } => self.assign(name),
            // Both expand the text of a value again.
            Operation::Indirect | Operation::Other
                if operand.shown().contains("@P") || variable.operation == Operation::Indirect =>
            {
                self.report(Rule::Opaque);
            }
            // Offsets are arithmetic.
            Operation::Slice => self.arithmetic(&variable.operand),
            _ => {}
        }
        let is_list = matches!(name, "@" | "*") || variable.subscript.is_some();
        let origin = if name == "!" {
            Origin::Job
        } else {
            Origin::Unknown
        };
        let origin = operand
            .origin()
            .map_or(origin, |operand| operand.max(origin));
        builder.dynamic("?", Source::Expansion, origin, splits || is_list);
    }

    /// Adds the value of a variable that the launcher sets, or that names a new temporary file.
    fn push_known(&self, name: &str, splits: bool, builder: &mut Builder) -> bool {
        let value = self.launcher_value(name);
        if let Some(text) = value.filter(|text| !splits || is_one_word(text)) {
            builder.text(&text);
            return true;
        }
        let temporary = self.temporary.get(name);
        let Some(directory) = temporary.filter(|_| self.is_set_by_launcher(name)) else {
            return false;
        };
        builder.text(directory);
        builder.text("/");
        builder.dynamic("?", Source::Temporary, Origin::Unknown, false);
        true
    }

    /// Returns the value of a variable that the launcher sets, unless the command sets it somewhere.
    fn launcher_value(&self, name: &str) -> Option<String> {
        let is_safe = self.is_set_by_launcher(name) && self.is_set_by_launcher("IFS");
        match name {
            _ if !is_safe => None,
            "HOME" => Some(self.settings.paths.home.clone()),
            "TMPDIR" | "TMP" | "TEMP" => Some(TEMPORARY.to_owned()),
            "PWD" => self.start_directory(),
            _ => None,
        }
    }

    /// Returns the directory in which the command starts, before any `cd`.
    fn start_directory(&self) -> Option<String> {
        match self.directories.as_slice() {
            [directory] if *directory == self.start => directory.as_deref().map(str::to_owned),
            _ => None,
        }
    }

    fn substitution(&mut self, script: &Rc<Script>, splits: bool, builder: &mut Builder) {
        let origin = self.subshell(|walk| walk.deeper(|walk| walk.script(script)));
        let words = simple_words(script);
        let is_function = words
            .first()
            .is_some_and(|name| self.functions.contains_key(*name));
        if words == ["pwd"]
            && !is_function
            && let Some(directory) = self
                .start_directory()
                .filter(|text| !splits || is_one_word(text))
        {
            return builder.text(&directory);
        }
        if let (Some(directory), false) = (Self::made_in(&words), is_function) {
            builder.text(&directory);
            builder.text("/");
            return builder.dynamic("?", Source::Temporary, Origin::Unknown, false);
        }
        builder.dynamic("?", Source::Expansion, origin, splits);
    }

    /// Returns the directory of the file that `mktemp` makes, if its arguments name it.
    fn made_in(words: &[&str]) -> Option<String> {
        let ("mktemp", arguments) = words.split_first().map(|(name, rest)| (*name, rest))? else {
            return None;
        };
        let mut directory = None;
        let mut template = None;
        let mut rest = arguments.iter();
        while let Some(word) = rest.next() {
            match *word {
                "-d" | "-q" | "--directory" => {}
                "-t" => directory = Some(TEMPORARY.to_owned()),
                "-p" => directory = Some((*rest.next()?).to_owned()),
                text if text.starts_with('-') || template.is_some() => return None,
                text => template = Some(text),
            }
        }
        let (parent, name) =
            template.map_or(("", ""), |text| text.rsplit_once('/').unwrap_or(("", text)));
        let is_plain = |text: &str| text.split('/').all(|part| part != "..") && is_one_word(text);
        let below = match (directory, template) {
            (Some(directory), _) if parent.is_empty() => directory,
            (None, None) => TEMPORARY.to_owned(),
            (None, Some(_)) if parent.is_empty() => ".".to_owned(),
            (None, Some(_)) => parent.to_owned(),
            _ => return None,
        };
        (is_plain(&below) && is_plain(name)).then_some(below)
    }

    pub(super) fn arithmetic(&mut self, word: &Word) {
        let value = self.expand_assigned(word);
        self.report(Rule::Construct);
        // A name stands for the text of its value, which may assign any variable.
        if value
            .shown()
            .contains(|letter: char| letter.is_alphabetic() || letter == '?')
        {
            self.assign_all();
        }
        self.check_evaluated(std::slice::from_ref(&value));
        self.report_dynamic(&[value]);
    }

    /// Reports text that arithmetic, `[[` and some builtins expand again.
    pub(super) fn check_evaluated(&mut self, values: &[Value]) {
        for value in values {
            let text = value.shown();
            if text.contains("$(") || text.contains('`') {
                self.report(Rule::Opaque);
            }
        }
    }

    pub(super) fn report_dynamic(&mut self, values: &[Value]) {
        if values.iter().any(|value| value.literal().is_none()) {
            self.report(Rule::Dynamic);
        }
    }
}

/// Returns the words of a script that is one simple command of plain words.
pub(super) fn simple_words(script: &Script) -> Vec<&str> {
    let [item] = script.items.as_slice() else {
        return Vec::new();
    };
    let [(_, pipeline)] = item.chain.as_slice() else {
        return Vec::new();
    };
    match pipeline.stages.as_slice() {
        [command] if command.redirections.is_empty() && !item.background => match &command.kind {
            Kind::SimpleCommand(simple) if simple.assignments.is_empty() => {
                let words = simple.words.iter().map(literal_text);
                words.collect::<Option<_>>().unwrap_or_default()
            }
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

fn literal_text(word: &Word) -> Option<&str> {
    match word.parts.as_slice() {
        [Part::Plain(text) | Part::Literal(text)] => Some(text),
        // Double quotes begin with an empty part.
        [Part::Literal(empty), Part::Literal(text)] if empty.is_empty() => Some(text),
        _ => None,
    }
}

/// Returns `true` for text that an unquoted expansion leaves unchanged.
fn is_one_word(text: &str) -> bool {
    text.chars()
        .all(|letter| letter.is_alphanumeric() || "/._-+@,:=$~".contains(letter))
}

fn push(builder: &mut Builder, text: &str) {
    for (at, known) in text.split(UNKNOWN).enumerate() {
        if at > 0 {
            builder.dynamic("?", Source::Expansion, Origin::Unknown, false);
        }
        builder.text(known);
    }
}

fn push_plain(builder: &mut Builder, text: &str, splits: bool, has_braces: bool) {
    let is_special =
        |letter: char| splits && (matches!(letter, '*' | '?' | '[') || letter == '{' && has_braces);
    let mut rest = text;
    while let Some(at) = rest.find(is_special) {
        let (before, after) = rest.split_at(at);
        push(builder, before);
        let (sign, after) = after.split_at(1);
        let source = if sign == "{" {
            Source::Expansion
        } else {
            Source::Pattern
        };
        builder.dynamic(sign, source, Origin::Unknown, true);
        rest = after;
    }
    push(builder, rest);
}

/// Returns `true` for a word with braces that give several words.
fn has_braces(word: &Word) -> bool {
    let mut opened = false;
    let mut separated = false;
    let plain = word.parts.iter().filter_map(|part| match part {
        Part::Plain(text) => Some(text.as_str()),
        _ => None,
    });
    for text in plain {
        let mut before = ' ';
        for letter in text.chars() {
            match letter {
                '{' => opened = true,
                ',' => separated |= opened,
                '.' => separated |= opened && before == '.',
                '}' if separated => return true,
                _ => {}
            }
            before = letter;
        }
    }
    false
}

/// Returns the first `{1..9}` of a word: the index of its part, the text before, the numbers, and the
/// text after.
fn numeric_braces(word: &Word) -> Option<(usize, &str, Vec<String>, &str)> {
    word.parts.iter().enumerate().find_map(|(at, part)| {
        let Part::Plain(text) = part else { return None };
        let (start, _) = text.match_indices('{').find(|(start, _)| {
            let rest = text.get(start + 1..).unwrap_or_default();
            // Two numbers have at most 9 digits each.
            let end = rest.bytes().take(24).position(|byte| byte == b'}');
            end.and_then(|end| rest.get(..end))
                .is_some_and(|inner| numbers(inner).is_some())
        })?;
        let inner = text.get(start + 1..)?;
        let (inner, after) = inner.split_once('}')?;
        Some((at, text.get(..start)?, numbers(inner)?, after))
    })
}

/// Returns the numbers of `first..last`, or one more than the limit.
fn numbers(text: &str) -> Option<Vec<String>> {
    let (first, last) = text.split_once("..")?;
    let is_number =
        |text: &str| text.len() < 10 && text.parse::<i64>().is_ok() && !text.starts_with('+');
    if !is_number(first) || !is_number(last) {
        return None;
    }
    let is_padded = |text: &str| {
        text.trim_start_matches('-').starts_with('0') && text.trim_start_matches('-').len() > 1
    };
    let width = if is_padded(first) || is_padded(last) {
        first.len().max(last.len())
    } else {
        0
    };
    let (first, last) = (first.parse::<i64>().ok()?, last.parse::<i64>().ok()?);
    let shown = |number: i64| format!("{number:0width$}");
    let ascending: Vec<String> = (first.min(last)..=first.max(last))
        .take(MAX_NUMBERS + 1)
        .map(shown)
        .collect();
    Some(if first <= last {
        ascending
    } else {
        ascending.into_iter().rev().collect()
    })
}
