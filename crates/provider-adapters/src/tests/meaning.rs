//! Converted schemas are equivalent to the tool's schema, except for reported losses.

use std::cell::Cell;

use jsonschema::Validator;
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use tool_core::{Dialect, LossKind, ProviderTools, ToolDefinition};

use super::generated::{any, arguments, fitting};
use super::streamed::{GeneratedResponse, as_whole};
use crate::{Options, Provider, ProviderDialect, StrictMode, decode};

/// Converted tool.
pub(super) struct Meaning {
    dialect: ProviderDialect,
    converted: ProviderTools,
    /// Converted schema. `None` if the provider omits it.
    pub(super) sent: Option<Value>,
}

impl Meaning {
    pub(super) fn new(provider: Provider, strict: StrictMode, schema: &Value) -> Self {
        let dialect = provider.with_options(Options::default().with_strict(strict));
        let tool = ToolDefinition::new("f", "F", schema.clone());
        let converted = dialect.convert(std::slice::from_ref(&tool));
        let sent = super::sent_schema(&converted.tools);
        Self {
            dialect,
            converted,
            sent,
        }
    }

    /// Returns the arguments as the tool receives them: without added nulls and with the tool's
    /// keys.
    pub(super) fn unmapped(&self, arguments: &Value) -> Value {
        let answer = GeneratedResponse {
            text: String::new(),
            reasoning: String::new(),
            calls: vec![("f".to_owned(), arguments.clone())],
            is_truncated: false,
            piece: 1,
        };
        let provider = self.dialect.provider();
        let response = match provider {
            Provider::Mcp => {
                json!({"method": "tools/call", "params": {"name": "f", "arguments": arguments}})
            }
            Provider::GeminiOpenApi => as_whole(Provider::Gemini, &answer),
            _ => as_whole(provider, &answer),
        };
        let decoded = decode(provider, &response, Some(&self.converted)).unwrap();
        decoded.calls[0].arguments.clone().unwrap()
    }

    /// Returns `true` if a loss reports a missing constraint.
    fn reports_weaker(&self) -> bool {
        let losses = self.converted.losses.iter();
        losses
            .filter(|loss| loss.action != LossKind::OverLimit)
            .any(|loss| loss.keyword != "parallel_tool_calls")
    }

    /// Returns `true` if a loss reports a stronger constraint.
    fn reports_stronger(&self) -> bool {
        let weaker = [
            LossKind::Described,
            LossKind::Dropped,
            LossKind::Widened,
            LossKind::OverLimit,
        ];
        self.converted
            .losses
            .iter()
            .any(|loss| !weaker.contains(&loss.action))
    }

    fn is_strict(&self) -> bool {
        self.converted.tools.to_string().contains("\"strict\":true")
    }
}

/// Returns the schema with `nullable` converted to JSON Schema.
fn plain(schema: &Value) -> Value {
    let mut plain = schema.clone();
    crate::schema::outer_first(&mut plain, &mut |object: &mut Map<String, Value>| {
        if object.remove("nullable") == Some(Value::Bool(true)) {
            let inner = Value::Object(std::mem::take(object));
            object.insert("anyOf".to_owned(), json!([{"type": "null"}, inner]));
        }
    });
    plain
}

/// Converts `oneOf` to `anyOf` for Gemini, which documents that it treats them alike.
fn as_read(provider: Provider, mut schema: Value) -> Value {
    if provider == Provider::Gemini {
        crate::schema::outer_first(&mut schema, &mut |object: &mut Map<String, Value>| {
            let branches = object.remove("oneOf");
            object.extend(branches.map(|branches| ("anyOf".to_owned(), branches)));
        });
    }
    schema
}

fn validator(schema: &Value) -> Validator {
    jsonschema::draft202012::new(schema).unwrap()
}

/// Returns every provider with every strict mode.
fn dialects() -> impl Iterator<Item = (Provider, StrictMode)> {
    let modes = [StrictMode::Auto, StrictMode::On, StrictMode::Off];
    Provider::ALL
        .iter()
        .flat_map(move |provider| modes.map(|mode| (*provider, mode)))
}

