//! Dry runs: the first three or five steps of a call, without running the tool.

use std::time::Instant;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::settings::Scope;
use super::steps::{find, parse, resolve, validate};
use super::{IncomingCall, Shared, steps};
use crate::approval::Explanation;
use crate::call::{Input, next_id};
use crate::catalog::{Entry, Tools};
use crate::{ArgumentChange, Arguments, ErrorReport, ToolError};

/// Result of validating arguments, from best to worst.
///
/// # Examples
/// ```
/// use tool_core::ValidationOutcome;
///
/// assert!(ValidationOutcome::Valid < ValidationOutcome::Coerced);
/// assert_eq!(serde_json::to_string(&ValidationOutcome::Repaired)?, "\"repaired\"");
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ValidationOutcome {
    /// The arguments are valid as sent.
    Valid,
    /// The text was repaired before it could be parsed.
    Repaired,
    /// Values were converted to the type that the schema requires.
    Coerced,
    /// The arguments are invalid.
    Invalid,
}

/// Validated arguments of a call that was not run.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::ValidationOutcome;
/// use tool_core::{CallArguments, Registry, tool_fn};
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Input {
///     limit: u32,
/// }
///
/// let registry = Registry::of(tool_fn("top", "Lists.", |_, input: Input| async move { Ok(input.limit) }))?;
/// let validation = registry.validate("top", &CallArguments::from(r#"{"limit": "5"}"#));
/// assert_eq!(validation.outcome, ValidationOutcome::Coerced);
/// assert_eq!(validation.arguments, Some(json!({"limit": 5})));
/// # Ok::<_, tool_core::RegisterError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Validation {
    /// Result of the validation.
    pub outcome: ValidationOutcome,
    /// Arguments that a call would execute; `None` if they are invalid.
    pub arguments: Option<Value>,
    /// Repairs and conversions.
    pub changes: Vec<ArgumentChange>,
    /// Error of invalid arguments.
    pub error: Option<ErrorReport>,
}

impl Validation {
    /// Creates the result of invalid arguments.
    pub fn invalid(error: ToolError, changes: Vec<ArgumentChange>) -> Self {
        Self {
            outcome: ValidationOutcome::Invalid,
            arguments: None,
            changes,
            error: Some(error.into_report()),
        }
    }
}

/// Arguments after steps 1 to 3.
struct Validated<'c> {
    entry: &'c Entry,
    arguments: Arguments<'c>,
    changes: Vec<ArgumentChange>,
    outcome: Result<(), ToolError>,
}

/// Runs steps 1 to 3.
fn validated<'c>(
    shared: &Shared,
    tools: &'c Tools,
    name: &'c str,
    arguments: &'c Input<'c>,
) -> Result<Validated<'c>, ToolError> {
    let entry = resolve(tools, name, find(tools, name))?;
    let mut parsed = Arguments::blank();
    let mut changes = Vec::new();
    let call = IncomingCall::new(name, arguments);
    parse(entry, &call, &shared.settings, &mut parsed, &mut changes)?;
    let outcome = validate(entry, &mut parsed, &shared.settings, &mut changes);
    Ok(Validated {
        entry,
        arguments: parsed,
        changes,
        outcome: outcome.map(drop),
    })
}

/// Validates arguments without running anything.
pub(crate) fn validation(
    shared: &Shared,
    tools: &Tools,
    name: &str,
    arguments: &Input<'_>,
) -> Validation {
    let invalid =
        |error: ToolError, changes| Validation::invalid(error.with_tool_name(name), changes);
    let validated = match validated(shared, tools, name, arguments) {
        Ok(validated) => validated,
        Err(error) => return invalid(error, Vec::new()),
    };
    match validated.outcome {
        Err(error) => invalid(error, validated.changes),
        Ok(()) => Validation {
            outcome: outcome(&validated.changes),
            arguments: Some(validated.arguments.to_value()),
            changes: validated.changes,
            error: None,
        },
    }
}

fn outcome(changes: &[ArgumentChange]) -> ValidationOutcome {
    if changes.iter().any(|change| change.kind.is_coercion()) {
        ValidationOutcome::Coerced
    } else if changes.iter().any(|change| change.kind.is_repair()) {
        ValidationOutcome::Repaired
    } else {
        ValidationOutcome::Valid
    }
}

/// Runs steps 1 to 5 and explains the ruling.
pub(crate) fn explanation(
    shared: &Shared,
    tools: &Tools,
    name: &str,
    arguments: &Input<'_>,
) -> Result<Explanation, ToolError> {
    let Validated {
        entry,
        arguments,
        outcome,
        ..
    } = validated(shared, tools, name, arguments)?;
    outcome?;
    let cx = shared.settings.context(
        &next_id(),
        Instant::now(),
        entry,
        None,
        &tracing::Span::none(),
    );
    let scope = Scope::new(shared, entry, &cx, None);
    let plan = steps::prepare(scope, &arguments)?.plan;
    let canonical = steps::canonical(entry, &arguments, &plan);
    let (rules, now) = (shared.policy.load(), shared.settings.now());
    Ok(rules.explain(entry.name().as_str(), canonical, now))
}
