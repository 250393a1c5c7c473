//! Programs that run another program with generated arguments.

use super::super::limits::MOST_ALTERNATIVES;
use super::super::state::State;
use super::super::value::{FIELDS, NETWORK, Stream};
use super::super::verdict::CommandRule;
use super::super::walk::Walk;
use super::arguments::Arguments;

impl Walk<'_> {
    pub(super) fn env(&mut self, state: &mut State, arguments: &Arguments) -> Option<Stream> {
        let mut inner = state.clone();
        let mut operands = arguments.operands.iter().peekable();
        while let Some((name, value)) = operands.peek().and_then(|operand| operand.split_once('='))
        {
            self.check_environment(state, name, value);
            self.check_given(state, name, value);
            inner.assign(name, value.to_owned());
            operands.next();
        }
        if operands.peek().is_some_and(|operand| *operand == "-") {
            operands.next();
        }
        let command: Vec<String> = operands.cloned().collect();
        self.deeper(|walk| walk.run_program(&mut inner, &command))
    }

    pub(super) fn xargs(&mut self, state: &mut State, arguments: &Arguments) -> Option<Stream> {
        let marker = Self::replaced_marker(arguments);
        let items = match &self.input {
            _ if arguments.has(&["a", "arg-file"]) => vec![FIELDS.to_string()],
            Stream::Empty => Vec::new(),
            Stream::Text(text) if arguments.has(&["0", "null"]) => vec![text.clone()],
            Stream::Text(text) if arguments.has(&["d", "delimiter"]) => text
                .split(delimiter(arguments))
                .map(str::to_owned)
                .collect(),
            Stream::Text(text) if text.contains(['\'', '"', '\\']) => vec![FIELDS.to_string()],
            Stream::Text(text) if marker.is_some() => {
                text.lines().map(|line| line.trim().to_owned()).collect()
            }
            Stream::Text(text) => text.split_whitespace().map(str::to_owned).collect(),
            Stream::Paths(paths) => paths.to_vec(),
            Stream::Network => vec![NETWORK.to_string()],
            Stream::Decoded | Stream::Script | Stream::Unknown => vec![FIELDS.to_string()],
        };
        let mut command = arguments.operands.clone();
        self.input = Stream::Empty;
        if command.is_empty() {
            command.push("echo".to_owned());
            if arguments.options.is_empty() {
                return self.deeper(|walk| walk.run(state, &[command, items].concat()));
            }
        }
        let Some(marker) = marker else {
            let in_portions = arguments.has(&["n", "L", "s", "max-args", "max-lines"]);
            return self.deeper(|walk| walk.with_items(state, &command, &items, in_portions));
        };
        self.deeper(|walk| walk.for_each_item(state, &command, &marker, &items))
    }

    /// Runs `command` with the items. If the batch size is unknown, a batch may start at any item.
    fn with_items(
        &mut self,
        state: &mut State,
        command: &[String],
        items: &[String],
        in_portions: bool,
    ) -> Stream {
        let beginnings = if in_portions { items.len().max(1) } else { 1 };
        if beginnings > MOST_ALTERNATIVES {
            self.report(CommandRule::Opaque, "");
        }
        let mut output = Stream::Empty;
        for at in 0..beginnings.min(MOST_ALTERNATIVES) {
            let portion = items.get(at..).unwrap_or_default();
            output = output.then(self.run_program(state, &[command, portion].concat()));
        }
        output
    }

    fn for_each_item(
        &mut self,
        state: &mut State,
        command: &[String],
        marker: &str,
        items: &[String],
    ) -> Stream {
        let mut output = Stream::Empty;
        for item in items.iter().take(MOST_ALTERNATIVES) {
            let words = command.iter().map(|word| word.replace(marker, item));
            let words: Vec<String> = words.collect();
            output = output.then(self.run_program(state, &words));
        }
        if items.len() > MOST_ALTERNATIVES {
            self.report(CommandRule::Limit, "");
        }
        output
    }

    /// Programs that repeat a command, given as text or as words.
    pub(super) fn repeat(
        &mut self,
        state: &mut State,
        name: &str,
        arguments: &Arguments,
    ) -> Option<Stream> {
        let as_text = if name == "watch" {
            !arguments.has(&["x", "exec"])
        } else {
            arguments.has(&["s"])
        };
        if as_text {
            return Some(self.in_shell("sh", |walk| walk.eval(state, &arguments.operands)));
        }
        self.deeper(|walk| walk.run_program(state, &arguments.operands))
    }

    /// A shell runs the text for each item after `:::`, or for each input line.
    pub(super) fn parallel(&mut self, state: &mut State, arguments: &Arguments) -> Stream {
        let mut words = arguments.operands.split(|word| word.starts_with(":::"));
        let template = words.next().unwrap_or_default().join(" ");
        let listed: Vec<String> = words.flatten().cloned().collect();
        let items = match &self.input {
            _ if !listed.is_empty() => listed,
            Stream::Text(text) => text.lines().map(str::to_owned).collect(),
            Stream::Paths(paths) => paths.to_vec(),
            Stream::Network => vec![NETWORK.to_string()],
            Stream::Empty | Stream::Decoded | Stream::Script | Stream::Unknown => {
                vec![FIELDS.to_string()]
            }
        };
        self.input = Stream::Empty;
        for item in items.iter().take(MOST_ALTERNATIVES) {
            if !self.step() {
                break;
            }
            let text = if template.contains('{') {
                ["{}", "{.}", "{/}", "{//}", "{/.}", "{1}"]
                    .iter()
                    .fold(template.clone(), |text, mark| text.replace(mark, item))
            } else {
                format!("{template} {item}")
            };
            self.again(&mut state.clone(), text.trim());
        }
        if items.len() > MOST_ALTERNATIVES {
            self.report(CommandRule::Limit, "");
        }
        Stream::Unknown
    }

    fn replaced_marker(arguments: &Arguments) -> Option<String> {
        if arguments.has(&["replace"]) {
            return Some("{}".to_owned());
        }
        let option = arguments.options.iter().rposition(|option| option == "I")?;
        let valued = |option: &&String| {
            matches!(
                option.as_str(),
                "n" | "P"
                    | "L"
                    | "s"
                    | "d"
                    | "E"
                    | "I"
                    | "max-args"
                    | "max-procs"
                    | "max-lines"
                    | "delimiter"
            )
        };
        let index = arguments.options.iter().take(option).filter(valued).count();
        arguments.values('V').nth(index).cloned()
    }
}

/// `xargs -d '\n'` uses the escaped form.
fn delimiter(arguments: &Arguments) -> char {
    let mut letters = arguments.values('V').filter_map(|value| {
        let mut letters = value.chars();
        letters
            .next()
            .filter(|letter| letters.next().is_none() && !letter.is_ascii_digit())
    });
    letters.next_back().unwrap_or('\n')
}
