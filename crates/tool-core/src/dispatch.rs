//! Execution of one call in the ten [steps](STEPS). The order is part of the API.
//!
//! The steps return values; only this file writes them to the [`Record`] of the call. [`finish()`] ends every path.

mod approve;
mod audit;
mod claimed;
mod dry_run;
mod gate;
mod ledger;
mod limit;
mod record;
mod redact;
mod references;
mod run;
mod settings;
mod span;
mod steps;
mod stop;

use std::future::poll_fn;
use std::pin::pin;
use std::sync::atomic::AtomicU32;
use std::task::Poll;

use tokio::task::yield_now;
use tracing::Span;

pub use self::dry_run::{Validation, ValidationOutcome};
pub(crate) use self::dry_run::{explanation, validation};
pub(crate) use self::gate::Gate;
pub(crate) use self::ledger::recover;
pub(crate) use self::settings::{Settings, Shared};
pub use self::steps::{STEPS, Step};
pub(crate) use self::steps::{find, unused};
pub(crate) use self::stop::guarded_future;

use self::approve::{Next, Review};
use self::gate::Permit;
use self::record::{Inputs, Record, finish};
use self::run::Run;
use self::settings::Scope;
use self::stop::guarded;
use crate::approval::Ruling;
use crate::call::Input;
use crate::catalog::{Entry, Tools};
use crate::schema::Fit;
use crate::{Arguments, CallOptions, CallPlan, PreparedCall, ToolError, ToolResult};

/// A call borrowed from its caller.
#[derive(Debug, Clone, Copy)]
pub(crate) struct IncomingCall<'c> {
    /// Id assigned by the provider.
    pub(crate) id: Option<&'c str>,
    pub(crate) name: &'c str,
    pub(crate) arguments: &'c Input<'c>,
    pub(crate) options: Option<&'c CallOptions>,
}

impl<'c> IncomingCall<'c> {
    /// Creates a call with a generated id and the registry's settings.
    #[inline]
    pub(crate) fn new(name: &'c str, arguments: &'c Input<'c>) -> Self {
        Self {
            id: None,
            name,
            arguments,
            options: None,
        }
    }
}

/// Executes one call, and completes its `result` in place: moving a result costs as much as three of the steps.
#[expect(
    clippy::manual_async_fn,
    reason = "an async function stores its parameters twice"
)]
pub(crate) fn execute<'c>(
    shared: &'c Shared,
    tools: &'c Tools,
    call: &'c IncomingCall<'c>,
    result: &'c mut ToolResult,
) -> impl Future<Output = ()> + Send {
    async move {
        let mut record = Record::new(call, &shared.settings, result);
        let mut inputs = Inputs::default();
        // Before the span, whose fields depend on the tool.
        let found = steps::find(tools, call.name);
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
        finish(&mut record, &mut inputs, outcome, &shared.settings, &span);
        if is_incomplete(&record, &shared.settings) {
            // In a box, so that the future of a small call stays small.
            Box::pin(complete(shared, tools, &mut record)).await;
        }
    }
}

#[inline]
fn is_incomplete(record: &Record<'_, '_>, settings: &Settings) -> bool {
    let limit = record.output_limit(settings);
    record.claimed.is_some()
        || settings.redactor.is_some()
        || settings.audit.is_some()
        || limit::is_needed(&record.result.content, limit, settings)
}

/// Completes a result that is redacted, limited (step 9), stored in the ledger or audited (step 10).
async fn complete(shared: &Shared, tools: &Tools, record: &mut Record<'_, '_>) {
    let settings = &shared.settings;
    let (call, limit) = (record.call, record.output_limit(settings));
    let (audited, claimed) = (record.audited.take(), record.claimed.take());
    let result = &mut *record.result;
    if let Input::Value(value) = call.arguments {
        let copy = || value.as_ref().clone();
        result.metadata.parameters.set_borrowed(copy);
    }
    if let Some(redactor) = &settings.redactor {
        redact::redact(redactor, result);
    }
    // After the secrets are removed, because the output store receives the full text.
    let bytes = limit::limit(result, limit, settings, tools).await;
    if let Some(claimed) = claimed {
        // The limited result is stored: a repeated call gets what the first one got.
        claimed.settle(settings, result).await;
    }
    if let Some(log) = &settings.audit {
        audit::after(log, audited, (settings, call.options), result, bytes as u64).await;
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
        let entry = steps::resolve(tools, call.name, found).inspect_err(|_| {
            inputs.arguments = steps::unused(call.arguments, settings);
        })?;
        record.entry = Some(entry);
        let cx = settings.context(&record.result.id, record.started, entry, call.options, span);
        let scope = Scope::new(shared, entry, inputs.context.insert(cx), call.options);
        let arguments = inputs.arguments.insert(Arguments::blank());
        let changes = &mut record.metadata().changes;
        steps::parse(entry, call, settings, arguments, changes)?;
        if settings.references {
            Box::pin(references::resolve(entry, arguments, settings, record)).await?;
        }
        // Steps 3 to 6, and again for arguments that the approver edited.
        let prepared = loop {
            fit(scope, arguments, record).map_err(|error| steps::explained(tools, entry, error))?;
            let mut prepared = steps::prepare(scope, arguments)?;
            steps::measure(scope, &prepared, arguments, record)?;
            // After defaults and conversions, because rules match the arguments that run.
            let ruling = steps::ruling(scope, arguments, &prepared.plan);
            let previous = record.metadata().approval.as_ref();
            let ruling = match approve::allowed(ruling, scope.options, previous) {
                Ok(approval) => {
                    record.metadata().approval = Some(approval);
                    break prepared;
                }
                Err(ruling) => ruling,
            };
            match Box::pin(review(scope, arguments, record, &mut prepared, ruling)).await? {
                Next::Run => break prepared,
                Next::Replayed => return Ok(()),
                Next::Validate(edited) => {
                    drop(prepared);
                    record.edited();
                    *arguments = *edited;
                }
            }
        };
        carry_out(scope, arguments, prepared, record).await
    }
}

