//! Simple commands: assignments first, then the program.

use super::super::state::State;
use super::super::syntax::{Assignment, Simple, Word};
use super::super::value::{self, FIELDS, Stream, UNKNOWN};
use super::super::verdict::CommandRule;
use super::Walk;

/// Builtins with assignments as arguments.
const DECLARING: [&str; 5] = ["declare", "typeset", "local", "export", "readonly"];

/// Builtins that store or print their arguments.
const REMEMBERING: [&str; 8] = [
    "set", "eval", "echo", "printf", "basename", "dirname", "realpath", "readlink",
];

impl Walk<'_> {
    /// Checks a command with the expanded `arguments`; the shell itself reads `input`.
    pub(super) fn simple(
        &mut self,
        state: &mut State,
        simple: &Simple,
        arguments: &[String],
        input: &Stream,
    ) -> Stream {
        if !self.step() {
            return Stream::Unknown;
        }
        if simple.words.is_empty() {
            let output = self.assign_all(state, simple, input);
            if state.exports_all {
                self.check_exported(state, &simple.assignments);
            }
            return output;
        }
        let name = simple.words.first().and_then(Word::plain);
        if name.is_some_and(|name| DECLARING.contains(&name)) {
            // All words are expanded before the first assignment.
            let before = state.clone();
            self.failing_before(&before, |walk| {
                walk.assign_all(state, simple, input);
                walk.declares_numbers(state, arguments, &simple.assignments);
            });
            if exports(arguments) {
                self.check_exported(state, &simple.assignments);
            }
            self.declare(state, arguments, &simple.assignments);
            let output = self.run(state, arguments);
            self.fix_declared(state, arguments);
            if matches!(name, Some("declare" | "typeset")) && self.shells.are_plain() {
                let names = simple.assignments.iter();
                names.for_each(|assignment| state.forget(&assignment.name));
            }
            return output;
        }
        if simple.has_a_name_that_may_be_missing() {
            self.without_name(state, arguments);
        }
        if simple.assignments.is_empty() {
            return self.run(state, arguments);
        }
        let mut inner = state.clone();
        // `IFS` applies only to this command.
        let splits_unknown = inner.splits_unknown;
        self.assign_all(&mut inner, simple, input);
        self.check_exported(&inner, &simple.assignments);
        inner.splits_unknown = splits_unknown;
        let output = self.run(&mut inner, arguments);
        state.join(&inner);
        output
    }

    /// If the name expands to nothing, the next word is the program.
    fn without_name(&mut self, state: &State, arguments: &[String]) {
        if let [name, rest @ ..] = arguments
            && name.contains('/')
        {
            self.for_harm(|walk| walk.deeper(|walk| walk.run(&mut state.clone(), rest)));
        }
    }

    /// Returns `true` if later commands can use the arguments.
    pub(super) fn remembers(&self, simple: &Simple) -> bool {
        let name = simple.words.first().and_then(Word::plain);
        name.is_some_and(|name| REMEMBERING.contains(&name) || self.functions.contains_key(name))
    }

    fn assign_all(&mut self, state: &mut State, simple: &Simple, input: &Stream) -> Stream {
        let of_program = std::mem::replace(&mut self.input, input.clone());
        let mut output = Stream::Empty;
        for assignment in &simple.assignments {
            self.doubt_fixed(state, &assignment.name);
            if let Some(subscript) = &assignment.subscript {
                self.note_arithmetic();
                let subscript = self.value_of(state, subscript);
                self.assigned_by_arithmetic(state, &subscript);
                self.computes_place(state, &subscript);
                // A negative index may be out of range.
                if subscript.contains(['-', '~']) {
                    self.may_fail(state);
                }
            }
            let items: Vec<String> = if assignment.is_array {
                self.is_of_bash_alone();
                self.remembered(|walk| walk.words(state, &assignment.value))
            } else {
                let word = assignment.value.first();
                word.map(|word| self.assigned_value(state, word))
                    .into_iter()
                    .collect()
            };
            let value = items.join(" ");
            let has_keys = assignment.is_array && value.contains(value::GLOB);
            if has_keys || state.is_reference(&assignment.name) {
                self.may_fail(state);
            }
            self.computes_value(state, &value);
            self.note_text(&value);
            self.listing(&[format!("{}={value}", assignment.name)], |walk| {
                walk.check_environment(state, &assignment.name, &value);
            });
            if value::from_network(&value) {
                output = Stream::Network;
            }
            if assignment.is_array {
                Self::assign_items(state, assignment, items);
            } else {
                let may_be_nothing = may_be_nothing(state, assignment);
                Self::assign(state, assignment, value);
                if may_be_nothing {
                    state.assume_nothing(&assignment.name);
                }
                if assignment.append && self.shells.are_plain() {
                    state.forget(&assignment.name);
                }
            }
        }
        self.input = of_program;
        output
    }

    /// A missing directory is checked when the variable is used, because the shell may detect it
    /// earlier.
    fn assigned_value(&mut self, state: &mut State, word: &Word) -> String {
        let assumes = self.assumes;
        self.assumes &= !word.tells_a_folder();
        let value = self.value_of(state, word);
        self.assumes = assumes;
        value
    }

    fn assign(state: &mut State, assignment: &Assignment, value: String) {
        let name = assignment.name.as_str();
        if assignment.subscript.is_some() {
            state.assign(name, list_value(&value));
            state.assume(name, &value);
            return;
        }
        let value = match (assignment.append, state.value(name)) {
            (false, _) => value,
            (true, Some(before)) => format!("{before}{value}"),
            (true, None) => format!("{UNKNOWN}{value}"),
        };
        state.assign(name, value);
    }

    fn declare(&mut self, state: &mut State, arguments: &[String], assignments: &[Assignment]) {
        let has = |letter: char| {
            let mut options = arguments.iter().filter(|word| word.starts_with('-'));
            options.any(|option| option.contains(letter))
        };
        for name in assignments
            .iter()
            .map(|assignment| assignment.name.as_str())
        {
            let Some(value) = state.value(name) else {
                continue;
            };
            if has('n') {
                if value::is_open(&value) {
                    self.report(CommandRule::Opaque, name);
                }
                self.check_environment(state, &value, "?");
                let held = state.value(&value).filter(|held| !value::is_open(held));
                let held = held.or_else(|| state.guess(&value));
                state.assign(name, UNKNOWN.to_string());
                held.inspect(|held| state.assume(name, held));
            } else if has('l') {
                state.assign(name, value.to_lowercase());
            } else if has('u') {
                state.assign(name, value.to_uppercase());
            }
        }
        let names = arguments.iter().skip(1);
        let names = names.filter_map(|word| word.split('=').next());
        for name in names.filter(|name| has('n') && !name.starts_with('-')) {
            if state.value(name).is_none() {
                self.report(CommandRule::Opaque, name);
            }
            state.refer(name);
        }
    }

    fn assign_items(state: &mut State, assignment: &Assignment, items: Vec<String>) {
        let name = assignment.name.as_str();
        if let Some(network) = items.iter().find(|item| value::from_network(item)) {
            state.assign(name, list_value(network));
            return;
        }
        // Items with keys have explicit positions.
        let keyed = |item: &String| {
            Some(
                item.strip_prefix(value::GLOB)?
                    .strip_prefix('=')?
                    .to_owned(),
            )
        };
        if let Some(item) = items.iter().find_map(keyed).as_deref() {
            state.assign(name, FIELDS.to_string());
            state.assume(name, item);
            return;
        }
        match (assignment.append, state.list(name)) {
            (false, _) => state.assign_list(name, items),
            (true, Some(before)) => state.assign_list(name, [before.to_vec(), items].concat()),
            (true, None) => state.assign(name, FIELDS.to_string()),
        }
    }
}

fn may_be_nothing(state: &State, assignment: &Assignment) -> bool {
    let mut words = assignment.value.iter();
    words.any(|word| {
        let mut variables = word.variables();
        word.tells_a_folder() || variables.any(|name| state.may_be_nothing(name))
    })
}

fn exports(arguments: &[String]) -> bool {
    let (name, options) = arguments
        .split_first()
        .map_or(("", &[][..]), |(name, rest)| (name.as_str(), rest));
    let is_exporting = |word: &String| word.starts_with('-') && word.contains('x');
    name == "export" || options.iter().any(is_exporting)
}

fn list_value(value: &str) -> String {
    let mark = if value::from_network(value) {
        value::NETWORK
    } else {
        FIELDS
    };
    mark.to_string()
}
