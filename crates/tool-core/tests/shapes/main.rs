//! What a schema refuses never reaches the type; what it takes and the type refuses is told with its place.

#![cfg(feature = "validate")]

mod types;
mod values;

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tool_core::{Arguments, ErrorCode, Registry, ToolError, ToolResult, schema_of, tool_fn};

use self::values::{Dice, fitting, mutated};

/// Calls tried on each type.
const CALLS: u64 = 400;

/// How far a type agrees with the schema that is derived from it.
#[derive(Clone, Copy, PartialEq)]
enum Agreement {
    /// The type reads exactly what the schema takes.
    Both,
    /// The type reads only what the schema takes, and not all of it.
    Stricter,
    /// The type alone would read what the schema refuses, so the schema must stand before it.
    Looser,
}

use Agreement::{Both, Looser, Stricter};

fn at_once<F: Future>(call: F) -> F::Output {
    match pin!(call).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(answer) => answer,
        Poll::Pending => unreachable!("no tool waits here"),
    }
}

/// One type, and the tool that takes it.
struct Shape {
    name: &'static str,
    agreement: Agreement,
    shown: Value,
    shown_takes: jsonschema::Validator,
    derived_takes: jsonschema::Validator,
    registry: Registry,
    runs: Arc<AtomicUsize>,
    reads: fn(Value) -> Result<(), ToolError>,
}

impl Shape {
    fn of<T>(name: &'static str, agreement: Agreement) -> Self
    where
        T: DeserializeOwned + JsonSchema + Send + Sync + 'static,
    {
        let runs = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&runs);
        let tool = tool_fn("f", "Counts.", move |_, _: T| {
            counter.fetch_add(1, Ordering::SeqCst);
            async { Ok(()) }
        });
        let shown = schema_of::<T>();
        let derived = schemars::schema_for!(T).to_value();
        Self {
            name,
            agreement,
            shown_takes: jsonschema::validator_for(&shown).unwrap(),
            derived_takes: jsonschema::validator_for(&derived).unwrap(),
            shown,
            registry: Registry::builder()
                .coercion(false)
                .tool(tool)
                .unwrap()
                .build(),
            runs,
            reads: |value| Arguments::from_value(value).deserialize::<T>().map(drop),
        }
    }

    /// Calls the tool with `value`; whether it ran.
    fn call(&self, value: &Value) -> (ToolResult, bool) {
        let before = self.runs.load(Ordering::SeqCst);
        let result = at_once(self.registry.execute_text("f", &value.to_string()));
        (result, self.runs.load(Ordering::SeqCst) > before)
    }

    fn check(&self, value: &Value) {
        let told = format!("{}: {value}", self.name);
        let (result, ran) = self.call(value);
        let takes = self.shown_takes.is_valid(value);
        assert_eq!(ran, result.success, "{told}");
        assert!(takes || !ran, "{told}: refused by the schema, and it ran");
        if let Some(error) = &result.error {
            assert_eq!(error.code, ErrorCode::InvalidArguments, "{told}");
            let fault = error
                .faults
                .first()
                .unwrap_or_else(|| panic!("{told}: no fault"));
            assert!(value.pointer(&fault.pointer).is_some(), "{told}: {fault:?}");
        }
        if takes && self.agreement == Both {
            assert!(ran, "{told}: {result}");
        }
        if self.agreement != Looser && (self.reads)(value.clone()).is_ok() {
            assert!(
                self.derived_takes.is_valid(value),
                "{told}: the type is looser than its schema"
            );
        }
    }
}

macro_rules! shapes {
    ($($name:ident $agreement:ident,)*) => {
        vec![$(Shape::of::<types::$name>(stringify!($name), $agreement)),*]
    };
}

fn shapes() -> Vec<Shape> {
    shapes! {
        Plain Both, Integers Both, Wide Stricter, Floats Both, Character Both, Unit Both, Optional Both, Twice Both,
        Anything Both, NotZero Both, Address Stricter, Boxed Both, Lists Both, Sets Looser, Maps Both,
        NumberKeys Stricter, EnumKeys Stricter, Units Both, External Both, Internal Looser, Beside Both, Any Both,
        Other Looser, Camel Both, Renamed Both, RenamedFields Both, Closed Both, ClosedChoice Both, Aliased Looser,
        ClosedAlias Looser, Defaulted Both, AllDefault Both, Flat Both, FlatMap Both, FlatOption Looser,
        FlatEnum Looser, Skipped Both, Lenient Looser, Newtype Both, UnitStruct Both, Transparent Both,
        Tried Stricter, Converted Both, Bounded Looser, Deep Looser,
    }
}

#[test]
fn what_a_schema_refuses_never_reaches_the_type_and_what_the_type_refuses_is_told_with_its_place() {
    for shape in shapes() {
        for seed in 0..CALLS {
            let mut dice = Dice::new(seed);
            let mut value = fitting(&shape.shown, &shape.shown, &mut dice, 0);
            for _ in 0..seed % 3 {
                value = mutated(value, &mut dice);
            }
            shape.check(&value);
        }
    }
}

#[test]
fn of_every_type_many_calls_fit_and_many_do_not() {
    for shape in shapes() {
        let mut fits = 0;
        for seed in 0..CALLS {
            let mut dice = Dice::new(seed);
            let value = fitting(&shape.shown, &shape.shown, &mut dice, 0);
            let value = if seed % 2 == 0 {
                value
            } else {
                mutated(value, &mut dice)
            };
            fits += u64::from(shape.shown_takes.is_valid(&value));
        }

        assert!(
            (CALLS / 4..CALLS).contains(&fits),
            "{}: {fits} of {CALLS}",
            shape.name
        );
    }
}
