//! Audit events, created from the facts about a call.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value;

use super::Settings;
use super::limit::INLINE_BYTES;
use super::scope::Scope;
use crate::approval::{ApprovalRecord, Outcome};
use crate::audit::{AfterCall, AuditedArguments, AuditedFile, AuditedOutput, BeforeCall};
use crate::output_store::STORED_OUTPUT;
use crate::{
    Arguments, CallOptions, ErrorCode, Notes, RiskLevel, SideEffects, Timestamp, ToolResult, text,
};

/// Maximum number of characters of an id or a name.
const NAME_CHARS: usize = 256;
/// Maximum number of files in an event.
const MAX_FILES: usize = 1000;
/// Maximum bytes of their paths and digests.
const FILES_BYTES: usize = 256 * 1024;
/// Metadata keys that describe the sandbox.
const SANDBOX_KEYS: [&str; 2] = ["sandbox", "protected"];
/// Maximum bytes of one fact about the sandbox.
const FACT_BYTES: usize = 4 * 1024;

/// Returns the event before a call that is about to run.
pub(super) fn before(
    scope: Scope<'_, '_>,
    arguments: &Arguments<'_>,
    risk: RiskLevel,
    approval: Option<&ApprovalRecord>,
) -> BeforeCall {
    let (entry, settings) = (scope.entry, &scope.shared.settings);
    let event = BeforeCall {
        time: settings.now(),
        call_id: bounded(scope.cx.call_id()),
        parent_id: parent_of(scope.options),
        tool: bounded(entry.name().as_str()),
        definition_digest: entry.digest(),
        arguments: AuditedArguments::of(arguments.to_value(), settings.redactor.as_deref()),
        risk: Some(risk),
        decision: None,
        rule: None,
        approved_by: None,
    };
    decided(event, approval)
}

/// Returns the event before a call that was rejected, created with its result.
pub(super) fn rejected(
    result: &ToolResult,
    settings: &Settings,
    options: Option<&CallOptions>,
) -> BeforeCall {
    let metadata = &result.metadata;
    let event = BeforeCall {
        time: metadata.start_time,
        call_id: bounded(&result.id),
        parent_id: parent_of(options),
        tool: bounded(&metadata.tool_name),
        definition_digest: None,
        arguments: AuditedArguments::of(
            metadata.parameters.to_value(),
            settings.redactor.as_deref(),
        ),
        risk: None,
        decision: None,
        rule: None,
        approved_by: None,
    };
    decided(event, metadata.approval.as_ref())
}

fn decided(event: BeforeCall, approval: Option<&ApprovalRecord>) -> BeforeCall {
    let Some(approval) = approval else {
        return event;
    };
    let by = match approval.outcome {
        Outcome::Allowed => Some("policy"),
        Outcome::Approved | Outcome::Edited => Some("approver"),
        Outcome::Denied | Outcome::Pending => None,
    };
    BeforeCall {
        decision: Some(approval.outcome),
        rule: approval.rule.as_deref().map(bounded),
        approved_by: by.map(str::to_owned),
        ..event
    }
}

/// Returns the event after a call.
pub(super) fn after(
    result: &ToolResult,
    settings: &Settings,
    options: Option<&CallOptions>,
) -> AfterCall {
    let metadata = &result.metadata;
    let digests = metadata.extra.get("file_digests");
    AfterCall {
        time: settings.now(),
        call_id: bounded(&result.id),
        parent_id: parent_of(options),
        tool: bounded(&metadata.tool_name),
        success: result.success,
        code: result.error.as_ref().map(|error| error.code.clone()),
        side_effects: metadata.side_effects,
        attempts: metadata.attempts,
        exit_code: exit_code(result),
        duration_ms: milliseconds(metadata.total_time),
        bytes_dropped: metadata.bytes_dropped,
        output: output(result),
        files: files(&result.files_affected, digests),
        sandbox: sandbox(&metadata.extra),
    }
}

/// Returns the event after a call that was dropped while it ran, `after` its first event at `time`.
pub(super) fn dropped(
    call_id: String,
    tool: String,
    parent_id: Option<String>,
    time: Timestamp,
    after: Duration,
) -> AfterCall {
    AfterCall {
        time: time.after(after),
        call_id,
        parent_id,
        tool,
        success: false,
        code: Some(ErrorCode::Cancelled),
        side_effects: SideEffects::Possible,
        attempts: 0,
        exit_code: None,
        duration_ms: milliseconds(after),
        bytes_dropped: 0,
        output: AuditedOutput::default(),
        files: Vec::new(),
        sandbox: BTreeMap::new(),
    }
}

fn parent_of(options: Option<&CallOptions>) -> Option<String> {
    options?.parent_id.as_deref().map(bounded)
}

/// Returns an untrusted id or name on one line and bounded.
fn bounded(name: &str) -> String {
    text::short(name, NAME_CHARS)
}

fn exit_code(result: &ToolResult) -> Option<i64> {
    let noted = result.metadata.extra.get("exit_code");
    let given = || result.data.as_ref()?.get("exit_code");
    noted.or_else(given)?.as_i64()
}

fn output(result: &ToolResult) -> AuditedOutput {
    let bytes = result.truncations.full_bytes(&result.content);
    let handle = result
        .metadata
        .extra
        .get(STORED_OUTPUT)
        .and_then(Value::as_str);
    let short = bytes <= INLINE_BYTES as u64;
    AuditedOutput {
        bytes,
        text: short
            .then(|| result.text())
            .filter(|text| text.len() <= 2 * INLINE_BYTES),
        handle: handle.map(bounded),
    }
}

/// Returns as many files as fit, so that a line of a log has a bounded length.
fn files(paths: &[String], digests: Option<&Value>) -> Vec<AuditedFile> {
    let mut bytes_left = FILES_BYTES;
    let described = paths.iter().take(MAX_FILES).map(|path| file(path, digests));
    let fits = |file: &AuditedFile| {
        let digests = file.before.iter().chain(&file.after);
        let bytes = file.path.len() + digests.map(String::len).sum::<usize>();
        let left = bytes_left.checked_sub(bytes);
        bytes_left = left.unwrap_or_default();
        left.is_some()
    };
    described.take_while(fits).collect()
}

fn file(path: &str, digests: Option<&Value>) -> AuditedFile {
    let of_file = digests.and_then(|digests| digests.get(path));
    let digest = |when: &str| of_file?.get(when)?.as_str().map(bounded);
    AuditedFile {
        path: text::short(path, 4096),
        before: digest("before"),
        after: digest("after"),
    }
}

fn sandbox(extra: &Notes) -> BTreeMap<String, Value> {
    let fact = |key: &str| {
        let value = extra.get(key)?;
        let short = value.to_string().len() <= FACT_BYTES;
        let visible = if short {
            value.clone()
        } else {
            "too large".into()
        };
        Some((key.to_owned(), visible))
    };
    SANDBOX_KEYS.into_iter().filter_map(fact).collect()
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
