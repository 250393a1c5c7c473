//! One call, in order. Each step is a function that can be read alone; the order is a promise.

mod approve;
mod audit;
mod audited;
mod budget;
mod check;
mod decide;
mod explain;
mod gate;
mod incoming;
mod parse;
mod policy;
mod preview;
mod record;
mod redact;
mod resolve;
mod run;
mod scrubbed;
mod settings;
mod shared;
mod span;
mod stop;
mod validate;
mod watch;

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

pub(crate) use budget::{INLINE_BYTES, share_out};
pub(crate) use explain::explanation;
pub(crate) use gate::Gate;
pub(crate) use incoming::{Incoming, Sent};
pub(crate) use settings::Settings;
pub(crate) use shared::Shared;
pub(crate) use validate::validation;
pub use validate::{Validation, ValidationOutcome};

use tracing::Span;

use self::record::Record;
use crate::catalog::Tools;
use crate::{Arguments, OutputLimit, ToolError, ToolResult};

/// Answers one call. Whatever happens, there is exactly one result: `result`, which is put together where it stays, because it
/// is dear to move.
#[expect(
    clippy::manual_async_fn,
    reason = "a block uses what it is given where it stands, a function moves it first"
)]
pub(crate) fn answer(
    shared: &Shared,
    tools: &Tools,
    call: &Incoming<'_>,
    result: &mut ToolResult,
) -> impl Future<Output = ()> + Send {
    async move {
        let settings = &shared.settings;
        let mut record = Record::start(call, result);
        if settings.clock.is_some() {
            record.starts_at(settings.now());
        }
        let span = span::span(record.id(), call.name);
        let outcome = {
            let mut steps = pin!(steps(shared, tools, &mut record, &span));
            // In place, because a future of this size is dear to move. What the steps do not guard, such as a definition
            // that panics, ends the call and nothing else.
            poll_fn(|cx| {
                span.in_scope(|| run::guarded(|| Ok(steps.as_mut().poll(cx))))
                    .unwrap_or_else(|fault| Poll::Ready(Err(fault)))
            })
            .await
        };
        let redactor = settings.redactor.as_deref();
        let limit = *record.limit().unwrap_or(&settings.output_limit);
        record.finish(outcome, redactor, &span);
        let audited = record.take_audited();
        let is_done = redactor.is_none()
            && settings.audit.is_none()
            && !budget::is_needed(&result.content, limit, settings);
        if !is_done {
            // Apart from the call's own future, which most calls need not make room for this.
            Box::pin(conclude(result, shared, tools, call, limit, audited)).await;
        }
    }
}

/// Step 9, and the last event of step 10.
async fn conclude(
    result: &mut ToolResult,
    shared: &Shared,
    tools: &Tools,
    call: &Incoming<'_>,
    limit: OutputLimit,
    audited: Option<Box<audit::Audited>>,
) {
    let settings = &shared.settings;
    if let Sent::Own(value) = call.arguments {
        result.metadata.parameters.settle(|| value.clone());
    }
    if let Some(redactor) = &settings.redactor {
        redact::redact(redactor, result);
    }
    if budget::is_needed(&result.content, limit, settings) {
        budget::fit(result, limit, settings, tools).await;
    }
    if let Some(log) = &settings.audit {
        audit::after(log, audited, (settings, call.options), result).await;
    }
}

/// Each step that may wait is a future of its own only where it does: the call's own need not make room for it then.
#[expect(
    clippy::manual_async_fn,
    reason = "a block uses what it is given where it stands, a function moves it first"
)]
fn steps<'c>(
    shared: &'c Shared,
    tools: &'c Tools,
    record: &mut Record<'c, '_>,
    span: &Span,
) -> impl Future<Output = Result<(), ToolError>> + Send {
    async move {
        let settings = &shared.settings;
        let entry = resolve::resolve(tools, record.call().name)?;
        span::found(span, entry.definition());
        let cx = record.found(entry, settings);
        let (sent, mut arguments) = (record.call().arguments, Arguments::blank());
        parse::parse(entry, sent, settings, record.changes(), &mut arguments)?;
        if arguments.is_large() {
            record.lingers();
        }
        if let Err(error) = validate::validate(entry, &mut arguments, settings, record) {
            arguments.give_back();
            cx.give_back();
            return Err(error);
        }
        let risk = match decide::by_risk_alone(shared, entry, record) {
            Some(risk) => risk,
            None => Box::pin(decide::decide(shared, entry, &cx, &mut arguments, record)).await?,
        };
        if let Some(log) = &settings.audit {
            record.lingers();
            let told = (settings, record.call().options);
            Box::pin(audit::before(
                log, entry, &cx, &arguments, risk, told, record,
            ))
            .await?;
        }
        let permit = match shared.gate.permit_at_once(entry) {
            Some(permit) => permit,
            None => Box::pin(gate::wait(&shared.gate, entry, &cx, &arguments, record)).await?,
        };
        let run = run::Run {
            entry,
            cx: &cx,
            arguments: &arguments,
            settings,
        };
        let ran = run.to_its_end(record).await;
        drop(permit);
        arguments.give_back();
        let gathered = budget::gather(ran, &cx, record);
        cx.give_back();
        gathered
    }
}

#[cfg(test)]
#[cfg(feature = "validate")]
mod tests;
