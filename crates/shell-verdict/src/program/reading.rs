//! `read`, `mapfile`, and filters that read files.

use super::super::state::State;
use super::super::value::{self, NETWORK, Stream, UNKNOWN};
use super::super::verdict::CommandRule;
use super::super::walk::Walk;

impl Walk<'_> {
    pub(super) fn assigning(&mut self, state: &mut State, name: &str, operands: &[String]) {
        if name == "shift" {
            state.forget_positional();
            return;
        }
        if name == "let" || operands.iter().any(|operand| operand.contains('[')) {
            self.note_arithmetic();
        }
        for operand in operands.iter().filter(|operand| operand.contains('[')) {
            self.evaluated(state, operand);
            self.computes_subscript(state, operand);
        }
        self.computes_value(state, "?");
        if matches!(name, "mapfile" | "readarray") {
            self.callback(state, operands);
        }
        if self.reads_known(state, name, operands) {
            return;
        }
        let value = match &self.input {
            Stream::Network => NETWORK.to_string(),
            Stream::Paths(paths) if paths.len() == 1 => paths.concat(),
            _ => UNKNOWN.to_string(),
        };
        for operand in operands {
            if value::is_open(operand) {
                self.report(CommandRule::Opaque, operand);
                state.forget_all();
            }
            let variable = operand.split(['=', '[']).next().unwrap_or_default();
            self.check_environment(state, variable, "?");
            if value::is_name(variable) {
                state.assign(variable, value.clone());
                if let Stream::Text(text) = &self.input {
                    state.assume(variable, text.lines().next().unwrap_or_default());
                }
            }
        }
    }

    /// Assigns known input of `read` and `mapfile` if no option changes it.
    fn reads_known(&mut self, state: &mut State, name: &str, operands: &[String]) -> bool {
        let text = match &self.input {
            Stream::Text(text) if self.has_own_input && value::is_known(text) => text.clone(),
            _ => return false,
        };
        let (options, names): (Vec<&String>, Vec<&String>) = operands
            .iter()
            .partition(|operand| operand.starts_with('-'));
        let plain = options
            .iter()
            .all(|option| matches!(option.as_str(), "-r" | "-a" | "-ra" | "-t"));
        if !plain
            || state.splits_unknown
            || text.contains('\\')
            || !names.iter().all(|name| value::is_name(name))
        {
            return false;
        }
        for name in &names {
            self.check_environment(state, name, "?");
        }
        let as_list = name != "read" || options.iter().any(|option| option.contains('a'));
        assign_read(state, name, &text, &names, as_list)
    }

    /// Checks the `mapfile -C` callback, which receives an index and a line.
    fn callback(&mut self, state: &State, operands: &[String]) {
        let mut queue = operands.iter();
        while let Some(operand) = queue.next() {
            if value::may_be_option(operand) {
                self.report(CommandRule::Opaque, operand);
            }
            let letters = operand.strip_prefix('-').unwrap_or_default();
            let Some((option, glued)) = letters
                .char_indices()
                .find(|(_, letter)| "dnOsuCc".contains(*letter))
                .and_then(|(at, letter)| Some((letter, letters.get(at + 1..)?)))
            else {
                continue;
            };
            let value = if glued.is_empty() {
                queue.next().map_or("", String::as_str)
            } else {
                glued
            };
            if option == 'C' {
                self.again(&mut state.clone(), &format!("{value} 0 '{UNKNOWN}'"));
            }
        }
    }

    /// Filters of yq that read other files.
    pub(super) fn loads(&mut self, state: &State, operands: &[String]) {
        const LOADING: [&str; 5] = ["load", "load_str", "load_xml", "load_props", "load_base64"];
        for filter in operands {
            let parts: Vec<&str> = filter.split('(').collect();
            for pair in parts.windows(2) {
                let [before, behind] = pair else { continue };
                if LOADING.iter().any(|name| before.trim_end().ends_with(name)) {
                    self.report(CommandRule::UnknownOption, filter);
                    let path = behind.trim_start().trim_start_matches('"');
                    self.reads_quietly(state, path.split('"').next().unwrap_or_default());
                }
            }
        }
    }
}

/// Returns `false` if there is no variable name.
fn assign_read(
    state: &mut State,
    program: &str,
    text: &str,
    names: &[&String],
    as_list: bool,
) -> bool {
    let Some((last, others)) = names.split_last() else {
        return false;
    };
    let line = text.lines().next().unwrap_or_default().trim();
    if as_list {
        let items: Vec<String> = if program == "read" {
            line.split_whitespace().map(str::to_owned).collect()
        } else {
            text.lines().map(str::to_owned).collect()
        };
        state.assign_list(last, items);
        return true;
    }
    let mut rest = line;
    for name in others {
        let (word, behind) = rest.split_once([' ', '\t']).unwrap_or((rest, ""));
        state.assign(name, word.to_owned());
        rest = behind.trim_start();
    }
    state.assign(last, rest.to_owned());
    true
}
