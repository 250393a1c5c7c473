//! The table of all steps, then steps 1 to 5: functions that return a value and change nothing else.

use std::borrow::Cow;
use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use tool_json::{ParseErrorKind, ParseLimits};

use super::record::Record;
use super::settings::Scope;
use super::stop::{StopReason, guarded, guarded_wait};
use super::{IncomingCall, Settings};
use crate::approval::{CanonicalCall, Preview, Ruling, canonical_json};
use crate::call::Input;
use crate::catalog::{Entry, Tools};
use crate::name::without_template;
use crate::schema::Fit;
use crate::{
    ArgumentChange, Arguments, CallFuture, CallPlan, ChangeKind, ErrorCode, PreparedCall,
    ToolError, text,
};

/// One step of a call.
///
/// # Examples
/// ```
/// use tool_core::STEPS;
///
/// assert_eq!(STEPS.map(|step| step.name)[4..6], ["policy", "approval"]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Step {
    /// Name of the step.
    pub name: &'static str,
    /// What the step does, as a sentence.
    pub action: &'static str,
}

const fn step(name: &'static str, action: &'static str) -> Step {
    Step { name, action }
}

/// The steps of every call, in the order that they run. No setting changes the order; a call that fails skips to the last
/// three steps.
///
/// Documents print this table, so that it has one source.
pub const STEPS: [Step; 10] = [
    step("resolve", "Finds the tool by its name."),
    step(
        "parse",
        "Checks the size of the arguments and parses them strictly. Unambiguous mistakes are repaired; truncated text is not.",
    ),
    step(
        "validate",
        "Fills in defaults, validates against the schema, and converts values if nothing is lost.",
    ),
    step(
        "prepare",
        "The tool reads the arguments once and says what the call would do: its risk, its findings, and what it touches. Nothing has run yet.",
    ),
    step(
        "policy",
        "Applies the policy to the arguments and that plan.",
    ),
    step(
        "approval",
        "Asks the approver if the policy requires it. If the approver edits the arguments, the call continues at `validate`.",
    ),
    step(
        "wait",
        "Records the start for the host, claims the key of the call in the ledger, writes the first audit event, as far as there are any, and waits for a slot and for calls that touch the same things.",
    ),
    step(
        "run",
        "Runs the tool inside the middleware, under a timeout, cancellation and a panic guard.",
    ),
    step(
        "limit",
        "Redacts secrets, then limits what the model sees. Text over the limit is moved to the output store.",
    ),
    step(
        "record",
        "Completes the metadata, settles the claim in the ledger, and writes the span and the last audit event.",
    ),
];

/// Maximum number of names listed after a call of an unknown tool.
const MAX_LISTED: usize = 30;

/// Finds a tool by its name or by a name that a dialect gave it. The name may contain parts of the model's template.
#[inline]
pub(crate) fn find<'t>(tools: &'t Tools, name: &str) -> Option<&'t Entry> {
    let named = |name: &str| tools.get(name).or_else(|| tools.by_wire_name(name));
    named(name).or_else(|| named(without_template(name)?))
}

/// Returns the change of a name that contained parts of the model's template.
fn cleaned_name(entry: &Entry, name: &str) -> Option<ArgumentChange> {
    let own = entry.name().as_str();
    let is_cleaned = name != own && without_template(name) == Some(own);
    is_cleaned.then(|| ArgumentChange::new("", ChangeKind::ToolName, name.into(), own.into()))
}

/// Returns the found tool, or the error of an unknown or unusable one.
#[inline]
pub(super) fn resolve<'t>(
    tools: &Tools,
    name: &str,
    found: Option<&'t Entry>,
) -> Result<&'t Entry, ToolError> {
    let entry = found.ok_or_else(|| absent(tools, name))?;
    entry.check_schema()?;
    Ok(entry)
}