/// Number of checks that a property performed.
#[derive(Default)]
struct Counts {
    exact: Cell<usize>,
    weaker: Cell<usize>,
    reported: Cell<usize>,
}

fn count(cell: &Cell<usize>) {
    cell.set(cell.get() + 1);
}

type Tried = (Value, Vec<Value>, Vec<u8>);

fn tried() -> impl Strategy<Value = Tried> {
    let some = prop::collection::vec(arguments(), 4);
    (any(), some, prop::collection::vec(any_byte(), 64))
}

fn any_byte() -> impl Strategy<Value = u8> {
    prop::num::u8::ANY
}

/// Checks that arguments that match the converted schema match the tool's schema. Otherwise,
/// validation must return a message and a loss must report the difference.
fn check_not_weaker((schema, some, choices): &Tried, counts: &Counts) -> Result<(), TestCaseError> {
    let given = validator(schema);
    for (provider, mode) in dialects() {
        let meaning = Meaning::new(provider, mode, schema);
        let Some(sent) = meaning.sent.as_ref().map(plain) else {
            continue;
        };
        let asked = validator(&sent);
        let mut choices = choices.iter().copied();
        let fitting: Vec<Value> = (0..4)
            .map(|_| fitting(&sent, &sent, &mut choices))
            .collect();
        for arguments in some
            .iter()
            .chain(&fitting)
            .filter(|one| one.is_object() && asked.is_valid(one))
        {
            let taken = meaning.unmapped(arguments);
            match given.validate(&taken) {
                Ok(()) => count(&counts.exact),
                Err(error) => {
                    prop_assert!(!error.to_string().is_empty());
                    prop_assert!(
                        meaning.reports_weaker(),
                        "{}: {} matches {} and is decoded as {}, which {} rejects without a reported loss",
                        meaning.dialect.id(),
                        arguments,
                        sent,
                        taken,
                        schema
                    );
                    count(&counts.weaker);
                }
            }
        }
    }
    Ok(())
}

/// Checks that arguments that match the tool's schema match the converted schema, unless a loss
/// reports the difference. Strict schemas are skipped, because they are stronger.
fn check_not_stronger(
    (schema, some, choices): &Tried,
    counts: &Counts,
) -> Result<(), TestCaseError> {
    let given = validator(schema);
    let mut choices = choices.iter().copied();
    let fitting: Vec<Value> = (0..8)
        .map(|_| fitting(schema, schema, &mut choices))
        .collect();
    let taken: Vec<&Value> = some
        .iter()
        .chain(&fitting)
        .filter(|one| one.is_object() && given.is_valid(one))
        .collect();
    for (provider, mode) in dialects() {
        let meaning = Meaning::new(provider, mode, schema);
        let (Some(sent), false, false) = (
            meaning.sent.as_ref().map(plain),
            meaning.is_strict(),
            meaning.reports_stronger(),
        ) else {
            continue;
        };
        let sent = as_read(provider, sent);
        let asked = validator(&sent);
        for arguments in &taken {
            prop_assert!(
                asked.is_valid(arguments),
                "{}: {} allows {}, which {} rejects without a reported loss: {:?}",
                meaning.dialect.id(),
                schema,
                arguments,
                sent,
                meaning.converted.losses
            );
            count(&counts.reported);
        }
    }
    Ok(())
}

#[test]
fn sent_schema_is_not_weaker_without_loss() {
    let counts = Counts::default();
    let mut runner = proptest::test_runner::TestRunner::new(super::cases(24));

    let outcome = runner.run(&tried(), |tried| check_not_weaker(&tried, &counts));

    assert_eq!(outcome.map_err(|error| error.to_string()), Ok(()));
    // A property without checks always holds.
    assert!(counts.exact.get() > 500 && counts.weaker.get() > 50);
}

#[test]
fn sent_schema_is_not_stronger_without_loss() {
    let counts = Counts::default();
    let mut runner = proptest::test_runner::TestRunner::new(super::cases(24));

    let outcome = runner.run(&tried(), |tried| check_not_stronger(&tried, &counts));

    assert_eq!(outcome.map_err(|error| error.to_string()), Ok(()));
    assert!(counts.reported.get() > 500);
}
