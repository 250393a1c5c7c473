//! Effects of options and operands by their roles.

use super::files::Reach;
use super::run::Call;
use super::{Input, Rule, Value, Walk};
use crate::table::{Kind, Operands, Row};

/// Options of `cp` with which it creates, renames or keeps the target, instead of writing to it.
const REPLACING: &str = "a b d i l n P r R s --archive --backup --interactive --link --no-clobber --no-dereference --parents --recursive --symbolic-link --remove-destination";

impl Walk<'_> {
    /// Checks options and operands by their roles.
    pub(super) fn effects(&mut self, call: &Call<'_>) {
        let Call { row, sorted, .. } = *call;
        for (kind, value) in &sorted.values {
            self.option(row, *kind, value);
        }
        for words in &sorted.commands {
            self.report(Rule::Construct);
            self.run_items(words, "{}", &Value::unknown());
        }
        match row.operands {
            Operands::Command(count) => self.wrapped(call, count),
            Operands::Script => self.scripted(&sorted.operands),
            _ => self.operands(call),
        }
        // A program that only reads shows what it reads, so the input must be known.
        let reads = |word: &Value| matches!(word.literal(), Some("-" | "/dev/stdin"));
        let is_unknown = matches!(self.context.input, Input::Inherited);
        if row.rule.is_none() && is_unknown && sorted.operands.iter().any(reads) {
            self.report(Rule::Dynamic);
        }
    }

    pub(super) fn option(&mut self, row: &Row, kind: Kind, value: &Value) {
        match kind {
            Kind::Read => self.read(value),
            Kind::Write => self.write(value, false, Reach::of(row)),
            Kind::Directory => self.write(value, true, Reach::Below),
            Kind::Setting => {
                self.report(Rule::Environment);
                self.search(value);
            }
            Kind::Plain | Kind::Optional => self.sweep(value, false),
            Kind::Flag | Kind::Pattern | Kind::Command => {}
        }
    }

    fn operands(&mut self, call: &Call<'_>) {
        let Call { row, sorted, .. } = *call;
        let operands = sorted.operands.as_slice();
        let first = usize::from(!sorted.has_pattern).min(operands.len());
        let others = operands.get(first..).unwrap_or_default();
        match row.operands {
            Operands::Reads => self.read_all(operands),
            Operands::PatternThenReads | Operands::LinesThenReads => self.read_all(others),
            Operands::Writes | Operands::ProgramThenWrites => {
                let is_all = row.operands == Operands::Writes;
                for file in if is_all { operands } else { others } {
                    self.write(file, false, Reach::of(row));
                }
            }
            Operands::Creates => operands.iter().for_each(|operand| self.create(operand)),
            Operands::ModeThenPermits => others.iter().for_each(|operand| self.create(operand)),
            Operands::Deletes => {
                let recursive = sorted.has_any("r R --recursive") || !sorted.is_complete;
                for operand in operands {
                    self.delete(operand, recursive);
                }
            }
            Operands::Copies if row.rule.is_none() && operands.len() < 2 => self.read_all(operands),
            Operands::Copies | Operands::Moves => self.copies(call),
            Operands::Items if !operands.is_empty() => {
                let pattern = sorted.of(Kind::Pattern).find_map(Value::literal);
                self.run_items(operands, pattern.unwrap_or("{}"), &Value::unknown());
            }
            _ => {}
        }
    }

    fn copies(&mut self, call: &Call<'_>) {
        let Call { row, sorted, .. } = *call;
        let operands = sorted.operands.as_slice();
        let has_target = sorted.of(Kind::Directory).next().is_some();
        // If the last operand may be missing, any other one may be the target.
        let is_open = operands.last().is_some_and(Value::splits);
        let replaces = !sorted.is_complete || sorted.has_any(REPLACING);
        for (at, operand) in operands.iter().enumerate() {
            if !has_target && (is_open || at + 1 == operands.len()) {
                let reach = if operands.len() > 2 || operand.shown().ends_with('/') {
                    Reach::Below
                } else if replaces {
                    Reach::Parent
                } else {
                    Reach::of(row)
                };
                self.write(operand, true, reach);
            } else {
                self.read(operand);
                if row.operands == Operands::Moves {
                    self.create(operand);
                }
            }
        }
    }

    /// Runs the command after the options and `skipped` operands of a wrapper.
    fn wrapped(&mut self, call: &Call<'_>, skipped: usize) {
        let operands = call.sorted.operands.as_slice();
        let mut inner = operands.get(skipped..).unwrap_or_default();
        while let Some((word, rest)) = inner.split_first()
            && call.row.rule == Some(Rule::Environment)
            && let Some(end) = word.prefix().find('=')
        {
            let name = word.prefix().get(..end).unwrap_or_default();
            self.assign(name);
            self.environment(name, &word.after(end + 1));
            inner = rest;
        }
        if !call.sorted.is_complete || operands.iter().take(skipped).any(Value::splits) {
            // The unknown option may have a value, so that the command begins later.
            self.explain(Rule::Opaque, "runs another command in an unknown way");
            for at in 1..inner.len() {
                self.run(inner.get(at..).unwrap_or_default());
            }
        }
        self.run(inner);
    }

    /// Runs words that a shell reads as text, as `watch` does.
    fn scripted(&mut self, operands: &[Value]) {
        let texts: Option<Vec<&str>> = operands.iter().map(Value::literal).collect();
        match texts {
            None => self.unknown_code(),
            Some(texts) => {
                // Each word may be a separate command, as for `hyperfine`.
                let commands = texts.iter().filter(|text| text.contains(' '));
                commands.for_each(|text| self.evaluate(text));
                self.evaluate(&texts.join(" "));
            }
        }
    }

    /// Runs a command with an `item` that is known only when it runs, for each `pattern` or else as the last
    /// word.
    pub(super) fn run_items(&mut self, words: &[Value], pattern: &str, item: &Value) {
        let has_pattern = words.iter().any(|word| word.prefix().contains(pattern));
        let last = (!has_pattern).then(|| item.clone());
        let words = words.iter().map(|word| word.replaced(pattern, item));
        let words: Vec<Value> = words.chain(last).collect();
        self.scoped(|walk| {
            walk.context.input = Input::Unknown;
            walk.run(&words);
        });
    }
}