fn absent(tools: &Tools, name: &str) -> ToolError {
    if tools.is_disabled(name) {
        let message = format!("The tool `{name}` is disabled");
        return ToolError::new(ErrorCode::ToolNotExecutable, message)
            .suggest("Use another tool, or tell the user that it is disabled.");
    }
    let error = ToolError::new(
        ErrorCode::ToolNotFound,
        format!("No tool is named `{}`", text::short(name, 64)),
    );
    // With the names, the model can correct itself in its next turn.
    let names: Vec<&str> = tools.names().take(MAX_LISTED).collect();
    if names.is_empty() {
        return error.suggest("There are no tools.");
    }
    let listed = format!("The tools are {}.", names.join(", "));
    match text::nearest(name, tools.names()) {
        Some(nearest) => error.suggest(format!("Did you mean `{nearest}`? {listed}")),
        None => error.suggest(listed),
    }
}

/// Parses the arguments into blank ones, and adds the repairs to `changes`. Text that matches the schema is also validated
/// in the same pass.
#[inline]
pub(super) fn parse<'c>(
    entry: &'c Entry,
    call: &IncomingCall<'c>,
    settings: &Settings,
    arguments: &mut Arguments<'c>,
    changes: &mut Vec<ArgumentChange>,
) -> Result<(), ToolError> {
    changes.extend(cleaned_name(entry, call.name));
    let limits = limits(settings);
    match call.arguments {
        Input::Text(text)
            if arguments.fill_checked(text, |tape| entry.read(text, &limits, tape)) =>
        {
            return Ok(());
        }
        given => *arguments = read(given, &limits, changes)?,
    }
    arguments.null_to_empty(changes);
    Ok(())
}

/// Returns the arguments of a call without a tool, which the result keeps for the host and the audit log.
#[cold]
pub(crate) fn unused<'c>(given: &'c Input<'c>, settings: &Settings) -> Option<Arguments<'c>> {
    read(given, &limits(settings), &mut Vec::new()).ok()
}

fn read<'c>(
    given: &'c Input<'c>,
    limits: &ParseLimits,
    changes: &mut Vec<ArgumentChange>,
) -> Result<Arguments<'c>, ToolError> {
    match given {
        Input::Text(text) => repaired(text, limits, changes),
        Input::Value(Cow::Borrowed(value)) => Arguments::of_value(value, limits),
        Input::Value(Cow::Owned(value)) => Arguments::of_caller_value(value, limits),
    }
}

pub(super) fn limits(settings: &Settings) -> ParseLimits {
    ParseLimits {
        max_bytes: settings.argument_bytes,
        ..ParseLimits::default()
    }
}

fn repaired<'c>(
    text: &'c str,
    limits: &ParseLimits,
    changes: &mut Vec<ArgumentChange>,
) -> Result<Arguments<'c>, ToolError> {
    match Arguments::read(text, limits, changes) {
        // Models often send nothing if a tool needs no arguments.
        Err(error) if error.kind == ParseErrorKind::Empty && text.trim().is_empty() => {
            Ok(Arguments::empty(text))
        }
        read => Ok(read?),
    }
}

/// Fills defaults and validates in place. Invalid values are coerced without loss and validated again. Changes are added
/// to `changes`, even if the arguments are invalid.
#[inline]
pub(super) fn validate<'c>(
    entry: &'c Entry,
    arguments: &mut Arguments<'c>,
    settings: &Settings,
    changes: &mut Vec<ArgumentChange>,
) -> Result<Fit, ToolError> {
    // Aliases first: a default under the real name would hide the value.
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
        // Again, because text that became an object may have aliases and lack members.
        arguments.rename_aliases(entry.definition().aliases(), changes)?;
        entry.fill_defaults(arguments)?;
    }
    match entry.issues(arguments.root()) {
        issues if issues.is_empty() => Ok(Fit::Valid),
        issues => {
            Err(ToolError::from_issues(issues)
                .suggest("Call the tool again with corrected arguments."))
        }
    }
}

/// Maximum number of characters of a definition in an error.
const MAX_DEFINITION: usize = 8_000;

