//! What is written into the audit log: before step 7, when all is decided, and after step 10.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Settings;
use super::audited::{after_event, before_event, bounded, refused_event};
use super::record::Record;
use super::run::{guarded, guarded_wait};
use crate::audit::{AuditEvent, AuditLog, AuditWrite};
use crate::catalog::Entry;
use crate::{
    Arguments, CallOptions, ErrorCode, RiskLevel, Timestamp, ToolContext, ToolError, ToolResult,
    clock,
};

/// How long a log may take for one event.
const PATIENCE: Duration = Duration::from_secs(10);
/// What the reader of a result is told when the log could not be written.
const NOT_RECORDED: &str = "This call could not be recorded in the audit log.";

/// A call whose first event was given to the log, and whose second is still to come.
pub(super) struct Audited {
    log: Arc<dyn AuditLog>,
    call_id: String,
    parent_id: Option<String>,
    tool: String,
    time: Timestamp,
    since: Instant,
    closed: bool,
}

/// Records that a call is about to run. A dangerous one does not run where that fails.
pub(super) async fn before(
    log: &Arc<dyn AuditLog>,
    entry: &Entry,
    cx: &ToolContext,
    arguments: &Arguments<'_>,
    risk: RiskLevel,
    (settings, options): (&Settings, Option<&CallOptions>),
    record: &mut Record<'_, '_>,
) -> Result<(), ToolError> {
    let redactor = settings.redactor.as_deref();
    let mut event = before_event(cx.call_id(), entry, arguments, risk, redactor);
    event.time = settings.now();
    event.parent_id = parent_of(options);
    event.decided(record.approval_so_far());
    record.audited(Audited {
        log: Arc::clone(log),
        call_id: event.call_id.clone(),
        parent_id: event.parent_id.clone(),
        tool: event.tool.clone(),
        time: event.time,
        since: clock::now(),
        closed: false,
    });
    match write(log, AuditEvent::Before(event)).await {
        Err(cause) if risk == RiskLevel::Dangerous => Err(not_run().caused_by(cause)),
        Err(cause) => {
            complain(cx.call_id(), &cause);
            record.warn(vec![NOT_RECORDED.to_owned()]);
            Ok(())
        }
        Ok(()) => Ok(()),
    }
}

/// Records how a call ended. One that was refused before it was to run gets both its events here.
pub(super) async fn after(
    log: &Arc<dyn AuditLog>,
    audited: Option<Box<Audited>>,
    (settings, options): (&Settings, Option<&CallOptions>),
    result: &mut ToolResult,
) {
    let mut first = Ok(None);
    if audited.is_none() {
        let mut event = refused_event(result, settings.redactor.as_deref());
        event.parent_id = parent_of(options);
        event.decided(result.metadata.approval.as_ref());
        first = begin(log, AuditEvent::Before(event)).map(Some);
    }
    let mut event = after_event(result);
    event.time = settings.now();
    event.parent_id = parent_of(options);
    if let Some(mut audited) = audited {
        audited.closed = true;
    }
    // Both are given to the log before anything is waited for, so that a call that is dropped here has both or none.
    let second = begin(log, AuditEvent::After(event)).map(Some);
    let mut outcome = Ok(());
    for write in [first, second] {
        let ended = match write {
            Ok(Some(write)) => written(write).await,
            Ok(None) => Ok(()),
            Err(cause) => Err(cause),
        };
        outcome = outcome.and(ended);
    }
    if let Err(cause) = outcome {
        complain(&result.id, &cause);
        if !result
            .warnings
            .iter()
            .any(|warning| warning == NOT_RECORDED)
        {
            result.warnings.push(NOT_RECORDED.to_owned());
        }
    }
}

/// Gives an event to the log and waits until it is written.
async fn write(log: &Arc<dyn AuditLog>, event: AuditEvent) -> Result<(), ToolError> {
    written(begin(log, event)?).await
}

/// Gives an event to the log.
fn begin(log: &Arc<dyn AuditLog>, event: AuditEvent) -> Result<AuditWrite, ToolError> {
    guarded(|| Ok(log.record(event)))
}

async fn written(write: AuditWrite) -> Result<(), ToolError> {
    let failed = |cause| ToolError::failed("The audit log failed").caused_by(cause);
    match tokio::time::timeout(PATIENCE, guarded_wait(write)).await {
        Ok(Ok(Ok(()))) => Ok(()),
        Ok(Ok(Err(error))) => Err(failed(
            Box::new(error) as Box<dyn std::error::Error + Send + Sync>
        )),
        Ok(Err(fault)) => Err(fault),
        Err(elapsed) => Err(failed(Box::new(elapsed))),
    }
}

fn parent_of(options: Option<&CallOptions>) -> Option<String> {
    let parent = options?.parent_id.as_deref()?;
    Some(bounded(parent))
}

fn not_run() -> ToolError {
    ToolError::new(
        ErrorCode::AuditFailed,
        "This call was not run, because it could not be recorded in the audit log",
    )
    .suggest("Tell the user that the audit log cannot be written; other tools that are not dangerous still work.")
}

fn complain(call_id: &str, cause: &ToolError) {
    let source = std::error::Error::source(cause).map(tracing::field::display);
    tracing::error!(
        call = call_id,
        source,
        "a call could not be recorded in the audit log"
    );
}

/// A call that is dropped while it runs is recorded all the same; there is nobody left to wait for it.
impl Drop for Audited {
    fn drop(&mut self) {
        if self.closed {
            return;
        }
        let after = clock::now().duration_since(self.since);
        let mut event = super::audited::dropped_event(
            std::mem::take(&mut self.call_id),
            std::mem::take(&mut self.tool),
            self.parent_id.take(),
            after,
        );
        event.time = self.time.after(after);
        // A log that panics must not turn a drop into an abort.
        drop(guarded(|| Ok(self.log.record(AuditEvent::After(event)))));
    }
}
