//! Step 10: the audit events, one before the run (once the call is approved) and one after.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::Settings;
use super::limit::INLINE_BYTES;
use super::settings::Scope;
use super::stop::{guarded, guarded_wait};
use crate::audit::{
    AuditEvent, AuditLog, AuditWrite, AuditedResult, AuditedText, recorded_arguments,
};
use crate::output_store::STORED_OUTPUT;
use crate::{
    Arguments, CallOptions, ErrorCode, RiskLevel, SideEffects, ToolError, ToolResult, clock, text,
};

/// Timeout of a log for one event.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Warning in the result of a call that the log does not contain.
const NOT_RECORDED: &str = "This call could not be recorded in the audit log.";
/// Maximum number of characters of an id or a name.
const NAME_CHARS: usize = 256;
/// Maximum number of files in an event.
const MAX_FILES: usize = 1000;
/// Maximum bytes of their paths.
const FILES_BYTES: usize = 256 * 1024;
/// Maximum bytes of one value of the metadata, and of all.
const VALUE_BYTES: usize = 4 * 1024;
const METADATA_BYTES: usize = 64 * 1024;

/// A call whose first event is in the log. Its drop records a call that was dropped while it ran.
pub(super) struct Audited {
    log: Arc<dyn AuditLog>,
    event: AuditEvent,
    since: Instant,
    is_closed: bool,
}

/// Records that a call is about to run. Adds a warning if that fails, or returns an error if the call is dangerous and
/// must not run.
pub(super) async fn before(
    log: &Arc<dyn AuditLog>,
    scope: Scope<'_, '_>,
    arguments: &Arguments<'_>,
    risk: RiskLevel,
    result: &mut ToolResult,
    audited: &mut Option<Box<Audited>>,
) -> Result<(), ToolError> {
    let (cx, settings) = (scope.cx, &scope.shared.settings);
    let (tool, arguments) = (scope.entry.name().as_str(), arguments.to_value());
    let event = AuditEvent {
        time: settings.now(),
        definition_digest: Some(scope.entry.digest().to_owned()),
        risk: Some(risk),
        ..event(result, tool, arguments, scope.options, settings)
    };
    let is_dangerous = event.must_be_durable();
    *audited = Some(Box::new(Audited {
        log: Arc::clone(log),
        event: event.clone(),
        since: clock::now(),
        is_closed: false,
    }));
    match finished(begin(log, event)).await {
        Ok(()) => Ok(()),
        // What an unrecorded call did could not be found out later.
        Err(cause) if is_dangerous => Err(not_run().caused_by(cause)),
        Err(cause) => {
            log_failure(cx.call_id(), &cause);
            result.warnings.push(NOT_RECORDED.to_owned());
            Ok(())
        }
    }
}

/// Records the result, whose full text has `bytes`. A call that was rejected before its first event gets both events here.
pub(super) async fn after(
    log: &Arc<dyn AuditLog>,
    audited: Option<Box<Audited>>,
    (settings, options): (&Settings, Option<&CallOptions>),
    result: &mut ToolResult,
    bytes: u64,
) {
    // Both writes begin before the first wait, so that a call dropped here has both events or none.
    let (first, mut event) = if let Some(mut audited) = audited {
        audited.is_closed = true;
        (None, audited.event.clone())
    } else {
        let tool = &result.metadata.tool_name;
        let arguments = result.metadata.parameters.to_value();
        let event = event(result, tool, arguments, options, settings);
        (Some(begin(log, event.clone())), event)
    };
    event.time = settings.now();
    event.result = Some(result_of(result, bytes));
    let second = begin(log, event);
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

/// Returns the event of a call without what is known only once it is about to run.
fn event(
    result: &ToolResult,
    tool: &str,
    arguments: Value,
    options: Option<&CallOptions>,
    settings: &Settings,
) -> AuditEvent {
    let approval = result.metadata.approval.as_ref();
    AuditEvent {
        time: result.metadata.start_time,
        call_id: bounded(&result.id),
        parent_id: options.and_then(|options| options.parent_id.as_deref().map(bounded)),
        tool: bounded(tool),
        definition_digest: None,
        arguments: recorded_arguments(arguments, settings.redactor.as_deref()),
        risk: None,
        decision: approval.map(|approval| approval.outcome),
        rule: approval.and_then(|approval| approval.rule.as_deref().map(bounded)),
        result: None,
    }
}

fn result_of(result: &ToolResult, bytes: u64) -> AuditedResult {
    let metadata = &result.metadata;
    let handle = metadata.extra.get(STORED_OUTPUT);
    let is_short = bytes <= INLINE_BYTES as u64;
    AuditedResult {
        code: result.error.as_ref().map(|error| error.code.clone()),
        side_effects: metadata.side_effects,
        attempts: metadata.attempts,
        duration_ms: milliseconds(metadata.total_time),
        output: AuditedText {
            bytes,
            // Two measures, because placeholders of media are text as well.
            text: is_short
                .then(|| result.text())
                .filter(|text| text.len() <= 2 * INLINE_BYTES),
            digest: None,
            handle: handle.and_then(Value::as_str).map(bounded),
        },
        files: files(&result.files_affected),
        metadata: bounded_metadata(&metadata.extra),
    }
}

/// Returns an untrusted id or name on one line and bounded.
fn bounded(name: &str) -> String {
    text::short(name, NAME_CHARS)
}

/// Returns as many files as fit, so that a line of a log has a bounded length.
fn files(paths: &[String]) -> Vec<String> {
    let mut bytes = 0;
    let short = paths.iter().map(|path| text::short(path, 4096));
    let fits = |path: &String| {
        bytes += path.len();
        bytes <= FILES_BYTES
    };
    short.take(MAX_FILES).take_while(fits).collect()
}

/// Returns the metadata whose values are short, as much as fits.
fn bounded_metadata(extra: &BTreeMap<String, Value>) -> BTreeMap<String, Value> {
    let mut bytes = 0;
    let fits = |(name, value): &(&String, &Value)| {
        let size = name.len() + value.to_string().len();
        let fits = size <= VALUE_BYTES && bytes + size <= METADATA_BYTES;
        bytes += if fits { size } else { 0 };
        fits
    };
    let kept = extra.iter().filter(fits);
    kept.map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Passes an event to the log.
fn begin(log: &Arc<dyn AuditLog>, event: AuditEvent) -> Result<AuditWrite, ToolError> {
    guarded(|| Ok(log.record(event)))
}

/// Waits until an event is written.
async fn finished(write: Result<AuditWrite, ToolError>) -> Result<(), ToolError> {
    let failed = |cause: io::Error| ToolError::failed("The audit log failed").caused_by(cause);
    // A log that hangs must not stop every call of the program.
    match tokio::time::timeout(TIMEOUT, guarded_wait(write)).await {
        Ok(written) => written?.map_err(failed),
        Err(elapsed) => Err(failed(elapsed.into())),
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
        if self.is_closed {
            return;
        }
        let mut event = self.event.clone();
        let after = clock::now().duration_since(self.since);
        event.time = event.time.after(after);
        event.result = Some(AuditedResult {
            code: Some(ErrorCode::Cancelled),
            side_effects: SideEffects::Possible,
            duration_ms: milliseconds(after),
            ..AuditedResult::default()
        });
        // A second panic during unwinding would abort the process.
        drop(guarded(|| Ok(self.log.record(event))));
    }
}
