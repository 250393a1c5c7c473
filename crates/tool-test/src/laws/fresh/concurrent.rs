//! Comparison of concurrent calls with sequential calls.

use serde_json::Value;
use tokio::time::timeout;
use tool_core::{ErrorCode, ToolCall, ToolResult};

use super::super::Broken;
use super::{Files, SOON, ToolInstance};

/// Number of times that two calls run concurrently.
// A race shows only sometimes, and each round needs two new tools.
const ROUNDS: usize = 5;

/// Parts of a result that can be compared between runs.
#[derive(Debug, Clone, PartialEq)]
struct Outcome {
    code: Option<ErrorCode>,
    text: String,
}

/// Outcomes in the order of the calls, and the files after the last call.
#[derive(Debug, Clone, PartialEq)]
struct State {
    outcomes: Vec<Outcome>,
    files: Files,
}

pub(super) async fn check(
    make: &impl Fn() -> Option<ToolInstance>,
    first: &Value,
    second: &Value,
) -> Option<Broken> {
    let same = sequentially(make()?, &[first, second]).await?;
    let again = sequentially(make()?, &[first, second]).await?;
    // The registry may run two calls in either order.
    let mut turned = sequentially(make()?, &[second, first]).await?;
    turned.outcomes.reverse();
    let alone = [
        sequentially(make()?, &[first]).await?,
        sequentially(make()?, &[second]).await?,
    ];
    // Results with a time or a random name differ even between equal runs.
    let stable = Stable::of(&same, &again);
    for _ in 0..ROUNDS {
        let met = concurrently(make()?, first, second).await;
        let is_fine = met.as_ref().is_some_and(|met| {
            [&same, &turned]
                .iter()
                .any(|state| stable.is_same(met, state))
                // A conflict is a good answer if the other call had its full effect.
                || stable.one_gave_way(met, &alone)
        });
        if !is_fine {
            let detail = format!("{first} and {second} have another effect than in sequence");
            return Some(Broken::new(
                "concurrent calls do not lose each other's changes",
                detail,
            ));
        }
    }
    None
}

/// Parts of a state that are stable between runs.
struct Stable {
    texts: bool,
    files: bool,
}

impl Stable {
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

    /// Returns `true` if one call failed without changes and the other had its full effect.
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

async fn sequentially(instance: ToolInstance, calls: &[&Value]) -> Option<State> {
    let mut outcomes = Vec::new();
    for call in calls {
        let work = instance.registry.execute(&instance.name, (*call).clone());
        outcomes.push(Outcome::of(&timeout(SOON, work).await.ok()?));
    }
    let files = instance.files().await;
    Some(State { outcomes, files })
}

async fn concurrently(instance: ToolInstance, first: &Value, second: &Value) -> Option<State> {
    let call = |arguments: &Value| ToolCall::new(instance.name.clone(), arguments.clone());
    let work = instance
        .registry
        .execute_many(vec![call(first), call(second)]);
    let results = timeout(SOON, work).await.ok()?;
    let outcomes = results.iter().map(Outcome::of).collect();
    let files = instance.files().await;
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