/// Runs steps 7 and 8.
#[inline]
#[expect(
    clippy::manual_async_fn,
    reason = "an async function stores its parameters twice"
)]
fn carry_out<'c, 'x>(
    scope: Scope<'c, 'x>,
    arguments: &'x Arguments<'c>,
    prepared: PreparedCall<'x>,
    record: &mut Record<'c, '_>,
) -> impl Future<Output = Result<(), ToolError>> + Send {
    async move {
        let Scope { shared, entry, .. } = scope;
        let PreparedCall { plan, run, .. } = prepared;
        let plan = &plan;
        // After the approval: a call that was never approved has not started.
        if let Some(sink) = scope
            .options
            .and_then(|options| options.start_sink.as_ref())
        {
            sink.starts(&record.result.id, plan.risk).await?;
            record.is_delayed = true;
        }
        if let Some(ledger) = ledger::of(scope, plan.risk)
            && Box::pin(ledger::claim(ledger, scope, arguments, plan, record)).await?
        {
            return Ok(());
        }
        if let Some(log) = &shared.settings.audit {
            record.is_delayed = true;
            let (result, audited) = (&mut *record.result, &mut record.audited);
            let before = audit::before(log, scope, arguments, plan.risk, result, audited);
            Box::pin(before).await?;
        }
        // After the approval: a call that waits for a person holds no slot.
        let permit = match shared.gate.try_enter(entry, plan) {
            Some(permit) => permit,
            None => Box::pin(wait_for_permit(scope, plan, record)).await?,
        };
        if scope.options.is_some_and(|options| options.is_of_turn) {
            // The calls of a turn start in order up to here, and run concurrently.
            yield_now().await;
            record.is_delayed = true;
        }
        let since = record.execution_start();
        let attempts = AtomicU32::new(0);
        let work = run::start(scope, arguments, plan, run, &attempts);
        let ran = Run::new(scope, work, &attempts, record.result)
            .execute(since)
            .await?;
        drop(permit);
        record.ran(since, &ran);
        ran.outcome
    }
}

/// Runs step 3.
#[inline]
fn fit<'c>(
    scope: Scope<'c, '_>,
    arguments: &mut Arguments<'c>,
    record: &mut Record<'c, '_>,
) -> Result<(), ToolError> {
    let changes = &mut record.metadata().changes;
    let fit = steps::validate(scope.entry, arguments, &scope.shared.settings, changes);
    if !matches!(fit, Ok(Fit::Plain)) {
        let ignored = scope.entry.ignored(arguments.root());
        record.result.warnings.extend(ignored);
        record.is_delayed = true;
    }
    fit.map(drop)
}

/// Runs step 6.
async fn review<'c>(
    scope: Scope<'c, '_>,
    arguments: &Arguments<'_>,
    record: &mut Record<'c, '_>,
    prepared: &mut PreparedCall<'_>,
    ruling: Ruling,
) -> Result<Next, ToolError> {
    let previous = record.metadata().approval.take();
    // A settled call must not request approval again, so look it up before the first request.
    if previous.is_none()
        && let Some(ledger) = ledger::of(scope, prepared.plan.risk)
        && !approve::denies(&ruling, scope.options)
        && ledger::look_up(ledger, scope, arguments, &prepared.plan, record).await?
    {
        return Ok(Next::Replayed);
    }
    let mut review = Review::new(scope, arguments, prepared, previous);
    let next = review.decide(ruling).await;
    let Review {
        approval, waited, ..
    } = review;
    record.is_delayed = true;
    record.paused += waited;
    record.metadata().approval = approval;
    next
}

/// Waits in step 7.
async fn wait_for_permit<'c>(
    scope: Scope<'c, '_>,
    plan: &CallPlan,
    record: &mut Record<'c, '_>,
) -> Result<Permit<'c>, ToolError> {
    let Scope {
        shared, entry, cx, ..
    } = scope;
    let (queued, permit) = shared.gate.enter(entry, cx, plan).await;
    record.is_delayed = true;
    record.metadata().queue_time = queued;
    permit
}

#[cfg(test)]
mod tests;
