//! Effects of options and operands by their roles.

use super::super::table::{Kind, Operands, Row};
use super::files::Reach;
use super::options::Arguments;
use super::run::Call;
use super::{Rule, Stream, Value, Walk};

impl Walk<'_> {
    /// Checks options and operands by their roles.
    pub(super) fn effects(&mut self, call: &Call<'_>) -> Stream {
        let Call { row, sorted, .. } = *call;
        if sorted.has_unknown && (row.rule.is_none() || row.writes()) {
            self.report(Rule::UnknownOption);
        }
        for (kind, value) in &sorted.values {
            self.option(row, *kind, value);
        }
        if row.rule.is_none() {
            self.check_words(row, sorted, call.arguments);
        }
        match row.operands {
            Operands::Command(_) if row.names == "command" && sorted.has(&["v", "V"]) => {
                if sorted
                    .operands
                    .iter()
                    .any(|name| name.prefix().contains('/'))
                {
                    self.report(Rule::Inspect);
                }
            }
            Operands::Command(count) => return self.wrapped(sorted, count),
            _ => self.operands(call),
        }
        self.unknown_output()
    }

    fn operands(&mut self, call: &Call<'_>) {
        let Call {
            row, sorted, name, ..
        } = *call;
        let operands = sorted.operands.as_slice();
        match row.operands {
            Operands::None if !operands.is_empty() => self.unexpected_operands(row, operands),
            Operands::Reads => self.read_all(operands),
            Operands::PatternThenReads => {
                let skipped = usize::from(!sorted.has_pattern);
                operands
                    .iter()
                    .skip(skipped)
                    .for_each(|operand| self.read(operand));
            }
            Operands::Writes => operands
                .iter()
                .for_each(|operand| self.write_to(operand, false, Reach::of(row))),
            Operands::Creates => operands.iter().for_each(|operand| self.create(operand)),
            Operands::Deletes => {
                let recursive = sorted.has(&["r", "R", "--recursive"])
                    || sorted.has_unknown
                    || name.starts_with("remove_");
                for operand in operands {
                    self.delete(operand, recursive && name != "rmdir");
                }
            }
            Operands::Copies if row.rule.is_none() && operands.len() < 2 => {
                self.read_all(operands);
            }
            Operands::Copies | Operands::Moves => {
                let has_target = sorted.of(Kind::Directory).next().is_some();
                self.copies(call, has_target);
            }
            Operands::Clones => self.clones(operands),
            Operands::ArchiveThenReads => {
                operands
                    .iter()
                    .take(1)
                    .for_each(|operand| self.write(operand, false));
                operands
                    .iter()
                    .skip(1)
                    .for_each(|operand| self.read(operand));
            }
            _ => {}
        }
    }

    fn unexpected_operands(&mut self, row: &Row, operands: &[Value]) {
        let is_date = row.names.starts_with("date");
        if is_date
            && operands
                .iter()
                .all(|format| format.prefix().starts_with('+'))
        {
            return;
        }
        match row.rule {
            None if is_date => self.explain(Rule::SystemControl, "sets the clock of the machine"),
            None => self.explain(Rule::Write, "changes the repository or the machine's state"),
            Some(_) => self.report(Rule::UnknownOption),
        }
    }

    /// Checks words without a role in a row that only reads.
    pub(super) fn check_words(&mut self, row: &Row, sorted: &Arguments, arguments: &[Value]) {
        if arguments
            .iter()
            .any(|argument| argument.segments.is_empty())
        {
            self.explain(Rule::Dynamic, "uses an empty word");
        }
        let has_roles = row.operands != Operands::Any;
        let operands = sorted.operands.iter().filter(|_| !has_roles);
        let values = sorted.values.iter().filter(|(kind, _)| {
            !matches!(
                kind,
                Kind::Read | Kind::Write | Kind::Directory | Kind::Shell | Kind::Pattern
            )
        });
        let words: Vec<Value> = operands
            .chain(values.map(|(_, value)| value))
            .cloned()
            .collect();
        let is_path =
            |word: &&Value| word.prefix().starts_with(['/', '~']) || word.prefix().contains("../");
        words
            .iter()
            .filter(is_path)
            .for_each(|word| self.read(word));
    }

    pub(super) fn option(&mut self, row: &Row, kind: Kind, value: &Value) {
        match kind {
            Kind::Read => self.read(value),
            Kind::Write => self.write_to(value, false, Reach::of(row)),
            Kind::Directory => self.write(value, true),
            Kind::Shell => {
                let text = value.literal().map(str::to_owned);
                self.report(Rule::Interpreter);
                match text {
                    Some(text) => {
                        self.subshell(|walk| walk.evaluate(text.trim_start_matches("exec=")));
                    }
                    None => self.report(Rule::Opaque),
                }
            }
            Kind::Flag | Kind::Optional | Kind::Plain | Kind::Pattern | Kind::Pair => {}
        }
    }

    fn create(&mut self, directory: &Value) {
        if directory.literal().is_some() {
            self.write(directory, false);
            return;
        }
        for path in self.paths(directory) {
            let rule = self.settings.paths.write_rule(&path, false);
            if rule != Some(Rule::WriteUnknown) {
                self.report_path(rule, directory, &path, Reach::Parent);
            }
        }
    }

    fn clones(&mut self, operands: &[Value]) {
        match operands {
            [source, directory, ..] => {
                self.read(source);
                self.write_to(directory, true, Reach::Parent);
            }
            // Creates a directory where it runs.
            _ => self.check_directory(),
        }
    }

    fn copies(&mut self, call: &Call<'_>, has_target: bool) {
        let operands = call.sorted.operands.as_slice();
        let moves = call.row.operands == Operands::Moves;
        let sources = operands.len().saturating_sub(1);
        // If the last operand may be missing, an earlier one is the target.
        let certain = operands
            .iter()
            .rposition(|operand| !operand.may_be_missing)
            .unwrap_or_default();
        let first_target = if has_target { operands.len() } else { certain };
        for (at, operand) in operands.iter().enumerate() {
            let is_target = at > 0 || operands.len() == 1 || operand.may_be_missing;
            if at >= first_target && is_target {
                let reach = Reach::of_target(operand, sources, copied(call));
                self.write_to(operand, true, reach);
            } else if moves {
                self.moved(operand);
            } else {
                self.read(operand);
            }
        }
    }

    /// Checks the source of a move, which keeps the content.
    fn moved(&mut self, source: &Value) {
        self.read(source);
        for path in self.paths(source) {
            match self.settings.paths.delete_rule(path.clone(), true) {
                Some(Rule::Delete) if source.literal().is_none() && !source.is_glob => {
                    self.add(Rule::WriteUnknown, source.shown(), None, None);
                }
                Some(Rule::Delete | Rule::Write) | None if !self.settings.paths.is_root(&path) => {}
                other => self.report_path(other, source, &path, Reach::Parent),
            }
        }
    }
}

/// Options of `cp` with which it creates, renames or keeps the target, instead of writing to it.
const REPLACING: [&str; 20] = [
    "a",
    "b",
    "d",
    "i",
    "l",
    "n",
    "P",
    "r",
    "R",
    "s",
    "--archive",
    "--backup",
    "--interactive",
    "--link",
    "--no-clobber",
    "--no-dereference",
    "--parents",
    "--recursive",
    "--symbolic-link",
    "--remove-destination",
];

/// Returns the access that a copy needs for its target.
fn copied(call: &Call<'_>) -> Reach {
    if call.sorted.has_unknown || call.sorted.has(&REPLACING) {
        return Reach::Parent;
    }
    Reach::of(call.row)
}
