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

/// Runs steps 1 to 3, and adds what they change to `changes`.
fn validated<'c>(
    shared: &Shared,
    tools: &'c Tools,
    name: &'c str,
    given: &'c Input<'c>,
    changes: &mut Vec<ArgumentChange>,
) -> Result<(&'c Entry, Arguments<'c>), ToolError> {
    let entry = resolve(tools, name, find(tools, name))?;
    let mut arguments = Arguments::blank();
    let call = IncomingCall::new(name, given);
    parse(entry, &call, &shared.settings, &mut arguments, changes)?;
    validate(entry, &mut arguments, &shared.settings, changes)?;
    Ok((entry, arguments))
}

/// Validates arguments without running anything.
pub(crate) fn validation(
    shared: &Shared,
    tools: &Tools,
    name: &str,
    given: &Input<'_>,
) -> Validation {
    let mut changes = Vec::new();
    match validated(shared, tools, name, given, &mut changes) {
        Err(error) => Validation::invalid(error.with_tool_name(name), changes),
        Ok((_, arguments)) => Validation {
            outcome: outcome(&changes),
            arguments: Some(arguments.to_value()),
            changes,
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
    given: &Input<'_>,
) -> Result<Explanation, ToolError> {
    let (entry, arguments) = validated(shared, tools, name, given, &mut Vec::new())?;
    let (settings, now) = (&shared.settings, Instant::now());
    let cx = settings.context(&next_id(), now, entry, None, &tracing::Span::none());
    let scope = Scope::new(shared, entry, &cx, None);
    let plan = steps::prepare(scope, &arguments)?.plan;
    let call = steps::canonical(entry, &arguments, &plan);
    let policy = shared.policy.load();
    Ok(policy.explain(entry.name().as_str(), call, settings.now()))
}
