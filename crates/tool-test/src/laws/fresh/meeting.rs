//! Whether calls at once end as they do one after the other.

use serde_json::Value;
use tokio::time::timeout;
use tool_core::{ErrorCode, ToolCall, ToolResult};

use super::super::Broken;
use super::super::folder::Files;
use super::making::{Made, SOON};

/// How often calls meet.
const ROUNDS: usize = 5;

/// How a call ended, as far as two runs can be compared.
#[derive(Debug, Clone, PartialEq)]
struct Outcome {
    code: Option<ErrorCode>,
    text: String,
}

/// How the calls ended, in the order of the calls, and what is in the folder then.
#[derive(Debug, Clone, PartialEq)]
struct State {
    outcomes: Vec<Outcome>,
    files: Files,
}

pub(super) async fn check(
    make: &impl Fn() -> Option<Made>,
    first: &Value,
    second: &Value,
) -> Option<Broken> {
    let same = one_after_the_other(make()?, &[first, second]).await?;
    let again = one_after_the_other(make()?, &[first, second]).await?;
    let mut turned = one_after_the_other(make()?, &[second, first]).await?;
    turned.outcomes.reverse();
    let alone = [
        one_after_the_other(make()?, &[first]).await?,
        one_after_the_other(make()?, &[second]).await?,
    ];
    let view = View::of(&same, &again);
    for _ in 0..ROUNDS {
        let met = at_once(make()?, first, second).await;
        let is_fine = met.as_ref().is_some_and(|met| {
            [&same, &turned]
                .iter()
                .any(|state| view.is_same(met, state))
                || view.one_gave_way(met, &alone)
        });
        if !is_fine {
            let detail = format!("{first} and {second} end otherwise than one after the other");
            return Some(Broken::new(
                "calls at once do not lose each other's work",
                detail,
            ));
        }
    }
    None
}

/// What of a state is the same from run to run.
struct View {
    texts: bool,
    files: bool,
}

impl View {
    fn of(first: &State, second: &State) -> Self {
        Self {
            texts: first.outcomes == second.outcomes,
            files: first.files == second.files,
        }
    }

    fn is_same(&self, met: &State, state: &State) -> bool {
        let pairs = met.outcomes.iter().zip(&state.outcomes);
        pairs
            .into_iter()
            .all(|(met, other)| self.is_same_end(met, other))
            && self.are_same_files(met, state)
    }

    /// A call that failed and changed nothing lost nobody's work.
    fn one_gave_way(&self, met: &State, alone: &[State; 2]) -> bool {
        let [first, second] = alone;
        match met.outcomes.as_slice() {
            [done, gave_way] if gave_way.code.is_some() => self.is_alone(done, met, first),
            [gave_way, done] if gave_way.code.is_some() => self.is_alone(done, met, second),
            _ => false,
        }
    }

    fn is_alone(&self, done: &Outcome, met: &State, alone: &State) -> bool {
        let same_end = alone
            .outcomes
            .first()
            .is_some_and(|end| self.is_same_end(done, end));
        same_end && self.are_same_files(met, alone)
    }

    fn is_same_end(&self, met: &Outcome, other: &Outcome) -> bool {
        met.code == other.code && (!self.texts || met.text == other.text)
    }

    fn are_same_files(&self, met: &State, other: &State) -> bool {
        if self.files {
            return met.files == other.files;
        }
        let names = |state: &State| state.files.keys().cloned().collect::<Vec<_>>();
        names(met) == names(other)
    }
}

async fn one_after_the_other(made: Made, calls: &[&Value]) -> Option<State> {
    let mut outcomes = Vec::new();
    for call in calls {
        let work = made.registry.execute(&made.name, (*call).clone());
        outcomes.push(Outcome::of(&timeout(SOON, work).await.ok()?));
    }
    let files = made.files().await;
    Some(State { outcomes, files })
}

async fn at_once(made: Made, first: &Value, second: &Value) -> Option<State> {
    let call = |arguments: &Value| ToolCall::new(made.name.clone(), arguments.clone());
    let work = made.registry.execute_many(vec![call(first), call(second)]);
    let results = timeout(SOON, work).await.ok()?;
    let outcomes = results.iter().map(Outcome::of).collect();
    let files = made.files().await;
    Some(State { outcomes, files })
}

impl Outcome {
    fn of(result: &ToolResult) -> Self {
        Self {
            code: result.error.as_ref().map(|error| error.code.clone()),
            text: result.to_string(),
        }
    }
}
