//! Loops. A body is walked with all changes that earlier iterations may have made.

use super::super::limits::MOST_ALTERNATIVES;
use super::super::state::State;
use super::super::syntax::{Script, Word};
use super::super::value::{self, FIELDS, NUMBER, Stream, UNKNOWN};
use super::super::verdict::CommandRule;
use super::Walk;
use super::changes::{self, Changes};
use super::control::known_to_be_one;

impl Walk<'_> {
    pub(super) fn endless_or_not(
        &mut self,
        state: &mut State,
        condition: &Script,
        body: &Script,
    ) -> Stream {
        let changes = Changes::of(body);
        if changes::always_holds(condition) {
            self.endless(&changes);
        }
        self.repeated(state, body, Some(condition))
    }

    pub(super) fn endless(&mut self, changes: &Changes) {
        if changes.background {
            self.report(CommandRule::ForkBomb, "");
        } else if !changes.leaves {
            self.report(CommandRule::Endless, "");
        }
    }

    /// Walks a body that runs any number of times.
    pub(super) fn repeated(
        &mut self,
        state: &mut State,
        body: &Script,
        condition: Option<&Script>,
    ) -> Stream {
        let mut changes = Changes::of(body);
        if let Some(condition) = condition {
            changes.script(condition);
        }
        self.forget_changes(state, &changes);
        let mut output = Stream::Empty;
        for _ in 0..3 {
            let before = state.clone();
            let joined = self.joins_outputs;
            output = output.then(self.once(state, body, condition));
            state.join(&before);
            let is_settled = state.directories == before.directories
                && state.positional == before.positional
                && self.joins_outputs == joined;
            if is_settled {
                return known_to_be_one(output);
            }
        }
        state.directories.insert(None);
        state.forget_positional();
        output = output.then(self.once(state, body, condition));
        known_to_be_one(output)
    }

    fn once(&mut self, state: &mut State, body: &Script, condition: Option<&Script>) -> Stream {
        let tested = condition.map(|condition| self.script(state, condition));
        tested
            .unwrap_or(Stream::Empty)
            .then(self.script(state, body))
    }

    fn forget_changes(&mut self, state: &mut State, changes: &Changes) {
        let calls = |name: &String| changes.called.contains(name);
        if changes.everything || self.functions.keys().any(calls) {
            state.forget_variables();
        }
        if changes.positional {
            state.forget_positional();
        }
        for name in &changes.names {
            state.forget(name);
        }
    }

    pub(super) fn for_loop(
        &mut self,
        state: &mut State,
        name: &str,
        items: Option<&[Word]>,
        body: &Script,
    ) -> Stream {
        let items = match items {
            Some(words) => self.remembered(|walk| walk.words(state, words)),
            None => state
                .positional
                .as_deref()
                .map_or_else(|| vec![FIELDS.to_string()], <[String]>::to_vec),
        };
        let changes = Changes::of(body);
        self.check_environment(state, name, "?");
        self.forget_changes(state, &changes);
        let start = state.clone();
        let mut output = Stream::Empty;
        for item in merged(items) {
            if self.is_exhausted() {
                break;
            }
            self.computes_value(state, &item);
            state.assign(name, item);
            let joined = self.joins_outputs;
            output = output.then(self.script(state, body));
            // Redirected output may be read in the next iteration.
            if self.joins_outputs != joined {
                output = output.then(self.script(state, body));
            }
            if state.directories != start.directories {
                state.directories.insert(None);
            }
            if state.positional != start.positional {
                state.forget_positional();
                output = output.then(self.script(state, body));
            }
            self.forget_changes(state, &changes);
        }
        state.join(&start);
        known_to_be_one(output)
    }
}

/// Numbers are merged into one item.
fn merged(items: Vec<String>) -> Vec<String> {
    let numbers = items
        .iter()
        .all(|item| !item.is_empty() && item.chars().all(|letter| letter.is_ascii_digit()));
    if numbers && !items.is_empty() {
        return vec![NUMBER.to_string()];
    }
    if items.len() <= MOST_ALTERNATIVES {
        return items;
    }
    let network = items.iter().any(|item| value::from_network(item));
    vec![if network { value::NETWORK } else { UNKNOWN }.to_string()]
}
