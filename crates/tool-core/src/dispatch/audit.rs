//! Step 10: the audit events, one before the run (once the call is approved) and one after.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::guard::{guarded, guarded_wait};
use super::{Settings, events};
use crate::audit::{AuditEvent, AuditLog, AuditWrite, BeforeCall};
use crate::{CallOptions, ErrorCode, RiskLevel, Timestamp, ToolError, ToolResult, clock};

/// Timeout of a log for one event.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Warning in the result of a call that the log does not contain.
const NOT_RECORDED: &str = "This call could not be recorded in the audit log.";

/// A call whose first event is in the log. Its drop records a call that was dropped while it ran.
pub(super) struct Audited {
    log: Arc<dyn AuditLog>,
    call_id: String,
    parent_id: Option<String>,
    tool: String,
    time: Timestamp,
    since: Instant,
    closed: bool,
}

/// Records that a call is about to run. Also returns a warning if that failed, or an error if the call is dangerous and
/// must not run.
pub(super) async fn before(
    log: &Arc<dyn AuditLog>,
    event: BeforeCall,
) -> (Box<Audited>, Result<Option<String>, ToolError>) {
    let audited = Box::new(Audited {
        log: Arc::clone(log),
        call_id: event.call_id.clone(),
        parent_id: event.parent_id.clone(),
        tool: event.tool.clone(),
        time: event.time,
        since: clock::now(),
        closed: false,
    });
    let is_dangerous = event.risk == Some(RiskLevel::Dangerous);
    let outcome = match finished(begin(log, AuditEvent::Before(event))).await {
        Ok(()) => Ok(None),
        Err(cause) if is_dangerous => Err(not_run().caused_by(cause)),
        Err(cause) => {
            log_failure(&audited.call_id, &cause);
            Ok(Some(NOT_RECORDED.to_owned()))
        }
    };
    (audited, outcome)
}

/// Records the result. A call that was rejected before its first event gets both events here.
pub(super) async fn after(
    log: &Arc<dyn AuditLog>,
    audited: Option<Box<Audited>>,
    settings: &Settings,
    options: Option<&CallOptions>,
    result: &mut ToolResult,
) {
    // Both writes begin before the first wait, so that a call dropped here has both events or none.
    let first = match &audited {
        Some(_) => None,
        None => Some(begin(
            log,
            AuditEvent::Before(events::rejected(result, settings, options)),
        )),
    };
    if let Some(mut audited) = audited {
        audited.closed = true;
    }
    let second = begin(
        log,
        AuditEvent::After(events::after(result, settings, options)),
    );
    let mut outcome = Ok(());
    for write in first.into_iter().chain([second]) {
        outcome = outcome.and(finished(write).await);
    }
    if let Err(cause) = outcome {
        log_failure(&result.id, &cause);
        if !result.warnings.iter().any(|text| text == NOT_RECORDED) {
            result.warnings.push(NOT_RECORDED.to_owned());
        }
    }
}

/// Passes an event to the log.
fn begin(log: &Arc<dyn AuditLog>, event: AuditEvent) -> Result<AuditWrite, ToolError> {
    guarded(|| Ok(log.record(event)))
}

/// Waits until an event is written.
async fn finished(write: Result<AuditWrite, ToolError>) -> Result<(), ToolError> {
    let failed = || ToolError::failed("The audit log failed");
    match tokio::time::timeout(TIMEOUT, guarded_wait(write)).await {
        Ok(Ok(Ok(()))) => Ok(()),
        Ok(Ok(Err(error))) => Err(failed().caused_by(error)),
        Ok(Err(panic)) => Err(panic),
        Err(elapsed) => Err(failed().caused_by(elapsed)),
    }
}

fn not_run() -> ToolError {
    ToolError::new(
        ErrorCode::AuditFailed,
        "This call was not run, because it could not be recorded in the audit log",
    )
    .suggest(
        "Tell the user that the audit log cannot be written; tools that are not dangerous still work.",
    )
}

fn log_failure(call_id: &str, cause: &ToolError) {
    let source = std::error::Error::source(cause).map(tracing::field::display);
    tracing::error!(
        call = call_id,
        source,
        "a call could not be recorded in the audit log"
    );
}

impl Drop for Audited {
    fn drop(&mut self) {
        if self.closed {
            return;
        }
        let after = clock::now().duration_since(self.since);
        let event = events::dropped(
            std::mem::take(&mut self.call_id),
            std::mem::take(&mut self.tool),
            self.parent_id.take(),
            self.time,
            after,
        );
        // A second panic during unwinding would abort the process.
        drop(guarded(|| Ok(self.log.record(AuditEvent::After(event)))));
    }
}
