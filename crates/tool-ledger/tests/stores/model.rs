//! Random interleavings of claims, renewals, outcomes, crashes and clock steps against a model.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use tokio::runtime::Runtime;
use tool_core::ledger::{CallKey, Claim, LeaseToken, LedgerState, Settled};
use tool_ledger::LedgerLimits;

use crate::setup::{LEASE, Store, done, pay, possible_effect, repeatable, unknown, without_effect};

/// Processes that hold leases.
const PROCESSES: usize = 3;
/// Keys: the calls of the odd ones are repeatable.
const KEYS: usize = 4;

#[derive(Debug, Clone)]
enum Step {
    Claim {
        process: usize,
        key: usize,
        amount: u32,
    },
    Renew {
        process: usize,
        key: usize,
    },
    Settle {
        process: usize,
        key: usize,
        outcome: Outcome,
    },
    Crash {
        process: usize,
    },
    Wait {
        seconds: u64,
    },
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Outcome {
    Done,
    WithoutEffect,
    PossibleEffect,
    Unknown,
}

impl Outcome {
    fn settled(self) -> Settled {
        match self {
            Self::Done => done(),
            Self::WithoutEffect => without_effect(),
            Self::PossibleEffect => possible_effect(),
            Self::Unknown => unknown(),
        }
    }
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let (process, key) = (0..PROCESSES, 0..KEYS);
    let outcome = prop_oneof![
        Just(Outcome::Done),
        Just(Outcome::WithoutEffect),
        Just(Outcome::PossibleEffect),
        Just(Outcome::Unknown)
    ];
    let held = (process.clone(), key.clone());
    let step = prop_oneof![
        6 => (process.clone(), key, 0..2_u32)
            .prop_map(|(process, key, amount)| Step::Claim { process, key, amount }),
        2 => held.clone().prop_map(|(process, key)| Step::Renew { process, key }),
        4 => (held, outcome)
            .prop_map(|((process, key), outcome)| Step::Settle { process, key, outcome }),
        1 => process.prop_map(|process| Step::Crash { process }),
        2 => (1..50_u64).prop_map(|seconds| Step::Wait { seconds }),
    ];
    prop::collection::vec(step, 1..40)
}

/// A key in the model. Times are seconds since the start.
struct Known {
    amount: u32,
    holder: u32,
    /// End of the lease, if no outcome is stored.
    running_until: Option<u64>,
    outcome: Option<Outcome>,
}

/// The expected behavior.
#[derive(Default)]
struct Model {
    now: u64,
    runs: u32,
    keys: BTreeMap<usize, Known>,
    /// Number of effects that a key that is not repeatable may have had.
    effects: BTreeMap<usize, u32>,
}

fn repeats(key: usize) -> bool {
    !key.is_multiple_of(2)
}

impl Model {
    /// Returns the expected response, and the number of the run if it is new.
    fn claim(&mut self, key: usize, amount: u32) -> (&'static str, u32) {
        let response = match self.keys.get(&key) {
            None => "new",
            Some(known) => self.again(key, known, amount),
        };
        if response == "new" {
            self.runs += 1;
            let until = self.now + LEASE.as_secs();
            let known = Known {
                amount,
                holder: self.runs,
                running_until: Some(until),
                outcome: None,
            };
            self.keys.insert(key, known);
        }
        (response, self.runs)
    }

    fn again(&self, key: usize, known: &Known, amount: u32) -> &'static str {
        if known.outcome == Some(Outcome::WithoutEffect) {
            return "new";
        }
        if known.amount != amount {
            return "conflict";
        }
        match (known.outcome, known.running_until) {
            (Some(Outcome::Done), _) => "done",
            (None, Some(until)) if self.now < until => "running",
            _ if repeats(key) => "new",
            (Some(Outcome::PossibleEffect), _) => "done",
            _ => "unknown",
        }
    }

    fn renew(&mut self, key: usize, run: u32) -> bool {
        let until = self.now + LEASE.as_secs();
        let known = self.keys.get_mut(&key).filter(|known| known.holder == run);
        match known {
            Some(known) if known.outcome.is_none() => {
                known.running_until = Some(until);
                true
            }
            _ => false,
        }
    }

    fn settle(&mut self, key: usize, run: u32, outcome: Outcome) -> bool {
        let known = self.keys.get_mut(&key).filter(|known| known.holder == run);
        match known {
            Some(known) if matches!(known.outcome, None | Some(Outcome::Unknown)) => {
                known.outcome = Some(outcome);
                true
            }
            _ => false,
        }
    }

