//! Programs that run another program with arguments of their own making.

use super::super::state::State;
use super::super::value::{FIELDS, NETWORK, Stream};
use super::super::walk::Walk;
use super::arguments::Arguments;

impl Walk<'_> {
    pub(super) fn env(&mut self, state: &mut State, arguments: &Arguments) -> Option<Stream> {
        let mut inner = state.clone();
        let mut operands = arguments.operands.iter().peekable();
        while let Some((name, value)) = operands.peek().and_then(|operand| operand.split_once('='))
        {
            self.check_environment(name, value);
            inner.assign(name, value.to_owned());
            operands.next();
        }
        if operands.peek().is_some_and(|operand| *operand == "-") {
            operands.next();
        }
        let command: Vec<String> = operands.cloned().collect();
        self.deeper(|walk| walk.run(&mut inner, &command))
    }

    pub(super) fn xargs(&mut self, state: &mut State, arguments: &Arguments) -> Option<Stream> {
        let items = match &self.input {
            _ if arguments.has(&["a", "arg-file"]) => vec![FIELDS.to_string()],
            Stream::Empty => Vec::new(),
            Stream::Text(text) if !text.contains(['\'', '"', '\\']) => {
                text.split_whitespace().map(str::to_owned).collect()
            }
            Stream::Paths(paths) => paths.to_vec(),
            Stream::Network => vec![NETWORK.to_string()],
            Stream::Text(_) | Stream::Unknown => vec![FIELDS.to_string()],
        };
        let mut command = arguments.operands.clone();
        if command.is_empty() {
            command.push("echo".to_owned());
        }
        let marker = Self::replaced_marker(arguments);
        match marker {
            Some(marker) => {
                let item = items.concat();
                for argument in &mut command {
                    *argument = argument.replace(&marker, &item);
                }
            }
            None => command.extend(items),
        }
        self.input = Stream::Empty;
        self.deeper(|walk| walk.run(state, &command))
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
