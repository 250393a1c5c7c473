//! Programs that run another command.

use std::rc::Rc;

use super::super::table::{Kind, Row};
use super::options::Arguments;
use super::{Origin, Rule, Stream, Value, Walk};

impl Walk<'_> {
    /// Runs the command after the options and `skipped` operands of a wrapper.
    pub(super) fn wrapped(&mut self, sorted: &Arguments, skipped: usize) -> Stream {
        let inner = sorted.operands.get(skipped..).unwrap_or_default();
        if sorted.has_unknown {
            // The unknown option may have a value.
            self.explain(Rule::Opaque, "runs another command in an unknown way");
            (1..inner.len()).for_each(|at| drop(self.run(inner.get(at..).unwrap_or_default())));
        }
        let skipped = sorted.operands.get(..skipped).unwrap_or_default();
        if skipped.iter().any(|word| word.may_be_several) {
            self.report(Rule::Opaque);
        }
        if inner.is_empty() {
            return self.unknown_output();
        }
        self.run(inner)
    }

    pub(super) fn env(&mut self, sorted: &Arguments) -> Stream {
        for value in sorted.of(Kind::Shell) {
            let Some(text) = value.literal() else {
                self.report(Rule::Opaque);
                continue;
            };
            let rest: Vec<String> = sorted.operands.iter().map(Value::shown).collect();
            let text = format!("{text} {}", rest.join(" "));
            return self.subshell(|walk| walk.evaluate(&text));
        }
        let mut inner = Arguments {
            has_unknown: sorted.has_unknown,
            ..Arguments::default()
        };
        let mut words = sorted.operands.iter().peekable();
        while let Some(word) = words.next_if(|word| word.prefix().contains('=')) {
            let at = word.prefix().find('=').unwrap_or_default();
            let name = word.prefix().get(..at).unwrap_or_default().to_owned();
            self.environment(&name, &word.after(at + 1));
        }
        inner.operands = words.cloned().collect();
        if inner
            .operands
            .first()
            .is_some_and(|word| word.fixed() == Some("-"))
        {
            inner.operands.remove(0);
        }
        self.wrapped(&inner, 0)
    }

    pub(super) fn xargs(&mut self, sorted: &Arguments) -> Stream {
        let inner = match sorted.operands.as_slice() {
            [] => vec![Value::written("echo")],
            words => words.to_vec(),
        };
        if sorted.has_unknown {
            self.explain(Rule::Opaque, "runs another command in an unknown way");
        }
        let reads_file = sorted.of(Kind::Read).next().is_some();
        let stdin = Rc::clone(&self.state.stdin);
        let origin = stdin.origin();
        let known = match stdin.as_ref() {
            Stream::Text(text) if !reads_file && !text.contains(['\'', '"', '\\']) => {
                Some(text.as_str())
            }
            _ => None,
        };
        self.state.stdin = Rc::new(Stream::Unknown(Origin::Unknown));
        let unknown = Value::unknown(origin);
        match (known, replaced_pattern(sorted)) {
            (Some(text), Some(pattern)) => {
                for line in text.lines() {
                    if self.is_over {
                        break;
                    }
                    self.run_with(&inner, &pattern, &Value::known(line.trim()));
                }
            }
            (None, Some(pattern)) => self.run_with(&inner, &pattern, &unknown),
            (Some(text), None) => self.run_items(inner, &items(text, sorted)),
            (None, None) => drop(self.run(&[inner, vec![unknown]].concat())),
        }
        Stream::Unknown(origin)
    }

    /// Runs a command with all items, and with each one.
    fn run_items(&mut self, inner: Vec<Value>, items: &[Value]) {
        for item in items.iter().filter(|_| items.len() > 1) {
            if self.is_over {
                return;
            }
            self.run(&[inner.as_slice(), std::slice::from_ref(item)].concat());
        }
        self.run(&[inner, items.to_vec()].concat());
    }

    pub(super) fn run_with(&mut self, inner: &[Value], pattern: &str, item: &Value) {
        let length = item.shown().len();
        let count = |word: &Value| word.shown().matches(pattern).count();
        self.charge(inner.iter().map(|word| count(word) * length).sum());
        if self.is_over {
            return;
        }
        let words: Vec<Value> = inner
            .iter()
            .map(|word| word.replaced(pattern, item))
            .collect();
        self.run(&words);
    }

    /// Programs that run a command given as arguments or as text.
    pub(super) fn launcher(&mut self, row: &Row, program: &str, arguments: &[Value]) {
        let mut rest = arguments.iter().enumerate();
        while let Some((at, word)) = rest.next() {
            match word.literal() {
                Some("-c" | "--command" | "--prepare" | "-qc" | "--setup" | "--cleanup") => {
                    let code = rest.next().and_then(|(_, code)| code.literal());
                    self.launched(code);
                }
                Some("-o" | "-O" | "--output") => {
                    rest.next()
                        .into_iter()
                        .for_each(|(_, file)| self.write(file, false));
                }
                Some("-f" | "--format" | "-e" | "-S" | "-t" | "-L" | "-n" | "-s" | "-j") => {
                    rest.next();
                }
                Some(":::" | "record" | "stat") => {}
                Some(text) if text.starts_with('-') => {
                    if let Some(code) = text.strip_prefix("--command=") {
                        self.launched(Some(code));
                    }
                }
                Some(text) if text.contains(' ') => self.launched(Some(text)),
                _ => {
                    self.launched_words(program, arguments.get(at..).unwrap_or_default());
                    break;
                }
            }
        }
        let first = arguments.first().and_then(Value::literal);
        if row.names.contains("tmux")
            && matches!(
                first,
                Some("-dm" | "-dmS" | "-d" | "new" | "new-session" | "send-keys")
            )
        {
            self.report(Rule::Services);
        }
    }

    fn launched_words(&mut self, program: &str, words: &[Value]) {
        let mut command: Vec<Value> = words
            .iter()
            .filter(|word| word.literal() != Some(":::"))
            .cloned()
            .collect();
        if program == "parallel" && command.len() == words.len() {
            command.push(Value::unknown(self.state.stdin.origin()));
        }
        self.run(&command);
    }

    fn launched(&mut self, code: Option<&str>) {
        match code {
            Some(code) => {
                self.subshell(|walk| walk.evaluate(code));
            }
            None => self.report(Rule::Opaque),
        }
    }
}

/// Returns the text that `xargs` replaces by an item.
fn replaced_pattern(sorted: &Arguments) -> Option<String> {
    if !sorted.has(&["I", "--replace"]) {
        return None;
    }
    let mut plain = sorted.of(Kind::Plain).filter_map(Value::literal);
    let pattern = plain.find(|text| text.parse::<u32>().is_err());
    Some(pattern.unwrap_or("{}").to_owned())
}

fn items(text: &str, sorted: &Arguments) -> Vec<Value> {
    if sorted.has(&["0", "d", "--null", "--delimiter"]) {
        text.trim_end_matches('\n')
            .split(['\0', ','])
            .map(Value::known)
            .collect()
    } else {
        text.split_whitespace().map(Value::known).collect()
    }
}