    fn state(&self, key: usize) -> Option<LedgerState> {
        let known = self.keys.get(&key)?;
        Some(match (known.outcome, known.running_until) {
            (Some(Outcome::Done), _) => LedgerState::Done,
            (Some(Outcome::WithoutEffect), _) => LedgerState::FailedWithoutEffect,
            (Some(Outcome::PossibleEffect), _) => LedgerState::FailedWithPossibleEffect,
            (None, Some(until)) if self.now < until => LedgerState::Running,
            (None, _) if repeats(key) => LedgerState::Claimed,
            (Some(Outcome::Unknown) | None, _) => LedgerState::Unknown,
        })
    }
}

fn name_of(claim: &Claim) -> &'static str {
    match claim {
        Claim::New(_) => "new",
        Claim::Running { .. } => "running",
        Claim::Done(_) => "done",
        Claim::Unknown(_) => "unknown",
        Claim::Conflict => "conflict",
        other => panic!("{other:?}"),
    }
}

/// Leases that the processes hold: the token and the run in the model.
type Leases = BTreeMap<(usize, usize), (LeaseToken, u32)>;

/// Runs steps against a store and the model.
async fn check(store: &Store, scope: &str, steps: &[Step]) {
    let key_of = |key: usize| CallKey::new(scope, key.to_string());
    let (mut model, mut leases) = (Model::default(), Leases::new());
    for step in steps {
        match *step {
            Step::Claim {
                process,
                key,
                amount,
            } => {
                let intent = if repeats(key) {
                    repeatable(amount)
                } else {
                    pay(amount)
                };
                let (expected, run) = model.claim(key, amount);
                let claim = store
                    .ledger
                    .claim(&key_of(key), &intent, LEASE)
                    .await
                    .unwrap();
                assert_eq!(name_of(&claim), expected, "{step:?} of {steps:?}");
                if let Claim::New(token) = claim {
                    // A run whose process lost track of it may have had an effect.
                    leases.insert((process, key), (token, run));
                    if !repeats(key) {
                        *model.effects.entry(key).or_default() += 1;
                    }
                }
            }
            Step::Renew { process, key } => {
                if let Some((token, run)) = leases.get(&(process, key)) {
                    let renewed = store.ledger.renew(&key_of(key), *token, LEASE).await;
                    assert_eq!(
                        renewed.is_ok(),
                        model.renew(key, *run),
                        "{step:?} of {steps:?}"
                    );
                }
            }
            Step::Settle {
                process,
                key,
                outcome,
            } => {
                if let Some((token, run)) = leases.get(&(process, key)) {
                    let settled = outcome.settled();
                    let stored = store.ledger.settle(&key_of(key), *token, &settled).await;
                    let expected = model.settle(key, *run, outcome);
                    assert_eq!(stored.is_ok(), expected, "{step:?} of {steps:?}");
                    if expected && outcome == Outcome::WithoutEffect {
                        model.effects.remove(&key);
                    }
                }
            }
            Step::Crash { process } => leases.retain(|(holder, _), _| *holder != process),
            Step::Wait { seconds } => {
                // Slightly more, because the model counts whole seconds.
                store.step(Duration::from_secs(seconds)).await;
                model.now += seconds;
            }
        }
        for (key, effects) in &model.effects {
            assert!(*effects <= 1, "{key} ran {effects} times: {steps:?}");
        }
    }
    for key in 0..KEYS {
        let found = store.ledger.find(&key_of(key)).await.unwrap();
        assert_eq!(
            found.map(|entry| entry.state),
            model.state(key),
            "{key} of {steps:?}"
        );
    }
}

/// Runs random steps. Each case has its own scope.
fn follows_model(runtime: &Runtime, store: &Store, cases: u32) {
    static SCOPE: AtomicU32 = AtomicU32::new(0);
    let config = Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    };
    let mut runner = TestRunner::new(config);
    let result = runner.run(&steps(), |steps| {
        let scope = format!("case-{}", SCOPE.fetch_add(1, Ordering::SeqCst));
        runtime.block_on(check(store, &scope, &steps));
        Ok(())
    });
    result.unwrap();
}

fn cases() -> u32 {
    std::env::var("TOOL_LEDGER_CASES").map_or(64, |cases| cases.parse().unwrap())
}

#[test]
fn memory_follows_model() {
    let runtime = Runtime::new().unwrap();
    let store = Store::memory();

    follows_model(&runtime, &store, 8 * cases());
}

#[test]
fn sqlite_follows_model() {
    let runtime = Runtime::new().unwrap();
    let store = runtime.block_on(Store::sqlite(LedgerLimits::default()));

    follows_model(&runtime, &store, cases());
}

#[test]
fn postgres_follows_model() {
    let runtime = Runtime::new().unwrap();
    if let Some(store) = runtime.block_on(Store::postgres(LedgerLimits::default())) {
        follows_model(&runtime, &store, cases());
    }
}
