//! Execution of one call in ten steps. The order is part of the API.
//!
//! | step | file | returns |
//! |---|---|---|
//! | 1. resolve the name | `resolve.rs` | the registered tool |
//! | 2. parse and repair the arguments | `parse.rs` | arguments and repairs |
//! | 3. fill defaults, validate, coerce | `validate.rs` | valid arguments, changes and warnings |
//! | 4. check the arguments, find their risk | `check.rs` | risk and assessment |
//! | 5. apply the policy | `policy.rs` | a ruling |
//! | 6. request approval | `approve.rs` | a decision; edited arguments re-enter at step 3 |
//! | 7. wait for a permit | `gate.rs` | a permit |
//! | 8. run through the middleware | `run.rs` | the output or an error |
//! | 9. limit the output | `limit/` | a bounded result |
//! | 10. record metadata, span and audit events | `finish.rs`, `span.rs`, `audit.rs` | the result |
//!
//! The steps return values; only this file writes them to the [`Record`] of the call. [`finish()`] ends every path.

mod approve;
mod audit;
mod check;
mod dry_run;
mod events;
mod finish;
mod gate;
mod guard;
mod incoming;
mod limit;
mod parse;
mod policy;
mod preview;
mod record;
mod redact;
mod resolve;
mod run;
mod scope;
mod settings;
mod span;
mod stop;
mod validate;
mod watch;

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

use tracing::Span;

pub use self::dry_run::{Validation, ValidationOutcome};
pub(crate) use self::dry_run::{explanation, validation};
pub(crate) use self::gate::Gate;
pub(crate) use self::incoming::{Incoming, Sent};
pub(crate) use self::limit::share_out;
pub(crate) use self::settings::{Settings, Shared};

use self::approve::Next;
use self::finish::finish;
use self::guard::guarded;
use self::record::{Inputs, Record};
use self::run::Run;
use self::scope::Scope;
use crate::catalog::{Entry, Tools};
use crate::{Arguments, OutputLimit, RiskLevel, ToolError, ToolResult};

/// Executes one call, and completes its `result` in place: moving a result costs as much as three of the steps.
#[expect(
    clippy::manual_async_fn,
    reason = "an async function stores its parameters twice"
)]
pub(crate) fn execute<'c>(
    shared: &'c Shared,
    tools: &'c Tools,
    call: Incoming<'c>,
    result: &'c mut ToolResult,
) -> impl Future<Output = ()> + Send {
    async move {
        let mut record = Record::new(call, &shared.settings, result);
        let mut inputs = Inputs::default();
        // Before the span, whose fields depend on the tool.
        let found = resolve::find(tools, call.name);
        let span = span::open(&record.result.id, call.name, found);
        let outcome = {
            let mut steps = pin!(steps(shared, tools, found, &span, &mut record, &mut inputs));
            // Poll in place: moving a future of this size is expensive. A panic outside the inner guards, such as in a
            // definition, fails this call only.
            poll_fn(|task| {
                span.in_scope(|| guarded(|| Ok(steps.as_mut().poll(task))))
                    .unwrap_or_else(|panic| Poll::Ready(Err(panic)))
            })
            .await
        };
        let audited = record.audited.take();
        let limit = record.output_limit(&shared.settings);
        finish(record, inputs, outcome, &shared.settings, &span);
        if is_incomplete(result, limit, &shared.settings) {
            Box::pin(complete(shared, tools, call, limit, audited, result)).await;
        }
    }
}

#[inline]
fn is_incomplete(result: &ToolResult, limit: OutputLimit, settings: &Settings) -> bool {
    settings.redactor.is_some()
        || settings.audit.is_some()
        || limit::is_needed(&result.content, limit, settings)
}

/// Completes a result that is redacted, limited (step 9) or audited (step 10).
async fn complete(
    shared: &Shared,
    tools: &Tools,
    call: Incoming<'_>,
    limit: OutputLimit,
    audited: Option<Box<audit::Audited>>,
    result: &mut ToolResult,
) {
    let settings = &shared.settings;
    if let Sent::Own(value) = call.arguments {
        result.metadata.parameters.settle(|| value.clone());
    }
    if let Some(redactor) = &settings.redactor {
        redact::redact(redactor, result);
    }
    limit::limit(result, limit, settings, tools).await;
    if let Some(log) = &settings.audit {
        audit::after(log, audited, settings, call.options, result).await;
    }
}

