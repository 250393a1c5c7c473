//! Programs of `sed` and `awk`.

use super::super::table::Kind;
use super::options::Arguments;
use super::run::Call;
use super::sed;
use super::{Origin, Rule, Stream, Value, Walk};

impl Walk<'_> {
    pub(super) fn awk_programs(&mut self, call: &Call<'_>) {
        let sorted = call.sorted;
        let first = sorted.operands.first().filter(|_| !sorted.has_pattern);
        let programs = sorted.of(Kind::Pattern).chain(first);
        programs.for_each(|program| self.awk(program));
        if sorted.has(&["f", "i", "--file", "--include"]) {
            self.report(Rule::Interpreter);
            sorted
                .operands
                .iter()
                .for_each(|file| self.write(file, false));
        }
        if sorted.has(&["v", "--assign"]) {
            self.search_arguments(call.arguments);
        }
    }

    pub(super) fn sed(&mut self, sorted: &Arguments) {
        if sorted.has_unknown {
            self.report(Rule::UnknownOption);
        }
        let in_place = sorted.has(&["i", "--in-place"]);
        let scripts: Vec<&Value> = sorted.of(Kind::Pattern).collect();
        let files: Vec<&Value> = sorted.of(Kind::Read).collect();
        if !files.is_empty() {
            self.report(Rule::Interpreter);
            for file in &files {
                self.read(file);
                if let Some(Stream::Text(text)) = file.stream.as_deref() {
                    self.sed_script(&Value::known(text));
                }
            }
        }
        let skipped = usize::from(scripts.is_empty() && files.is_empty());
        let first = sorted.operands.iter().take(skipped);
        for script in scripts.into_iter().chain(first) {
            self.sed_script(script);
        }
        for file in sorted.operands.iter().skip(skipped) {
            if in_place {
                self.report(Rule::Write);
                self.write(file, false);
                self.check_directory();
            } else {
                self.read(file);
            }
        }
        let endings = sorted.of(Kind::Plain).filter(|_| in_place);
        endings
            .filter(|value| value.shown().contains('/'))
            .for_each(|value| self.write(value, true));
    }

    fn sed_script(&mut self, script: &Value) {
        let Some(text) = script.literal().map(str::to_owned) else {
            if script.origin() == Some(Origin::Download) {
                self.report(Rule::DownloadRun);
            }
            self.report(Rule::Interpreter);
            return;
        };
        for effect in sed::effects(&text) {
            match effect {
                sed::Effect::Read(file) => self.read(&Value::known(&file)),
                sed::Effect::Write(file) => self.write_in_place(&Value::known(&file)),
                sed::Effect::Run(command) if command.is_empty() => {
                    let origin = self.state.stdin.origin();
                    self.unknown_code(Some(origin));
                }
                sed::Effect::Run(command) => {
                    self.report(Rule::Interpreter);
                    self.subshell(|walk| walk.evaluate(&command));
                }
                sed::Effect::Unknown => self.report(Rule::Interpreter),
            }
        }
    }

    fn awk(&mut self, program: &Value) {
        let text = program
            .literal()
            .map_or_else(|| program.shown(), str::to_owned);
        // Comparisons after the first `print` count too. Strings and patterns may contain any character,
        // so the end of the statement is unknown.
        let prints_to = text
            .split_once("print")
            .is_some_and(|(_, rest)| rest.contains('>'));
        let acts = [
            "system", "getline", "|", "@", "ENVIRON", "/inet", "fflush", "close", "`",
        ]
        .iter()
        .any(|word| text.replace("||", "").contains(word));
        if program.literal().is_none() || acts || prints_to {
            self.report(Rule::Interpreter);
            if text.contains("system(") && self.state.stdin.origin() == Origin::Download {
                self.report(Rule::DownloadRun);
            }
            self.search_interpreted(program);
            if prints_to {
                text.split('"').skip(1).step_by(2).for_each(|file| {
                    if file.contains('/') {
                        self.write_in_place(&Value::known(file));
                    }
                });
            }
        }
    }
}
