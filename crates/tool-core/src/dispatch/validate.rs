//! Step 3: defaults, validation, coercion, and every fault at once.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::record::Record;
use super::{Settings, parse, resolve};
use crate::catalog::{Entry, Tools};
use crate::schema::Fit;
use crate::{Arguments, CallArguments, Change, ErrorReport, ToolError};

/// Fills in defaults and validates; what does not fit is coerced where nothing is lost, and validated again.
#[inline]
pub(super) fn validate<'c>(
    entry: &'c Entry,
    arguments: &mut Arguments<'c>,
    settings: &Settings,
    record: &mut Record<'_, '_>,
) -> Result<(), ToolError> {
    let outcome = make_valid(entry, arguments, settings, record.changes());
    if !matches!(outcome, Ok(Fit::Plain)) {
        record.lingers();
        record.warn(entry.ignored(arguments.root()));
    }
    // Also for a call that is refused from here on: whoever reads the result sees what was meant.
    record.executes(arguments);
    outcome.map(drop)
}

#[inline]
pub(super) fn make_valid<'c>(
    entry: &'c Entry,
    arguments: &mut Arguments<'c>,
    settings: &Settings,
    changes: &mut Vec<Change>,
) -> Result<Fit, ToolError> {
    arguments.rename_aliases(entry.definition().aliases(), changes)?;
    entry.fill_defaults(arguments)?;
    let fit = if arguments.are_checked() {
        Fit::Plain
    } else {
        entry.fit(arguments.root())
    };
    if fit != Fit::Not {
        return Ok(fit);
    }
    if settings.coercion {
        entry.coerce(arguments, changes);
        entry.fill_defaults(arguments)?;
    }
    match entry.faults(arguments.root()) {
        faults if faults.is_empty() => Ok(Fit::Valid),
        faults => {
            Err(ToolError::from_faults(faults).suggest("Call the tool again with these put right."))
        }
    }
}

/// What became of arguments, from the best to the worst.
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
    /// They fitted as they were.
    Valid,
    /// The text was mended before it could be parsed.
    Repaired,
    /// Values were made to fit their types.
    Coerced,
    /// They do not fit.
    Invalid,
}

/// What would become of the arguments of a call.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::{CallArguments, Registry, ValidationOutcome, tool_fn};
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
    /// What became of them.
    pub outcome: ValidationOutcome,
    /// The arguments as they would be executed; `None` when they do not fit.
    pub arguments: Option<Value>,
    /// What was changed.
    pub changes: Vec<Change>,
    /// Why they do not fit.
    pub error: Option<ErrorReport>,
}

impl Validation {
    /// Arguments that do not fit.
    #[must_use]
    pub fn invalid(error: ToolError, changes: Vec<Change>) -> Self {
        let error = Some(error.into_report());
        Self {
            outcome: ValidationOutcome::Invalid,
            arguments: None,
            changes,
            error,
        }
    }
}

/// Runs steps 1 to 3 and says what came of them.
pub(crate) fn validation(
    settings: &Settings,
    tools: &Tools,
    name: &str,
    arguments: &CallArguments,
) -> Validation {
    let mut changes = Vec::new();
    let outcome = resolve::resolve(tools, name).and_then(|entry| {
        let mut parsed = Arguments::blank();
        parse::parse(entry, arguments.into(), settings, &mut changes, &mut parsed)?;
        make_valid(entry, &mut parsed, settings, &mut changes)?;
        Ok(parsed.to_value())
    });
    match outcome {
        Ok(value) => {
            let outcome = strongest(&changes);
            Validation {
                outcome,
                arguments: Some(value),
                changes,
                error: None,
            }
        }
        Err(error) => Validation::invalid(error.with_tool_name(name), changes),
    }
}

fn strongest(changes: &[Change]) -> ValidationOutcome {
    let of = |change: &Change| match change.kind {
        kind if kind.is_coercion() => ValidationOutcome::Coerced,
        kind if kind.is_repair() => ValidationOutcome::Repaired,
        _ => ValidationOutcome::Valid,
    };
    changes
        .iter()
        .map(of)
        .max()
        .unwrap_or(ValidationOutcome::Valid)
}