/// Runs steps 1 to 8. Branches that wait are boxed, so that the future of a plain call stays small.
#[expect(
    clippy::manual_async_fn,
    reason = "an async function stores its parameters twice"
)]
fn steps<'c>(
    shared: &'c Shared,
    tools: &'c Tools,
    found: Option<&'c Entry>,
    span: &Span,
    record: &mut Record<'c, '_>,
    inputs: &mut Inputs<'c>,
) -> impl Future<Output = Result<(), ToolError>> + Send {
    async move {
        let (settings, call) = (&shared.settings, record.call);
        let entry = resolve::resolve(tools, call.name, found)?;
        record.entry = Some(entry);
        let cx = settings.context(&record.result.id, record.started, entry, call.options, span);
        let scope = Scope {
            shared,
            entry,
            cx: inputs.context.insert(cx),
            options: call.options,
        };
        let parsed = parse::parse(entry, call.arguments, settings)?;
        let arguments = inputs.arguments.insert(parsed.arguments);
        record.metadata().changes = parsed.changes;
        let risk = authorize(scope, arguments, record).await?;
        perform(scope, arguments, risk, record).await
    }
}

/// Runs steps 3 to 6, again if the approver edits the arguments. Returns the risk of the arguments that may run.
async fn authorize<'c>(
    scope: Scope<'c, '_>,
    arguments: &mut Arguments<'c>,
    record: &mut Record<'c, '_>,
) -> Result<RiskLevel, ToolError> {
    loop {
        let mut validated = validate::validate(scope.entry, arguments, &scope.shared.settings);
        record.is_delayed |= validated.is_delayed;
        record.metadata().changes.append(&mut validated.changes);
        record.result.warnings.append(&mut validated.warnings);
        validated.outcome?;

        let checked = check::check(scope, arguments)?;
        record.is_delayed |= !scope.entry.uses_default_checks();
        let ruling = policy::ruling(scope, arguments, &checked);
        let previous = record.metadata().approval.take();
        let ruling = match approve::allowed(ruling, scope.options, previous.as_ref()) {
            Ok(approval) => {
                record.metadata().approval = Some(approval);
                return Ok(checked.risk);
            }
            Err(ruling) => ruling,
        };
        let review = approve::review(scope, arguments, &checked, ruling, previous);
        let reviewed = Box::pin(review).await;
        record.is_delayed = true;
        record.paused += reviewed.waited;
        record.metadata().approval = reviewed.approval;
        match reviewed.next? {
            Next::Run => return Ok(checked.risk),
            Next::Validate(edited) => *arguments = *edited,
        }
    }
}

/// Records the first audit event, then runs steps 7 and 8.
async fn perform(
    scope: Scope<'_, '_>,
    arguments: &Arguments<'_>,
    risk: RiskLevel,
    record: &mut Record<'_, '_>,
) -> Result<(), ToolError> {
    let Scope {
        shared, entry, cx, ..
    } = scope;
    if let Some(log) = &shared.settings.audit {
        let event = events::before(scope, arguments, risk, record.metadata().approval.as_ref());
        let (audited, outcome) = Box::pin(audit::before(log, event)).await;
        record.is_delayed = true;
        record.audited = Some(audited);
        record.result.warnings.extend(outcome?);
    }
    let permit = if let Some(permit) = shared.gate.try_enter(entry) {
        permit
    } else {
        let (queued, permit) = Box::pin(shared.gate.enter(entry, cx, arguments)).await;
        record.is_delayed = true;
        record.metadata().queue_time = queued;
        permit?
    };
    let since = record.execution_start();
    let mut run = Run::new(scope, arguments);
    let ran = run.execute(since).await?;
    drop(permit);
    record.ran(since, &ran);
    if let Some(output) = run.output {
        record.add(output);
    }
    ran.outcome
}

#[cfg(test)]
#[cfg(feature = "validate")]
mod tests;
