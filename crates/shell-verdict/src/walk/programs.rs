//! Programs with their own syntax, or with output that other commands run.

use std::rc::Rc;

use super::super::table::{Handler, Kind};
use super::decoded::decoded;
use super::files::Reach;
use super::options::Arguments;
use super::run::Call;
use super::{Origin, Rule, Stream, Value, Walk};

impl Walk<'_> {
    pub(super) fn program_special(&mut self, handler: Handler, call: &Call<'_>) -> Stream {
        match handler {
            Handler::Cat | Handler::Tee => return self.cat(handler, call),
            Handler::Decoder => return self.decoder(call),
            Handler::Download => return self.download(call),
            Handler::Netcat => {
                self.netcat(call.arguments);
                return Stream::Unknown(Origin::Download);
            }
            Handler::Dd => self.dd(call.arguments),
            Handler::Sed => {
                self.check_words(call.row, call.sorted, call.arguments);
                self.sed(call.sorted);
            }
            Handler::Permissions => self.permissions(call.name, call.arguments),
            Handler::Tar => return self.tar(call),
            Handler::Fd if self.fd(call.arguments) => {}
            Handler::Awk => {
                self.effects(call);
                self.awk_programs(call);
            }
            Handler::Jq => {
                self.effects(call);
                self.jq(call.sorted);
            }
            Handler::Link => {
                self.link(call.sorted);
                self.effects(call);
            }
            _ => return self.effects(call),
        }
        self.unknown_output()
    }

    fn cat(&mut self, handler: Handler, call: &Call<'_>) -> Stream {
        let stdin = Rc::clone(&self.state.stdin);
        let operands = &call.sorted.operands;
        let output = self.effects(call);
        if handler == Handler::Tee && stdin.origin() == Origin::Download {
            for file in operands {
                self.remember_download(file);
            }
        }
        if let [one] = operands.as_slice()
            && let Some(stream) = &one.stream
        {
            return stream.as_ref().clone();
        }
        let passes = handler == Handler::Tee
            || operands.iter().all(|operand| operand.fixed() == Some("-"))
                && call.sorted.flags.is_empty();
        if operands.iter().any(|file| self.is_download(file)) {
            Stream::Unknown(Origin::Download)
        } else if passes {
            Rc::unwrap_or_clone(stdin)
        } else {
            output
        }
    }

    fn decoder(&mut self, call: &Call<'_>) -> Stream {
        let stdin = Rc::clone(&self.state.stdin);
        let output = self.effects(call);
        let decodes = call.sorted.has(&["d", "D", "--decode"])
            || call.name == "xxd" && call.sorted.has(&["r"]);
        match (decodes, stdin.as_ref(), call.sorted.operands.is_empty()) {
            (false, ..) => output,
            (true, Stream::Text(text), true) => {
                decoded(call.name, text).map_or(Stream::Unknown(Origin::Decoded), Stream::Text)
            }
            (true, input, _) => Stream::Unknown(input.origin().max(Origin::Decoded)),
        }
    }

    fn download(&mut self, call: &Call<'_>) -> Stream {
        self.effects(call);
        let sorted = call.sorted;
        let names_file = call.name == "wget" || sorted.has(&["O", "--remote-name"]);
        let urls = sorted.operands.iter().filter(|_| names_file);
        let files = sorted.of(Kind::Write).chain(urls);
        files.for_each(|file| self.remember_download(file));
        if call.name == "ssh" {
            let commands = sorted.operands.iter().skip(1).filter_map(Value::literal);
            commands.for_each(|text| self.search_code(text));
        }
        Stream::Unknown(Origin::Download)
    }

    fn jq(&mut self, sorted: &Arguments) {
        const READING: [&str; 5] = ["env", "ENV", "import", "include", "input_filename"];
        let reads = |text: &str| READING.iter().any(|word| text.contains(word));
        let program = sorted.operands.first();
        if program.is_some_and(|program| program.literal().is_none_or(reads))
            || sorted.has(&["f", "L"])
        {
            self.report(Rule::Inspect);
        }
    }

    /// Runs the command of `fd`. Returns `false` if there is none.
    fn fd(&mut self, arguments: &[Value]) -> bool {
        let joined = |word: &Value| word.prefix().starts_with("--exec=");
        let runs = |word: &Value| {
            joined(word)
                || matches!(
                    word.literal(),
                    Some("-x" | "-X" | "--exec" | "--exec-batch")
                )
        };
        let Some(at) = arguments.iter().position(runs) else {
            return false;
        };
        let first = arguments.get(at).filter(|word| joined(word));
        let first = first.map(|word| word.after("--exec=".len()));
        let rest = arguments.iter().skip(at + 1).cloned();
        let words: Vec<Value> = first
            .into_iter()
            .chain(rest)
            .chain([Value::unknown(Origin::Unknown)])
            .collect();
        self.run(&words);
        self.report(Rule::Construct);
        true
    }

    fn netcat(&mut self, arguments: &[Value]) {
        let texts = arguments.iter().map(Value::shown);
        let runs = |text: String| {
            let lower = text.to_lowercase();
            matches!(
                lower.as_str(),
                "-e" | "-c" | "--exec" | "--sh-exec" | "--lua-exec"
            ) || lower.starts_with("exec:")
                || lower.starts_with("system:")
                || lower.contains(",exec:")
                || text.starts_with('-') && !text.starts_with("--") && text.contains('e')
        };
        if texts.into_iter().any(runs) {
            self.report(Rule::ReverseShell);
        }
    }

    fn dd(&mut self, arguments: &[Value]) {
        for argument in arguments {
            let prefix = argument.prefix().to_owned();
            if prefix.starts_with("if=") {
                self.read(&argument.after(3));
            } else if prefix.starts_with("of=") {
                self.write_in_place(&argument.after(3));
            } else if !prefix.contains('=') {
                self.report(Rule::UnknownOption);
            }
        }
    }

    fn link(&mut self, sorted: &Arguments) {
        let operands = sorted.operands.as_slice();
        let has_target = sorted.of(Kind::Directory).next().is_some();
        let (sources, target) = match operands {
            [only] => (std::slice::from_ref(only), None),
            [sources @ .., target] if !has_target => (sources, Some(target)),
            all => (all, None),
        };
        for source in sources {
            self.read(source);
            // Writes through the link would reach what it names.
            for path in self.paths(source) {
                let rule = self.settings.paths.write_rule(&path, true);
                match rule {
                    Some(Rule::Protected) => {
                        self.report_path(rule, source, &path, Reach::Parent);
                    }
                    Some(Rule::WriteOutside | Rule::Persistence) => self.report(Rule::ReadOutside),
                    _ => {}
                }
            }
        }
        if let Some(target) = target {
            let reach = Reach::of_target(target, sources.len(), Reach::Parent);
            self.write_to(target, false, reach);
        }
    }

    fn permissions(&mut self, name: &str, arguments: &[Value]) {
        let has_reference = arguments
            .iter()
            .any(|argument| argument.prefix().starts_with("--reference"));
        let is_mode = |text: &str| {
            name == "chmod"
                && text.starts_with('-')
                && text.contains(['r', 'w', 'x', 's', 't', 'X'])
                && !text.starts_with("--")
        };
        let operands = arguments.iter().filter(|argument| {
            argument
                .literal()
                .is_none_or(|text| !text.starts_with('-') || is_mode(text))
        });
        for (at, operand) in operands.enumerate() {
            if at > 0 || has_reference {
                self.permit(operand);
                continue;
            }
            let Some(mode) = operand.literal().filter(|_| name == "chmod") else {
                continue;
            };
            let digits = mode.trim_start_matches(['+', '-', '=']);
            let number = digits.trim_start_matches('0');
            let sets = |part: &str| {
                let change = part.split_once(['+', '=']);
                change.is_some_and(|(who, what)| what.contains('s') && who != "o")
            };
            let handler = if digits.bytes().all(|byte| byte.is_ascii_digit()) {
                number.len() == 4 && !number.starts_with('1')
            } else {
                mode.split(',').any(sets)
            };
            if handler {
                self.report(Rule::Permission);
            }
        }
    }

    fn tar(&mut self, call: &Call<'_>) -> Stream {
        let mut arguments = call.arguments.to_vec();
        // The first word may hold options without a dash.
        if let Some(first) = arguments.first_mut()
            && let Some(text) = first.fixed().filter(|text| {
                !text.starts_with('-') && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
            })
        {
            *first = Value::written(&format!("-{text}"));
        }
        let sorted = Arguments::sort(call.row, &arguments, false);
        let extracts = sorted.has(&["x", "--extract", "--get"]);
        let lists = sorted.has(&["t", "--list"]);
        let has_target = sorted.of(Kind::Directory).next().is_some();
        if sorted.has(&["P", "--absolute-names", "--absolute-paths"]) && extracts
            || sorted.flags.iter().any(|flag| flag == "--remove-files")
        {
            self.report(Rule::Opaque);
        }
        if extracts || lists {
            let mut read_rule = Arguments {
                has_unknown: sorted.has_unknown,
                ..Arguments::default()
            };
            let archive = |kind: Kind| {
                if kind == Kind::Write {
                    Kind::Read
                } else {
                    kind
                }
            };
            read_rule.values = sorted
                .values
                .iter()
                .map(|(kind, value)| (archive(*kind), value.clone()))
                .collect();
            if extracts && !has_target {
                self.write(&Value::written("."), true);
            }
            return self.effects(&call.with(&read_rule, &arguments));
        }
        self.read_all(&sorted.operands);
        self.effects(&call.with(&sorted, &arguments))
    }
}