/// Adds the definition to an error of the arguments of a deferred tool, which the model may never have seen.
#[cold]
pub(super) fn explained(tools: &Tools, entry: &Entry, error: ToolError) -> ToolError {
    let name = entry.name().as_str();
    let is_deferred = || tools.table().get(name).is_some_and(|slot| slot.deferred);
    if tools.search().is_none() || !is_deferred() {
        return error;
    }
    let definition = entry.definition().shown().to_string();
    let advice = error.suggestion().unwrap_or_default().to_owned();
    let definition = text::short(&definition, MAX_DEFINITION);
    error.suggest(
        format!("{advice} Its definition: {definition}")
            .trim_start()
            .to_owned(),
    )
}

/// Time over which a preparation is logged, because nothing can interrupt it.
const SLOW: Duration = Duration::from_millis(50);

/// Prepares a call.
#[inline]
pub(super) fn prepare<'x>(
    scope: Scope<'x, 'x>,
    arguments: &'x Arguments<'x>,
) -> Result<PreparedCall<'x>, ToolError> {
    // Not through the shared pointer, whose own method would be a second call.
    guarded(|| scope.entry.tool().as_ref().prepare(scope.cx, arguments))
}

/// Measures the steps up to the preparation of a call.
///
/// # Errors
/// Fails if they took longer than the call may take, because the tool blocked.
pub(super) fn measure(
    scope: Scope<'_, '_>,
    prepared: &PreparedCall<'_>,
    arguments: &Arguments<'_>,
    record: &mut Record<'_, '_>,
) -> Result<(), ToolError> {
    // A clock costs as much as a step, so a preparation that only reads a few arguments is not measured.
    if prepared.is_quick && !record.is_delayed && !arguments.is_large() {
        return Ok(());
    }
    let taken = record.prepared();
    if taken < SLOW {
        return Ok(());
    }
    let milliseconds = u64::try_from(taken.as_millis()).unwrap_or(u64::MAX);
    tracing::warn!(
        tool = scope.entry.name().as_str(),
        milliseconds,
        "a call took long to prepare"
    );
    let timeout = scope.shared.settings.timeout_of(scope.entry, scope.options);
    if taken > timeout {
        let hints = scope.entry.definition().hints();
        return Err(StopReason::TimedOut(timeout).into_error(0, hints));
    }
    Ok(())
}

/// Returns the verdict of the strongest rule, else of the risk. The tool's own reason to ask raises `allow` by risk.
#[inline]
pub(super) fn ruling(scope: Scope<'_, '_>, arguments: &Arguments<'_>, plan: &CallPlan) -> Ruling {
    let Scope { shared, entry, .. } = scope;
    let canonical = || canonical(entry, arguments, plan);
    let now = || shared.settings.now();
    let policy = shared.policy.load();
    policy.ruling(entry.name().as_str(), plan, canonical, now)
}

/// Returns the call and its parts in the form that rules match.
pub(super) fn canonical<'p>(
    entry: &Entry,
    arguments: &Arguments<'_>,
    plan: &'p CallPlan,
) -> CanonicalCall<'p> {
    let whole = plan.findings.matched(arguments);
    let parts = plan.findings.parts_of(&whole);
    CanonicalCall {
        whole: canonical_json(&whole),
        parts: parts.iter().map(canonical_json).collect(),
        definition: Some(entry.digest().to_owned()),
        plan,
    }
}

/// Timeout of a look.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Returns the preview for the approver. A look that panics or takes too long gives none, because a person can decide
/// without it; a look that fails stops the call, so that nobody is asked about a call that cannot work.
pub(super) async fn inspect(
    look: Option<CallFuture<'_, Option<Preview>>>,
) -> Result<Option<Preview>, ToolError> {
    let Some(look) = look else {
        return Ok(None);
    };
    let mut work = pin!(guarded_wait(Ok(look)));
    // Poll once before arming a timer: most looks are ready at once.
    let first = poll_fn(|task| Poll::Ready(work.as_mut().poll(task))).await;
    let looked = match first {
        Poll::Ready(looked) => looked,
        Poll::Pending => match tokio::time::timeout(TIMEOUT, work).await {
            Ok(looked) => looked,
            Err(_) => return Ok(None),
        },
    };
    match looked {
        Ok(found) => Ok(found?.map(Preview::bounded)),
        Err(panic) => {
            tracing::warn!(%panic, "the look before an approval panicked");
            Ok(None)
        }
    }
}
