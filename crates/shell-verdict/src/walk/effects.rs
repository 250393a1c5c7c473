//! Effects of options and operands by their roles.

use super::files::Reach;
use super::run::{Call, base_name};
use super::{Origin, Rule, Value, Walk};
use crate::table::{Kind, Operands, Row};

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

impl Walk<'_> {
    /// Checks options and operands by their roles. Returns the most harmful origin of the output.
    pub(super) fn effects(&mut self, call: &Call<'_>) -> Origin {
        let Call { row, sorted, .. } = *call;
        for (kind, value) in &sorted.values {
            self.option(row, *kind, value);
        }
        if row.rule.is_none() {
            self.check_words(call);
        }
        if row.downloads {
            let urls = sorted
                .operands
                .iter()
                .filter(|_| call.name == "wget" || sorted.has_any(&["O", "--remote-name"]));
            let files: Vec<Value> = sorted.of(Kind::Write).chain(urls).cloned().collect();
            self.save(&files, Origin::Download);
        }
        match row.operands {
            Operands::Command(count) => return self.wrapped(call, count),
            Operands::Script => return self.scripted(call),
            _ => self.operands(call),
        }
        self.check_input(call);
        let is_download = sorted.operands.iter().any(|file| self.is_download(file));
        if is_download {
            Origin::Download
        } else {
            Origin::Unknown
        }
    }

    /// Reports standard input that comes from nowhere known, in a program that only reads.
    fn check_input(&mut self, call: &Call<'_>) {
        let reads = |word: &Value| matches!(word.literal(), Some("-" | "/dev/stdin"));
        let is_unknown = matches!(self.input, super::Input::Inherited);
        if call.row.rule.is_none() && call.sorted.operands.iter().any(reads) && is_unknown {
            self.report(Rule::Dynamic);
        }
    }

    fn operands(&mut self, call: &Call<'_>) {
        let Call {
            row, sorted, name, ..
        } = *call;
        let operands = sorted.operands.as_slice();
        let reach = Reach::of(row);
        match row.operands {
            Operands::Reads => self.read_all(operands),
            Operands::PatternThenReads => {
                let skipped = usize::from(!sorted.has_pattern);
                self.read_all(operands.get(skipped..).unwrap_or_default());
            }
            Operands::Writes => operands
                .iter()
                .for_each(|operand| self.write_to(operand, false, reach)),
            Operands::Creates => operands.iter().for_each(|operand| self.create(operand)),
            Operands::Deletes => {
                let recursive = sorted.has_any(&["r", "R", "--recursive"])
                    || !sorted.is_complete
                    || name.starts_with("remove_");
                for operand in operands {
                    self.delete(operand, recursive && name != "rmdir");
                }
            }
            Operands::Copies if row.rule.is_none() && operands.len() < 2 => self.read_all(operands),
            Operands::Copies | Operands::Moves => self.copies(call),
            Operands::Clones => match operands {
                [source, directory, ..] => {
                    self.read(source);
                    self.write_to(directory, true, Reach::Parent);
                }
                // Creates a directory where it runs.
                _ => self.check_directory(),
            },
            Operands::ArchiveThenReads => {
                if let Some((archive, files)) = operands.split_first() {
                    self.write(archive, false);
                    self.read_all(files);
                }
            }
            _ => {}
        }
    }

    /// Checks words without a role in a row that only reads.
    pub(super) fn check_words(&mut self, call: &Call<'_>) {
        let values = call
            .sorted
            .values
            .iter()
            .filter(|(kind, _)| matches!(kind, Kind::Plain | Kind::Optional));
        let has_roles = !matches!(call.row.operands, Operands::Any | Operands::AtMost(_));
        let operands = call.sorted.operands.iter().filter(|_| !has_roles);
        let words: Vec<Value> = operands
            .chain(values.map(|(_, value)| value))
            .cloned()
            .collect();
        let is_path = |word: &&Value| {
            let text = word.prefix();
            text.len() > 1 && text.starts_with(['/', '~']) || text.contains("../")
        };
        for word in words.iter().filter(is_path) {
            self.read(word);
        }
    }

    pub(super) fn option(&mut self, row: &Row, kind: Kind, value: &Value) {
        match kind {
            Kind::Read => self.read(value),
            Kind::Write => self.write_to(value, false, Reach::of(row)),
            Kind::Directory => self.write(value, true),
            Kind::Shell => self.code(value),
            Kind::Flag | Kind::Optional | Kind::Plain | Kind::Pattern | Kind::Pair => {}
        }
    }

    /// Walks text that another shell runs.
    pub(super) fn code(&mut self, text: &Value) {
        self.report(Rule::Interpreter);
        match text.literal() {
            Some(text) => drop(self.evaluate(text.trim_start_matches("exec="))),
            None => self.unknown_code(text.origin()),
        }
    }

    fn create(&mut self, directory: &Value) {
        for path in self.paths(directory) {
            let rule = self.settings.paths.write_rule(&path, false);
            if rule != Some(Rule::WriteUnknown) {
                self.report_path(rule, directory, &path, Reach::Parent);
            }
        }
    }

    fn copies(&mut self, call: &Call<'_>) {
        let Call { row, sorted, .. } = *call;
        let has_target = sorted.of(Kind::Directory).next().is_some();
        let operands = sorted.operands.as_slice();
        let sources = operands.len().saturating_sub(1);
        // If the last operand may be missing, an earlier one is the target.
        let certain = operands
            .iter()
            .rposition(|operand| !operand.splits())
            .unwrap_or_default();
        let first_target = if has_target { operands.len() } else { certain };
        let replaces = !sorted.is_complete || sorted.has_any(&REPLACING);
        let alone = if replaces {
            Reach::Parent
        } else {
            Reach::of(row)
        };
        for (at, operand) in operands.iter().enumerate() {
            let is_target = at > 0 || operands.len() == 1 || operand.splits();
            if at >= first_target && is_target {
                self.write_to(operand, true, Reach::of_target(operand, sources, alone));
            } else if row.operands == Operands::Moves {
                self.moved(operand);
            } else {
                self.read(operand);
            }
        }
    }

    /// Runs the command after the options and `skipped` operands of a wrapper.
    pub(super) fn wrapped(&mut self, call: &Call<'_>, skipped: usize) -> Origin {
        let operands = call.sorted.operands.as_slice();
        let inner = operands.get(skipped..).unwrap_or_default();
        if !call.sorted.is_complete || operands.iter().take(skipped).any(Value::splits) {
            // The unknown option may have a value, so that the command begins later.
            self.explain(Rule::Opaque, "runs another command in an unknown way");
            for at in 1..inner.len() {
                self.run(inner.get(at..).unwrap_or_default());
            }
        }
        self.run(inner)
    }

    /// Runs words that a shell reads as text, as `watch` does.
    fn scripted(&mut self, call: &Call<'_>) -> Origin {
        let mut origin = Origin::Unknown;
        let operands = call.sorted.operands.as_slice();
        let words: Vec<Value> = operands
            .iter()
            .filter(|word| word.literal() != Some(":::"))
            .cloned()
            .collect();
        let texts: Option<Vec<&str>> = words.iter().map(Value::literal).collect();
        let unknown = call.name == "parallel" && words.len() == operands.len();
        match (texts, words.as_slice()) {
            (None, _) => self.unknown_code(words.iter().filter_map(Value::origin).max()),
            (Some(_), []) => {}
            (Some(texts), _) if texts.iter().any(|text| text.contains(' ')) => {
                for text in texts
                    .iter()
                    .filter(|text| text.contains(' '))
                    .chain([&texts.join(" ").as_str()])
                {
                    origin = origin.max(self.evaluate(text));
                }
            }
            (Some(_), words) => {
                let item = unknown.then(|| Value::unknown(self.input.origin()));
                let words: Vec<Value> = words.iter().cloned().chain(item).collect();
                // `tmux new -d COMMAND` and `perf stat COMMAND` have words before the command.
                for at in 0..words.len() {
                    let first = words.get(at).and_then(Value::literal).map(base_name);
                    let is_command = at == 0 || first.is_some_and(is_dangerous);
                    if is_command {
                        origin = origin.max(self.run(words.get(at..).unwrap_or_default()));
                    }
                }
            }
        }
        origin
    }
}

/// Returns `true` for programs that are looked for after the words of a launcher.
fn is_dangerous(name: &str) -> bool {
    matches!(
        name,
        "rm" | "sh" | "bash" | "dd" | "curl" | "env" | "sudo" | "doas" | "su"
    )
}
