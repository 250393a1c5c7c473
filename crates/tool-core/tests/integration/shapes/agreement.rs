//! A type, its schemas, and a tool that accepts it.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tool_core::schema::CompiledSchema;
use tool_core::{Arguments, ErrorCode, Registry, ToolError, ToolResult, tool_fn};

/// The agreement of a type with its derived schema.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Agreement {
    /// The type accepts exactly the values that the schema accepts.
    Both,
    /// The type accepts only some of the values that the schema accepts.
    Stricter,
    /// The type also accepts values that the schema rejects, so validation must come first.
    Looser,
}

use Agreement::{Both, Looser};

fn at_once<F: Future>(call: F) -> F::Output {
    match pin!(call).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(answer) => answer,
        Poll::Pending => unreachable!("no tool waits here"),
    }
}

/// A type, and a tool that accepts it.
pub(crate) struct Shape {
    pub(crate) name: &'static str,
    agreement: Agreement,
    pub(crate) shown: Value,
    pub(crate) shown_takes: jsonschema::Validator,
    derived_takes: jsonschema::Validator,
    registry: Registry,
    runs: Arc<AtomicUsize>,
    reads: fn(Value) -> Result<(), ToolError>,
}

impl Shape {
    pub(crate) fn of<T>(name: &'static str, agreement: Agreement) -> Self
    where
        T: DeserializeOwned + JsonSchema + Send + Sync + 'static,
    {
        let runs = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&runs);
        let tool = tool_fn("f", "Counts.", move |_, _: T| {
            counter.fetch_add(1, Ordering::SeqCst);
            async { Ok(()) }
        });
        let validated = CompiledSchema::of::<T>().unwrap();
        let shown = validated.schema().clone();
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

    /// Calls the tool with `value`. Returns the result, and whether the tool ran.
    fn call(&self, value: &Value) -> (ToolResult, bool) {
        let before = self.runs.load(Ordering::SeqCst);
        let result = at_once(self.registry.execute("f", &value.to_string()));
        (result, self.runs.load(Ordering::SeqCst) > before)
    }

    pub(crate) fn check(&self, value: &Value) {
        // Models that send no arguments may send `null` or blank text, which count as an empty object.
        if value.is_null() || value.as_str().is_some_and(|text| text.trim().is_empty()) {
            return;
        }
        let reported = format!("{}: {value}", self.name);
        let (result, ran) = self.call(value);
        let takes = self.shown_takes.is_valid(value);
        assert_eq!(ran, result.success, "{reported}");
        assert!(
            takes || !ran,
            "{reported}: the tool ran although the schema rejects the value"
        );
        if let Some(error) = &result.error {
            assert_eq!(error.code, ErrorCode::InvalidArguments, "{reported}");
            let issue = error
                .issues
                .first()
                .unwrap_or_else(|| panic!("{reported}: no fault"));
            assert!(
                value.pointer(&issue.pointer).is_some(),
                "{reported}: {issue:?}"
            );
        }
        if takes && self.agreement == Both {
            assert!(ran, "{reported}: {result}");
        }
        if self.agreement != Looser && (self.reads)(value.clone()).is_ok() {
            assert!(
                self.derived_takes.is_valid(value),
                "{reported}: the type is looser than its schema"
            );
        }
    }
}
