//! Loops, and output of commands that may not run.

use super::super::syntax::{Kind, Part, Script, Word};
use super::{Origin, Rule, Stream, Value, Walk};

impl Walk<'_> {
    pub(super) fn endless(&mut self, condition: &Script, body: &Script) -> Stream {
        if always_succeeds(condition) {
            self.report_endless(body);
        }
        self.repeat(|walk| {
            let output = walk.script(condition);
            output.then(walk.script(body))
        })
    }

    pub(super) fn report_endless(&mut self, body: &Script) {
        if body.items.iter().any(|item| item.background) {
            self.report(Rule::ForkBomb);
        } else if !exits_loop(body) {
            self.report(Rule::Endless);
        }
    }

    /// Walks a body until a further iteration adds nothing to the state.
    pub(super) fn repeat(&mut self, mut body: impl FnMut(&mut Self) -> Stream) -> Stream {
        let mut output = Stream::empty();
        // After a limit, the state may change forever.
        let mut is_last = false;
        loop {
            let before = self.state.clone();
            output = output.then(body(self));
            self.state.join(&before);
            if is_last || self.state == before {
                return uncertain(output);
            }
            is_last = self.is_over || self.state.is_cut;
        }
    }

    pub(super) fn for_loop(&mut self, name: &str, items: Option<&[Word]>, body: &Script) -> Stream {
        let items: Vec<Value> = match items {
            Some(words) => words.iter().flat_map(|word| self.expand(word)).collect(),
            None => self
                .state
                .positional
                .as_deref()
                .map_or_else(|| vec![Value::unknown(Origin::Unknown)], Clone::clone),
        };
        self.report_dynamic(&items);
        let is_known = items.iter().all(|item| item.literal().is_some());
        let before = self.state.clone();
        let mut output = Stream::empty();
        if is_known {
            for item in &items {
                self.state.set(name, vec![item.segments.clone()]);
                output = output.then(self.script(body));
            }
        } else {
            self.state.forget(name);
            if let [item] = items.as_slice()
                && item
                    .origin()
                    .is_none_or(|origin| origin == Origin::Download)
            {
                self.state.set(name, vec![item.segments.clone()]);
            }
            output = self.repeat(|walk| walk.script(body));
        }
        self.state.join(&before);
        self.state.forget(name);
        uncertain(output)
    }
}

/// Output of commands that may run or not.
pub(super) fn uncertain(output: Stream) -> Stream {
    match output {
        Stream::Text(text) if text.is_empty() => Stream::Text(text),
        other => Stream::Unknown(other.origin()),
    }
}

/// Returns `true` for the header of a counting loop without a test, such as `((;;))`.
pub(super) fn lacks_test(header: &Word) -> bool {
    match header.parts.as_slice() {
        [] => true,
        [Part::Plain(text) | Part::Literal(text)] => text
            .split(';')
            .nth(1)
            .is_some_and(|test| test.trim().is_empty()),
        _ => false,
    }
}

fn always_succeeds(condition: &Script) -> bool {
    let [item] = condition.items.as_slice() else {
        return false;
    };
    let [(_, pipeline)] = item.chain.as_slice() else {
        return false;
    };
    let [command] = pipeline.stages.as_slice() else {
        return false;
    };
    match &command.kind {
        Kind::SimpleCommand(simple) => {
            let words: Vec<&str> = simple.words.iter().filter_map(Word::plain).collect();
            matches!(
                words.as_slice(),
                ["true" | ":" | "false"] | ["[", _, "]"] | ["test", _]
            ) && words.len() == simple.words.len()
        }
        Kind::Arithmetic(word) => !word.is_expanded(),
        _ => false,
    }
}

/// Returns `true` if the body contains a command that leaves the loop.
fn exits_loop(body: &Script) -> bool {
    let stages = body
        .items
        .iter()
        .flat_map(|item| &item.chain)
        .flat_map(|(_, pipeline)| &pipeline.stages);
    stages.into_iter().any(|command| match &command.kind {
        Kind::SimpleCommand(simple) => {
            matches!(
                simple.words.first().and_then(Word::plain),
                Some("break" | "exit" | "return")
            )
        }
        Kind::Group(script) => exits_loop(script),
        Kind::If {
            branches,
            otherwise,
        } => {
            branches.iter().any(|(_, body)| exits_loop(body))
                || otherwise.as_ref().is_some_and(exits_loop)
        }
        Kind::Case { arms, .. } => arms.iter().any(|(_, body)| exits_loop(body)),
        _ => false,
    })
}
